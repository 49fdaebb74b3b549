package changing

import (
	"slices"
	"testing"
)

// Of three pages, one of which changes before the second round and one in it, the order decides; the oracle has the best.
func TestTwice(t *testing.T) {
	w := &Web{Start: 1000, End: 9000, Pages: []Page{{}, {Changes: []Change{{At: 1000 + 3*3600 + 1800, E: 1}}}, {Changes: []Change{{At: 1000 + 2*3600 + 1, E: 1}}}}}
	c := &Twice{Web: w, Hours: 3} // a page an hour
	first := []int{0, 1, 2}
	for _, is := range []struct {
		second []int
		want   float64
	}{{[]int{0, 1, 2}, 1. / 3}, {[]int{1, 0, 2}, 2. / 3}} {
		if got := c.Unchanged(first, is.second); got != is.want {
			t.Errorf("%v: %v of the pages do not change, want %v", is.second, got, is.want)
		}
	}
	if got := c.Oracle(first); got != 2./3 {
		t.Errorf("the oracle has %v, want two of three", got)
	}
	rates := c.Rates(All, first)
	for _, name := range Orders() {
		order := c.Order(name, first, rates, 1)
		if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, first) {
			t.Errorf("%s: %v is no order of all pages", name, order)
		}
	}
	if order := c.Order("loss", first, []float64{0.001, 0.5, 9}, 1); !slices.Equal(order, []int{1, 0, 2}) && !slices.Equal(order, []int{1, 2, 0}) {
		t.Errorf("what loses most by waiting is not first: %v", order)
	}
	if order := c.Order("sharc", first, []float64{0.001, 0.5, 9}, 1); !slices.Equal(order, []int{1, 0, 2}) {
		t.Errorf("the hopeless page is not last: %v", order)
	}
}
