package kavosh

// This file says what a task is: the frontier hands it out, a fetcher works on it.

import (
	"strings"
	"time"
)

// Task is one URL whose turn may come: what the frontier keeps and what a fetcher is given.
// It is a value: no stage changes a task that another stage holds.
type Task struct {
	ID      uint64    // sequence number in its crawl, from 1; never reused
	URL     string    // the seen-key; also what is requested (WARC-Target-URI)
	Kind    Kind      // of the link that led here
	Via     string    // URL of the document that held that link; empty for a seed
	Seed    string    // URL of the seed it descends from
	Path    string    // one Kind letter a step from the seed, such as "LLE"; at most 64 letters, the oldest dropped
	Hops    int       // navigation steps from the seed; embeds, redirects and sitemaps add none
	Embeds  int       // steps since the last navigation that were embeds or redirects (bounds chains)
	Score   float64   // from the order; the higher the sooner within its class
	Why     string    // the order's words for Score; empty when the rest of the task tells all
	Attempt int       // requests made before this one, 0 at first
	Added   time.Time // when it was queued
	Prior   *Prior    // what the archive already holds of this URL; nil for nothing
	Variant bool      // the URL's form in RDF is asked for (Accept), not its page; with the URL it is the seen-key
	Listed  bool      // a sitemap or a feed names it
	Guessed bool      // descends from a speculative link: its own speculative links are not followed
	Ask     *Ask      // how a page that a browser loads asks for it; nil for the crawl's own way. The frontier does not keep it
}

// Part says that the task is a part of a page, which a browser loads to show it: embedded there, or what that redirects to.
// What a sitemap or a feed names is none.
func (t *Task) Part() bool { return t.embedded() && !t.Listed }

// Page says that the task counts as a page, unless what it asks for turns out to be a sitemap or a feed: it is embedded in
// nothing, no robots.txt, and no sitemap that one names.
func (t *Task) Page() bool {
	return !t.embedded() && t.Kind != Prerequisite && !(t.Kind == Sitemap && strings.HasSuffix(t.Path, "PM"))
}

func (t *Task) embedded() bool {
	return t.Kind == Embed || t.Kind == Redirect && strings.HasSuffix(strings.TrimRight(t.Path, "R"), "E")
}

// Ask is a request as a browser makes it.
type Ask struct {
	Method string // "GET", "POST" or "OPTIONS"
	Header Header // fields to be sent beside the crawl's own, which go before them
	Cookie string // the browser's cookies, as a Cookie field has them
	Body   []byte // of a POST
}

// Prior is the newest complete 2xx capture that the archive holds of a URL: what a conditional request and a revisit
// record are made from.
type Prior struct {
	URL          string    // URL of that capture (WARC-Refers-To-Target-URI)
	Time         time.Time // its WARC-Date (WARC-Refers-To-Date)
	RecordID     string    // its WARC-Record-ID, with angle brackets; may be empty
	Digest       string    // its payload digest, "sha256:…"
	ETag         string    // as received, quotes and W/ included
	LastModified string    // as received
	MIME         string    // of its payload; a 304 has none of its own
	File         string    // WARC file that holds it, and where: its body is read again for a revisit's links
	Offset       int64
}
