package quality

import "testing"

// A sweep finds the moment at which the spans weigh most together; one that ends when another begins is not there with it.
func TestSweep(t *testing.T) {
	for _, c := range []struct {
		name  string
		spans []Span
		at    int64
		most  float64
	}{
		{"none", nil, 0, 0},
		{"one follows the other", []Span{{0, 5, 1}, {5, 9, 1}}, 0, 1},
		{"two of three", []Span{{0, 5, 1}, {4, 9, 1}, {8, 12, 1}}, 4, 2},
		{"the heavy one", []Span{{0, 5, 1}, {4, 9, 1}, {20, 21, 5}}, 20, 5},
		{"without ends", []Span{{always, forever, 1}, {3, forever, 1}, {always, 4, 1}}, 3, 3},
		{"an empty one", []Span{{7, 7, 9}, {0, 1, 1}}, 0, 1},
	} {
		if at, most := Sweep(c.spans); at != c.at || most != c.most {
			t.Errorf("%s: %v at %d, want %v at %d", c.name, most, at, c.most, c.at)
		}
	}
}
