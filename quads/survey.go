package quads

// This file counts what the statements of documents are about. It holds no statement, and all its tables are bounded.

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/sparql"
	"kavosh/lib/weburl"
)

// Survey counts what documents say. Its memory is bounded, except for 16 bytes for each document.
type Survey struct {
	Leads map[uint64]bool // hashes (Hash) of the pages that led to RDF documents; may be nil

	report                         Report
	classes, syntaxes, served      tally
	vocabularies, predicates, kind tally
	domains                        map[string]*Domain
	links                          map[Linkset]int64
	times                          []moment
	endpoints                      map[string]*Endpoint
	hosts                          map[string]string // domains by host, so that each is looked up once

	graph   rdf.Term // the document whose statements come now
	domain  *Domain  // the domain of graph
	met     map[string]bool
	subject rdf.Term        // the subject whose statements come now
	about   map[uint64]bool // hashes of graph's subjects so far; a document may return to one
	dataset Dataset         // what the statements say of subject, if it is a dataset
}

// moment is the time when a document was captured.
type moment struct {
	nanoseconds int64
	class       kavosh.Class
}

const (
	mostNames    = 1 << 16 // names in a table; all further names count as one (beyond)
	longestName  = 1 << 10 // bytes of a name
	mostSubjects = 1 << 18 // subjects of a document that are remembered; others may count twice
	mostDatasets = 10_000  // datasets that are listed
	mostFaults   = 1000    // documents that are listed with a fault
	mostPoints   = 200     // points of the harvest's curve
)

// beyond is the common name of all names after the first mostNames.
const beyond = "(others)"

// NewSurvey returns an empty survey.
func NewSurvey() *Survey {
	return &Survey{
		classes: tally{}, syntaxes: tally{}, served: tally{}, vocabularies: tally{}, predicates: tally{}, kind: tally{},
		report:  Report{Faults: []Fault{}, Past: []Fault{}, Domains: []Domain{}, Datasets: []Dataset{}, Links: []Linkset{}, Endpoints: []Endpoint{}, Harvest: []Point{}, Rules: []Rules{}},
		domains: map[string]*Domain{}, links: map[Linkset]int64{}, endpoints: map[string]*Endpoint{}, hosts: map[string]string{},
	}
}

// Hash returns the hash of a URL, as Survey.Leads has it.
func Hash(url string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(url)) // never fails
	return h.Sum64()
}

// Document counts a document.
func (s *Survey) Document(d *Document) {
	class := d.Class
	if leads := s.Leads[Hash(d.URL)]; leads && (class == kavosh.ClassPage || class == kavosh.ClassEmbedded) {
		s.report.Parents++
		if class == kavosh.ClassPage {
			class = Parent
		}
	}
	s.report.Documents++
	s.classes.add(string(class), d.Statements, true)
	for syntax, n := range d.Syntaxes {
		s.syntaxes.add(syntax, n, true)
	}
	if class == kavosh.ClassRDF {
		s.served.add(cmp.Or(d.MIME, "unknown"), d.Statements, true)
	}
	if d.Fault != "" {
		s.report.Broken++
		if len(s.report.Faults) < mostFaults {
			s.report.Faults = append(s.report.Faults, Fault{d.URL, clip(d.Fault, 200)})
		}
	}
	if d.Warnings > 0 {
		s.report.Warned++
		s.report.Warnings += d.Warnings
		if len(s.report.Past) < mostFaults {
			s.report.Past = append(s.report.Past, Fault{d.URL, clip(d.Warning, 200)})
		}
	}
	s.answered(d)
	if class == kavosh.ClassRDF || d.Statements > 0 {
		domain := s.ofDomain(s.domainOf(d.URL))
		domain.Documents++
		if class == kavosh.ClassRDF {
			domain.RDF++
		}
	}
	if !d.Time.IsZero() {
		s.times = append(s.times, moment{d.Time.UnixNano(), class})
	}
}

