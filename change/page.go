package change

import (
	_ "embed"
	"io"

	"kavosh/pages/onepage"
)

//go:embed page.html
var pageText string

// mostDrawn is how many operations the page of a report shows.
const mostDrawn = 2000

// Page writes the report as one HTML page that needs no other file, in English and Persian: what changed in words, and the
// blocks of both versions in which it did.
func (r *Report) Page(w io.Writer) error {
	shown := *r
	more := max(0, len(shown.Operations)-mostDrawn)
	shown.Operations = shown.Operations[:len(shown.Operations)-more]
	return onepage.Write(w, pageText, struct {
		*Report
		More int `json:"more"`
	}{&shown, more})
}
