//go:build conformance

package search

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
)

// A PDF document is read by pdftotext; one that is none, or that was cut, has no text and does no harm.
func TestPDF(t *testing.T) {
	p := FindPDF()
	if p == nil {
		t.Fatal("there is no pdftotext: make conformance-tools installs it")
	}
	document := pdfOf("Searching the archive by its words")
	if got := p.Text(context.Background(), document); got != "Searching the archive by its words" {
		t.Errorf("read %q", got)
	}
	for name, bad := range map[string][]byte{"nothing": nil, "half": document[:len(document)/3], "noise": bytes.Repeat([]byte("%PDF-1.4 \x00\xff"), 1000)} {
		if got := p.Text(context.Background(), bad); strings.Contains(got, "archive") {
			t.Errorf("%s: read %q", name, got)
		}
	}
}

// pdfOf is a document of one page with one line.
func pdfOf(line string) []byte {
	content := "BT /F1 24 Tf 72 700 Td (" + line + ") Tj ET"
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}
