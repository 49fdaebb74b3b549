package lab

// This file computes the best possible order of fetches, to which others are compared.

import "slices"

// Oracle returns the order of fetches of somebody who knows the whole web: again and again the shortest path to a
// relevant page with a new text. It is a good order, not the best possible, which is hard to find. It ends when every
// reachable relevant text is found. The result are pages of the web; starts come first.
func (r *Reach) Oracle() []int32 { return r.oracle(r.what, r.texts) }

// relevantHosts returns, for each page, its host if the page is relevant, else -1.
func (r *Reach) relevantHosts() []int32 {
	hosts := slices.Clone(r.hostOf)
	for i, is := range r.Relevant {
		if !is {
			hosts[i] = -1
		}
	}
	return hosts
}

// oracle is Oracle for other things that are wanted: what says, for each page, which it has, as a number below n, or -1.
func (r *Reach) oracle(what []int32, n int) []int32 {
	o := oracle{reach: r, what: what, way: make([]int32, len(r.Pages)), far: make([]int32, len(r.Pages)), found: make([]bool, n)}
	for i := range o.far {
		o.far[i] = unknown
	}
	for _, s := range r.Starts {
		if o.far[s] != 0 {
			o.fetch(s)
		}
	}
	for {
		next := o.nearest()
		if next < 0 {
			return o.order
		}
		var path []int32
		for i := next; o.far[i] > 0; i = o.way[i] {
			path = append(path, i)
		}
		slices.Reverse(path)
		for _, i := range path {
			o.fetch(i)
		}
	}
}

const unknown = 1 << 30

type oracle struct {
	reach *Reach
	what  []int32
	order []int32
	far   []int32   // number of links from the fetched pages; 0 = fetched
	way   []int32   // the page before it on that path
	found []bool    // of what is wanted, what was found already
	near  [][]int32 // relevant pages, by far at the time they were added
}

// fetch adds page i and shortens the paths that lead through it.
func (o *oracle) fetch(i int32) {
	o.order = append(o.order, i)
	o.far[i] = 0
	if w := o.what[i]; w >= 0 {
		o.found[w] = true
	}
	queue := []int32{i}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		for _, to := range o.reach.Out[from] {
			if d := o.far[from] + 1; d < o.far[to] {
				o.far[to], o.way[to] = d, from
				queue = append(queue, to)
				if o.what[to] >= 0 {
					for int(d) >= len(o.near) {
						o.near = append(o.near, nil)
					}
					o.near[d] = append(o.near[d], to)
				}
			}
		}
	}
}

// nearest returns the nearest page that has something wanted and new; -1 if there is none.
func (o *oracle) nearest() int32 {
	for d := range o.near {
		for len(o.near[d]) > 0 {
			i := o.near[d][0]
			o.near[d] = o.near[d][1:]
			if int(o.far[i]) == d && !o.found[o.what[i]] {
				return i
			}
		}
	}
	return -1
}
