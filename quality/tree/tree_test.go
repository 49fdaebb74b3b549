package tree

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"testing"
)

// grow returns a tree of so many nodes over some steps, of which a few in a thousand have a defect, most of them in one branch.
func grow(nodes, steps int) *Tree {
	list := make([]Step, steps)
	for i := range list {
		list[i] = Step{fmt.Sprint(i), fmt.Sprint(i + 1)}
	}
	b := NewBuilder(list)
	for i := range nodes {
		via := ""
		if i > 0 {
			via = address((i - 1) / 30)
		}
		n, _ := b.Node(address(i), via, Shape(i%7%4))
		for step := range steps {
			class := Coherent
			switch h := uint32(i*(step+3)) * 2654435761 >> 20; {
			case h%1000 < 4:
				class = Content + Class(h%4)
			case i > nodes/2 && i < nodes/2+nodes/50 && h%3 == 0:
				class = Structure
			}
			b.Tell(step, n, class)
		}
	}
	return b.Tree()
}

func address(i int) string {
	return fmt.Sprintf("http://site%d.test/folder%d/page-%d.html", i%100, i/100%50, i)
}

// A view of a large tree draws as many nodes as it may, stands for all nodes once, opens what is wanted, and covers nothing.
func TestViewOfALargeTree(t *testing.T) {
	tr := grow(100_000, 3)
	v := tr.View(Options{})
	if len(v.Nodes) > DefaultMost+2 || len(v.Nodes) < DefaultMost/2 {
		t.Errorf("%d nodes are drawn", len(v.Nodes))
	}
	for step := range tr.Steps {
		var sum [Classes]int
		for i := range v.Nodes {
			for c, n := range v.Nodes[i].Counts[step] {
				sum[c] += n
			}
		}
		if sum[Absent]--; sum != tr.Counts(step) { // the crawl itself
			t.Errorf("step %d: drawn %v, there are %v", step, sum, tr.Counts(step))
		}
	}
	for i := range v.Nodes {
		for j := range i {
			a, b := &v.Nodes[i], &v.Nodes[j]
			if math.Hypot(a.X-b.X, a.Y-b.Y) < min(a.Side, b.Side)/2 {
				t.Fatalf("%d lies on %d: %+v %+v", i, j, a, b)
			}
		}
	}
	far, _ := tr.Of(address(99_999))
	above := tr.nodes[far].parent
	shown := func(o Options) bool {
		for _, d := range tr.View(o).Nodes {
			if d.Node == far && !d.Group {
				return true
			}
		}
		return false
	}
	if shown(Options{}) || !shown(Options{Open: []int32{above}}) || shown(Options{Open: []int32{above}, Shut: []int32{above}}) {
		t.Error("a node far out is not shown when the one above it is opened, or without that")
	}
}

// What is drawn follows from the tree alone, and a node has one place at all steps.
func TestPlacesStay(t *testing.T) {
	var files [2]bytes.Buffer
	for i := range files {
		if err := grow(5000, 4).View(Options{}).GraphML(&files[i], i); err != nil {
			t.Fatal(err)
		}
	}
	strip := func(b []byte) string {
		var out []byte
		for len(b) > 0 {
			if i := bytes.Index(b, []byte(`Fill color="#`)); i >= 0 {
				out, b = append(out, b[:i]...), b[i+20:]
				continue
			}
			out, b = append(out, b...), nil
		}
		return string(out)
	}
	if strip(files[0].Bytes()) != strip(files[1].Bytes()) {
		t.Error("two steps have other places")
	}
}

// A node that is hidden gives what hangs below it to the next one above.
func TestHiddenNodes(t *testing.T) {
	b := NewBuilder([]Step{{"a", "b"}})
	for _, link := range [][2]string{{"/", ""}, {"/closed", "/"}, {"/below", "/closed"}} {
		n, _ := b.Node(link[0], link[1], Ellipse)
		b.Tell(0, n, Missing)
	}
	n, _ := b.Find("/closed")
	b.Hide(n)
	tr := b.Tree()
	below, ok := tr.Of("/below")
	if _, still := tr.Of("/closed"); still || !ok || tr.URL(int(tr.nodes[below].parent)) != "/" || tr.Counts(0)[Missing] != 2 {
		t.Errorf("%+v", tr.nodes)
	}
}

// BenchmarkView is what the server does for each look at a tree of a million nodes over two steps.
func BenchmarkView(b *testing.B) {
	tr := grow(1_000_000, 2)
	b.ResetTimer()
	for b.Loop() {
		if err := tr.View(Options{}).SVG(io.Discard, 0, Words{}); err != nil {
			b.Fatal(err)
		}
	}
}
