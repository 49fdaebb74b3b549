package replay

import (
	"context"
	"fmt"
	"iter"
	"math"
	"sync"

	"kavosh/lib/cdx"
)

// cdxPages knows where pages of answers to queries begin, so that who reads page after page does not make the index be read from its
// beginning each time. The zero value knows none.
type cdxPages struct {
	mu struct {
		sync.Mutex
		starts map[string][]string // by query: where its pages begin, from the second on
	}
}

const (
	maxPaged  = 64     // queries of which is known where pages begin
	maxStarts = 10_000 // pages of one
)

// allPages asks for the pages of an answer one after the other, as one.
const allPages = -1

// start is where the page of a query begins, or the last page before it of which that is known, and that page's number.
func (p *cdxPages) start(key string, page int) (after string, from int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	starts := p.mu.starts[key]
	if from = min(page, len(starts)); from > 0 {
		after = starts[from-1]
	}
	return after, from
}

// begins notes where a page begins, the next of those that are known.
func (p *cdxPages) begins(key string, page int, after string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mu.starts == nil {
		p.mu.starts = map[string][]string{}
	}
	starts := p.mu.starts[key]
	if len(starts) != page-1 || page > maxStarts {
		return
	}
	for other := range p.mu.starts {
		if len(p.mu.starts) < maxPaged || len(starts) > 0 {
			break
		}
		delete(p.mu.starts, other)
	}
	p.mu.starts[key] = append(starts, after)
}

// paged are the entries of one page of the answer to a query, size a page, or of all. Those of a query that sorts or folds are counted from the
// first, since a place in the index does not say what came before it.
func (s *cdxServer) paged(ctx context.Context, c *Collection, q cdx.Query, page, size int) iter.Seq2[cdx.Entry, error] {
	if q.Closest != "" || q.Collapse != "" || q.CollapseTime > 0 || q.Limit > 0 || q.After != "" {
		if page == allPages {
			return entriesOf(ctx, c, q)
		}
		return part(entriesOf(ctx, c, q), page*size, size)
	}
	key := fmt.Sprint(c.Name, " ", c.Edition(), size, q.Reverse, q.MatchType, " ", q.From, " ", q.To, " ", q.Filters, " ", q.URL)
	from, skip, last := 0, 0, math.MaxInt
	if page != allPages {
		q.After, from = s.pages.start(key, page)
		skip = (page - from) * size
		last = skip + size
	}
	return func(yield func(cdx.Entry, error) bool) {
		n, mark := 0, cdx.NewMark(q.After)
		for e, err := range entriesOf(ctx, c, q) {
			if err == nil && n > 0 && n%size == 0 {
				s.pages.begins(key, from+n/size, mark.String())
			}
			if err == nil && n == last {
				return
			}
			mark.Pass(&e)
			n++
			if err == nil && n <= skip {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