// Statement counts a statement. The statements of a graph should come together, and among them those of a subject.
func (s *Survey) Statement(q rdf.Quad) {
	if q.Graph != s.graph || s.met == nil {
		s.describe()
		s.graph, s.subject, s.met = q.Graph, rdf.Term{}, map[string]bool{}
		s.about = map[uint64]bool{}
		s.domain = s.ofDomain(s.domainOf(q.Graph.Value))
	}
	if q.Subject != s.subject {
		s.describe()
		s.subject = q.Subject
		if h := Hash(q.Subject.Value); !s.about[h] {
			s.report.Resources++
			if len(s.about) < mostSubjects {
				s.about[h] = true
			}
		}
	}
	s.report.Statements++
	s.domain.Statements++
	s.count(s.predicates, "p", q.Predicate.Value)
	s.count(s.vocabularies, "v", Vocabulary(q.Predicate.Value))
	if q.Object.Kind == rdf.Literal {
		s.report.Literals++
	}
	switch {
	case q.Predicate.Value == rdfType && q.Object.Kind == rdf.IRI:
		s.count(s.kind, "t", q.Object.Value)
		s.count(s.vocabularies, "v", Vocabulary(q.Object.Value))
		if isDataset(q.Object.Value) {
			s.dataset.Type = q.Object.Value
		}
	case isTitle(q.Predicate.Value) && q.Object.Kind == rdf.Literal && s.dataset.Title == "":
		s.dataset.Title = clip(q.Object.Value, 200)
	case IsLink(q.Predicate.Value) && q.Object.Kind == rdf.IRI:
		s.link(q)
	case (q.Predicate.Value == voidNS+"sparqlEndpoint" || q.Predicate.Value == sdNS+"endpoint") && q.Object.Kind == rdf.IRI:
		s.endpoint(q.Object.Value).Named++
	}
}

// answered counts what a SPARQL endpoint answered.
func (s *Survey) answered(d *Document) {
	url, q, ok := sparql.Parse(d.URL)
	if !ok || d.Answer == nil && d.Class != kavosh.ClassRDF {
		return
	}
	e := s.endpoint(url)
	e.Answers = true
	if q == sparql.Count {
		e.Statements = &d.Answer.Count
	}
}

// endpoint returns the counts of a SPARQL endpoint.
func (s *Survey) endpoint(url string) *Endpoint {
	e := s.endpoints[url]
	if e == nil {
		e = &Endpoint{URL: strings.Clone(url)}
		if len(s.endpoints) < mostDatasets {
			s.endpoints[e.URL] = e
		}
	}
	return e
}

// count counts a name in a table, and the document if this is its first statement with the name.
func (s *Survey) count(t tally, table, name string) {
	first := false
	if len(name) > longestName {
		name = beyond
	}
	if key := table + name; len(s.met) < mostNames && !s.met[key] {
		s.met[key], first = true, true
	}
	t.add(name, 1, first)
}

// describe adds the subject to the datasets, if it is one.
func (s *Survey) describe() {
	if s.dataset.Type != "" {
		s.report.DatasetCount++
		if len(s.report.Datasets) < mostDatasets {
			s.dataset.Document = s.graph.Value
			if s.subject.Kind == rdf.IRI {
				s.dataset.IRI = s.subject.Value
			}
			s.report.Datasets = append(s.report.Datasets, s.dataset)
		}
	}
	s.dataset = Dataset{}
}

// link counts a link between domains: from the subject's domain, or from the document's if the subject is a blank node.
func (s *Survey) link(q rdf.Quad) {
	from, to := s.domain.Name, s.domainOf(q.Object.Value)
	if q.Subject.Kind == rdf.IRI {
		from = cmp.Or(s.domainOf(q.Subject.Value), from)
	}
	if from == "" || to == "" || from == to {
		return
	}
	l := Linkset{From: from, To: to, Predicate: q.Predicate.Value}
	if _, known := s.links[l]; known || len(s.links) < mostNames {
		s.links[l]++
	} else {
		s.links[Linkset{From: beyond, To: beyond, Predicate: q.Predicate.Value}]++
	}
}

// ofDomain returns the counts of a domain.
func (s *Survey) ofDomain(name string) *Domain {
	if s.domains[name] == nil {
		if len(s.domains) >= mostNames {
			name = beyond
		}
		if s.domains[name] == nil {
			s.domains[name] = &Domain{Name: name}
		}
	}
	return s.domains[name]
}

// domainOf returns the registrable domain of an IRI, or "" if it has none.
func (s *Survey) domainOf(iri string) string {
	_, rest, ok := strings.Cut(iri, "://")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if colon := strings.LastIndexByte(rest, ':'); colon > strings.LastIndexByte(rest, ']') {
		rest = rest[:colon]
	}
	domain, known := s.hosts[rest]
	if !known {
		if len(s.hosts) >= mostNames {
			clear(s.hosts)
		}
		host := strings.Clone(rest)
		domain = weburl.Domain(strings.ToLower(host))
		s.hosts[host] = domain
	}
	return domain
}

// Vocabulary returns the namespace of an IRI: all up to its last # or /, or up to its last : if it has neither.
func Vocabulary(iri string) string {
	end := strings.LastIndexAny(iri, "#/")
	if end < 0 {
		end = strings.LastIndexByte(iri, ':')
	}
	return iri[:end+1]
}

