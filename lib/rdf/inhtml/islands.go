package inhtml

// This file reads JSON-LD in the script elements of a page.

import (
	"errors"
	"fmt"
	"mime"
	"strings"

	"kavosh/lib/htmltree"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/jsonld"
)

// maxIslands is how many bytes of JSON-LD are read in one page; the script element that exceeds it is the last. JSON-LD
// can cost much for its length, and the bounds of a document allow that for a single one.
const maxIslands = 1 << 20

// islands returns the statements in the script elements with JSON-LD. A broken element is a warning and does not prevent
// reading the others.
func islands(page *htmltree.Page, contexts jsonld.Contexts, warnings *rdf.Warnings) (quads []rdf.Quad) {
	met, size := 0, 0
	for n := range page.Elements() {
		if n.Name != "script" || n.First == nil || !isJSONLD(n) {
			continue
		}
		if size > maxIslands {
			page.Stop(n, "more than %d bytes of JSON-LD", maxIslands)
			break
		}
		text, ok := page.Text(n)
		if !ok {
			break
		}
		met++
		size += len(text)
		island := jsonld.NewReader(strings.NewReader(text), page.URL, contexts)
		for {
			q, err := island.Read()
			var f *rdf.Fault
			if errors.As(err, &f) {
				warnings.Warn(inPage(page, n.First, f))
			}
			if err != nil {
				break
			}
			for _, t := range []*rdf.Term{&q.Subject, &q.Object, &q.Graph} {
				if t.Kind == rdf.Blank {
					t.Value = fmt.Sprintf("j%d%s", met, t.Value)
				}
			}
			quads = append(quads, q)
		}
	}
	return quads
}

func isJSONLD(n *htmltree.Node) bool {
	declared, _ := n.Get("type")
	kind, _, _ := mime.ParseMediaType(declared)
	return kind == "application/ld+json"
}

// inPage moves a fault of an island to its place in the page.
func inPage(page *htmltree.Page, island *htmltree.Node, f *rdf.Fault) *rdf.Fault {
	line, column := page.Position(island.Offset)
	if f.Line > 1 {
		column = 1
	}
	return &rdf.Fault{Line: line + f.Line - 1, Column: column + f.Column - 1, Reason: "in JSON-LD: " + f.Reason}
}
