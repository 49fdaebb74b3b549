package main

// This file measures how far blocks by HTML alone and blocks as rendered agree.

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/change"
	"kavosh/lib/cdx"
	"kavosh/lib/segment"
	"kavosh/lib/words"
	"kavosh/replay/render"
	"kavosh/site"
)

// agreement is of one page.
type agreement struct {
	precision, recall float64 // B-cubed, of the blocks by HTML against those rendered
	shared            float64 // share of the rendered items that the HTML has, too
}

func (a *agreement) f1() float64 {
	if a.precision+a.recall == 0 {
		return 0
	}
	return 2 * a.precision * a.recall / (a.precision + a.recall)
}

// agree cuts one page in every few of an archive in both ways, at most so many, and prints how far both agree; of each page,
// too, if show is set.
func agree(ctx context.Context, dir string, most, every int, show bool) error {
	c, err := site.OpenArchive(dir, "a", "", site.Live{})
	if err != nil {
		return err
	}
	server, err := site.New(site.Options{Collections: []site.Collection{c}})
	if err != nil {
		return err
	}
	renderer := &render.Renderer{Pages: server.ReplayHandler()}
	defer renderer.Close()
	all := archive.RecordsOf(vfs.Default, dir)
	flow := &change.Reader{Records: access.NewGuard(all.Index, all.Files, nil).Records()}
	rendered := &change.Reader{Records: flow.Records, Layout: func(ctx context.Context, e *cdx.Entry) (*segment.Layout, error) {
		made, err := renderer.Render(ctx, "/"+url.PathEscape(c.Name)+"/"+e.Timestamp+"if_/"+e.URL, kavosh.LayoutBoxes)
		if err != nil {
			return nil, err
		}
		var boxes kavosh.Layout
		if err := json.Unmarshal(made[0].Data, &boxes); err != nil {
			return nil, err
		}
		return change.LayoutOf(&boxes), nil
	}}
	var list []agreement
	var took time.Duration
	n := 0
	for e, err := range all.Index.Query(ctx, cdx.Query{URL: "*"}) {
		if err != nil {
			return err
		}
		if !change.IsPage(&e) || e.MIME == cdx.Revisit || len(list) == most {
			continue
		}
		if n++; n%every != 0 {
			continue
		}
		a, err := flow.Page(ctx, &e)
		if err != nil {
			fmt.Fprintln(os.Stderr, e.URL, err)
			continue
		}
		begin := time.Now()
		b, err := rendered.Page(ctx, &e)
		if err != nil {
			fmt.Fprintln(os.Stderr, e.URL, err)
			continue
		}
		took += time.Since(begin)
		list = append(list, bcubed(a, b))
		if show {
			fmt.Printf("%s: %+.3v\n", e.URL, list[len(list)-1])
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("%s has no pages", dir)
	}
	sum := agreement{}
	for _, a := range list {
		sum.precision += a.precision / float64(len(list))
		sum.recall += a.recall / float64(len(list))
		sum.shared += a.shared / float64(len(list))
	}
	slices.SortFunc(list, func(a, b agreement) int { return cmp.Compare(a.f1(), b.f1()) })
	mean := 0.0
	for _, a := range list {
		mean += a.f1() / float64(len(list))
	}
	fmt.Printf("%d pages, %.2f s a rendering\nB-cubed of blocks by HTML against those rendered: precision %.3f, recall %.3f, F1 %.3f (a tenth of the pages below %.3f, half below %.3f)\n%.1f %% of what is rendered is in the HTML\n",
		len(list), took.Seconds()/float64(len(list)), sum.precision, sum.recall, mean, list[len(list)/10].f1(), list[len(list)/2].f1(), 100*sum.shared)
	return nil
}

// bcubed compares two ways to cut a page by the words, links and images that both have. Items are told apart by how often
// the same came before.
func bcubed(got, want *segment.Page) (a agreement) {
	x, y := items(got), items(want)
	both := map[[2]int]float64{}
	inX, inY := map[int]float64{}, map[int]float64{}
	n := 0.0
	for item, i := range x {
		if j, ok := y[item]; ok {
			both[[2]int{i, j}]++
			inX[i]++
			inY[j]++
			n++
		}
	}
	for p, k := range both { // each of k items shares its blocks with k others
		a.precision += k * k / inX[p[0]] / max(1, n)
		a.recall += k * k / inY[p[1]] / max(1, n)
	}
	a.shared = n / max(1, float64(len(y)))
	return a
}

// items returns for each item of a page the number of its block.
func items(p *segment.Page) map[string]int {
	of, seen := map[string]int{}, map[string]int{}
	for i, b := range p.Root.Leaves(nil) {
		add := func(item string) {
			seen[item]++
			of[item+"\x00"+strconv.Itoa(seen[item])] = i
		}
		for _, l := range b.Links {
			add("link " + l.Address)
		}
		for _, l := range b.Images {
			add("image " + l.Address)
		}
		for _, t := range b.Texts {
			for w := range words.All(t) {
				add("word " + string(w))
			}
		}
	}
	return of
}
