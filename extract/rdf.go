package extract

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"kavosh"
	"kavosh/lib/packed"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/format"
	"kavosh/lib/rdf/inhtml"
	"kavosh/lib/rdf/jsonld"
	"kavosh/lib/weburl"
)

// This file finds out what a response is to a crawl for RDF, and reads the links in RDF.

// maxUnpacked bounds how many bytes are read for each byte of a packed document.
const maxUnpacked = 1000

// unpacked returns the document packed in the payload and its name; nothing if it is neither RDF nor a page. A payload
// that is not packed is returned unchanged.
func (r *reading) unpacked(payload []byte) (document []byte, name string) {
	in := bufio.NewReader(bytes.NewReader(payload))
	inside, name := packed.Open(in, r.doc.URL, int64(r.opts.MaxBytes), maxUnpacked)
	if inside == io.Reader(in) {
		return payload, name
	}
	body := bufio.NewReaderSize(inside, format.HeadSize)
	head, _ := body.Peek(format.HeadSize) // an error here occurs again below
	if format.Detect(head, r.doc.Header.Get("Content-Type"), name) == format.None {
		return nil, name
	}
	document, err := io.ReadAll(body)
	if err != nil {
		r.note("packed, read as far as it unpacks: " + err.Error())
	}
	return document, name
}

// classify sets the page's RDF syntax by the content of the document, or of the document packed in it.
func (r *reading) classify(d described, payload []byte) {
	contentType := r.doc.Header.Get("Content-Type")
	payload, name := r.unpacked(payload)
	f := format.Detect(payload[:min(len(payload), format.HeadSize)], contentType, name)
	if r.described && jsonld.Plain(contentType, payload) {
		f = format.JSONLD
	}
	page := &r.page.RDF
	switch {
	case f == format.HTML || f == format.None && len(payload) > 0 && (isHTML(d) || d.mediaType == "application/xhtml+xml"):
		page.Class = kavosh.ClassPage
		if r.opts.Needs.Embedded {
			embedded := inhtml.NewReader(payload, contentType, r.doc.URL, nil)
			page.Statements = embedded.Matter()
			r.datasets(embedded)
		}
		if page.Statements >= kavosh.EmbeddedFrom {
			page.Class = kavosh.ClassEmbedded
		}
	case f == format.None:
		page.Class = kavosh.ClassOther
		if bytes.Contains(payload, []byte(`"@context"`)) { // a context may need other contexts
			r.contexts(r.base, payload)
		}
	default:
		page.Class, page.Format = kavosh.ClassRDF, string(f)
		if f == format.JSONLD {
			r.contexts(r.base, payload)
		}
		r.statements(format.Open(bytes.NewReader(payload), f, packed.Inside(r.page.Base), nil))
	}
}

// statements adds the links in the statements of an RDF document.
func (r *reading) statements(quads rdf.Reader) {
	half := false // of the links are URIs that do not lead on: there is no room for more of them
	for !r.full {
		q, err := quads.Read()
		if err != nil {
			if fault := (*rdf.Fault)(nil); errors.As(err, &fault) {
				r.note("RDF as far as it can be read: " + fault.Error())
			}
			if l, ok := quads.(rdf.Lenient); ok && l.Warnings().Count > 0 {
				r.note(fmt.Sprintf("RDF with faults that were read past (%d), the first: %s", l.Warnings().Count, l.Warnings().First[0]))
			}
			return
		}
		attr := linking(q.Predicate.Value)
		if attr != "" && (!r.opts.Needs.SeeAlso || attr == "rdfs:seeAlso") {
			r.iri(q.Object, attr)
		}
		if !r.opts.Needs.URIs || half {
			continue
		}
		if half = len(r.links) >= r.opts.MaxLinks/2; half {
			r.note(fmt.Sprintf("more than %d links, further URIs in statements are left out", r.opts.MaxLinks/2))
			continue
		}
		for _, t := range [...]rdf.Term{q.Subject, q.Predicate, q.Object, q.Graph} {
			r.iri(t, "rdf")
		}
	}
}

// datasets adds the links in a page's statements that lead to a data set: its dumps and endpoints.
func (r *reading) datasets(embedded *inhtml.Reader) {
	for {
		q, err := embedded.Read()
		if err != nil {
			return
		}
		switch attr := linking(q.Predicate.Value); attr {
		case "void:dataDump", "void:sparqlEndpoint", "sd:endpoint":
			r.iri(q.Object, attr)
		}
	}
}

// contexts adds the contexts that are needed to read a JSON-LD document.
func (r *reading) contexts(base *weburl.URL, document []byte) {
	for _, url := range jsonld.References(document, base.Key()) {
		r.add(base, []byte(url), kavosh.Link{Kind: kavosh.Embed, Element: "rdf", Attr: "@context"})
	}
}

// iri adds a term as a link if it is an IRI. A property that leads on counts, wherever else the IRI stands.
func (r *reading) iri(t rdf.Term, attr string) {
	if t.Kind != rdf.IRI {
		return
	}
	i := r.add(r.base, []byte(t.Value), kavosh.Link{Kind: kavosh.Navigation, Element: "rdf", Attr: attr})
	if i >= 0 && attr != "rdf" && r.links[i].Attr == "rdf" {
		r.links[i].Attr = attr
	}
}

// linking returns the short name of a property whose values are documents to follow; "" for all others.
func linking(property string) string {
	switch property {
	case "http://www.w3.org/2000/01/rdf-schema#seeAlso":
		return "rdfs:seeAlso"
	case "http://www.w3.org/2000/01/rdf-schema#isDefinedBy":
		return "rdfs:isDefinedBy"
	case "http://www.w3.org/2002/07/owl#sameAs":
		return "owl:sameAs"
	case "http://www.w3.org/2002/07/owl#imports":
		return "owl:imports"
	case "http://rdfs.org/ns/void#dataDump":
		return "void:dataDump"
	case "http://rdfs.org/ns/void#sparqlEndpoint":
		return "void:sparqlEndpoint"
	case "http://www.w3.org/ns/sparql-service-description#endpoint":
		return "sd:endpoint"
	case "http://rdfs.org/ns/void#rootResource":
		return "void:rootResource"
	case "http://rdfs.org/ns/void#exampleResource":
		return "void:exampleResource"
	}
	return ""
}
