package lab

import "slices"

// Oracle is the order in which one would fetch who knows the whole web: again and again the shortest way that is not
// fetched yet to a relevant page that says something new. It is constructive, not the best possible: to find that is hard.
// It ends when every reachable relevant text was found. The result is pages of the web; starts come first.
func (r *Reach) Oracle() []int32 {
	o := oracle{reach: r, way: make([]int32, len(r.Pages)), far: make([]int32, len(r.Pages)), found: make([]bool, r.texts)}
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
	order []int32
	far   []int32   // links from what is fetched; 0 is fetched
	way   []int32   // the page before it on that way
	found []bool    // texts
	near  [][]int32 // relevant pages by far as it was when they were put there
}

// fetch takes page i, and makes ways shorter that lead through it.
func (o *oracle) fetch(i int32) {
	o.order = append(o.order, i)
	o.far[i] = 0
	if w := o.reach.what[i]; w >= 0 {
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
				if o.reach.what[to] >= 0 {
					for int(d) >= len(o.near) {
						o.near = append(o.near, nil)
					}
					o.near[d] = append(o.near[d], to)
				}
			}
		}
	}
}

// nearest is the relevant page with something new that is nearest, -1 when there is none.
func (o *oracle) nearest() int32 {
	for d := range o.near {
		for len(o.near[d]) > 0 {
			i := o.near[d][0]
			o.near[d] = o.near[d][1:]
			if int(o.far[i]) == d && !o.found[o.reach.what[i]] {
				return i
			}
		}
	}
	return -1
}
