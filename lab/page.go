package lab

import (
	_ "embed"
	"io"

	"kavosh/pages/onepage"
)

//go:embed page.html
var pageText string

// Page writes a report as one self-contained HTML page in English and Persian, with tables and interactive curves.
func (r *Report) Page(w io.Writer) error {
	return onepage.Write(w, pageText, r)
}
