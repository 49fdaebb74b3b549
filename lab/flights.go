package lab

import (
	"container/heap"
	"time"

	"kavosh/frontier"
)

// flight is a request in progress.
type flight struct {
	lease *frontier.Lease
	end   time.Time // when its response is complete
}

// flights holds the requests in progress, by their end and then in the order in which they were sent.
type flights struct {
	items []flying
	next  uint64
}

type flying struct {
	flight
	n uint64
}

func (f *flights) len() int      { return len(f.items) }
func (f *flights) first() flight { return f.items[0].flight }
func (f *flights) add(x flight) {
	heap.Push((*flightHeap)(f), flying{x, f.next})
	f.next++
}
func (f *flights) take() flight { return heap.Pop((*flightHeap)(f)).(flying).flight }

// flightHeap implements container/heap for flights.
type flightHeap flights

func (h *flightHeap) Len() int { return len(h.items) }
func (h *flightHeap) Less(i, j int) bool {
	a, b := &h.items[i], &h.items[j]
	if !a.end.Equal(b.end) {
		return a.end.Before(b.end)
	}
	return a.n < b.n
}
func (h *flightHeap) Swap(i, j int) { h.items[i], h.items[j] = h.items[j], h.items[i] }
func (h *flightHeap) Push(x any)    { h.items = append(h.items, x.(flying)) }
func (h *flightHeap) Pop() any {
	x := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	return x
}
