package quads

import (
	"bufio"
	"cmp"
	"errors"
	"io"

	"kavosh"
	"kavosh/lib/packed"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/format"
	"kavosh/lib/rdf/inhtml"
	"kavosh/lib/rdf/jsonld"
	"kavosh/lib/rdf/sparql"
)

// Payload is a document as it was served, or as a file has it.
type Payload struct {
	URL         string // its base
	Name        string // of a file; "" of what was served
	ContentType string // as the server says; "" for unknown
	Body        io.Reader
	MaxBytes    int64           // of what lies packed in it; 0 is no bound
	MaxRatio    int             // … and to a byte of Body
	Contexts    jsonld.Contexts // that JSON-LD may refer to; may be nil
	Context     string          // URL of that which plain JSON has by its server's word; "" for none
}

// Read gives the statements of a document as they come, and says what it is: by its content, whatever the server called
// it. An error is of yield alone: what breaks in the document, or in its transfer, is the Reading's Fault, and the
// statements up to there have been given.
func Read(p Payload, yield func(rdf.Quad) error) (Reading, error) {
	document, name := packed.Open(bufio.NewReader(p.Body), cmp.Or(p.Name, p.URL), p.MaxBytes, p.MaxRatio)
	p.URL = packed.Inside(p.URL)
	body := bufio.NewReaderSize(document, format.HeadSize)
	head, _ := body.Peek(format.HeadSize) // what breaks here breaks again below
	r := Reading{Class: kavosh.ClassOther}
	f := p.format(head, name)
	plain := p.Context != "" && jsonld.Plain(p.ContentType, head)
	if plain {
		f = format.JSONLD
	}
	switch f {
	case format.None:
		if _, q, ok := sparql.Parse(p.URL); ok && q != sparql.Sample {
			if answer, err := sparql.Read(body); err == nil {
				r.Answer = &answer
			}
		}
		return r, nil
	case format.HTML:
		err := r.page(&p, body, yield)
		return r, err
	default:
		r.Class = kavosh.ClassRDF
		open := func() rdf.Reader { return format.Open(body, f, p.URL, p.Contexts) }
		if plain {
			open = func() rdf.Reader { return jsonld.NewPlainReader(body, p.URL, p.Context, p.Contexts) }
		}
		err := r.drain(open(), yield)
		r.count(string(f), r.Statements)
		return r, err
	}
}

// maxPage is how many bytes of an HTML page are read: one more than inhtml takes, so that it tells of what is left out.
const maxPage = 16<<20 + 1

// page gives the statements in an HTML page.
func (r *Reading) page(p *Payload, body io.Reader, yield func(rdf.Quad) error) error {
	r.Class = kavosh.ClassPage
	text, err := io.ReadAll(io.LimitReader(body, maxPage))
	if err != nil {
		r.Fault = err.Error()
	}
	page := inhtml.NewReader(text, p.ContentType, p.URL, p.Contexts)
	if page.Matter() >= kavosh.EmbeddedFrom {
		r.Class = kavosh.ClassEmbedded
	}
	if err := r.drain(page, yield); err != nil {
		return err
	}
	for s, n := range page.Counts {
		if n.All > 0 {
			r.count(inhtml.Syntax(s).String()+" in HTML", int64(n.All))
		}
	}
	return nil
}

// format is the syntax of a document that begins with head. The name of a file is taken at its word where its content
// is of no syntax at all, so that somebody learns where it is broken, and among the syntaxes of which one contains
// another.
func (p *Payload) format(head []byte, name string) format.Format {
	found := format.Detect(head, p.ContentType, name)
	said := format.None
	if p.Name != "" {
		said = format.Said("", name)
	}
	if said != format.None && (found == format.None || isText(found) && isText(said)) {
		return said
	}
	return found
}

// isText reports whether a syntax is N-Triples or one that grew out of it.
func isText(f format.Format) bool {
	return f == format.NTriples || f == format.NQuads || f == format.Turtle || f == format.TriG || f == format.N3
}

// drain yields all statements of a reader, without those that no syntax can write, such as with an invalid IRI.
func (r *Reading) drain(from rdf.Reader, yield func(rdf.Quad) error) error {
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
		r.Statements++
		if err := yield(q); err != nil {
			return err
		}
	}
}

// count notes statements in a syntax.
func (r *Reading) count(syntax string, n int64) {
	if r.Syntaxes == nil {
		r.Syntaxes = map[string]int64{}
	}
	r.Syntaxes[syntax] += n
}
