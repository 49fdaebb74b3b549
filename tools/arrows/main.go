// Command arrows draws who imports whom: `make arrows` makes docs/architecture.svg.
//
// A room is a folder at the top with all below it. Rooms stand in rows by how deep that is which they import, in the
// groups and the order of ARCHITECTURE.md's map. The program imports nearly all rooms, and nearly all import the nouns,
// the plumbing and the libraries: these are bars without arrows. Checks and tools look on from outside and are left out.
// The picture's description has the same graph as text; what was counted is printed.
//
// graph.go reads the graph, main.go draws it.
package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	g, err := read()
	if err == nil && len(os.Args) > 1 {
		err = os.WriteFile(os.Args[1], []byte(g.picture()), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "arrows:", err)
		os.Exit(1)
	}
	fmt.Printf("%d packages, %d arrows between them\n%d circles between rooms %v\n%s", g.packages, g.arrows, len(g.circles), g.circles, g.text())
}

// Sizes in the picture: its width, from row to row, of a room and of a bar.
const (
	wide   = 1320
	row    = 120
	broad  = 92
	high   = 30
	margin = 10
)

// colours are those of the map's groups, in its order.
var colours = [...]string{"#7a5c00", "#b3261e", "#1f5fae", "#1b7a3d", "#6b4fa0", "#555", "#555"}

// picture is the graph as SVG.
func (g *graph) picture() string {
	var b strings.Builder
	top := 2*margin + high + row/2
	bottom := top + g.deepest()*row + row/2
	tall := bottom + 3*(high+margin) + high
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="14" text-anchor="middle">
<title>Who imports whom</title>
<desc>
%s</desc>
<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" orient="auto"><path d="M0 0L8 4L0 8z" fill="context-stroke"/></marker>
<rect width="100%%" height="100%%" fill="#fff"/>
`, wide, tall, g.text())
	x := g.places()
	colour := func(r string) string { return colours[g.group[r]] }
	y := func(r string) int { return top + (g.deepest()-g.depth[r])*row }
	for _, r := range g.rooms {
		byPlace := func(a, b string) int { return cmp.Compare(x[a], x[b]) }
		for i, to := range slices.SortedFunc(slices.Values(g.imports[r]), byPlace) {
			from := x[r] - broad/2 + broad*(i+1)/(len(g.imports[r])+1)
			y1, y2 := y(r)+high/2, y(to)-high/2
			fmt.Fprintf(&b, `<path d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="%s" stroke-width="1.4" marker-end="url(#tip)"/>`+"\n",
				from, y1, from, (y1+y2)/2, x[to], (y1+y2)/2, x[to], y2, colour(r))
		}
	}
	box := func(r, says string, left, middle, width int) {
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="5" fill="#fff" stroke="%s" stroke-width="2"/><text x="%d" y="%d" fill="%s">%s</text>`+"\n",
			left, middle-high/2, width, high, colour(r), left+width/2, middle+5, colour(r), says)
	}
	for _, r := range g.rooms {
		box(r, r, x[r]-broad/2, y(r), broad)
	}
	box("cmd", bars["cmd"], margin, margin+high/2, wide-2*margin)
	for i, r := range []string{"kavosh", "internal", "lib"} {
		box(r, bars[r], margin, bottom+i*(high+margin), wide-2*margin)
	}
	for i, name := range g.groups {
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s">■ %s</text>`+"\n", (2*i+1)*wide/(2*len(g.groups)), tall-margin, colours[i], name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// places says how far from the left each room stands: above what it imports, as far as there is space.
func (g *graph) places() map[string]int {
	x := map[string]int{}
	for depth := range g.deepest() + 1 {
		in := g.row(depth)
		for i, r := range in {
			x[r] = (2*i + 1) * wide / (2 * len(in))
			sum := 0
			for _, to := range g.imports[r] {
				sum += x[to]
			}
			if depth > 0 {
				x[r] = sum / len(g.imports[r])
			}
			if i > 0 {
				x[r] = max(x[r], x[in[i-1]]+broad+margin)
			}
		}
	}
	return x
}
