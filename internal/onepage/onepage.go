// Package onepage writes reports as HTML pages that stand alone, in English and Persian: their data, style and scripts are in
// them, and they load nothing. What such pages share is in shared.html.
package onepage

import (
	_ "embed"
	"encoding/json"
	"html/template"
	"io"
)

//go:embed shared.html
var shared string

// Write writes the page of a template, which gets data as JSON under .Data and may use the templates "style", "nodes" and
// "numbers". It fails when the template or the data do not allow it, or w does not take it.
func Write(w io.Writer, page string, data any) error {
	t, err := template.New("page").Parse(shared + page)
	if err != nil {
		return err
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return t.Execute(w, map[string]any{"Data": template.JS(text)}) // encoding/json escapes what could end a script
}