// isDataset reports whether a class is a class of datasets.
func isDataset(class string) bool {
	switch class {
	case "http://rdfs.org/ns/void#Dataset", "http://www.w3.org/ns/dcat#Dataset", "http://schema.org/Dataset", "https://schema.org/Dataset",
		"http://purl.org/linked-data/cube#DataSet", "http://purl.org/dc/dcmitype/Dataset":
		return true
	}
	return false
}

// isTitle reports whether a predicate gives its subject a title.
func isTitle(predicate string) bool {
	switch predicate {
	case "http://purl.org/dc/terms/title", "http://purl.org/dc/elements/1.1/title", "http://www.w3.org/2000/01/rdf-schema#label",
		"http://schema.org/name", "https://schema.org/name", "http://xmlns.com/foaf/0.1/name", "http://www.w3.org/2004/02/skos/core#prefLabel":
		return true
	}
	return false
}

// IsLink reports whether a predicate leads to the same thing in another dataset, or to more about it.
func IsLink(predicate string) bool {
	switch predicate {
	case "http://www.w3.org/2002/07/owl#sameAs", "http://www.w3.org/2002/07/owl#equivalentClass", "http://www.w3.org/2002/07/owl#equivalentProperty",
		"http://www.w3.org/2002/07/owl#imports", "http://www.w3.org/2000/01/rdf-schema#seeAlso", "http://www.w3.org/2000/01/rdf-schema#isDefinedBy",
		"http://www.w3.org/2004/02/skos/core#exactMatch", "http://www.w3.org/2004/02/skos/core#closeMatch", "http://www.w3.org/2004/02/skos/core#broadMatch",
		"http://www.w3.org/2004/02/skos/core#narrowMatch", "http://www.w3.org/2004/02/skos/core#relatedMatch", "http://schema.org/sameAs", "https://schema.org/sameAs":
		return true
	}
	return false
}

// Report returns the counts.
func (s *Survey) Report() *Report {
	s.describe()
	r := s.report
	r.Classes, r.Syntaxes, r.Served = s.classes.parts(), s.syntaxes.parts(), s.served.parts()
	r.Vocabularies, r.Predicates, r.Types = s.vocabularies.parts(), s.predicates.parts(), s.kind.parts()
	for _, d := range s.domains {
		if d.Name != "" {
			r.Domains = append(r.Domains, *d)
		}
	}
	slices.SortFunc(r.Domains, func(a, b Domain) int {
		return cmp.Or(cmp.Compare(b.Statements, a.Statements), cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.Name, b.Name))
	})
	for l, n := range s.links {
		l.Count = n
		r.Links = append(r.Links, l)
	}
	slices.SortFunc(r.Links, func(a, b Linkset) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Predicate, b.Predicate))
	})
	for _, e := range s.endpoints {
		r.Endpoints = append(r.Endpoints, *e)
	}
	slices.SortFunc(r.Endpoints, func(a, b Endpoint) int { return cmp.Compare(a.URL, b.URL) })
	r.VocabularyCount, r.DomainCount = int64(len(r.Vocabularies)), int64(len(r.Domains))
	r.Harvest = s.harvest()
	return &r
}

// harvest returns how many documents of each class had been captured at up to mostPoints times.
func (s *Survey) harvest() []Point {
	curve := []Point{}
	slices.SortFunc(s.times, func(a, b moment) int { return cmp.Compare(a.nanoseconds, b.nanoseconds) })
	step := max(1, (len(s.times)+mostPoints-1)/mostPoints)
	var p Point
	for i, t := range s.times {
		p.Documents++
		switch t.class {
		case kavosh.ClassRDF:
			p.RDF++
		case kavosh.ClassEmbedded:
			p.Embedded++
		}
		if p.Documents%int64(step) == 0 || i == len(s.times)-1 {
			p.Time = time.Unix(0, t.nanoseconds).UTC()
			curve = append(curve, p)
		}
	}
	return curve
}

// clip returns the beginning of a text, at most most bytes.
func clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// tally counts for each name its statements and the documents that have it.
type tally map[string]*Part

// add counts n statements with a name, and a document if document is true.
func (t tally) add(name string, n int64, document bool) {
	p := t[name]
	if p == nil {
		if len(t) >= mostNames {
			name = beyond
		}
		if p = t[name]; p == nil {
			name = strings.Clone(name)
			p = &Part{Name: name}
			t[name] = p
		}
	}
	p.Statements += n
	if document {
		p.Documents++
	}
}

// parts returns the names, most frequent first.
func (t tally) parts() []Part {
	parts := make([]Part, 0, len(t))
	for _, p := range t {
		parts = append(parts, *p)
	}
	slices.SortFunc(parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Statements, a.Statements), cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.Name, b.Name))
	})
	return parts
}
