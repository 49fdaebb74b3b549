package replay

// This file lets clients of the CDX server API read page after page at little cost.

import (
	"context"
	"fmt"
	"iter"
	"math"
	"sync"

	"kavosh/lib/cdx"
)

// cdxPages remembers at which key each page of a query's answer begins. So a client that reads page after page does not
// make us read the index from the beginning each time. The zero value is ready for use.
type cdxPages struct {
	mu struct {
		sync.Mutex
		starts map[string][]string // for each query, where its pages begin, from the second on
	}
}

const (
	maxPaged  = 64     // queries that are remembered
	maxStarts = 10_000 // pages that are remembered of each
)

// allPages stands for a page number and asks for all pages as one.
const allPages = -1

// start returns where a page of a query begins. If that is not known, it returns the nearest page before it whose
// beginning is known, with that page's number.
func (p *cdxPages) start(key string, page int) (after string, from int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	starts := p.mu.starts[key]
	if from = min(page, len(starts)); from > 0 {
		after = starts[from-1]
	}
	return after, from
}

// begins remembers where a page begins, if it is the one after those that are known.
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

// paged yields the entries of one page of the answer to a query, or of all pages; a page has size entries. For a query
// that sorts or collapses, it counts from the first entry: there the position in the index does not tell which entries
// came before.
func (s *cdxServer) paged(ctx context.Context, c *Collection, q cdx.Query, page, size int) iter.Seq2[cdx.Entry, error] {
	if q.Closest != "" || q.Collapse != "" || q.CollapseTime > 0 || q.Limit > 0 || q.After != "" {
		if page == allPages {
			return entriesOf(ctx, c, q)
		}
		return part(entriesOf(ctx, c, q), page*size, size)
	}
	key := fmt.Sprint(c.Name, " ", c.Edition(), size, q.Reverse, q.MatchType, " ",
		q.From, " ", q.To, " ", q.Filters, " ", q.URL)
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
