// Package onepage writes reports as self-contained HTML pages in English and Persian, with data, style, font and scripts
// inside. They look as the pages of package pages do; shared.html has what these pages alone share.
package onepage

import (
	_ "embed"
	"encoding/json"
	"html/template"
	"io"

	"kavosh/lib/vazirmatn"
	"kavosh/pages"
)

//go:embed shared.html
var shared string

// Write writes the page of a template. The template gets data as JSON under .Data and may use the templates "begin" (up to
// the end of the style), "head" (from there to the text), "top" (both, with facts, a grid, notes, and the beginning of the
// script), "nodes" and "numbers". It fails if the template or the data are invalid, or if writing to w fails.
func Write(w io.Writer, page string, data any) error {
	t, err := template.New("page").Parse(shared + page)
	if err != nil {
		return err
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return t.Execute(w, map[string]any{
		"Data": template.JS(text), // encoding/json escapes what could end a script
		"Look": template.CSS(pages.Look(vazirmatn.DataURL())),
		"Mark": pages.Mark(),
	})
}
