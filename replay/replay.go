// Package replay serves the archived web as it was, with Memento.
//
// There are two handlers, for two origins. [Server.ReplayHandler] shows archived pages, whose scripts run there and can
// touch nothing else: no cookie, no form and no decision lives on that origin. [Server.HomeHandler] has the pages by
// which people find captures.
//
// A request for /web/20240102030405/http://a.test/ goes through these files, in this order:
//
//	route.go     splits the request's path as it came; net/http's own splitting would fold "//" in it
//	find.go      asks the indexes which captures of the URL lie near the time, and which are the first, last and next
//	load.go      reads the record: head, payload, the original of a revisit
//	serve.go     sends it: a redirect to the exact time, or headers and body, rewritten by package rewrite
//	headers.go   what the archived headers become, and the policy that keeps every request of a page inside
//	stray.go     leads back requests that a script sent to the root of the replay's origin
//	variants.go  finds what was captured with another query, and answers to POST
//	origins.go   gives each collection an origin of its own
//
// memento.go, timemap.go, cdxapi.go and cdxpages.go speak to programs: Memento (RFC 7089) and the CDX server API as pywb has it.
// people.go and compare.go fill in the pages of the replay's origin (calendar, banner, errors; two captures side by side).
// home.go has the paths of the other; numbers.go, list.go, host.go, details.go, links.go, picture.go, searching.go and crawls.go fill in its
// pages. Package pages draws them all, in English and Persian. docs/formats/replay.md is the map of all URLs.
package replay

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"kavosh"
	"kavosh/internal/about"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/pages"
	"kavosh/replay/client"
)

// Index answers questions about captures, in the order of their lines unless the query asks for another.
type Index interface {
	Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error]
}

// Store opens the WARC or ARC file that holds a capture's record. What it returns is used by one request, which is of ctx,
// for that record alone, and then closed. Its error is a *kavosh.Refused when this reader may not see the capture.
type Store interface {
	Open(ctx context.Context, e *cdx.Entry) (f io.ReaderAt, size int64, close func(), err error)
}

// Gate tells of what an Index leaves out and a Store does not open.
type Gate interface {
	// Refused is why this reader does not get what a capture holds; nil when he may see it.
	Refused(ctx context.Context, e *cdx.Entry) (*kavosh.Refused, error)
	// Revisiting gives a context in which Index and Store have the original of a revisit that this reader may see, though a
	// rule closes the address where it was captured.
	Revisiting(ctx context.Context, revisit *cdx.Entry) context.Context
	// Withheld is why nothing of a URL is shown that the archive holds; nil when it holds nothing more than it shows.
	Withheld(ctx context.Context, url string) (*kavosh.Refused, error)
	// Edition changes with every decision: what was made of captures under another may show more than is allowed now.
	Edition() string
}

// Searcher answers questions to the texts and pictures of a collection.
type Searcher interface {
	Search(ctx context.Context, q kavosh.Search) (*kavosh.SearchResult, error)
}

// Collection is an archive that is served under a name.
type Collection struct {
	Name  string // first part of its replay URLs, percent-encoded there: letters and digits of any script, "-", "_" and "."
	label string // its name in host names
	Title string // what people read where About has no title; "" = Name
	About about.Description
	Index Index
	Store Store
	Gate  Gate // nil: nothing is left out
	// Searcher answers searches; nil where there is nothing to search.
	Searcher Searcher
	Links    Index       // of links, as docs/formats/links-in.md has them; nil where nobody collects them
	Reading  func() bool // whether captures are still being read for searching and for links; nil for no
	Crawls   Crawls      // nil where nothing is known of them
	Picture  Picture     // of the collection itself
	Pictures string      // folder that thumbnails of its pages are kept in; "" for none
}

// Picture is an image that a person gave a collection; the zero value is none.
type Picture struct {
	Data []byte
	Type string // one of the media types of images that have no scripts
}

// All is the name of the collection that holds all others.
const All = "web"

// Options say what is served. Collections is needed.
type Options struct {
	Collections []Collection
	Searcher    Searcher // of all collections together; nil where there is nothing to search
	// HomeAddr and ReplayAddr are the base URLs of the two origins as people reach them, "http://127.0.0.1:8088". An
	// empty one stands for the origin of the page that links there.
	HomeAddr, ReplayAddr string
	// CollectionHost is the host name at which each collection has an origin of its own, "*.replay.example.org" with "*" for
	// its name; "" = "*.localhost" where ReplayAddr is an address of this machine alone, and readers are not led there.
	CollectionHost string
	// MaxSpan is how far from the time of a page its parts may lie; 0 = any time.
	MaxSpan time.Duration
	Camera  Camera // takes thumbnails; nil for drawn ones
	Lang    string // "en" or "fa", for people whose browser asks for neither; "" = "en"
	Version string // of this program, for the foot of pages
	// Read reads what a page says, for its details and for comparisons: title, text, links. The payload is decoded. Nil
	// leaves them out.
	Read func(url string, status int, header kavosh.Header, payload []byte) *kavosh.Page
	// Trouble is told what a person who runs the server should know, such as a file that an index names and that is not
	// there: one line. It may be nil.
	Trouble func(text string)
}

