package characterise

import (
	_ "embed"
	"io"

	"kavosh/pages/onepage"
)

//go:embed page.html
var pageText string

// Page writes the report as one self-contained HTML page with tables and plots, in English and Persian. name is the
// name of what was characterised.
func (r *Report) Page(w io.Writer, name string) error {
	return onepage.Write(w, pageText, struct {
		Name string `json:"name"`
		*Report
	}{name, r})
}
