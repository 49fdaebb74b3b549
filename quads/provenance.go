package quads

// This file describes an archive's statements as RDF: what was counted, and which crawls the statements come from.

import (
	"strconv"
	"time"

	"kavosh/lib/iri"
	"kavosh/lib/rdf"
)

// Crawl is what a provenance says of one crawl.
type Crawl struct {
	ID             string
	Started, Ended time.Time // Ended is zero while it runs and after a crash
	Agent          string    // its User-Agent; "" if it is not known
}

// Provenance describes an archive's statements: the archive as a VoID dataset, with vocabularies, classes, predicates
// and links between domains, and the crawls that made it as PROV. Source does the same for one document.
type Provenance struct {
	Name   string
	Report *Report
	Crawls []Crawl
}

const (
	voidNS    = "http://rdfs.org/ns/void#"
	sdNS      = "http://www.w3.org/ns/sparql-service-description#"
	provNS    = "http://www.w3.org/ns/prov#"
	dctermsNS = "http://purl.org/dc/terms/"
	rdfsNS    = "http://www.w3.org/2000/01/rdf-schema#"
)

// statements yields statements about one subject after another.
type statements struct {
	subject rdf.Term
	yield   func(rdf.Quad) error
	err     error
}

func iriTerm(s string) rdf.Term { return rdf.Term{Kind: rdf.IRI, Value: s} }
func blank(s string) rdf.Term   { return rdf.Term{Kind: rdf.Blank, Value: s} }
func plain(s string) rdf.Term   { return rdf.Term{Kind: rdf.Literal, Value: s} }

func integer(n int64) rdf.Term {
	return rdf.Term{Kind: rdf.Literal, Value: strconv.FormatInt(n, 10), Datatype: xsd + "integer"}
}

func instant(t time.Time) rdf.Term {
	return rdf.Term{Kind: rdf.Literal, Value: t.UTC().Format(time.RFC3339Nano), Datatype: xsd + "dateTime"}
}

// about begins the statements of another subject.
func (s *statements) about(subject rdf.Term, class string) {
	s.subject = subject
	s.say(rdfType, iriTerm(class))
}

func (s *statements) say(predicate string, object rdf.Term) {
	if s.err == nil {
		s.err = s.yield(rdf.Quad{Subject: s.subject, Predicate: iriTerm(predicate), Object: object})
	}
}

// Whole yields the description of the archive and its crawls. An error comes from yield.
func (p *Provenance) Whole(yield func(rdf.Quad) error) error {
	s := &statements{yield: yield}
	r := p.Report
	archive := blank("archive")
	s.about(archive, voidNS+"Dataset")
	s.say(dctermsNS+"title", plain(p.Name))
	s.say(voidNS+"triples", integer(r.Statements))
	s.say(voidNS+"documents", integer(r.Documents))
	s.say(voidNS+"entities", integer(r.Resources))
	s.say(voidNS+"classes", integer(int64(len(r.Types))))
	s.say(voidNS+"properties", integer(int64(len(r.Predicates))))
	for _, v := range r.Vocabularies {
		if v.Name != beyond && iri.Valid(v.Name) {
			s.say(voidNS+"vocabulary", iriTerm(v.Name))
		}
	}
	for _, c := range p.Crawls {
		s.say(provNS+"wasGeneratedBy", crawlNode(c.ID))
	}
	partition := func(label, kind, of, counted string, parts []Part) {
		s.subject = archive
		node := func(i int) rdf.Term { return blank(label + strconv.Itoa(i+1)) }
		for i := range parts {
			s.say(voidNS+kind, node(i))
		}
		for i, part := range parts {
			s.subject = node(i)
			if part.Name != beyond {
				s.say(voidNS+of, iriTerm(part.Name))
			}
			s.say(voidNS+counted, integer(part.Statements))
		}
	}
	partition("class", "classPartition", "class", "entities", r.Types)
	partition("property", "propertyPartition", "property", "triples", r.Predicates)
	s.linksets(r.Links)
	for _, c := range p.Crawls {
		agent := blank("agent" + c.ID)
		s.about(crawlNode(c.ID), provNS+"Activity")
		s.say(rdfsNS+"label", plain("crawl "+c.ID))
		if !c.Started.IsZero() {
			s.say(provNS+"startedAtTime", instant(c.Started))
		}
		if !c.Ended.IsZero() {
			s.say(provNS+"endedAtTime", instant(c.Ended))
		}
		s.say(provNS+"wasAssociatedWith", agent)
		s.about(agent, provNS+"SoftwareAgent")
		s.say(rdfsNS+"label", plain(c.Agent))
	}
	return s.err
}

// linksets describes the links between domains.
func (s *statements) linksets(links []Linkset) {
	named := map[string]rdf.Term{}
	domain := func(name string) rdf.Term {
		node, known := named[name]
		if !known {
			node = blank("domain" + strconv.Itoa(len(named)+1))
			named[name] = node
			s.about(node, voidNS+"Dataset")
			s.say(dctermsNS+"title", plain(name))
		}
		return node
	}
	for i, l := range links {
		from, to := domain(l.From), domain(l.To)
		s.about(blank("links"+strconv.Itoa(i+1)), voidNS+"Linkset")
		s.say(voidNS+"linkPredicate", iriTerm(l.Predicate))
		s.say(voidNS+"subjectsTarget", from)
		s.say(voidNS+"objectsTarget", to)
		s.say(voidNS+"triples", integer(l.Count))
	}
}

// Source yields where the statements of a document come from: the capture, its time and digest, and the crawl that made
// it. An error comes from yield.
func Source(d *Document, yield func(rdf.Quad) error) error {
	s := &statements{yield: yield}
	capture := blank(blankPrefix(d.URL) + "capture")
	if record := trimAngles(d.Record); iri.Valid(record) {
		capture = iriTerm(record)
	}
	s.about(iriTerm(d.URL), provNS+"Entity")
	s.say(provNS+"wasDerivedFrom", capture)
	s.say(voidNS+"triples", integer(d.Statements))
	s.about(capture, provNS+"Entity")
	s.say(provNS+"generatedAtTime", instant(d.Time))
	if d.Digest != "" {
		s.say(dctermsNS+"identifier", plain(d.Digest))
	}
	if d.Crawl != "" {
		s.say(provNS+"wasGeneratedBy", crawlNode(d.Crawl))
	}
	return s.err
}

func crawlNode(id string) rdf.Term { return blank("crawl" + id) }

// trimAngles returns a record's id without the brackets around it.
func trimAngles(id string) string {
	if len(id) > 2 && id[0] == '<' && id[len(id)-1] == '>' {
		return id[1 : len(id)-1]
	}
	return id
}
