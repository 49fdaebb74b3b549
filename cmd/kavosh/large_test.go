package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"kavosh/seeds"
)

// largest is how much of a path, a query or a header is sent: what a listener takes at most.
const largest = 64 << 10

// Bounds of what one request costs. docs/guide/serving.md tells of them.
const (
	mostAnswered  = 1 << 20  // bytes of an answer
	mostAllocated = 16 << 20 // bytes taken while it is made
)

// larges are values of that size, each of another kind.
func larges() map[string]string {
	all := map[string]string{}
	for name, piece := range map[string]string{
		"letters": "a", "parts": "p/", "steps up": "../", "quotes": "%22", "parameters": "x=1&", "filters": "filter=~url:(a*)*b&", "words": "a+OR+-b*+site:c+",
	} {
		all[name] = strings.Repeat(piece, largest/len(piece))
	}
	all["as many parts as are taken"] = strings.Repeat("p/", 1000)
	return all
}

// homeRoutes and replayRoutes are all that the two listeners answer, with the parameters that each reads. {} stands for what is large.
var (
	homeRoutes = map[string]string{
		"/": "lang", "/find": "q coll url lang", "/c/one": "prefix lang", "/c/web": "lang", "/c/one/search": "q kind sort host lang type year status from to at offset", "/c/one/pages": "prefix kind status from to after lang",
		"/c/one/hosts": "lang", "/c/one/host": "host path lang", "/c/one/crawls": "lang", "/c/one/crawl": "id", "/c/one/capture": "url time lang", "/c/one/compare": "url a b", "/c/one/links": "url after",
		"/c/one/thumbnail": "url time", "/c/one/picture": "x lang", "/-/static/x.css": "x", "/-/health": "x", "/none": "x", "/one/2020/http://a.test/": "x", "/wasapi/v1/webdata": "page page_size filename collection crawl-time-after", "/wasapi/v1/files/one/x": "x",
		"/api/v1/collections": "x", "/api/v1/openapi.json": "x", "/api/v1/collections/one/captures": "url match from to status type limit cursor", "/api/v1/collections/one/capture": "url time", "/api/v1/collections/one/links": "url match cursor",
		"/api/v1/collections/one/pages": "url cursor", "/api/v1/collections/one/hosts": "url cursor", "/api/v1/collections/one/search": "q kind host lang type year status at", "/api/v1/collections/one/crawls": "x",
		"/api/v1/collections/one/crawls/x": "x", "/api/v1/none": "x",
	}
	replayRoutes = map[string]string{
		"/": "x", "/one/": "x", "/-/static/x.css": "x", "/-/kavosh.js": "x", "/one/2020/http://a.test/": "x callback", "/one/2020id_/http://a.test/": "x", "/one/2020if_/http://a.test/": "x", "/one/timegate/http://a.test/": "x", "/one/http://a.test/": "x",
		"/one/timemap/link/http://a.test/": "x", "/one/timemap/json/http://a.test/": "x", "/one/timemap/cdxj/http://a.test/": "x", "/one/*/http://a.test/": "x", "/one/2019-2099/http://a.test/": "x", "/one/*/http://none.test/": "x",
		"/one/cdx": "url from to closest matchType filter fl limit page pageSize collapse collapseTime sort output resumeKey showNumPages", "/one/outbackcdx": "url from to closest matchType filter fl limit sort output q count start_page", "/none": "x",
	}
	largeHeaders = []string{"Accept", "Accept-Language", "Accept-Datetime", "Authorization", "Content-Type", "Cookie", "Host", "If-None-Match", "Origin", "Prefer", "Range", "Referer", "Sec-Fetch-Dest", "User-Agent", "X-Forwarded-For", "X-Other"}
)

