// Package client holds the part of the replay that runs in the reader's browser: a script that stands first in every
// replayed page, one that stands first in its workers, and a service worker.
//
// The server rewrites the URLs in what it sends, but scripts also build URLs while they run. The page script wraps
// every browser function that takes or returns a URL, so that these URLs stay in the archive too. It also shows scripts
// the time of the capture, and gives each archived site its own storage. The service worker, where the browser allows
// one, redirects requests for the root of the origin into the archive. What both miss, the Content-Security-Policy of
// the replay blocks.
//
// The scripts need no configuration: they read URL and time of a page from its replay URL.
package client

import (
	"crypto/sha256"
	_ "embed" // for the scripts
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

//go:embed core.js
var core string

//go:embed page.js
var page string

//go:embed worker.js
var worker string

//go:embed sw.js
var serviceWorker string

// Root is the path on the replay's origin below which the scripts are served.
const Root = "/-/client/"

// ServiceWorkerPath is the path of the service worker. The replay's origin has no other one.
const ServiceWorkerPath = Root + "sw.js"

// Scripts holds the scripts, ready to be sent. It never changes.
type Scripts struct {
	files   map[string]string // scripts by path
	page    string            // path of the page script
	home    string            // origin of the archive's own pages
	workers string            // the script that every worker begins with, up to its own URL
}

// New builds the scripts. home is the origin of the archive's own pages, to which a banner may link; "" if it is the
// replay's origin.
func New(home string) *Scripts {
	all := core + page + worker
	pagePath, workersPath := versioned("page.js", all), versioned("worker.js", all)
	paths := "var kavoshPage=" + quote(pagePath) + ",kavoshWorker=" + quote(workersPath) + ";"
	workers := "(function(){" + paths + core + worker + "})();"
	pages := "(function kavosh(given){'use strict';" + paths + core + page + "begin(kavosh,given)})();"
	return &Scripts{
		files:   map[string]string{pagePath: pages, workersPath: workers, ServiceWorkerPath: serviceWorker},
		page:    pagePath,
		home:    home,
		workers: workers,
	}
}

// versioned returns a path that contains a digest of body, so that clients may cache it for ever.
func versioned(name, body string) string {
	sum := sha256.Sum256([]byte(body))
	return Root + hex.EncodeToString(sum[:6]) + "/" + name
}

func quote(text string) string {
	b, _ := json.Marshal(text) // a string cannot fail
	return string(b)
}

// Markup returns what goes first into the head of a replayed page. It is ASCII, because the page may have any encoding.
// cookies are the values of Set-Cookie in the page's response, for its scripts to read.
func (s *Scripts) Markup(cookies ...string) string { return "<script" + s.attributes("src", cookies) }

// Srcdoc returns what goes first into a document in a srcdoc attribute of the page replayed at path. It names path,
// because a sandboxed document cannot ask the page that contains it.
func (s *Scripts) Srcdoc(path string) string {
	return `<script data-at="` + ascii(path) + `"` + s.attributes("src", nil)
}

// XHTML is Markup for a page that is XML. It works whatever namespace prefixes the page uses.
func (s *Scripts) XHTML(cookies ...string) string {
	return `<script xmlns="http://www.w3.org/1999/xhtml"` + s.attributes("src", cookies)
}

// SVG returns what goes first into the root element of a replayed SVG document.
func (s *Scripts) SVG(cookies ...string) string {
	return `<script xmlns="http://www.w3.org/2000/svg"` + s.attributes("href", cookies)
}

// attributes returns the rest of the page script's element, from its attributes on.
func (s *Scripts) attributes(src string, cookies []string) string {
	out := " " + src + `="` + s.page + `"`
	if s.home != "" {
		out += ` data-home="` + html.EscapeString(s.home) + `"`
	}
	if len(cookies) > 0 {
		list, _ := json.Marshal(cookies) // strings cannot fail
		out += ` data-cookies="` + ascii(string(list)) + `"`
	}
	return out + "></script>"
}

// ascii escapes text for the value of an attribute.
func ascii(text string) string {
	var out strings.Builder
	for _, r := range html.EscapeString(text) {
		if r < utf8.RuneSelf {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, "&#%d;", r)
		}
	}
	return out.String()
}

// Worker returns the script to put before that of a worker. The worker is replayed at origin, such as
// "http://127.0.0.1:8089", and path.
func (s *Scripts) Worker(origin, path string) string {
	at, _ := json.Marshal(map[string]string{"root": origin, "url": origin + path}) // strings cannot fail
	return s.workers + "kavosh$start(" + string(at) + ");\n"
}

// Serve sends the script at the request's path, or returns false if there is none.
func (s *Scripts) Serve(w http.ResponseWriter, r *http.Request) bool {
	body, ok := s.files[r.URL.Path]
	if !ok {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.URL.Path == ServiceWorkerPath {
		h.Set("Service-Worker-Allowed", "/")
	} else {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if r.Method != http.MethodHead {
		w.Write([]byte(body))
	}
	return true
}
