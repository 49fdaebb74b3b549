package quads

// This file describes a crawl's requests as RDF. quads keeps the statements of an archive's documents.

import (
	"strconv"
	"time"

	"kavosh/lib/rdf"
)

const (
	scutterNS = "http://purl.org/net/scutter/"
	dcNS      = "http://purl.org/dc/elements/1.1/"
)

// Fetch is what a crawl did with a URL: it made a request, or decided to make none.
type Fetch struct {
	URL         string
	Via         string // URL of the document that links to it; "" for a seed
	Time        time.Time
	Crawl       string
	Skipped     bool // it was not requested
	Status      int  // HTTP status; 0 if there was no answer
	ContentType string
	Statements  int64  // number of statements in the answer
	Problem     string // why there is no answer or no request; "" if there is an answer
}

// Describe yields what is known of a request in the vocabulary of scutters (Dodds, "Slug: a semantic web crawler",
// 2006): a representation for the URL, where it was named, and the fetch with time, status, type and number of
// statements, or the reason why there is none. The crawl has the same node as in Provenance. seq must differ for each
// fetch of a URL. An error comes from yield.
func (f *Fetch) Describe(seq int64, yield func(rdf.Quad) error) error {
	s := &statements{yield: yield}
	label := blankPrefix(f.URL)
	node := func(kind string) rdf.Term { return blank(label + kind + strconv.FormatInt(seq, 10)) }
	s.about(blank(label+"representation"), scutterNS+"Representation")
	s.say(scutterNS+"source", iriTerm(f.URL))
	if f.Via != "" {
		s.say(scutterNS+"origin", iriTerm(f.Via))
	}
	reason := node("reason")
	if f.Skipped {
		s.say(scutterNS+"skip", reason)
	} else {
		fetch := node("fetch")
		s.say(scutterNS+"fetch", fetch)
		s.about(fetch, scutterNS+"Fetch")
		s.say(dcNS+"date", instant(f.Time))
		if f.Status != 0 {
			s.say(scutterNS+"status", plain(strconv.Itoa(f.Status)))
		}
		if f.ContentType != "" {
			s.say(scutterNS+"contentType", plain(f.ContentType))
		}
		if f.Statements > 0 {
			s.say(scutterNS+"rawTripleCount", integer(f.Statements))
		}
		if f.Crawl != "" {
			s.say(provNS+"wasInformedBy", crawlNode(f.Crawl))
		}
		if f.Problem == "" {
			return s.err
		}
		s.say(scutterNS+"error", reason)
	}
	s.about(reason, scutterNS+"Reason")
	s.say(dcNS+"description", plain(f.Problem))
	s.say(dcNS+"date", instant(f.Time))
	return s.err
}
