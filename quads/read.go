package quads

// This file reads the statements of one document, whatever its syntax. Documents are hostile input: their sizes are
// bounded.

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

// Payload is a document as a server sent it, or as a file has it.
type Payload struct {
	URL         string // base of its relative IRIs
	Name        string // name of the file; "" if a server sent it
	ContentType string // as the server says; "" if it is not known
	Body        io.Reader
	MaxBytes    int64           // most bytes of a packed document, unpacked; 0 is no bound
	MaxRatio    int             // most unpacked bytes to one byte of Body; 0 is no bound
	Contexts    jsonld.Contexts // the contexts that JSON-LD may refer to; may be nil
	Context     string          // URL of the context that the server gives to plain JSON; "" for none
}

// Read yields the statements of a document as they come, and returns what it is. It judges by the content, not by what
// the server called it. An error comes from yield alone. If the document or its transfer is broken, Reading.Fault says
// where, and the statements before have been yielded. A document of which faults leave no statement is broken too.
func Read(p Payload, yield func(rdf.Quad) error) (Reading, error) {
	document, name := packed.Open(bufio.NewReader(p.Body), cmp.Or(p.Name, p.URL), p.MaxBytes, p.MaxRatio)
	p.URL = packed.Inside(p.URL)
	body := bufio.NewReaderSize(document, format.HeadSize)
	head, _ := body.Peek(format.HeadSize) // a read error here comes again below
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

// maxPage is how many bytes of an HTML page are read. It is one more than inhtml takes, so that inhtml notices what is
// left out.
const maxPage = 16<<20 + 1

// page yields the statements in an HTML page.
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

// format returns the syntax of a document that begins with head. The name of a file decides if the content shows no
// syntax, so that the reader of that syntax can say where the file is broken. It also decides between syntaxes of which
// one contains the other.
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

// isText reports whether a syntax is N-Triples or an extension of it.
func isText(f format.Format) bool {
	return f == format.NTriples || f == format.NQuads || f == format.Turtle || f == format.TriG || f == format.N3
}

// drain yields all statements of a reader, except those that no syntax can write, such as one with an IRI that is not
// valid.
func (r *Reading) drain(from rdf.Reader, yield func(rdf.Quad) error) error {
	for {
		q, err := from.Read()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				r.Fault = err.Error()
			}
			r.warned(from)
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

// warned notes the faults that a reader has read past.
func (r *Reading) warned(from rdf.Reader) {
	l, ok := from.(rdf.Lenient)
	if !ok || l.Warnings().Count == 0 {
		return
	}
	w := l.Warnings()
	r.Warnings, r.Warning = w.Count, w.First[0].Error()
	if r.Statements == 0 && r.Fault == "" {
		r.Fault = r.Warning
	}
}

// count adds n statements of a syntax.
func (r *Reading) count(syntax string, n int64) {
	if r.Syntaxes == nil {
		r.Syntaxes = map[string]int64{}
	}
	r.Syntaxes[syntax] += n
}
