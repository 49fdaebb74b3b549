package tree

// This file draws a View as SVG.

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"
)

// colors are those of the classes. The publication has green, yellow, red and black; blue is what was added, as in its other pictures.
var colors = [Classes]color.RGBA{
	Absent: {0xff, 0xff, 0xff, 0xff}, Untold: {0xa3, 0xa9, 0xae, 0xff}, Coherent: {0x3f, 0xa7, 0x5c, 0xff}, Added: {0x2b, 0x7b, 0xd4, 0xff},
	Content: {0xf2, 0xc1, 0x2e, 0xff}, Structure: {0xd6, 0x3a, 0x2f, 0xff}, Deleted: {0x8a, 0x4f, 0x9e, 0xff}, Missing: {0x11, 0x11, 0x11, 0xff},
}

// Color returns the color of a class, as "#3fa75c".
func (c Class) Color() string {
	rgb := colors[c]
	return fmt.Sprintf("#%02x%02x%02x", rgb.R, rgb.G, rgb.B)
}

// Words are what an SVG says. All functions may be nil.
type Words struct {
	Title string                         // of the picture
	Node  func(d *Drawn) string          // what a node is, in words
	Path  func(d *Drawn) string          // where it leads; "" for nowhere
	Class func(c Class, n int) string    // a line of the legend, with the number of nodes
	Shape func(s Shape) string           // a line of the legend
	Data  func(at int, d *Drawn) []Datum // attributes for scripts
}

// Datum is an attribute data-NAME.
type Datum struct{ Name, Value string }

// SVG writes the view of a step. It has presentation attributes alone, no styles, so that a page with a strict policy may hold it.
func (v *View) SVG(out io.Writer, step int, words Words) error {
	w := bufio.NewWriter(out)
	half := v.Size / 2
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="%.0f %.0f %.0f %.0f" font-family="sans-serif">`+"\n<title>%s</title>\n", -half, -half, v.Size, v.Size, escaped(words.Title))
	io.WriteString(w, `<path fill="none" stroke="#8b9096" stroke-width="0.8" d="`)
	for i := range v.Nodes {
		if d := &v.Nodes[i]; d.Above >= 0 {
			above := &v.Nodes[d.Above]
			fmt.Fprintf(w, "M%.1f %.1fL%.1f %.1f", above.X, above.Y, d.X, d.Y)
		}
	}
	io.WriteString(w, "\"/>\n")
	for i := range v.Nodes {
		v.node(w, i, step, &words)
	}
	v.legend(w, step, &words)
	io.WriteString(w, "</svg>\n")
	return w.Flush()
}

// node writes one node, as a link if it leads anywhere.
func (v *View) node(w io.Writer, at, step int, words *Words) {
	d := &v.Nodes[at]
	tag, link := "g", ""
	if words.Path != nil {
		if path := words.Path(d); path != "" {
			tag, link = "a", ` href="`+escaped(path)+`"`
		}
	}
	fmt.Fprintf(w, "<%s%s", tag, link)
	if words.Data != nil {
		for _, data := range words.Data(at, d) {
			fmt.Fprintf(w, ` data-%s="%s"`, data.Name, escaped(data.Value))
		}
	}
	io.WriteString(w, ">")
	if words.Node != nil {
		fmt.Fprintf(w, "<title>%s</title>", escaped(words.Node(d)))
	}
	look := fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="%.1f"`, d.Main(step).Color(), d.edge(step), d.Side/10)
	if d.Main(step) == Absent {
		look = `fill="none" stroke="#c4c8cc" stroke-dasharray="2 2"`
	}
	io.WriteString(w, outline(v.Shape(d), d.X, d.Y, d.Side, look))
	fmt.Fprintf(w, "</%s>\n", tag)
}

// edge is the color around a node: that of the worst class of what it stands for.
func (d *Drawn) edge(step int) string {
	if worst := d.Worst(step); worst != d.Main(step) {
		return worst.Color()
	}
	return "#5b636a"
}

// Shape returns how a node is drawn. What stands for several, and the crawl, is round.
func (v *View) Shape(d *Drawn) Shape {
	if d.Group {
		return Ellipse
	}
	return v.Tree.nodes[d.Node].shape
}

// outline returns the SVG of a shape.
func outline(s Shape, x, y, side float64, look string) string {
	switch s {
	case Hexagon:
		var points []string
		for _, p := range hexagon(x, y, side) {
			points = append(points, fmt.Sprintf("%.1f,%.1f", p[0], p[1]))
		}
		return fmt.Sprintf(`<polygon points="%s" %s/>`, strings.Join(points, " "), look)
	case RoundRectangle, Rectangle:
		round := 0.0
		if s == RoundRectangle {
			round = side / 3
		}
		return fmt.Sprintf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.1f" %s/>`, x-side/2, y-side/2, side, side, round, look)
	}
	return fmt.Sprintf(`<circle cx="%.1f" cy="%.1f" r="%.1f" %s/>`, x, y, side/2, look)
}

// Sample returns a small SVG of the shape alone, for legends.
func (s Shape) Sample() string {
	return `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">` + outline(s, 8, 8, 14, `fill="none" stroke="#8b9096" stroke-width="1.5"`) + `</svg>`
}

// hexagon returns the corners of one.
func hexagon(x, y, side float64) (corners [6][2]float64) {
	for i := range corners {
		at := math.Pi / 3 * float64(i)
		corners[i] = [2]float64{x + side/2*math.Cos(at), y + side/2*math.Sin(at)}
	}
	return corners
}

// legend writes what colours and shapes mean, if there are words for it.
func (v *View) legend(w io.Writer, step int, words *Words) {
	if words.Class == nil {
		return
	}
	unit := v.Size / 60
	x, y := -v.Size/2+unit, -v.Size/2+unit
	line := func(s Shape, look, text string) {
		fmt.Fprintf(w, `%s<text x="%.1f" y="%.1f" font-size="%.1f">%s</text>`+"\n", outline(s, x, y, unit*0.8, look), x+unit, y+unit*0.3, unit*0.8, escaped(text))
		y += unit * 1.2
	}
	counts := v.Tree.Counts(step)
	for _, c := range Worst() {
		if counts[c] > 0 {
			line(Ellipse, `fill="`+c.Color()+`" stroke="#5b636a"`, words.Class(c, counts[c]))
		}
	}
	for s := Ellipse; words.Shape != nil && s <= Rectangle; s++ {
		line(s, `fill="none" stroke="#5b636a"`, words.Shape(s))
	}
}

// escaped returns a text as it is written in XML.
func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text))
	return b.String()
}
