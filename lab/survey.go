package lab

// This file counts what a stored web contains.

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"kavosh/lab/stored"
)

// Surveyed is what a stored web contains.
type Surveyed struct {
	Web     string         `json:"web"`
	Pages   int            `json:"pages"`
	OK      int            `json:"ok"` // pages with a 2xx status
	Hosts   int            `json:"hosts"`
	Texts   int            `json:"texts"`   // distinct
	Links   int            `json:"links"`   // links of pages, repeats on a page not counted
	Inside  int            `json:"inside"`  // links that lead to a page of the web
	Widest  int            `json:"widest"`  // greatest number of pages that one page links to
	Orphans int            `json:"orphans"` // pages without a link from another page
	Labels  map[string]int `json:"labels,omitempty"`
	Left    *stored.Left   `json:"left_out,omitempty"`
}

// Survey counts what a web contains.
func Survey(web *stored.Web) Surveyed {
	s := Surveyed{Web: web.Name, Pages: len(web.Pages), Labels: map[string]int{}, Left: web.Left}
	t := &Truth{Web: web}
	t.findLinks()
	s.Hosts = t.hosts
	texts := map[uint64]bool{}
	led := make([]bool, len(web.Pages))
	for i := range web.Pages {
		p := &web.Pages[i]
		if p.Status >= 200 && p.Status <= 299 {
			s.OK++
		}
		if p.Text != 0 {
			texts[p.Text] = true
		}
		s.Links += len(p.Page.Links)
		s.Inside += len(t.Out[i])
		s.Widest = max(s.Widest, len(t.Out[i]))
		for _, to := range t.Out[i] {
			led[to] = true
		}
		for _, l := range p.Labels {
			s.Labels[l]++
		}
	}
	for _, l := range led {
		if !l {
			s.Orphans++
		}
	}
	s.Texts = len(texts)
	return s
}

// Text returns the survey as text.
func (s *Surveyed) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d pages (%d with a 2xx answer, %d distinct texts) on %d %s\n", s.Web, s.Pages, s.OK, s.Texts,
		s.Hosts, plural(s.Hosts, "host"))
	fmt.Fprintf(&b, "%d links, %d of them to pages of this web; at most %d on a page; no page leads to %d\n", s.Links,
		s.Inside, s.Widest, s.Orphans)
	if left := s.Left.String(); left != "" {
		fmt.Fprintln(&b, left)
	}
	for _, l := range slices.Sorted(maps.Keys(s.Labels)) {
		fmt.Fprintf(&b, "label %-20s %d pages\n", l, s.Labels[l])
	}
	return b.String()
}

// Starts draws up to n pages with a 2xx status from which at least a quarter of the web can be reached.
func Starts(web *stored.Web, n int, rng *rand.Rand) []string {
	if n <= 0 {
		return nil
	}
	t := &Truth{Web: web}
	t.findLinks()
	t.what = make([]int32, len(web.Pages))
	for i := range t.what {
		t.what[i] = -1
	}
	t.rank, t.inward = make([]float64, len(web.Pages)), make([]float64, len(web.Pages))
	var urls []string
	const tries = 400 // examining one costs a walk over the web
	for k, i := range rng.Perm(len(web.Pages)) {
		if len(urls) == n || k == tries {
			break
		}
		if p := &web.Pages[i]; p.Status >= 200 && p.Status <= 299 && len(t.Out[i]) > 0 && t.From([]int32{int32(i)}).Count >= len(web.Pages)/4 {
			urls = append(urls, p.URL)
		}
	}
	return urls
}

// plural returns "n things" with the right plural.
func plural(n int, one string) string {
	if n == 1 {
		return one
	}
	return one + "s"
}
