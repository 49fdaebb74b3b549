// Package api is the HTTP API for programs: what an archive has, as JSON, and its WARC files.
//
// [Server] serves /api/v1; its names never change. routes.go lists all routes. Requests are checked by this list, and
// the OpenAPI description is made of it (openapi.go). captures.go reads the index, links.go the index of links,
// details.go a record. Responses are bounded and come in pages, each with the cursor of the next page; errors are
// problem details (RFC 9457). [Files] serves WASAPI: lists of WARC files and the files themselves, to clients with a
// token.
//
// A [Collection] already hides what access rules close, so this package need not check them.
package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kavosh"
	"kavosh/internal/about"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/dates"
	"kavosh/lib/weburl"
)

// Collection is an archive that is served under a name.
type Collection struct {
	Name, Title string // Title is used if About has none
	About       about.Description
	Picture     string // address of the collection's own picture; "" for none
	*records.Records
	Searcher kavosh.Searcher // nil if the collection cannot be searched
	Links    records.Index   // index of links by target (docs/formats/links-in.md); nil if there is none
	Reading  func() bool     // whether captures are still being read for their links; nil means no
	Archive  string          // folder of the archive; "" for files that no crawl of ours made
}

// Server serves /api/v1. It is safe for concurrent use.
type Server struct {
	colls   []Collection
	replay  string // base URL of the replay's origin, without slash at the end
	trouble func(string)
	mux     *http.ServeMux
}

// New returns a server for collections. replay is the base URL of their replay. trouble is called with one line if
// something is wrong with an archive.
func New(colls []Collection, replay string, trouble func(string)) *Server {
	s := &Server{colls: colls, replay: strings.TrimSuffix(replay, "/"), trouble: trouble, mux: http.NewServeMux()}
	list := routes()
	for i := range list {
		s.mux.HandleFunc("GET "+list[i].path, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, &list[i]) })
	}
	description := describe(list)
	s.mux.HandleFunc("GET /api/v1/openapi.json", func(w http.ResponseWriter, r *http.Request) { write(w, http.StatusOK, "application/json", description) })
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, r, &problem{http.StatusNotFound, "there is no such path; /api/v1/openapi.json lists them"})
	})
	return s
}

// ServeHTTP serves one request. Pages of all origins may read the responses, because they contain nothing private.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		fail(w, r, &problem{http.StatusMethodNotAllowed, "the API only reads: use GET"})
		return
	}
	s.mux.ServeHTTP(w, r)
}

// answer checks the parameters of a route, calls it and writes its result.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, route *route) {
	a, err := route.read(r)
	if err == nil {
		a.coll, err = s.collection(r.PathValue("collection"))
	}
	var out any
	if err == nil {
		out, err = route.serve(s, a)
	}
	if err == nil {
		write(w, http.StatusOK, "application/json", out)
		return
	}
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	known, ok := errors.AsType[*problem](err)
	if refused, is := errors.AsType[*kavosh.Refused](err); is {
		known, ok = &problem{http.StatusForbidden, refused.Error()}, true
		if refused.Access == kavosh.Takedown {
			known.status = http.StatusUnavailableForLegalReasons
		}
	}
	if !ok {
		s.trouble(r.URL.Path + ": " + err.Error())
		known = &problem{http.StatusInternalServerError, "the archive cannot be read; who runs it is told why"}
	}
	fail(w, r, known)
}

// collection returns the collection with the given name; nil for "", which is a route without collection.
func (s *Server) collection(name string) (*Collection, error) {
	for i := range s.colls {
		if s.colls[i].Name == name {
			return &s.colls[i], nil
		}
	}
	if name == "" {
		return nil, nil
	}
	return nil, &problem{http.StatusNotFound, fmt.Sprintf("there is no collection %.100q; /api/v1/collections lists them", name)}
}

// problem is an error that is sent to the client.
type problem struct {
	status int
	detail string
}

// Error returns the text that is sent to the client.
func (p *problem) Error() string { return p.detail }

// Problem is the body of an error response (RFC 9457).
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail" doc:"cause and fix"`
}

func fail(w http.ResponseWriter, r *http.Request, p *problem) {
	write(w, p.status, "application/problem+json", Problem{"about:blank", http.StatusText(p.status), p.status, p.detail})
}

// write sends v as JSON.
func write(w http.ResponseWriter, status int, contentType string, v any) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	_ = enc.Encode(v) // an error means that the client is gone
}

// replayed returns the replay URL of a capture.
func (s *Server) replayed(c *Collection, e *cdx.Entry, mod string) string {
	return s.replay + "/" + url.PathEscape(c.Name) + "/" + e.Timestamp + mod + "/" + weburl.Escape(e.URL)
}

// parseFirst and parseLast read a time as people write it. They return its first or last second, in 14 digits.
func parseFirst(text string) (string, error) {
	span, err := dates.Parse(text, time.UTC)
	return span.First.UTC().Format(timestamp), err
}

func parseLast(text string) (string, error) {
	span, err := dates.Parse(text, time.UTC)
	return span.Last.UTC().Format(timestamp), err
}

// isTime returns a time unchanged if it can be read.
func isTime(text string) (string, error) {
	_, err := parseLast(text)
	return text, err
}

// timestamp is the layout of a time in 14 digits.
const timestamp = "20060102150405"
