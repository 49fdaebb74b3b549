package rdfxml

import (
	"bytes"

	"kavosh/lib/rdf"
)

// vocabularies are namespaces whose nodes occur as whole documents: what begins with one of them, and can be read, is
// meant as RDF/XML.
var vocabularies = map[string]bool{
	"http://www.w3.org/2000/01/rdf-schema#":    true,
	"http://www.w3.org/2002/07/owl#":           true,
	"http://www.w3.org/2004/02/skos/core#":     true,
	"http://www.w3.org/ns/dcat#":               true,
	"http://www.w3.org/ns/prov#":               true,
	"http://www.w3.org/ns/org#":                true,
	"http://www.w3.org/2003/01/geo/wgs84_pos#": true,
	"http://www.w3.org/2006/vcard/ns#":         true,
	"http://xmlns.com/foaf/0.1/":               true,
	"http://usefulinc.com/ns/doap#":            true,
	"http://rdfs.org/sioc/ns#":                 true,
	"http://rdfs.org/ns/void#":                 true,
	"http://purl.org/dc/elements/1.1/":         true,
	"http://purl.org/dc/terms/":                true,
	"http://purl.org/rss/1.0/":                 true,
	"http://purl.org/goodrelations/v1#":        true,
	"http://schema.org/":                       true,
	"https://schema.org/":                      true,
	"http://creativecommons.org/ns#":           true,
	"http://web.resource.org/cc/":              true,
	"http://semantic-mediawiki.org/swivt/1.0#": true,
}

// Is reports whether a document that begins with head is RDF/XML, whatever its type says. The root element decides:
// rdf:RDF; or a node that states something, if it has an attribute of RDF (such as rdf:about) or belongs to a
// well-known vocabulary. Other XML with namespaces could be read as nodes too, and RDF also occurs inside other XML,
// such as SVG; that does not count.
func Is(head []byte) bool {
	var warnings rdf.Warnings
	s := newScanner(bytes.NewReader(head), &warnings)
	for {
		t, err := s.next()
		if err != nil || warnings.Count > 0 {
			return false
		}
		if t.kind != startTag {
			continue
		}
		if t.name.space == rdfSpace && t.name.local == "RDF" {
			return true
		}
		meant := t.name.space == rdfSpace || vocabularies[t.name.space]
		for _, a := range t.attributes {
			meant = meant || a.name.space == rdfSpace
		}
		if !meant {
			return false
		}
		_, err = rdf.Strict(NewReader(bytes.NewReader(head), "http://localhost/")).Read()
		return err == nil
	}
}
