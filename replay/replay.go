// Package replay serves the archived web as it was, with Memento.
//
// A [Server] needs an origin of its own. The scripts of archived pages run on it, so it has no cookie and no form of
// ours that they could misuse. The other pages that people see there, such as errors and the banner, come from [Pages],
// which the caller supplies.
//
// A request for /web/20240102030405/http://a.test/ goes through these files, in this order:
//
//	route.go       parses the request's path as it came; net/http would change "//" in it to "/"
//	origins.go     gives each collection an origin of its own
//	find.go        asks the indexes which captures of the URL are near the time, and which are the first, last and next
//	variants.go    finds captures of the same page with another query, and responses to POST
//	load.go        reads the record: head, payload, the original of a revisit
//	show.go        chooses the capture, and decides how its body is rewritten
//	send.go        sends headers and body, rewritten by package rewrite
//	headers.go     rewrites the archived headers, and sets the policy that blocks requests to the live web
//	stray.go       redirects requests that a script sent to the root of the replay's origin
//	problem.go     sends an error when there is nothing to show
//
// memento.go and timemap.go implement Memento (RFC 7089). cdxapi.go, cdxform.go, cdxpages.go and cdxxml.go implement
// the CDX server API of pywb. collections.go says what is served. docs/formats/replay.md lists all URLs.
package replay

import (
	"net/http"
	"time"

	"kavosh/lib/httpwire"
	"kavosh/replay/client"
)

// Asked is a reader's request for a page about a URL, such as its calendar.
type Asked struct {
	Coll  *Collection
	URL   string
	Time  string // the digits of the time, as many as were given
	Until string // for a comparison: the digits of the other time
	Lang  string // "" when the address names none
}

// Pages draws what people see on the replay's origin beside archived pages.
type Pages interface {
	// ServeStatic sends the files that these pages load, below "/-/static/".
	ServeStatic(w http.ResponseWriter, r *http.Request)
	// Home returns the URL of a collection's page, or with nil that of all collections; "" if there is none.
	Home(c *Collection) string
	// Calendar shows all captures of a URL, or those whose times begin with a.Time. If there are none, it writes
	// nothing and returns false.
	Calendar(w http.ResponseWriter, r *http.Request, a Asked) (found bool, err error)
	// Compare shows two captures of a URL side by side. If there are none, it writes nothing and returns false.
	Compare(w http.ResponseWriter, r *http.Request, a Asked) (found bool, err error)
	// Parts shows a capture of a URL with its parts, each of which can be watched. If there is none, it writes nothing and
	// returns false.
	Parts(w http.ResponseWriter, r *http.Request, a Asked) (found bool, err error)
	// Links shows a capture of a URL with its links in frames that say what the archive has of where they lead. If there is none, it
	// writes nothing and returns false.
	Links(w http.ResponseWriter, r *http.Request, a Asked) (found bool, err error)
	// Problem sends the page of an error. It sets the headers of the page; all others are set already.
	Problem(w http.ResponseWriter, r *http.Request, p Problem)
	// Line returns a problem as one line, for programs and for parts of pages.
	Line(p Problem) string
	// Banner returns markup for the head of an archived page. It says that the page is archived, and when it was
	// captured.
	Banner(r *http.Request, a Asked, h *History, shown *Answer) string
}

// Options say what is served. Collections, Addresses and Pages are required.
type Options struct {
	Collections *Collections
	Addresses   *Addresses
	Pages       Pages
	// MaxSpan is how far the time of a page's parts may be from that of the page; 0 means any time.
	MaxSpan time.Duration
	// Trouble is called with one line for the operator of the server, such as that a file named by an index is missing.
	Trouble func(text string)
}

// Server serves collections. It is safe for concurrent use.
type Server struct {
	router
	problems problems
	client   *client.Scripts
	mementos mementos
	player   player
	cdx      cdxServer
}

// New returns a server. An error means that the rules of this package for difficult sites are wrong.
func New(o Options) (*Server, error) {
	rules, err := readRules(rulesFile)
	if err != nil {
		return nil, err
	}
	scripts := client.New(o.Addresses.Home)
	p := problems{pages: o.Pages, trouble: o.Trouble}
	m := mementos{problems: p, addresses: o.Addresses, now: time.Now}
	routes := router{o.Collections, o.Addresses}
	return &Server{
		router: routes, problems: p, client: scripts, mementos: m,
		player: player{router: routes, problems: p, mementos: m, client: scripts, rules: rules, maxSpan: o.MaxSpan, maxDecoded: maxDecoded, decoders: &httpwire.Decoders{}},
		cdx:    cdxServer{addresses: o.Addresses, trouble: o.Trouble, now: time.Now},
	}, nil
}
