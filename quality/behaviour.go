package quality

// This file reads how pages behave over a series of crawls: pages × crawls (Spaniol, Mazeika, Denev and Weikum, "Catch me if you can:
// Visual Analysis of Coherence Defects in Web Archiving", 2009, figure 9).

import (
	"cmp"
	"context"
	"hash/fnv"
	"iter"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"kavosh/change"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
)

// Seen says what a crawl found of a page.
type Seen byte

// What a crawl may find.
const (
	NotSeen Seen = iota // nothing: it has no capture of the page
	Failing             // an error, or the way to another address
	Same                // the same bytes as the visit before
	Changed             // other bytes; noise, such as adverts, counts
	First               // the page for the first time
	kinds   = int(Changed) + 1
)

// String names it as JSON does.
func (s Seen) String() string {
	return [...]string{"absent", "failing", "unchanged", "changed", "new"}[s]
}

// MarshalText writes the name.
func (s Seen) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// kind is what s is to the likeness of pages: the first visit is as one that found no change.
func (s Seen) kind() int {
	if s == First {
		return int(Same)
	}
	return int(s)
}

// Sparse reports whether a crawl with a value of --keep left out pages that differed little, or not at all. "" is the usual one.
func Sparse(keep string) bool { return keep != "" && keep != "all" }

// Visit is a crawl of a series.
type Visit struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"` // that it took
	Odd     Odd       `json:"odd,omitempty"`
	Sparse  bool      `json:"sparse,omitempty"` // it kept only what had changed (--keep changed, --keep important=E): pages that it lacks count as unchanged

	Unchanged int64 `json:"unchanged"`
	Changed   int64 `json:"changed"`
	Slight    int64 `json:"slight"` // of Changed, those whose records are about as long as before
	New       int64 `json:"new"`
	Gone      int64 `json:"gone"`    // the crawl before had them, and this one does not
	Failing   int64 `json:"failing"` // errors in place of pages

	touched bool // nearly all pages changed
}

// Behaved is what the crawls of a series found of a page.
type Behaved struct {
	URL   string `json:"url"`
	Seen  Row    `json:"seen"`
	Size  int64  `json:"size"` // bytes of its newest record
	Group int    `json:"group"`

	slight []bool // the crawls that found it changed, but about as long as before
	rank   uint64 // by chance, but the same each time
}

// Row is what each crawl found of a page.
type Row []Seen

// MarshalText writes a character for each crawl: "." for NotSeen, "!" for Failing, "=" for Same, "~" for Changed, "+" for First.
func (r Row) MarshalText() ([]byte, error) {
	text := make([]byte, len(r))
	for i, s := range r {
		text[i] = ".!=~+"[s]
	}
	return text, nil
}

// Grid is pages × crawls.
type Grid struct {
	Visits  []Visit   `json:"crawls"`
	All     int       `json:"pages"`   // there are
	Pages   []Behaved `json:"rows"`    // as many as were asked for, picked at random if there are more; after Group in the order of the picture
	Groups  []Group   `json:"groups"`  // as Group finds them
	Telling []Telling `json:"telling"` // pages that behave least as their groups do
	Stable  []Stable  `json:"stable"`  // pages that change least

	had []bool // the crawls that have captures of pages
}

// Stable is a page that seldom changes, and so is likely coherent with others.
type Stable struct {
	URL     string  `json:"url"`
	Visits  int     `json:"visits"`  // that found the page
	Changed int     `json:"changed"` // of them, those that found other bytes than the one before
	Chance  float64 `json:"chance"`  // that the next visit finds it changed, by Laplace's rule: (changed + 1) / (visits - 1 + 2)
}

// cell is what a crawl has of a page: one of the numbers below, or a digest of its payload.
type cell uint64

const (
	nothing cell = iota
	failing
	asBefore // the server said that it had not changed
	digests
)

// row is a page while its captures are read.
type row struct {
	url   string
	cells []cell
	sizes []int64 // of the records; 0 where there is none with content
	size  int64
	page  bool // a capture is of a page; others are no row
}