// Whatever is sent to any page or endpoint, one request takes no more than a bounded part of the machine.
func TestLargeRequests(t *testing.T) {
	dir := secretArchive(t)
	w := newWalker(t, dir, "203.0.113.5:4")
	token := "Bearer " + strings.TrimSpace(command(t, "token", dir, "add", "library"))
	page, err := newStatusPage(dir)
	if err != nil {
		t.Fatal(err)
	}
	pings := seeds.Pings(func(string, []string) (string, bool, error) { return "", true, nil }, time.Now)
	listeners := []struct {
		name    string
		handler http.Handler
		routes  map[string]string
		body    bool
	}{
		{"home", w.handlers[0], homeRoutes, false}, {"replay", w.handlers[1], replayRoutes, false},
		{"status", page, map[string]string{"/": "lang", "/status.json": "x", "/metrics": "x", "/enter": "token", "/leave": "secret", "/control": "secret command value lines"}, true},
		{"pings", pings, map[string]string{"/": "x", "/ping": "url"}, true},
	}
	for _, l := range listeners {
		for route, params := range l.routes {
			costs := &costs{t: t, handler: l.handler, token: token, name: l.name + " " + route}
			for _, header := range largeHeaders {
				costs.of(header+" of letters", "GET", route, header, strings.Repeat("a", largest))
				costs.of(header+" of parts", "GET", route, header, strings.Repeat("fa=1; b, ", largest/9))
			}
			for kind, value := range larges() {
				costs.of("path of "+kind, "GET", strings.TrimSuffix(route, "/")+"/"+value, "", "")
				costs.of("query of "+kind, "GET", route+"?"+value, "", "")
				for name := range strings.FieldsSeq(params) {
					more := ""
					if name != "url" && strings.Contains(params, "url") {
						more = "&url=a.test/*"
					}
					if name != "host" && strings.Contains(route, "/host") {
						more = "&host=a.test"
					}
					costs.of(name+" of "+kind, "GET", route+"?"+name+"="+strings.ReplaceAll(value, "&", "%26")+more, "", "")
					if name == "filter" {
						costs.of("regular expression of "+kind, "GET", route+"?filter=~url:"+strings.ReplaceAll(value, "&", "%26")+more, "", "")
					}
				}
				if l.body {
					costs.of("body of "+kind, "POST", route, "", value)
				}
			}
			t.Logf("%-45s %8d bytes answered, %9d taken (%s)", costs.name, costs.answered, costs.taken, costs.worst)
		}
	}
}

// costs are the greatest of a route.
type costs struct {
	t               *testing.T
	handler         http.Handler
	token           string
	name            string
	answered, taken uint64
	worst           string
}

// of measures one request.
func (c *costs) of(what, method, target, header, value string) {
	r := httptest.NewRequest(method, "http://x.test/", strings.NewReader(value))
	path, query, _ := strings.Cut(target, "?")
	r.URL = &url.URL{Path: path, RawPath: path, RawQuery: query}
	if plain, err := url.PathUnescape(path); err == nil {
		r.URL.Path = plain
	}
	r.RequestURI, r.RemoteAddr = target, "203.0.113.5:4"
	r.Header.Set("Accept", "text/html")
	if strings.Contains(target, "/wasapi/") {
		r.Header.Set("Authorization", c.token)
	}
	switch header {
	case "":
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	case "Host":
		r.Host = value
	default:
		r.Header.Set(header, value)
	}
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	answer := &counted{header: http.Header{}}
	metrics.Read(allocated)
	before := allocated[0].Value.Uint64()
	func() {
		defer func() {
			if v := recover(); v != nil && v != http.ErrAbortHandler {
				panic(v)
			}
		}()
		c.handler.ServeHTTP(answer, r)
	}()
	metrics.Read(allocated)
	for name, values := range answer.header {
		answer.bytes += uint64(len(name) + len(strings.Join(values, "")))
	}
	taken := allocated[0].Value.Uint64() - before
	if answer.bytes > mostAnswered || taken > mostAllocated {
		c.t.Errorf("%s, %s: %d bytes answered, %d taken", c.name, what, answer.bytes, taken)
	}
	if taken > c.taken {
		c.worst = what
	}
	c.answered, c.taken = max(c.answered, answer.bytes), max(c.taken, taken)
}

// counted counts the bytes of an answer.
type counted struct {
	header http.Header
	bytes  uint64
}

func (c *counted) Header() http.Header { return c.header }
func (c *counted) WriteHeader(int)     {}
func (c *counted) Write(p []byte) (int, error) {
	c.bytes += uint64(len(p))
	return len(p), nil
}
