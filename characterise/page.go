package characterise

import (
	_ "embed"
	"encoding/json"
	"html/template"
	"io"
)

//go:embed page.html
var pageText string

// Page writes the report as one HTML page that stands alone, with tables and plots, in English and Persian. name is that
// of what was characterised.
func (r *Report) Page(w io.Writer, name string) error {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return err
	}
	data, err := json.Marshal(struct {
		Name string `json:"name"`
		*Report
	}{name, r})
	if err != nil {
		return err
	}
	return t.Execute(w, map[string]any{"Data": template.JS(data)}) // encoding/json escapes what could end a script
}