// ReadGrid reads captures in the order of an index. visits are the crawls, the oldest first; of tells by its place there which made a
// capture, -1 for none. Of each crawl the last capture of a page counts. Crawls without a capture are left out. Memory is some 10
// bytes for each of at most 2·most pages and each crawl, and what the index has under one key.
func ReadGrid(captures iter.Seq2[cdx.Entry, error], visits []Visit, of func(*cdx.Entry) int, most int) (*Grid, error) {
	g := &Grid{Visits: slices.Clone(visits), Pages: []Behaved{}, Groups: []Group{}, Telling: []Telling{}, Stable: []Stable{}, had: make([]bool, len(visits))}
	rows, order, key := map[string]*row{}, []*row(nil), ""
	flush := func() {
		for _, r := range order {
			if r.page {
				g.add(r, most)
			}
		}
		clear(rows)
		order = order[:0]
	}
	for e, err := range captures {
		if err != nil {
			return nil, err
		}
		if e.Key != key {
			flush()
			key = e.Key
		}
		at := of(&e)
		if at < 0 || e.Get("method") != "" || e.Get("variant") != "" || e.Get(cdx.Of) != "" {
			continue
		}
		r := rows[e.URL]
		if r == nil {
			if len(rows) == maxOfAKey {
				continue
			}
			r = &row{url: e.URL, cells: make([]cell, len(visits)), sizes: make([]int64, len(visits))}
			rows[e.URL], order = r, append(order, r)
		}
		r.add(&e, at)
	}
	flush()
	g.cut(most)
	g.leaveOutEmpty()
	g.count()
	g.settle()
	return g, nil
}

// Shown yields the captures that a query finds and whose content may be shown, in the order of the index.
func Shown(ctx context.Context, r *records.Records, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		for e, err := range r.Index.Query(ctx, q) {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				refused, failed := mayHave(ctx, r, &e)
				if err = failed; refused != nil {
					continue
				}
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// add takes up the next capture in time.
func (r *row) add(e *cdx.Entry, at int) {
	unchanged := e.MIME == cdx.Revisit && (e.Digest == "" || e.Status == http.StatusNotModified)
	switch page := change.IsPage(e) && (e.MIME != cdx.Revisit || e.Type() != "" || r.page); {
	case !page && !r.page: // nothing tells yet that it is a page
	case !page:
		r.cells[at] = failing
	case unchanged && r.cells[at] == nothing:
		r.cells[at], r.page = asBefore, true
	case !unchanged:
		r.cells[at], r.page = digestCell(e.Digest), true
	}
	if e.MIME != cdx.Revisit && r.page {
		r.size, r.sizes[at] = e.Length, e.Length
	}
}

// digestCell makes a number of a digest.
func digestCell(digest string) cell {
	h := fnv.New64a()
	h.Write([]byte(warc.DigestKey(digest)))
	return max(digests, cell(h.Sum64()))
}

// slightly is the share of its length by which a page may be longer or shorter than before that changed slightly: an entry of a menu, a year
// or the address of a style are less, another design is more.
const slightly = 0.05

// add adds a page, and leaves out others by chance where there are too many.
func (g *Grid) add(r *row, most int) {
	b := Behaved{URL: r.url, Size: r.size, Seen: make(Row, len(r.cells)), slight: make([]bool, len(r.cells)), rank: uint64(digestCell(r.url))}
	last, size := nothing, int64(0)
	for i, c := range r.cells {
		g.had[i] = g.had[i] || c != nothing
		switch {
		case c == nothing && g.Visits[i].Sparse && last != nothing:
			b.Seen[i] = Same
		case c == nothing:
		case c == failing:
			b.Seen[i] = Failing
		case last == nothing:
			b.Seen[i], last = First, c
		case c == asBefore || c == last:
			b.Seen[i] = Same
		case last == asBefore: // nothing is known of it but that it was as before
			b.Seen[i], last = Same, c
		default:
			b.Seen[i], last = Changed, c
			b.slight[i] = size > 0 && r.sizes[i] > 0 && math.Abs(float64(r.sizes[i]-size)) <= slightly*float64(size)
		}
		if r.sizes[i] > 0 {
			size = r.sizes[i]
		}
	}
	g.All++
	if g.Pages = append(g.Pages, b); len(g.Pages) >= 2*most {
		g.cut(most)
	}
}

// cut leaves the pages of lowest rank.
func (g *Grid) cut(most int) {
	slices.SortFunc(g.Pages, func(a, b Behaved) int { return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.URL, b.URL)) })
	g.Pages = g.Pages[:min(len(g.Pages), most)]
}

