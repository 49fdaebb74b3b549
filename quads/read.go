package quads

import (
	"bufio"
	"cmp"
	"errors"
	"io"

	"kavosh"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/format"
	"kavosh/lib/rdf/jsonld"
)

// Payload is a document as it was served, or as a file has it.
type Payload struct {
	URL         string // its base
	Name        string // of a file; "" of what was served
	ContentType string // as the server says; "" for unknown
	Body        io.Reader
	Contexts    jsonld.Contexts // that JSON-LD may refer to; may be nil
}

// Read gives the statements of a document as they come, and says what it is: by its content, whatever the server called it. An
// error is of yield alone: what breaks in the document, or in its transfer, is the Reading's Fault, and the statements up to there
// have been given.
func Read(p Payload, yield func(rdf.Quad) error) (Reading, error) {
	body := bufio.NewReaderSize(p.Body, format.HeadSize)
	head, _ := body.Peek(format.HeadSize) // what breaks here breaks again below
	r := Reading{Class: kavosh.ClassOther}
	switch f := p.format(head); f {
	case format.None:
		return r, nil
	case format.HTML:
		r.Class = kavosh.ClassPage
		return r, nil
	default:
		r.Class = kavosh.ClassRDF
		return r, r.drain(format.Open(body, f, p.URL, p.Contexts), string(f), yield)
	}
}

// format is the syntax of a document that begins with head. The name of a file is taken at its word where its content is of
// no syntax at all, so that somebody learns where it is broken, and among the syntaxes of which one contains another.
func (p *Payload) format(head []byte) format.Format {
	found := format.Detect(head, p.ContentType, cmp.Or(p.Name, p.URL))
	said := format.Said("", p.Name)
	if said != format.None && (found == format.None || isText(found) && isText(said)) {
		return said
	}
	return found
}

// isText reports whether a syntax is N-Triples or one that grew out of it.
func isText(f format.Format) bool {
	return f == format.NTriples || f == format.NQuads || f == format.Turtle || f == format.TriG || f == format.N3
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
