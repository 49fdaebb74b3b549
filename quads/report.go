package quads

import "time"

// Report is what a survey found.
type Report struct {
	Statements int64   `json:"statements"` // each but once a document
	Documents  int64   `json:"documents"`  // that were read, with statements or without
	Resources  int64   `json:"resources"`  // subjects, once a document
	Literals   int64   `json:"literals"`   // statements whose object is a literal
	Broken     int64   `json:"broken"`     // documents that are broken somewhere
	Faults     []Fault `json:"faults"`     // of broken documents, the first of them
	Parents    int64   `json:"parents"`    // HTML pages that led a crawl to an RDF document

	VocabularyCount int64 `json:"vocabulary_count"`
	DomainCount     int64 `json:"domain_count"`
	DatasetCount    int64 `json:"dataset_count"`

	Classes      []Part     `json:"classes"`      // documents by class, as kavosh.Class and Parent
	Syntaxes     []Part     `json:"syntaxes"`     // documents and statements by syntax
	Served       []Part     `json:"served"`       // RDF documents by the media type that the server gave
	Vocabularies []Part     `json:"vocabularies"` // namespaces of predicates and classes
	Predicates   []Part     `json:"predicates"`
	Types        []Part     `json:"types"`     // what rdf:type says
	Domains      []Domain   `json:"domains"`   // pay-level domains of documents with statements
	Datasets     []Dataset  `json:"datasets"`  // the first of them
	Links        []Linkset  `json:"links"`     // between pay-level domains
	Endpoints    []Endpoint `json:"endpoints"` // of SPARQL, the first of them
	Harvest      []Point    `json:"harvest"`
	Rules        []Rules    `json:"rules"` // of crawls whose order labelled links
}

// Rules says how often the order of a crawl was right.
type Rules struct {
	Crawl string `json:"crawl"`
	Rules []Rule `json:"rules"`
}

// Rule is a label that the order gives to links (Name and Label are the same), or a rule by which it gives one.
type Rule struct {
	Name    string `json:"name"`
	Label   string `json:"label"`
	Applied int    `json:"applied"` // to links that were answered with status 200
	Correct int    `json:"correct"`
}

// Confidence is the share of its links that a rule was right of: the precision of a label. It is 0 where it was never
// applied.
func (r Rule) Confidence() float64 { return float64(r.Correct) / float64(max(r.Applied, 1)) }

// Support is the share that a rule has of all correct links with its label.
func (r Rules) Support(rule Rule) float64 {
	for _, label := range r.Rules {
		if label.Name == rule.Label {
			return float64(rule.Correct) / float64(max(label.Correct, 1))
		}
	}
	return 0
}

// Part is a name, and how often it occurs.
type Part struct {
	Name       string `json:"name"`
	Statements int64  `json:"statements"`
	Documents  int64  `json:"documents"`
}

// Domain is a pay-level domain, and what its documents say.
type Domain struct {
	Name       string `json:"name"`
	Documents  int64  `json:"documents"` // with statements
	RDF        int64  `json:"rdf"`       // of them, RDF documents
	Statements int64  `json:"statements"`
}

// Dataset is what a document describes as a dataset.
type Dataset struct {
	IRI      string `json:"iri,omitempty"` // "" where it has no name
	Type     string `json:"type"`
	Title    string `json:"title,omitempty"`
	Document string `json:"document"`
}

// Linkset is the statements with one predicate that lead from a domain to another.
type Linkset struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Predicate string `json:"predicate"`
	Count     int64  `json:"count"`
}

// Fault says where a document is broken.
type Fault struct {
	URL   string `json:"url"`
	Fault string `json:"fault"`
}

// Endpoint is a SPARQL endpoint that documents name, or that the crawl asked.
type Endpoint struct {
	URL        string `json:"url"`
	Named      int64  `json:"named"`                // statements that name it
	Answers    bool   `json:"answers"`              // it answered what the crawl asked
	Statements *int64 `json:"statements,omitempty"` // that it says it has; nil where it does not say
}

// Point is what had been captured at a time.
type Point struct {
	Time      time.Time `json:"time"`
	Documents int64     `json:"documents"`
	RDF       int64     `json:"rdf"`
	Embedded  int64     `json:"embedded"`
}
