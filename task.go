package kavosh

// This file says what a task is: the frontier hands it out, a fetcher works on it.

import (
	"strings"
	"time"
)

// Task is one URL whose turn may come: what the frontier keeps and what a fetcher is given. It is a value: no stage
// changes a task that another stage holds.
type Task struct {
	ID      uint64    // sequence number in its crawl, from 1; never reused
	URL     string    // the seen-key; also what is requested (WARC-Target-URI)
	Kind    Kind      // kind of the link that led here
	Via     string    // URL of the document that has the link; "" for a seed
	From    StandIn   // what that document stands in for
	Seed    string    // URL of the seed it descends from
	Path    string    // one Kind letter a step from the seed, such as "LLE"; at most 64 letters, the oldest dropped
	Extra   int       // of these steps, those since the crawl's scope was left (SeedPlan.ExtraHops); 0 within the scope
	Hops    int       // navigation steps from the seed; embeds, redirects and sitemaps add none
	Embeds  int       // steps since the last navigation that were embeds or redirects (bounds chains)
	Score   float64   // from the order; the higher the sooner within its class
	Why     string    // the order's reason for Score in words; "" if the rest of the task says it
	Attempt int       // requests made before this one, 0 at first
	Added   time.Time // when it was queued
	Partial *Partial  // the beginning of its body, which the archive has: the rest is asked for; nil for nearly all
	Prior   *Prior    // the capture of this URL that the archive already has, or nil
	Variant bool      // the RDF form of the URL is requested (Accept), not its page; together with the URL it is the seen-key
	Listed  bool      // a sitemap or a feed names it
	Again   bool      // this crawl asked for it before: a visit of a crawl that goes on
	Guessed bool      // descends from a speculative link: its own speculative links are not followed
	Ask     *Ask      // the request of a page in the browser; nil for a request of the crawl itself. The frontier does not store it
}

// Part reports whether the task is a part of a page that a browser loads to show the page: something embedded, or the
// target of its redirect. What a sitemap or a feed lists is not a part.
func (t *Task) Part() bool { return t.embedded() && !t.Listed }

// Page reports whether the task counts as a page, unless its answer turns out to be a sitemap or a feed. A page is not
// embedded, not a robots.txt, and not a sitemap that a robots.txt names.
func (t *Task) Page() bool {
	return !t.embedded() && t.Kind != Prerequisite && !(t.Kind == Sitemap && strings.HasSuffix(t.Path, "PM"))
}

func (t *Task) embedded() bool {
	return t.Kind == Embed || t.Kind == Redirect && strings.HasSuffix(strings.TrimRight(t.Path, "R"), "E")
}

// Ask is a request as a browser makes it.
type Ask struct {
	Method string // "GET", "POST" or "OPTIONS"
	Header Header // fields to send in addition to the crawl's own; the crawl's own take precedence
	Cookie string // the browser's cookies, as a Cookie field has them
	Body   []byte // body of a POST
	Socket bool   // it asks to open a WebSocket
}

// Prior is the newest complete 2xx capture that the archive has of a URL. Conditional requests and revisit records are
// made from it.
type Prior struct {
	URL          string    // URL of that capture (WARC-Refers-To-Target-URI)
	Time         time.Time // its WARC-Date (WARC-Refers-To-Date)
	RecordID     string    // its WARC-Record-ID, with angle brackets; may be empty
	Digest       string    // its payload digest, "sha256:…"
	ETag         string    // as received, quotes and W/ included
	LastModified string    // as received
	MIME         string    // media type of its payload, because a 304 has none
	File         string    // WARC file that holds it, and where: its body is read again for a revisit's links
	Offset       int64
}

// Partial is the beginning of a body that the archive has, because the far side broke off the answer that brought it.
type Partial struct {
	Record    string    `json:"record"` // WARC-Record-ID of that answer, status 200
	Time      time.Time `json:"time"`   // its WARC-Date
	File      string    `json:"file"`   // WARC file that holds it, and where
	Offset    int64     `json:"offset"`
	Validator string    `json:"validator"`        // its strong ETag, or its Last-Modified: as received, for If-Range
	Coding    string    `json:"coding,omitempty"` // its content codings, separated by commas
	Size      int64     `json:"size"`             // bytes of the body that all answers together brought
	Whole     int64     `json:"whole,omitempty"`  // bytes of the whole body; 0 if no answer told it
	Pieces    int       `json:"pieces"`           // how many answers brought some of it
	Attempt   int       `json:"attempt"`          // Task.Attempt of the last of them
}