// leaveOutEmpty leaves out crawls that have none of the pages: they were of others.
func (g *Grid) leaveOutEmpty() {
	var kept []int
	for k, had := range g.had {
		if had {
			kept = append(kept, k)
		}
	}
	if len(kept) == len(g.Visits) {
		return
	}
	visits := make([]Visit, len(kept))
	for to, from := range kept {
		visits[to] = g.Visits[from]
		for i := range g.Pages {
			g.Pages[i].Seen[to], g.Pages[i].slight[to] = g.Pages[i].Seen[from], g.Pages[i].slight[from]
		}
	}
	g.Visits = visits
	for i := range g.Pages {
		g.Pages[i].Seen = g.Pages[i].Seen[:len(kept)]
	}
}

// settle finds the pages that change least, of those that are as seldom the larger ones first: they say most.
func (g *Grid) settle() {
	sizes := map[string]int64{}
	for i := range g.Pages {
		b := &g.Pages[i]
		s := Stable{URL: b.URL}
		for _, seen := range b.Seen {
			if seen > Failing {
				s.Visits++
			}
			if seen == Changed {
				s.Changed++
			}
		}
		if s.Visits < 2 || b.Seen[len(b.Seen)-1] <= Failing { // nothing tells, or it is gone
			continue
		}
		s.Chance = float64(s.Changed+1) / float64(s.Visits+1)
		g.Stable, sizes[s.URL] = append(g.Stable, s), b.Size
	}
	slices.SortFunc(g.Stable, func(a, b Stable) int {
		return cmp.Or(cmp.Compare(a.Chance, b.Chance), cmp.Compare(sizes[b.URL], sizes[a.URL]), strings.Compare(a.URL, b.URL))
	})
	g.Stable = g.Stable[:min(len(g.Stable), maxTelling)]
}

// count counts what came of the pages crawl by crawl, and tells which crawls are odd.
func (g *Grid) count() {
	series := make([]Crawled, len(g.Visits))
	for k := range g.Visits {
		v, ended := &g.Visits[k], int64(0)
		for i := range g.Pages {
			had := k > 0 && g.Pages[i].Seen[k-1] > Failing
			switch g.Pages[i].Seen[k] {
			case NotSeen:
				if had {
					v.Gone++
				}
			case Failing:
				if v.Failing++; had {
					ended++
				}
			case Same:
				v.Unchanged++
			case Changed:
				if v.Changed++; g.Pages[i].slight[k] {
					v.Slight++
				}
			case First:
				v.New++
			}
		}
		v.touched = v.Changed > 0 && float64(v.Changed) >= nearlyEach*float64(v.Changed+v.Unchanged)
		series[k] = Crawled{New: v.New, Changed: v.Changed, Slight: v.Slight, Unchanged: v.Unchanged, Gone: v.Gone + ended, Seconds: v.Seconds}
		series[k].Answers = v.New + v.Changed + v.Unchanged + v.Failing
	}
	if len(series) > 0 { // nothing is beside the first
		series[0] = Crawled{}
	}
	for k, odd := range Anomalies(series) {
		if g.Visits[k].Odd == Usual {
			g.Visits[k].Odd = odd
		}
	}
}
