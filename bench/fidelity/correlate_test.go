package main

import (
	"math"
	"testing"
)

// The values are those of the definition, by hand: equal numbers share a rank.
func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{10, 20, 90}, 1},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, -1},
		{[]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, 0.8},
		{[]float64{1, 1, 2}, []float64{1, 2, 3}, math.Sqrt(3) / 2},
	} {
		if got := spearman(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
