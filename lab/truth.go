package lab

// This file says which pages of a stored web are relevant and can be reached.

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/lab/stored"
	"kavosh/lib/weburl"
	"kavosh/lib/words"
)

// Truth says which pages of a stored web are relevant, and which can be reached.
type Truth struct {
	Web      *stored.Web
	Name     string    // such as "label=course"
	Relevant []bool    // for each page of the web
	Out      [][]int32 // for each page, the pages that it links to, in order and without repeats

	what     []int32 // for each page, the number of its text among the relevant texts; -1 if the page is not relevant
	texts    int     // distinct relevant texts
	hostOf   []int32
	hosts    int
	domainOf []int32 // registered domain: public suffix and one label
	domains  int
	rank     []float64 // PageRank
	inward   []float64 // number of links from other pages
}

// NewTruth says what is relevant: label=NAME for pages with the label, keyword=WORDS for pages that contain the words
// (as some studies count), any for every page (to measure coverage).
func NewTruth(web *stored.Web, relevant string) (*Truth, error) {
	kind, value, _ := strings.Cut(relevant, "=")
	t := &Truth{Web: web, Name: relevant, Relevant: make([]bool, len(web.Pages))}
	var is func(i int) bool
	switch {
	case relevant == "any":
		is = func(int) bool { return true }
	case value != "" && kind == "label":
		names, _ := web.Labels()
		if !slices.Contains(names, value) {
			return nil, fmt.Errorf("%s: no page of %s bears the label %q; it has %s", relevant, web.Name, value, listed(names))
		}
		is = func(i int) bool { return web.HasLabel(i, value) }
	case value != "" && kind == "keyword":
		want := words.Append([]byte{' '}, value) // each word is followed by a space
		if len(want) == 1 {
			return nil, fmt.Errorf("%s: there is no word in it", relevant)
		}
		var text []byte
		is = func(i int) bool {
			p := web.Pages[i].Page
			text = words.Append(append(text[:0], ' '), p.Title)
			if bytes.Contains(text, want) {
				return true
			}
			text = words.Append(append(text[:0], ' '), p.Text)
			return bytes.Contains(text, want)
		}
	default:
		return nil, fmt.Errorf("%q does not say what is relevant: write label=NAME, keyword=WORDS or any", relevant)
	}
	texts := map[uint64]int32{}
	t.what = make([]int32, len(web.Pages))
	for i := range web.Pages {
		p := &web.Pages[i]
		t.what[i] = -1
		if p.Status < 200 || p.Status > 299 || !is(i) {
			continue
		}
		t.Relevant[i] = true
		key := p.Text
		if key == 0 {
			key = uint64(i) << 32 // a page without text is like no other
		}
		n, ok := texts[key]
		if !ok {
			n = int32(len(texts))
			texts[key] = n
		}
		t.what[i] = n
	}
	t.texts = len(texts)
	if t.texts == 0 {
		return nil, fmt.Errorf("%s: nothing in %s is relevant", relevant, web.Name)
	}
	t.findLinks()
	t.computeRanks()
	return t, nil
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none: give them by --labels FILE"
	}
	return strings.Join(names[:min(len(names), 20)], ", ")
}

// findLinks finds the links that a run follows, and the hosts.
func (t *Truth) findLinks() {
	s, err := scope.New(studyScope())
	if err != nil {
		panic("lab: the scope of studies is no scope: " + err.Error())
	}
	t.Out = make([][]int32, len(t.Web.Pages))
	t.hostOf, t.domainOf = make([]int32, len(t.Web.Pages)), make([]int32, len(t.Web.Pages))
	hosts, domains := map[string]int32{}, map[string]int32{}
	var parent kavosh.Task
	for i := range t.Web.Pages {
		p := &t.Web.Pages[i]
		for j := range p.Page.Links {
			l := &p.Page.Links[j]
			if to := t.Web.Find(l.URL); to >= 0 && to != i && s.Judge(l, &parent).In && !slices.Contains(t.Out[i], int32(to)) {
				t.Out[i] = append(t.Out[i], int32(to))
			}
		}
		name := ""
		if parts, ok := scope.Split(p.URL); ok {
			name = parts.Name
		}
		t.hostOf[i], t.domainOf[i] = numbered(hosts, name), numbered(domains, weburl.Domain(name))
	}
	t.hosts, t.domains = len(hosts), len(domains)
}

// numbered returns the number of a name, and gives it the next if it has none.
func numbered(numbers map[string]int32, name string) int32 {
	n, ok := numbers[name]
	if !ok {
		n = int32(len(numbers))
		numbers[name] = n
	}
	return n
}

// computeRanks computes, over the whole web, each page's share of all links and its PageRank (damping 0.85, 50 rounds; Page et
// al. 1998). It measures importance; no order sees it.
func (t *Truth) computeRanks() {
	n := len(t.Web.Pages)
	t.inward, t.rank = make([]float64, n), make([]float64, n)
	next := make([]float64, n)
	links := 0.0
	for i, out := range t.Out {
		t.rank[i] = 1 / float64(n)
		for _, to := range out {
			t.inward[to]++
			links++
		}
	}
	for i := range t.inward {
		t.inward[i] /= max(links, 1)
	}
	const damping = 0.85
	for range 50 {
		lost := 0.0
		clear(next)
		for i, out := range t.Out {
			if len(out) == 0 {
				lost += t.rank[i]
				continue
			}
			share := t.rank[i] / float64(len(out))
			for _, to := range out {
				next[to] += share
			}
		}
		for i := range next {
			next[i] = (1-damping)/float64(n) + damping*(next[i]+lost/float64(n))
		}
		t.rank, next = next, t.rank
	}
}

// Reach is what can be reached from some starts.
type Reach struct {
	*Truth
	Starts []int32
	Pages  []bool // pages that links lead to
	Count  int
	Texts  int // distinct relevant texts on them
	Hosts  int
	// hosts and registered domains that have relevant pages among them
	RelevantHosts, RelevantDomains int
	Rank                           float64 // sum of PageRank
	Inward                         float64 // sum of links to them
	Widest                         int     // greatest number of pages that one of them links to
}

// From finds what can be reached from starts (indexes of pages).
func (t *Truth) From(starts []int32) *Reach {
	r := &Reach{Truth: t, Starts: starts, Pages: make([]bool, len(t.Out))}
	texts, hosts, relevantHosts, relevantDomains := newSet(t.texts), newSet(t.hosts), newSet(t.hosts), newSet(t.domains)
	queue := slices.Clone(starts)
	for _, i := range queue {
		r.Pages[i] = true
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		r.Count++
		r.Rank += t.rank[i]
		r.Inward += t.inward[i]
		r.Widest = max(r.Widest, len(t.Out[i]))
		hosts.add(t.hostOf[i])
		if w := t.what[i]; w >= 0 {
			texts.add(w)
			relevantHosts.add(t.hostOf[i])
			relevantDomains.add(t.domainOf[i])
		}
		for _, to := range t.Out[i] {
			if !r.Pages[to] {
				r.Pages[to] = true
				queue = append(queue, to)
			}
		}
	}
	r.Texts, r.Hosts, r.RelevantHosts, r.RelevantDomains = texts.n, hosts.n, relevantHosts.n, relevantDomains.n
	return r
}
