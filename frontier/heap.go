package frontier

// This file is the heap by which hosts and addresses stand in order of their turn.

// heap is a binary heap. Each item keeps its own index in the heap, so that any item can be taken out. The caller
// locks.
type heap[T any] struct {
	items []T
	less  func(a, b T) bool
	at    func(T) *int // returns where an item keeps its index
}

func (h *heap[T]) len() int { return len(h.items) }

func (h *heap[T]) push(x T) {
	*h.at(x) = len(h.items)
	h.items = append(h.items, x)
	h.up(len(h.items) - 1)
}

// pop takes the least item out. The heap must not be empty.
func (h *heap[T]) pop() T {
	x := h.items[0]
	h.remove(x)
	return x
}

// remove takes out x, which must be in the heap.
func (h *heap[T]) remove(x T) {
	i, last := *h.at(x), len(h.items)-1
	h.swap(i, last)
	var zero T
	h.items[last] = zero
	h.items = h.items[:last]
	if i < last {
		h.down(i)
		h.up(i)
	}
}

func (h *heap[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(h.items[i], h.items[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h *heap[T]) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.items); child++ {
			if h.less(h.items[child], h.items[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		h.swap(i, least)
		i = least
	}
}

func (h *heap[T]) swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	*h.at(h.items[i]), *h.at(h.items[j]) = i, j
}
