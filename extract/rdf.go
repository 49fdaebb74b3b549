package extract

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"kavosh"
	"kavosh/lib/packed"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/format"
	"kavosh/lib/rdf/inhtml"
	"kavosh/lib/rdf/jsonld"
	"kavosh/lib/weburl"
)

// What an answer is to a crawl of the semantic web, and the links in RDF.

// maxUnpacked is how many bytes to a byte of a packed document are read.
const maxUnpacked = 1000

// unpacked is the document that lies packed in the payload, and its name: nothing where it is neither RDF nor a page. What is not
// packed comes as it is.
func (r *reading) unpacked(payload []byte) (document []byte, name string) {
	in := bufio.NewReader(bytes.NewReader(payload))
	inside, name := packed.Open(in, r.doc.URL, int64(r.opts.MaxBytes), maxUnpacked)
	if inside == io.Reader(in) {
		return payload, name
	}
	body := bufio.NewReaderSize(inside, format.HeadSize)
	head, _ := body.Peek(format.HeadSize) // what breaks here breaks again below
	if format.Detect(head, r.doc.Header.Get("Content-Type"), name) == format.None {
		return nil, name
	}
	document, err := io.ReadAll(body)
	if err != nil {
		r.note("packed, read as far as it unpacks: " + err.Error())
	}
	return document, name
}

// classify says what the document is, by its content; of one that is packed, what is in it.
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
		if bytes.Contains(payload, []byte(`"@context"`)) { // a context may need others
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
		if attr != "" && (!r.opts.Needs.SeeAlso || attr == "rdfs:seeAlso") {
			r.iri(q.Object, attr)
		}
		if r.opts.Needs.URIs {
			for _, t := range [...]rdf.Term{q.Subject, q.Predicate, q.Object, q.Graph} {
				r.iri(t, "rdf")
			}
		}
	}
}

// datasets reads the links in a page's statements that lead to a data set: its dumps and endpoints.
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

// contexts adds the contexts that a document of JSON-LD needs to be read.
func (r *reading) contexts(base *weburl.URL, document []byte) {
	for _, url := range jsonld.References(document, base.Key()) {
		r.add(base, []byte(url), kavosh.Link{Kind: kavosh.Embed, Element: "rdf", Attr: "@context"})
	}
}

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
