package tree

// This file writes a View as GraphML, as visone and yEd read it with colours and shapes, and others with the attributes of each node.

import (
	"bufio"
	"fmt"
	"io"
)

// GraphML writes the view, with the colours of a step. Each node has its URL, what it stands for, and its class at each step.
func (v *View) GraphML(out io.Writer, step int) error {
	w := bufio.NewWriter(out)
	io.WriteString(w, `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:y="http://www.yworks.com/xml/graphml" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://www.yworks.com/xml/schema/graphml/1.1/ygraphml.xsd">
<key id="d0" for="node" yfiles.type="nodegraphics"/>
<key id="d1" for="node" attr.name="url" attr.type="string"/>
<key id="d2" for="node" attr.name="nodes" attr.type="int"/>
<key id="d3" for="node" attr.name="depth" attr.type="int"/>
<key id="d4" for="node" attr.name="links" attr.type="int"/>
<key id="d5" for="node" attr.name="group" attr.type="boolean"/>
`)
	for i, s := range v.Tree.Steps {
		fmt.Fprintf(w, "<key id=\"s%d\" for=\"node\" attr.name=\"class %s to %s\" attr.type=\"string\"/>\n", i, escaped(s.From), escaped(s.To))
	}
	io.WriteString(w, "<graph id=\"G\" edgedefault=\"directed\">\n")
	for i := range v.Nodes {
		d := &v.Nodes[i]
		n := &v.Tree.nodes[d.Node]
		fmt.Fprintf(w, `<node id="n%d"><data key="d0"><y:ShapeNode><y:Geometry x="%.2f" y="%.2f" width="%.3f" height="%.3f"/><y:Fill color="%s" transparent="false"/><y:Shape type="%s"/></y:ShapeNode></data>`,
			i, d.X-d.Side/2, d.Y-d.Side/2, d.Side, d.Side, d.Main(step).Color(), v.Shape(d))
		fmt.Fprintf(w, `<data key="d1">%s</data><data key="d2">%d</data><data key="d3">%d</data><data key="d4">%d</data><data key="d5">%t</data>`,
			escaped(n.url), d.Members, n.depth, n.links, d.Group)
		for s := range v.Tree.Steps {
			fmt.Fprintf(w, `<data key="s%d">%s</data>`, s, d.Main(s))
		}
		io.WriteString(w, "</node>\n")
	}
	for i := range v.Nodes {
		if d := &v.Nodes[i]; d.Above >= 0 {
			fmt.Fprintf(w, "<edge source=\"n%d\" target=\"n%d\"/>\n", d.Above, i)
		}
	}
	io.WriteString(w, "</graph>\n</graphml>\n")
	return w.Flush()
}
