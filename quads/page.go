package quads

import (
	_ "embed"
	"io"

	"kavosh/pages/onepage"
)

//go:embed page.html
var pageText string

// mostShown is how many rows of a table the page has.
const mostShown = 100

// Page writes the report as one HTML page that needs no other file, with tables and plots, in English and Persian. name
// is the name of the archive or file that was counted.
func (r *Report) Page(w io.Writer, name string) error {
	shown := *r
	for _, parts := range []*[]Part{&shown.Served, &shown.Vocabularies, &shown.Predicates, &shown.Types} {
		*parts = named((*parts)[:min(len(*parts), mostShown)])
	}
	shown.Domains = shown.Domains[:min(len(shown.Domains), mostShown)]
	shown.Endpoints = shown.Endpoints[:min(len(shown.Endpoints), mostShown)]
	shown.Faults, shown.Past = nil, nil
	shown.Datasets = shown.Datasets[:min(len(shown.Datasets), mostShown)]
	shown.Links = shown.Links[:min(len(shown.Links), mostShown)]
	for i, l := range shown.Links {
		if i == 0 {
			shown.Links = append([]Linkset{}, shown.Links...)
		}
		shown.Links[i].Predicate = Short(l.Predicate)
	}
	return onepage.Write(w, pageText, struct {
		Name string `json:"name"`
		*Report
	}{name, &shown})
}

// named returns the parts with short names.
func named(parts []Part) []Part {
	short := make([]Part, len(parts))
	for i, p := range parts {
		p.Name = Short(p.Name)
		short[i] = p
	}
	return short
}
