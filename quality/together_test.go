package quality

import "testing"

// A sweep finds the time in which the spans weigh most together; one that ends when another begins is not there with it.
func TestSweep(t *testing.T) {
	for _, c := range []struct {
		name  string
		spans []Span
		best  Span
	}{
		{"none", nil, Span{}},
		{"one follows the other", []Span{{0, 5, 1}, {5, 9, 1}}, Span{0, 5, 1}},
		{"two of three", []Span{{0, 5, 1}, {4, 9, 1}, {8, 12, 1}}, Span{4, 5, 2}},
		{"the heavy one", []Span{{0, 5, 1}, {4, 9, 1}, {20, 21, 5}}, Span{20, 21, 5}},
		{"without ends", []Span{{always, forever, 1}, {3, forever, 1}, {always, 4, 1}}, Span{3, 4, 3}},
		{"an empty one", []Span{{7, 7, 9}, {0, 1, 1}}, Span{0, 1, 1}},
	} {
		if best := Sweep(c.spans); best != c.best {
			t.Errorf("%s: %+v, want %+v", c.name, best, c.best)
		}
	}
}
