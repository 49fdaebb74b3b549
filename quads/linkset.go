package quads

// This file writes the links between domains that a survey has counted, for programs that draw graphs.

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// LinksAs returns what writes the links between domains as a graph. The end of a file's name tells the form: .csv
// (from, to, predicate, count), .dot (GraphViz) or .json. ok is false for any other name.
func (r *Report) LinksAs(name string) (write func(io.Writer) error, ok bool) {
	switch {
	case strings.HasSuffix(name, ".csv"):
		return r.linksCSV, true
	case strings.HasSuffix(name, ".dot"):
		return r.linksDOT, true
	case strings.HasSuffix(name, ".json"):
		return func(w io.Writer) error { return json.NewEncoder(w).Encode(r.Links) }, true
	}
	return nil, false
}

func (r *Report) linksCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"from", "to", "predicate", "count"}) // c.Error returns a failure
	for _, l := range r.Links {
		_ = c.Write([]string{l.From, l.To, l.Predicate, strconv.FormatInt(l.Count, 10)})
	}
	c.Flush()
	return c.Error()
}

func (r *Report) linksDOT(w io.Writer) error {
	var b strings.Builder
	b.WriteString("digraph links {\n")
	for _, l := range r.Links {
		fmt.Fprintf(&b, "  %s -> %s [label=%s, weight=%d];\n", dotted(l.From), dotted(l.To), dotted(fmt.Sprintf("%s × %d", Short(l.Predicate), l.Count)), l.Count)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// dotted returns a text in quotation marks, in the syntax of GraphViz.
func dotted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) + `"`
}

// Short returns an IRI written with one of Prefixes, or unchanged if none fits.
func Short(iri string) string {
	for _, p := range Prefixes() {
		if local, ok := strings.CutPrefix(iri, p.IRI); ok && !strings.ContainsAny(local, "/#") {
			return p.Name + ":" + local
		}
	}
	return iri
}
