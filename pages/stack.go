package pages

// This file draws counts of several kinds above each other, one column after the other.

import "fmt"

// Stack shows columns of counts of several kinds, and a table below.
type Stack struct {
	Title   string
	Kinds   []string // from the bottom to the top, at most four; the colour of a kind is that of its place
	Columns []Column
}

// Column is a column of a Stack.
type Column struct {
	Label  string
	Path   string  // where it leads
	Note   string  // what is to be known of it, in few words; "" for nothing
	Counts []int64 // by kind

	Parts []Rect // in the units of a Graph
}

// Rect is a part of a column.
type Rect struct {
	Kind                int
	X, Y, Width, Height string
}

// Tells reports whether there is anything to see: one column says nothing.
func (s Stack) Tells() bool { return len(s.Columns) > 1 }

// First returns the label of the first column.
func (s Stack) First() string { return s.Columns[0].Label }

// Last returns the label of the last one.
func (s Stack) Last() string { return s.Columns[len(s.Columns)-1].Label }

// Draw computes the place and size of the parts. The columns run in the direction of l: from the right in Persian.
func (s Stack) Draw(l Lang) Stack {
	most := int64(1)
	for i := range s.Columns {
		most = max(most, sum(s.Columns[i].Counts))
	}
	step := graphWidth / float64(max(len(s.Columns), fewBars))
	for i := range s.Columns {
		c := &s.Columns[i]
		x := float64(i) * step
		if l == Persian {
			x = graphWidth - x - step*0.85
		}
		below := 0.0
		for kind, n := range c.Counts {
			if height := graphHeight * float64(n) / float64(most); n > 0 {
				c.Parts = append(c.Parts, Rect{kind, fmt.Sprintf("%.2f", x), fmt.Sprintf("%.2f", below), fmt.Sprintf("%.2f", step*0.85), fmt.Sprintf("%.2f", height)})
				below += height
			}
		}
	}
	return s
}

func sum(counts []int64) (all int64) {
	for _, n := range counts {
		all += n
	}
	return all
}
