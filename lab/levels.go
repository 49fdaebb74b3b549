package lab

import (
	"fmt"

	"kavosh/frontier/order"
)

// levels is up to how many links away from a relevant page the order context-graph can classify pages: as in Diligenti
// et al. (2000).
const levels = 4

// ContextGraph trains the model of the order context-graph on this web: what pages say that are 1 to levels links away
// from a relevant page. An order knows only what it has fetched, so train on another web than the one to crawl.
func (t *Truth) ContextGraph() (*order.ContextGraph, error) {
	in := make([][]int32, len(t.Out))
	for i, out := range t.Out {
		for _, to := range out {
			in[to] = append(in[to], int32(i))
		}
	}
	far := make([]int, len(t.Out))
	var queue []int32
	for i := range far {
		far[i] = -1
		if t.Relevant[i] {
			far[i] = 0
			queue = append(queue, int32(i))
		}
	}
	texts := make([][]string, levels)
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		p := t.Web.Pages[i].Page
		texts[far[i]] = append(texts[far[i]], p.Title+"\n"+p.Text)
		for _, from := range in[i] {
			if far[from] < 0 && far[i]+1 < levels {
				far[from] = far[i] + 1
				queue = append(queue, from)
			}
		}
	}
	for len(texts) > 0 && len(texts[len(texts)-1]) == 0 {
		texts = texts[:len(texts)-1]
	}
	g, err := order.TrainContextGraph(texts)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", t.Name, t.Web.Name, err)
	}
	return g, nil
}
