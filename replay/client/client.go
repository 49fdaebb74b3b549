// Package client holds the part of the replay that runs in the reader's browser: a script that stands first in every
// replayed page, one that stands first in its workers, and a service worker.
//
// The server rewrites what it sends. The page script keeps inside what scripts put together while they run: it stands
// between them and everything of the browser that takes or tells a URL, shows the time of the page, and keeps apart what
// archived sites store. The service worker, where the browser allows one, leads back requests for the root of the
// origin. Whatever both miss is held back by the replay's Content-Security-Policy.
//
// The scripts need to be told nothing: the replay URL of a page says where and when it is.
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

// Root is the folder of the replay's origin that the scripts lie in.
const Root = "/-/client/"

// ServiceWorkerPath is where the service worker lies. It is the only one that the replay's origin has.
const ServiceWorkerPath = Root + "sw.js"

// Scripts are the scripts, ready to be sent. They never change.
type Scripts struct {
	files   map[string]string // by path
	page    string            // where the page script lies
	home    string            // of the archive's own pages
	workers string            // what every worker begins with, up to its place
}

// New puts the scripts together. home is the origin of the archive's own pages, to which a banner may lead; "" when it
// is the replay's.
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

// versioned is a path with a digest of what lies there: it may be cached for ever.
func versioned(name, body string) string {
	sum := sha256.Sum256([]byte(body))
	return Root + hex.EncodeToString(sum[:6]) + "/" + name
}

func quote(text string) string {
	b, _ := json.Marshal(text) // a string never fails
	return string(b)
}

// Markup is what goes first into the head of a replayed page. It is ASCII, for the page may be in any encoding. cookies are
// values of Set-Cookie of the page's answer, for its scripts to read.
func (s *Scripts) Markup(cookies ...string) string { return "<script" + s.attributes("src", cookies) }

// Srcdoc is what goes first into a page that stands in an attribute of the one replayed at the path: if it is sandboxed, it
// cannot ask its maker where it is.
func (s *Scripts) Srcdoc(path string) string {
	return `<script data-at="` + ascii(path) + `"` + s.attributes("src", nil)
}

// XHTML is what Markup is, for a page that is XML: it holds whatever prefixes the page's elements have.
func (s *Scripts) XHTML(cookies ...string) string {
	return `<script xmlns="http://www.w3.org/1999/xhtml"` + s.attributes("src", cookies)
}

// SVG is what goes first into the root element of a replayed drawing.
func (s *Scripts) SVG(cookies ...string) string {
	return `<script xmlns="http://www.w3.org/2000/svg"` + s.attributes("href", cookies)
}

// attributes ends the page script's element.
func (s *Scripts) attributes(src string, cookies []string) string {
	out := " " + src + `="` + s.page + `"`
	if s.home != "" {
		out += ` data-home="` + html.EscapeString(s.home) + `"`
	}
	if len(cookies) > 0 {
		list, _ := json.Marshal(cookies) // strings never fail
		out += ` data-cookies="` + ascii(string(list)) + `"`
	}
	return out + "></script>"
}

// ascii is text as the value of an attribute.
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

// Worker is the script to put before that of a worker replayed at the URL: origin, "http://127.0.0.1:8089", and path.
func (s *Scripts) Worker(origin, path string) string {
	at, _ := json.Marshal(map[string]string{"root": origin, "url": origin + path}) // strings never fail
	return s.workers + "kavosh$start(" + string(at) + ");\n"
}

// Serve sends the script at the request's path, and is false when there is none.
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
