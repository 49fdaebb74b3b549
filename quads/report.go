package quads

// This file has the counts of a survey as data, for JSON, text and pages.

import "time"

// Report is what a survey has counted.
type Report struct {
	Statements int64   `json:"statements"` // each counted once for a document
	Documents  int64   `json:"documents"`  // documents that were read, with or without statements
	Resources  int64   `json:"resources"`  // subjects, each counted once for a document
	Literals   int64   `json:"literals"`   // statements whose object is a literal
	Broken     int64   `json:"broken"`     // documents with a Fault
	Faults     []Fault `json:"faults"`     // the first of them
	Warned     int64   `json:"warned"`     // documents with faults that were read past
	Warnings   int64   `json:"warnings"`   // these faults
	Past       []Fault `json:"past"`       // the first fault of the first such documents
	Parents    int64   `json:"parents"`    // HTML pages that led a crawl to an RDF document

	VocabularyCount int64 `json:"vocabulary_count"`
	DomainCount     int64 `json:"domain_count"`
	DatasetCount    int64 `json:"dataset_count"`

	Classes      []Part     `json:"classes"`      // documents by class, as kavosh.Class and Parent
	Syntaxes     []Part     `json:"syntaxes"`     // documents and statements by syntax
	Served       []Part     `json:"served"`       // RDF documents by the media type that the server gave
	Vocabularies []Part     `json:"vocabularies"` // namespaces of predicates and classes
	Predicates   []Part     `json:"predicates"`
	Types        []Part     `json:"types"`     // classes that rdf:type names
	Domains      []Domain   `json:"domains"`   // registrable domains of documents with statements
	Datasets     []Dataset  `json:"datasets"`  // the first that were found
	Links        []Linkset  `json:"links"`     // links between registrable domains
	Endpoints    []Endpoint `json:"endpoints"` // SPARQL endpoints, the first that were found
	Harvest      []Point    `json:"harvest"`
	Rules        []Rules    `json:"rules"` // of each crawl whose order labelled links
}

// Rules says how often the order of a crawl was right.
type Rules struct {
	Crawl string `json:"crawl"`
	Rules []Rule `json:"rules"`
}

// Rule is a label that the order gives to links (Name and Label are then equal), or a rule by which it gives the label.
type Rule struct {
	Name    string `json:"name"`
	Label   string `json:"label"`
	Applied int    `json:"applied"` // links with this label or rule that were answered with status 200
	Correct int    `json:"correct"`
}

// Confidence returns the share of a rule's links for which it was right (the precision of a label), from 0 to 1. It is
// 0 if the rule was never applied.
func (r Rule) Confidence() float64 { return float64(r.Correct) / float64(max(r.Applied, 1)) }

// Support returns the share of rule in all correct links with its label, from 0 to 1.
func (r Rules) Support(rule Rule) float64 {
	for _, label := range r.Rules {
		if label.Name == rule.Label {
			return float64(rule.Correct) / float64(max(label.Correct, 1))
		}
	}
	return 0
}

// Part is a name with how often it occurs.
type Part struct {
	Name       string `json:"name"`
	Statements int64  `json:"statements"`
	Documents  int64  `json:"documents"`
}

// Domain is a registrable domain with the counts of its documents.
type Domain struct {
	Name       string `json:"name"`
	Documents  int64  `json:"documents"` // documents with statements
	RDF        int64  `json:"rdf"`       // those of them that are RDF documents
	Statements int64  `json:"statements"`
}

// Dataset is something that a document describes as a dataset.
type Dataset struct {
	IRI      string `json:"iri,omitempty"` // "" for a blank node
	Type     string `json:"type"`
	Title    string `json:"title,omitempty"`
	Document string `json:"document"`
}

// Linkset counts the statements with one predicate that lead from one domain to another.
type Linkset struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Predicate string `json:"predicate"`
	Count     int64  `json:"count"`
}

// Fault says where a document is broken, or faulty.
type Fault struct {
	URL   string `json:"url"`
	Fault string `json:"fault"`
}

// Endpoint is a SPARQL endpoint that documents name, or that the crawl has asked.
type Endpoint struct {
	URL        string `json:"url"`
	Named      int64  `json:"named"`                // number of statements that name it
	Answers    bool   `json:"answers"`              // it answered what the crawl asked
	Statements *int64 `json:"statements,omitempty"` // number that it says it has; nil if it does not say
}

// Point says how many documents had been captured at a time.
type Point struct {
	Time      time.Time `json:"time"`
	Documents int64     `json:"documents"`
	RDF       int64     `json:"rdf"`
	Embedded  int64     `json:"embedded"`
}
