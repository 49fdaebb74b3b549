package pages

// This file draws how much there is of something at each hour of some kinds of days: a heat map.

import (
	"fmt"
	"slices"
)

// Heat is a heat map, with a table below: a strip for each kind of day, with a cell for each hour.
type Heat struct {
	Title  string
	Scale  string // what the numbers are, for the legend
	Strips []Strip
}

// Strip is one kind of day.
type Strip struct {
	Label string
	Hours [24]float64

	Cells [24]Cell // as Draw makes them
}

// Cell is an hour of a strip.
type Cell struct {
	Hour  string // "9–10"
	Value string
	X     string // in the strip's own units, of which it has 24
	Shade string // from 0 to 1
}

// Legend returns the shades of the legend, from nothing to the most.
func (Heat) Legend() []string { return []string{"0.05", "0.29", "0.53", "0.76", "1"} }

// Draw computes the cells. Hours run in the direction of l: from the right in Persian.
func (h Heat) Draw(l Lang) Heat {
	most := 0.0
	for i := range h.Strips {
		most = max(most, slices.Max(h.Strips[i].Hours[:]))
	}
	for i := range h.Strips {
		s := &h.Strips[i]
		for hour, v := range s.Hours {
			x := hour
			if l == Persian {
				x = 23 - hour
			}
			shade := 0.05
			if most > 0 {
				shade += 0.95 * v / most
			}
			s.Cells[hour] = Cell{l.Hour(hour), l.Decimal(v, 1), fmt.Sprint(x), fmt.Sprintf("%.2f", shade)}
		}
	}
	return h
}

// Hour writes an hour of the day with its end: "9–10".
func (l Lang) Hour(hour int) string { return l.Digits(fmt.Sprintf("%d–%d", hour, hour+1)) }

// Ticks returns the hours that are written below the strips.
func (h Heat) Ticks() []int { return []int{0, 6, 12, 18, 24} }
