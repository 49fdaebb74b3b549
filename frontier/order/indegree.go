package order

import "math"

// newIndegree asks those URLs first that the most pages fetched so far link to (Cho, Garcia-Molina and Page, "Efficient
// crawling through URL ordering", 1998: backlink count). A page counts once for each URL, and not for itself.
func newIndegree(a *Args) (Policy, error) {
	return linked(a, func(string) float64 { return 0 }, func(n float64) float64 { return n }), nil
}

// linked scores a URL by what weight makes of it and grows makes of the number of pages that link to it.
func linked(a *Args, weight func(url string) float64, grows func(n float64) float64) *indegree {
	d := &indegree{weight: weight, showing: newShowing(a.Memory, func(weight *float64, n float64) float64 { return *weight + grows(n) })}
	d.why = func(s int32) string { return d.because(d.groups[d.urls[s].group].data, d.urls[s].own) }
	return d
}

type indegree struct {
	*showing[float64] // groups are URLs of one weight
	weight            func(url string) float64
	met               map[string]bool
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
	weight := d.weight(c.Task.URL)
	g := d.group(math.Float64bits(weight))
	d.groups[g].data = weight
	_, score := d.add(c.Task.URL, g, n)
	return score, d.because(weight, n)
}

// Learn implements Learner.
func (d *indegree) Learn(v *Visit) []Change {
	d.take(v.Task.URL)
	eachOnce(v, &d.met, func(url string) {
		if s, ok := d.at[url]; ok {
			d.set(s, d.urls[s].own+1)
		}
	})
	return d.settle()
}

// eachOnce calls f with each URL that the page links to, once, itself left out. met is memory that visits share.
func eachOnce(v *Visit, met *map[string]bool, f func(url string)) {
	if *met == nil {
		*met = map[string]bool{}
	}
	clear(*met)
	(*met)[v.Task.URL] = true
	for i := range v.Page.Links {
		if url := v.Page.Links[i].URL; !(*met)[url] {
			(*met)[url] = true
			f(url)
		}
	}
}
