// Package rdftest reads the manifests of W3C and compares graphs in tests.
package rdftest

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"kavosh/lib/rdf"
)

// ReadAll returns all statements of a document, and the error that ended it early.
func ReadAll(r rdf.Reader) ([]rdf.Quad, error) {
	var all []rdf.Quad
	for {
		q, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, q)
	}
}

// Isomorphic reports whether two sets of statements are equal except for the labels of blank nodes. It colours blank
// nodes by their statements until the colours no longer split, then tries the remaining equal ones one by one. That is
// fast enough for tests, but not for adversarial graphs.
func Isomorphic(a, b []rdf.Quad) bool {
	x, y := newGraph(a), newGraph(b)
	return len(x.quads) == len(y.quads) && match(x, y)
}

// graph is a set of statements with coloured blank nodes.
type graph struct {
	quads  map[rdf.Quad]bool
	colour map[string]uint64
}

func newGraph(quads []rdf.Quad) graph {
	g := graph{map[rdf.Quad]bool{}, map[string]uint64{}}
	for _, q := range quads {
		g.quads[q] = true
		for _, t := range [...]rdf.Term{q.Subject, q.Object, q.Graph} {
			if t.Kind == rdf.Blank {
				g.colour[t.Value] = 0
			}
		}
	}
	return g
}

// refine colours until no colour splits.
func (g *graph) refine() {
	for known := -1; ; {
		next := map[string]uint64{}
		for label, c := range g.colour {
			next[label] = sum(c)
		}
		for q := range g.quads {
			nodes := [...]rdf.Term{q.Subject, q.Object, q.Graph}
			for role, t := range nodes {
				if t.Kind != rdf.Blank {
					continue
				}
				var seen [3]any
				for i, other := range nodes {
					switch {
					case other.Kind != rdf.Blank:
						seen[i] = other
					case other.Value == t.Value:
						seen[i] = "itself"
					default:
						seen[i] = g.colour[other.Value]
					}
				}
				next[t.Value] += sum(role, q.Predicate, seen)
			}
		}
		g.colour = next
		colours := map[uint64]bool{}
		for _, c := range next {
			colours[c] = true
		}
		if len(colours) == known {
			return
		}
		known = len(colours)
	}
}

func sum(what ...any) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%#v", what)
	return h.Sum64()
}

// classes returns the labels of each colour.
func (g *graph) classes() map[uint64][]string {
	of := map[uint64][]string{}
	for label, c := range g.colour {
		of[c] = append(of[c], label)
	}
	return of
}

// with returns g with one label in a colour of its own.
func (g *graph) with(label string) graph {
	h := graph{g.quads, map[string]uint64{}}
	for l, c := range g.colour {
		h.colour[l] = c
	}
	h.colour[label] = sum("chosen", h.colour[label])
	return h
}

func match(x, y graph) bool {
	x.refine()
	y.refine()
	inX, inY := x.classes(), y.classes()
	if len(inX) != len(inY) {
		return false
	}
	var open uint64 // the smallest colour with more than one label
	for c, labels := range inX {
		if len(labels) != len(inY[c]) {
			return false
		}
		if len(labels) > 1 && (len(inX[open]) < 2 || len(labels) < len(inX[open])) {
			open = c
		}
	}
	if len(inX[open]) > 1 {
		chosen := slices.Min(inX[open])
		for _, label := range inY[open] {
			if match(x.with(chosen), y.with(label)) {
				return true
			}
		}
		return false
	}
	rename := func(t rdf.Term) rdf.Term {
		if t.Kind == rdf.Blank {
			t.Value = inY[x.colour[t.Value]][0]
		}
		return t
	}
	for q := range x.quads {
		if !y.quads[rdf.Quad{Subject: rename(q.Subject), Predicate: q.Predicate, Object: rename(q.Object), Graph: rename(q.Graph)}] {
			return false
		}
	}
	return true
}
