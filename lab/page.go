package lab

import (
	_ "embed"
	"io"

	"kavosh/internal/onepage"
)

//go:embed page.html
var pageText string

// Page writes a report as one HTML page that stands alone: tables, and curves that can be asked. It speaks English and
// Persian.
func (r *Report) Page(w io.Writer) error {
	return onepage.Write(w, pageText, r)
}
