package pages

// This file draws counts of several kinds above each other, one column after the other.

import "fmt"

// Stack shows columns of counts of several kinds, and a table below.
type Stack struct {
	Title   string
	Kinds   []string // from the bottom to the top, at most five; the colour of a kind is that of its place
	Line    string   // what a line over the columns is, their Seconds; "" for none
	Columns []Column

	Points string // of the line
}

// Column is a column of a Stack.
type Column struct {
	Label   string
	Path    string  // where it leads; "" for nowhere
	Note    string  // what is to be known of it, in few words; "" for nothing
	Counts  []int64 // by kind
	Seconds float64 // for the line

	Parts  []Rect // in the units of a Graph
	Middle string
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
	most, longest := int64(1), 0.0
	for i := range s.Columns {
		most, longest = max(most, sum(s.Columns[i].Counts)), max(longest, s.Columns[i].Seconds)
	}
	if longest == 0 {
		s.Line = ""
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
		c.Middle = fmt.Sprintf("%.2f", x+step*0.425)
		if s.Line != "" {
			s.Points += fmt.Sprintf("%s,%.2f ", c.Middle, graphHeight*c.Seconds/longest)
		}
	}
	return s
}

// File returns what Draw has drawn as an SVG file.
func (s Stack) File(l Lang) []byte {
	p := &Picture{Width: graphWidth + 20, Height: 2*graphHeight + 40, Title: s.Title}
	p.body.WriteString(`<g transform="matrix(1 0 0 -2 10 215)">`)
	for i := range s.Columns {
		c := &s.Columns[i]
		for _, r := range c.Parts {
			fmt.Fprintf(&p.body, "<rect class=\"k%d\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>\n", r.Kind, r.X, r.Y, r.Width, r.Height)
		}
		if c.Note != "" {
			fmt.Fprintf(&p.body, "<path class=\"odd\" d=\"M%s 0v104\" vector-effect=\"non-scaling-stroke\"/>\n", c.Middle)
		}
	}
	fmt.Fprintf(&p.body, "<polyline class=\"time\" vector-effect=\"non-scaling-stroke\" points=\"%s\"/></g>\n", s.Points)
	if s.Tells() {
		left, right := s.First(), s.Last()
		if l == Persian {
			left, right = right, left
		}
		anchors := [2]string{"start", "end"}
		if l == Persian {
			anchors = [2]string{"end", "start"}
		}
		p.Text("small", 10, 232, anchors[0], left)
		p.Text("small", graphWidth+10, 232, anchors[1], right)
	}
	for i, kind := range s.Kinds {
		p.Legend = append(p.Legend, Key{fmt.Sprintf("k%d", i), kind})
	}
	if s.Line != "" {
		p.Legend = append(p.Legend, Key{"still", s.Line})
	}
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Note != "" {
			p.Legend = append(p.Legend, Key{"failing", c.Label + ": " + c.Note})
		}
	}
	return p.File(l)
}

func sum(counts []int64) (all int64) {
	for _, n := range counts {
		all += n
	}
	return all
}
