package api

// This file lists the requests that the API answers, and checks their parameters.

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"context"
)

// route is one kind of request.
type route struct {
	path    string // pattern for net/http's ServeMux
	name    string // name of the operation in the OpenAPI description
	about   string
	params  []param
	answers any // a value of the response's type
	serve   func(*Server, *asked) (any, error)
}

// param is a parameter of a route's query.
type param struct {
	name     string
	about    string
	integer  bool
	many     bool // may be repeated
	required bool
	least    int      // the least value of an integer
	most     int      // the greatest value of an integer
	standard string   // the default value
	oneOf    []string // nil for any
	check    func(string) (string, error)
}

// asked is a request whose parameters were checked.
type asked struct {
	ctx    context.Context
	coll   *Collection
	id     string // last part of the path
	values map[string][]string
}

// get returns the value of a parameter, or "".
func (a *asked) get(name string) string {
	if v := a.values[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// number returns the value of an integer parameter.
func (a *asked) number(name string) int {
	n, _ := strconv.Atoi(a.get(name))
	return n
}

// maxValue bounds a parameter's value in bytes.
const maxValue = 8 << 10

// read reads and checks the parameters of a request.
func (r *route) read(req *http.Request) (*asked, error) {
	a := &asked{ctx: req.Context(), id: req.PathValue("id"), values: map[string][]string{}}
	bad := func(format string, args ...any) (*asked, error) {
		return nil, &problem{http.StatusBadRequest, fmt.Sprintf(format, args...)}
	}
	given := req.URL.Query()
	for name := range given {
		if !slices.ContainsFunc(r.params, func(p param) bool { return p.name == name }) {
			return bad("there is no parameter %.100q; /api/v1/openapi.json lists those of %s", name, r.path)
		}
	}
	for i := range r.params {
		p := &r.params[i]
		values := given[p.name]
		switch {
		case len(values) == 0 && p.required:
			return bad("%s: missing; it is %s", p.name, p.about)
		case len(values) == 0 && p.standard != "":
			values = []string{p.standard}
		case len(values) > 1 && !p.many:
			return bad("%s: give it once", p.name)
		}
		for _, v := range values {
			if len(v) > maxValue || !utf8.ValidString(v) {
				return bad("%s: it is no text of at most %d bytes", p.name, maxValue)
			}
			if p.integer {
				if n, err := strconv.Atoi(v); err != nil || n < p.least || n > p.most {
					return bad("%s: %.100q is no number from %d to %d", p.name, v, p.least, p.most)
				}
			}
			if p.oneOf != nil && !slices.Contains(p.oneOf, v) {
				return bad("%s: %.100q is none of %s", p.name, v, strings.Join(p.oneOf, ", "))
			}
			if p.check != nil {
				var err error
				if v, err = p.check(v); err != nil {
					return bad("%s: %v", p.name, err)
				}
			}
			a.values[p.name] = append(a.values[p.name], v)
		}
	}
	return a, nil
}

// Parameters that several routes have.
var (
	limitParam  = param{name: "limit", about: "at most so many in one answer", integer: true, least: 1, most: 1000, standard: "100"}
	cursorParam = param{name: "cursor", about: "next of the answer before, for what follows it", check: readCursor}
	fromParam   = param{name: "from", about: "captures from then on: a year, month, day or time of the Gregorian or the Jalali calendar; 4 to 14 digits, RFC 3339, or such as 1396/5/3", check: parseFirst}
	toParam     = param{name: "to", about: "captures until then, included: written as from", check: parseLast}
	statusParam = param{name: "status", about: "HTTP status", integer: true, least: 100, most: 999}
	typeParam   = param{name: "type", about: "media type, such as text/html"}
	belowParam  = param{name: "url", about: "only below it: a URL whose beginning counts, a host as example.org/*, a domain as *.example.org", standard: "*"}
)

// routes returns all routes.
func routes() []route {
	const coll = "/api/v1/collections/{collection}"
	return []route{
		{path: "/api/v1/collections", name: "collections", about: "The collections.", answers: Collections{}, serve: (*Server).collections},
		{path: coll + "/captures", name: "captures", about: "The captures of a URL, or of all below one, by URL and time.", answers: Captures{}, serve: (*Server).captures, params: []param{
			{name: "url", about: "the URL asked for", required: true},
			{name: "match", about: "which URLs are meant", oneOf: []string{"exact", "prefix", "host", "domain"}, standard: "exact"},
			fromParam, toParam, statusParam, typeParam, limitParam, cursorParam}},
		{path: coll + "/capture", name: "capture", about: "One capture in detail: its record, and the head of the answer as archived.", answers: Details{}, serve: (*Server).details, params: []param{
			{name: "url", about: "the URL", required: true},
			{name: "time", about: "its time in 14 digits, RFC 3339, or as from", required: true, check: isTime}}},
		{path: coll + "/links", name: "links", about: "The links to a URL, or to all below one, in pages that the reader may see, by URL and time.", answers: Links{}, serve: (*Server).links, params: []param{
			{name: "url", about: "where they lead", required: true},
			{name: "match", about: "which URLs are meant", oneOf: []string{"exact", "prefix", "host", "domain"}, standard: "exact"},
			fromParam, toParam, limitParam, cursorParam}},
		{path: coll + "/pages", name: "pages", about: "The pages: HTML documents that were got whole, by URL.", answers: Pages{}, serve: (*Server).pages, params: []param{
			belowParam, fromParam, toParam, limitParam, cursorParam}},
		{path: coll + "/hosts", name: "hosts", about: "The hosts, in the order of their names read from behind.", answers: Hosts{}, serve: (*Server).hosts, params: []param{
			belowParam, limitParam, cursorParam}},
		{path: coll + "/search", name: "search", about: "What texts and pictures answer to a question.", answers: Found{}, serve: (*Server).search, params: []param{
			{name: "q", about: "words, \"phrases\", field:word, -word", required: true},
			{name: "kind", about: "image for pictures", oneOf: []string{"", "image"}},
			{name: "sort", about: "newest instead of relevance", oneOf: []string{"", "newest"}},
			{name: "host", about: "filter", many: true}, {name: "lang", about: "filter: language code", many: true}, {name: "type", about: "filter: media type", many: true},
			{name: "year", about: "filter", many: true}, {name: "status", about: "filter: HTTP status", many: true},
			fromParam, toParam, {name: "at", about: "only what each URL showed then: written as from", check: parseLast},
			{name: "months", about: "true counts captures by month, too", oneOf: []string{"true", "false"}},
			{name: "offset", about: "groups to leave out at the beginning", integer: true, most: 10_000},
			{name: "limit", about: "at most so many groups", integer: true, least: 1, most: 100, standard: "10"}}},
		{path: coll + "/crawls", name: "crawls", about: "The crawls that made the collection, oldest first.", answers: Crawls{}, serve: (*Server).crawls},
		{path: coll + "/crawls/{id}", name: "crawl", about: "One of them.", answers: Crawl{}, serve: (*Server).crawl},
	}
}

// cursor encodes a place in an index, so that clients do not depend on its form.
func cursor(mark string) string { return base64.RawURLEncoding.EncodeToString([]byte(mark)) }

func readCursor(text string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || strings.Count(string(raw), " ") < 2 {
		return "", fmt.Errorf("%.100q is none: take next of the answer before", text)
	}
	return string(raw), nil
}
