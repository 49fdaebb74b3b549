package quads

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"kavosh"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/jsonld"
	"kavosh/lib/rdf/rdfxml"
)

// Payload is a document as it was served.
type Payload struct {
	URL  string // its base
	MIME string // as the server says; "" for unknown
	Body io.Reader
}

// headSize is how many bytes of a document tell what it is.
const headSize = 64 << 10

// Read gives the statements of a document as they come, and says what it is: by its content, whatever the server called it.
// An error is of yield alone: what breaks in the document, or in its transfer, is the Reading's Fault, and the statements up to
// there have been given.
func Read(p Payload, yield func(rdf.Quad) error) (Reading, error) {
	body := bufio.NewReaderSize(p.Body, headSize)
	head, _ := body.Peek(headSize) // what breaks here breaks again below
	r := Reading{Class: kavosh.ClassOther}
	syntax := syntaxOf(head)
	switch {
	case syntax == "html", syntax == "" && p.MIME == "text/html":
		r.Class = kavosh.ClassPage
	case syntax != "":
		r.Class = kavosh.ClassRDF
		return r, r.drain(open(body, syntax, p.URL), syntax, yield)
	}
	return r, nil
}

// open reads a document in a syntax.
func open(body io.Reader, syntax, base string) rdf.Reader {
	switch syntax {
	case "turtle":
		return rdf.NewTriGReader(body, base)
	case "rdfxml":
		return rdfxml.NewReader(body, base)
	case "jsonld":
		return jsonld.NewReader(body, base, nil)
	}
	return rdf.NewNQuadsReader(body)
}

// drain gives all statements of a reader. Those that no syntax can write, such as with an IRI that is none, are left out.
func (r *Reading) drain(from rdf.Reader, syntax string, yield func(rdf.Quad) error) error {
	for {
		q, err := from.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			r.Fault = err.Error()
			return nil
		}
		if q.Check(false) != nil {
			r.Invalid++
			continue
		}
		r.count(syntax)
		if err := yield(q); err != nil {
			return err
		}
	}
}

func (r *Reading) count(syntax string) {
	if r.Syntaxes == nil {
		r.Syntaxes = map[string]int64{}
	}
	r.Syntaxes[syntax]++
	r.Statements++
}

// syntaxOf is the syntax that a document begins in; "" when it is none that is known.
func syntaxOf(head []byte) string {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(text, []byte(w)) })
	}
	low := bytes.ToLower(text[:min(len(text), 1024)])
	switch {
	case bytes.Contains(low, []byte("<html")), bytes.HasPrefix(low, []byte("<!doctype html")):
		return "html"
	case bytes.HasPrefix(text, []byte("{")) || bytes.HasPrefix(text, []byte("[")):
		if has(`"@context"`, `"@id"`, `"@graph"`, `"@type"`) {
			return "jsonld"
		}
	}
	if _, err := rdf.NewNQuadsReader(bytes.NewReader(head)).Read(); err == nil {
		return "nquads"
	}
	if bytes.HasPrefix(text, []byte("<")) && has("http://www.w3.org/1999/02/22-rdf-syntax-ns#") && has("<?xml", "xmlns") {
		return "rdfxml"
	}
	if _, err := rdf.NewTriGReader(bytes.NewReader(head), "http://base.invalid/").Read(); err == nil {
		return "turtle"
	}
	return ""
}
