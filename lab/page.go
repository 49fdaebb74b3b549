package lab

import (
	_ "embed"
	"encoding/json"
	"html/template"
	"io"
)

//go:embed page.html
var pageText string

// Page writes a report as one HTML page that stands alone: tables, and curves that can be asked. It speaks English and
// Persian.
func (r *Report) Page(w io.Writer) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return t.Execute(w, map[string]any{"Data": template.JS(data)}) // encoding/json escapes what could end a script
}
