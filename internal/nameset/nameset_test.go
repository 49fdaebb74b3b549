package nameset

import (
	"runtime"
	"strconv"
	"testing"
)

func TestManyNames(t *testing.T) {
	const n = 100_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var s Set[string]
	if s.Has("") {
		t.Error("an empty set has a name")
	}
	name := func(i int) string { return "www.host-" + strconv.Itoa(i) + ".example" }
	for range 2 {
		for i := range n {
			s.Add(name(i))
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 17*n {
		t.Errorf("%d names take %d bytes", n, grown)
	}
	for i := range n {
		if !s.Has(name(i)) {
			t.Fatalf("%s was lost", name(i))
		}
		if s.Has(name(n + i)) {
			t.Fatalf("%s was never added", name(n+i))
		}
	}
	if allocs := testing.AllocsPerRun(100, func() { s.Has("www.host-1.example") }); allocs > 0 {
		t.Errorf("%v allocations a question", allocs)
	}
	if s.count != n {
		t.Errorf("%d names counted", s.count)
	}
}

// Names whose places are all the same are told apart, also where they run over the end.
func TestCrowded(t *testing.T) {
	s := Set[string]{slots: make([]uint64, leastSlots)}
	const last = ^uint64(0)
	for i := range uint64(40) {
		if !s.put(last - 2*i) {
			t.Errorf("the %d. hash counts as there", i)
		}
	}
	for i := range uint64(40) {
		if h := last - 2*i; s.slots[s.find(h)] != h {
			t.Errorf("the %d. hash is lost", i)
		}
	}
	if h := last - 81; s.slots[s.find(h)] != 0 {
		t.Error("a hash that is not there was found")
	}
}
