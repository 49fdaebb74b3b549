// Package replay serves the archived web as it was, with Memento.
//
// [Server.Handler] has an origin of its own, on which archived pages' scripts run and can touch nothing else: no
// cookie, no form and no decision lives there. What else people see there, such as errors and the banner, whoever
// serves it hands in as [Pages].
//
// A request for /web/20240102030405/http://a.test/ goes through these files, in this order:
//
//	route.go       splits the request's path as it came; net/http's own splitting would fold "//" in it
//	origins.go     gives each collection an origin of its own
//	find.go        asks the indexes which captures of the URL lie near the time, and which are the first, last and next
//	variants.go    finds what was captured with another query, and answers to POST
//	load.go        reads the record: head, payload, the original of a revisit
//	show.go        chooses the capture, and says what a request is for and how a body is rewritten for that
//	send.go        sends it: headers and body, rewritten by package rewrite
//	headers.go     what the archived headers become, and the policy that keeps every request of a page inside
//	stray.go       leads back requests that a script sent to the root of the replay's origin
//	problem.go     answers where there is nothing to show
//
// memento.go and timemap.go speak Memento (RFC 7089), cdxapi.go and the files beside it the CDX server API as pywb
// has it. collections.go says what is served. docs/formats/replay.md is the map of all URLs.
package replay

import (
	"net/http"
	"time"

	"kavosh/lib/httpwire"
	"kavosh/replay/client"
)

// Asked is what a reader wants to see of a URL beside a replayed page.
type Asked struct {
	Coll  *Collection
	URL   string
	Time  string // digits of the time, as far as they were given
	Until string // of a comparison: those of the other time
	Lang  string // "" when the address names none
}

// Pages are what people see on the replay's origin beside archived pages.
type Pages interface {
	// ServeStatic answers for what the pages load, below "/-/static/".
	ServeStatic(w http.ResponseWriter, r *http.Request)
	// Home is the address of the page of a collection, or with nil of all; "" for none.
	Home(c *Collection) string
	// Calendar shows all captures of a URL, or those whose times begin so; false when there are none, and it wrote nothing.
	Calendar(w http.ResponseWriter, r *http.Request, a Asked) (found bool, err error)
	// Compare shows two captures of a URL beside each other; false when there are none, and it wrote nothing.
	Compare(w http.ResponseWriter, r *http.Request, a Asked) (found bool, err error)
	// Problem is the page of an error. It has its headers but for those of the page.
	Problem(w http.ResponseWriter, r *http.Request, p Problem)
	// Line is a problem in one line, for programs and parts of pages.
	Line(p Problem) string
	// Banner is markup for the head of an archived page that tells what it is.
	Banner(r *http.Request, a Asked, h *History, shown *Answer) string
}

// Options say what is served. Collections, Addresses and Pages are needed.
type Options struct {
	Collections *Collections
	Addresses   *Addresses
	Pages       Pages
	// MaxSpan is how far from the time of a page its parts may lie; 0 = any time.
	MaxSpan time.Duration
	// Trouble is told what a person who runs the server should know, such as a file that an index names and that is not
	// there: one line.
	Trouble func(text string)
}

// Server serves collections. It may be used by any number of goroutines.
type Server struct {
	router
	problems problems
	client   *client.Scripts
	mementos mementos
	player   player
	cdx      cdxServer
}

// New reads what is known of difficult sites. An error is a fault of this package.
func New(o Options) (*Server, error) {
	rules, err := readRules(rulesFile)
	if err != nil {
		return nil, err
	}
	scripts := client.New(o.Addresses.Home)
	p := problems{pages: o.Pages, trouble: o.Trouble}
	m := mementos{problems: p, addresses: o.Addresses, now: time.Now}
	return &Server{
		router: router{o.Collections, o.Addresses}, problems: p, client: scripts, mementos: m,
		player: player{problems: p, mementos: m, client: scripts, rules: rules, maxSpan: o.MaxSpan, maxDecoded: maxDecoded, decoders: &httpwire.Decoders{}},
		cdx:    cdxServer{addresses: o.Addresses, trouble: o.Trouble, now: time.Now},
	}, nil
}