// Server serves collections. Its handlers may be used by any number of goroutines.
type Server struct {
	colls      []*Collection // as given
	all        *Collection   // its Index and Store are nil: see members
	home, base string        // without slash at the end
	pages      *pages.Set
	trouble    func(string)
	summaries  summaries
	cdxPages   cdxPages
	camera     Camera
	read       func(url string, status int, header kavosh.Header, payload []byte) *kavosh.Page
	now        func() time.Time
	maxDecoded int64
	client     *client.Scripts
	rules      *rules
	origins    *origins
	maxSpan    time.Duration
	records    warc.Pool
	decoders   httpwire.Decoders
}

// New checks the options. An error names the option and what is wrong with it.
func New(o Options) (*Server, error) {
	s := &Server{trouble: o.Trouble, read: o.Read, camera: o.Camera, now: time.Now, maxDecoded: maxDecoded, maxSpan: o.MaxSpan}
	if s.trouble == nil {
		s.trouble = func(string) {}
	}
	var err error
	if s.home, err = origin("home address", o.HomeAddr); err != nil {
		return nil, err
	}
	if s.base, err = origin("replay address", o.ReplayAddr); err != nil {
		return nil, err
	}
	if s.home != "" && s.home == s.base {
		return nil, fmt.Errorf("home and replay have the same address %s: archived scripts need an origin of their own", s.home)
	}
	s.client = client.New(s.home)
	if s.rules, err = readRules(rulesFile); err != nil {
		return nil, err
	}
	if s.origins, err = newOrigins(o.CollectionHost, s.base); err != nil {
		return nil, err
	}
	if len(o.Collections) == 0 {
		return nil, fmt.Errorf("no collection to serve: name an archive")
	}
	for i := range o.Collections {
		c := o.Collections[i]
		if !validName(c.Name) || c.Name == All {
			return nil, fmt.Errorf("collection name %q: use at most %d letters and digits of any script, \"-\", \"_\" and \".\", no blanks, and not %q", c.Name, maxName, All)
		}
		c.label = labelOf(c.Name)
		plain := c.Name
		c.Name = escaped(plain) // from here on it stands in addresses alone
		if slices.ContainsFunc(s.colls, func(d *Collection) bool { return d.Name == c.Name }) {
			return nil, fmt.Errorf("two collections are named %q: give one another name, NAME=PATH", plain)
		}
		if c.Title == "" {
			c.Title = plain
		}
		s.colls = append(s.colls, &c)
	}
	s.all = &Collection{Name: All, label: All, Searcher: o.Searcher}
	if s.pages, err = pages.New(pages.Options{Home: s.home, Replay: s.base, Others: s.origins.all(), Lang: o.Lang, Version: o.Version}); err != nil {
		return nil, err
	}
	return s, nil
}

// origin checks the base URL of an origin and returns it without slash at the end.
func origin(what, addr string) (string, error) {
	if addr == "" {
		return "", nil
	}
	u, err := url.Parse(addr)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return "", fmt.Errorf("%s %q: give scheme, host and port, as in http://127.0.0.1:8088", what, addr)
	}
	return u.Scheme + "://" + u.Host, nil
}

// collection is the collection of that name, nil for none.
func (s *Server) collection(name string) *Collection {
	if name == All {
		return s.all
	}
	of := func(name string) *Collection {
		for _, c := range s.colls {
			if c.Name == name {
				return c
			}
		}
		return nil
	}
	if c := of(name); c != nil || len(name) > len("%XX")*utf8.UTFMax*maxName {
		return c
	}
	return of(escaped(name))
}

// members are the collections whose captures c shows: itself, or all.
func (s *Server) members(c *Collection) []*Collection {
	if c == s.all {
		return s.colls
	}
	return []*Collection{c}
}

// ReplayHandler serves the replay's origin.
func (s *Server) ReplayHandler() http.Handler { return http.HandlerFunc(s.serveReplay) }

// HomeHandler serves the origin of the home pages.
func (s *Server) HomeHandler() http.Handler { return s.homeMux() }
