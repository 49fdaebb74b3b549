package order

// This file is a heap from which anything can be taken out, and in which anything can be moved, at the cost of one step
// for each level of the heap.

// ranking is a heap of things, each known by its number (id). Each thing keeps its place in the heap, so that any can
// be moved or taken out. The zero value is empty.
type ranking struct{ ids []int32 }

// ranked says which of two things comes first, and where each keeps its place in the heap: -1 while it is in none.
type ranked interface {
	before(a, b int32) bool
	place(id int32) *int32
}

// push adds a thing.
func (r *ranking) push(o ranked, id int32) {
	r.ids = append(r.ids, id)
	r.up(o, len(r.ids)-1)
}

// remove takes a thing out.
func (r *ranking) remove(o ranked, id int32) {
	i, last := *o.place(id), len(r.ids)-1
	*o.place(id) = -1
	moved := r.ids[last]
	r.ids = r.ids[:last]
	if int(i) < last {
		r.ids[i] = moved
		*o.place(moved) = i
		r.fix(o, moved)
	}
}

// fix moves a thing to its right place, after its rank has changed.
func (r *ranking) fix(o ranked, id int32) {
	r.down(o, r.up(o, int(*o.place(id))))
}

// up moves the thing at place i towards the front as far as it must go, and returns its new place.
func (r *ranking) up(o ranked, i int) int {
	id := r.ids[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !o.before(id, r.ids[parent]) {
			break
		}
		r.ids[i] = r.ids[parent]
		*o.place(r.ids[i]) = int32(i)
		i = parent
	}
	r.ids[i] = id
	*o.place(id) = int32(i)
	return i
}

// down moves the thing at place i towards the back as far as it must go.
func (r *ranking) down(o ranked, i int) {
	id := r.ids[i]
	for {
		child := 2*i + 1
		if child >= len(r.ids) {
			break
		}
		if child+1 < len(r.ids) && o.before(r.ids[child+1], r.ids[child]) {
			child++
		}
		if !o.before(r.ids[child], id) {
			break
		}
		r.ids[i] = r.ids[child]
		*o.place(r.ids[i]) = int32(i)
		i = child
	}
	r.ids[i] = id
	*o.place(id) = int32(i)
}
