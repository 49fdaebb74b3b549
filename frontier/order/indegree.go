package order

// This file is the ordering policy indegree: URLs to which the most pages link come first. It keeps, for each waiting
// URL, how many pages link to it.

import (
	"math"

	"kavosh"
)

// newIndegree makes the policy in which URLs come first to which the most fetched pages link (Cho, Garcia-Molina and
// Page, "Efficient crawling through URL ordering", 1998: backlink count). A page counts once for each URL to which it
// links, and not for itself.
func newIndegree(a *Args) (Policy, error) {
	return linked(a, func(string) float64 { return 0 }, func(n float64) float64 { return n }), nil
}

// linked returns a policy whose score of a URL is weight(url) + grows(n), where n is the number of fetched pages that
// link to the URL. It also serves tianwang.
func linked(a *Args, weight func(url string) float64, grows func(n float64) float64) *indegree {
	d := &indegree{weight: weight, before: newKnown[float64](a.Memory), showing: newShowing(a, func(weight *float64, n float64) float64 { return *weight + grows(n) })}
	d.why = func(s int32) string { return d.because(d.groups[d.urls[s].group].data, d.urls[s].own) }
	return d
}

type indegree struct {
	*showing[float64] // the waiting URLs, each with its n; those of one weight are a group
	weight            func(url string) float64
	before            *known[float64] // how many pages linked to a URL before a restart, until the URL is met again
	met               map[string]bool // memory of eachOnce
	father            float64         // with tianwang: what log(1 + pages that link to the page that holds a link) adds to the link's weight
	here              float64         // what it adds to links of the page that is read now
}

func (d *indegree) because(weight, n float64) string {
	r := new(reasons)
	if weight != 0 {
		r.and("weight", weight)
	}
	return r.count("pages that link here", n).String()
}

// Score implements Policy.
func (d *indegree) Score(c *Candidate) (float64, string) {
	n := asNumber(c.Parent != nil)
	weight := d.weight(c.Task.URL) + d.here*n
	_, score := d.meet(c.Task.URL, weight, n)
	return score, d.because(weight, n)
}

// meet remembers a waiting URL to which n pages link. s is -1 if there is no room for it.
func (d *indegree) meet(url string, weight, n float64) (s int32, score float64) {
	g := d.group(math.Float64bits(weight))
	d.groups[g].data = weight
	return d.add(url, g, n)
}

// Learn implements Learner.
func (d *indegree) Learn(v *Visit) []Change {
	d.here = 0
	if s, ok := d.at[v.Task.URL]; ok {
		d.here = d.father * math.Log1p(d.urls[s].own)
	}
	d.take(v.Task.URL)
	d.before.delete(hash(v.Task.URL))
	eachOnce(v, &d.met, func(l *kavosh.Link) {
		if s, ok := d.at[l.URL]; ok {
			d.set(s, d.urls[s].own+1)
		} else if n, ok := d.before.get(hash(l.URL)); ok {
			d.before.delete(hash(l.URL))
			if s, _ := d.meet(l.URL, d.weight(l.URL), n); s >= 0 {
				d.set(s, n+1)
			}
		}
	})
	return d.settle()
}

// Save implements Keeper. It saves how many pages link to each waiting URL.
func (d *indegree) Save() ([]byte, error) {
	counts := newKnown[float64](2 * (d.max + d.before.max))
	for _, f := range d.before.save() {
		counts.set(f.Key, f.Value)
	}
	for url, s := range d.at {
		counts.set(hash(url), d.urls[s].own)
	}
	return save("indegree", 1, counts.save())
}

// Restore implements Keeper.
func (d *indegree) Restore(data []byte) error { return restoreTo(d.before, "indegree", 1, data) }

// eachOnce calls f for each URL that the page links to, except its own, with the first link to that URL. met is memory
// that is used again for each visit.
func eachOnce(v *Visit, met *map[string]bool, f func(l *kavosh.Link)) {
	if *met == nil {
		*met = map[string]bool{}
	}
	clear(*met)
	(*met)[v.Task.URL] = true
	for i := range v.Page.Links {
		if l := &v.Page.Links[i]; !(*met)[l.URL] {
			(*met)[l.URL] = true
			f(l)
		}
	}
}
