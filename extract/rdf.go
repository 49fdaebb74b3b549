package extract

import (
	"bytes"
	"errors"
	"io"

	"kavosh"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/format"
	"kavosh/lib/rdf/inhtml"
	"kavosh/lib/rdf/jsonld"
	"kavosh/lib/weburl"
)

// What an answer is to a crawl of the semantic web, and the links in RDF.

// classify says what the document is, by its content.
func (r *reading) classify(d described, payload []byte) {
	contentType := r.doc.Header.Get("Content-Type")
	f := format.Detect(payload[:min(len(payload), format.HeadSize)], contentType, r.doc.URL)
	page := &r.page.RDF
	switch {
	case f == format.HTML || f == format.None && len(payload) > 0 && (isHTML(d) || d.mediaType == "application/xhtml+xml"):
		page.Class = kavosh.ClassPage
		if r.opts.Needs.Embedded {
			page.Statements = inhtml.NewReader(payload, contentType, r.doc.URL, nil).Matter()
		}
		if page.Statements >= kavosh.EmbeddedFrom {
			page.Class = kavosh.ClassEmbedded
		}
	case f == format.None:
		page.Class = kavosh.ClassOther
	default:
		page.Class, page.Format = kavosh.ClassRDF, string(f)
		if f == format.JSONLD {
			r.contexts(r.base, payload)
		}
		r.statements(format.Open(bytes.NewReader(payload), f, r.page.Base, nil))
	}
}

// statements reads the links in the statements of an RDF document.
func (r *reading) statements(quads rdf.Reader) {
	for !r.full {
		q, err := quads.Read()
		if err == io.EOF {
			return
		}
		if err != nil {
			if fault := (*rdf.Fault)(nil); errors.As(err, &fault) {
				r.note("RDF as far as it can be read: " + fault.Error())
			}
			return
		}
		attr := linking(q.Predicate.Value)
		if attr != "" {
			r.iri(q.Object, attr)
		}
		if r.opts.Needs.URIs {
			for _, t := range [...]rdf.Term{q.Subject, q.Predicate, q.Object, q.Graph} {
				r.iri(t, "rdf")
			}
		}
	}
}

// contexts adds the contexts that a document of JSON-LD needs to be read.
func (r *reading) contexts(base *weburl.URL, document []byte) {
	for _, url := range jsonld.References(document, base.Key()) {
		r.add(base, []byte(url), kavosh.Link{Kind: kavosh.Embed, Element: "rdf", Attr: "@context"})
	}
}

// relContext is the relation by which a Link header gives plain JSON a context.
const relContext = "http://www.w3.org/ns/json-ld#context"

// iri adds the link that an IRI is.
func (r *reading) iri(t rdf.Term, attr string) {
	if t.Kind == rdf.IRI {
		r.add(r.base, []byte(t.Value), kavosh.Link{Kind: kavosh.Navigation, Element: "rdf", Attr: attr})
	}
}

// linking is the short name of a property whose values are documents to go on with; "" for all others.
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
	case "http://rdfs.org/ns/void#rootResource":
		return "void:rootResource"
	case "http://rdfs.org/ns/void#exampleResource":
		return "void:exampleResource"
	}
	return ""
}
