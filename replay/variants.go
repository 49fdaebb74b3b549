package replay

// This file finds captures whose URL differs only in unimportant parameters.

import (
	"bytes"
	"context"
	_ "embed" // for the rules
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
)

// rulesFile has the rules for sites whose URLs change at each visit.
//
//go:embed rules.json
var rulesFile []byte

// maxVariants is how many captures of one path are read to find one whose query differs only in unimportant parameters.
const maxVariants = 1000

// rules say which parameters of a query do not change the response.
type rules struct {
	Ignored   []string // parameters with a new value at each visit
	Callbacks []string // those of them that name the function that JSONP calls
	Streams   []string // extensions of media files, whose whole query is ignored: it has signatures and times
	Sites     []site
}

// site is a rule for all paths that begin with Path, on Host and its subdomains: only the parameters in By matter.
type site struct {
	Host, Path string
	By         []string
}

func readRules(file []byte) (*rules, error) {
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	r := new(rules)
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("rules of difficult sites: %w", err)
	}
	return r, nil
}

// essence returns the part of u's query that decides what u shows: without the ignored parameters, and sorted. Two URLs
// with the same host, path and essence are taken for the same page.
func (r *rules) essence(u *weburl.URL) string {
	query := strings.TrimPrefix(u.PathQuery()[len(u.Path()):], "?")
	keep := func(name string) bool { return !slices.Contains(r.Ignored, strings.ToLower(name)) }
	for _, s := range r.Sites {
		if under(u.Hostname(), s.Host) && strings.HasPrefix(u.Path(), s.Path) {
			keep = func(name string) bool { return slices.Contains(s.By, name) || strings.HasPrefix(name, "__wb_") }
			break
		}
	}
	if slices.ContainsFunc(r.Streams, func(end string) bool { return strings.HasSuffix(strings.ToLower(u.Path()), end) }) {
		keep = func(string) bool { return false }
	}
	var kept []string
	for field := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(field, "="); field != "" && keep(name) {
			kept = append(kept, field)
		}
	}
	slices.Sort(kept)
	return strings.Join(kept, "&")
}

// under reports whether host is domain or one of its subdomains.
func under(host, domain string) bool {
	rest, ok := strings.CutSuffix(host, domain)
	return ok && (rest == "" || strings.HasSuffix(rest, "."))
}

// callback returns the name of the function that a JSONP response for u must call; "" if the query of u names none.
func (r *rules) callback(u *weburl.URL) string {
	query, err := url.ParseQuery(strings.TrimPrefix(u.PathQuery()[len(u.Path()):], "?"))
	if err != nil {
		return ""
	}
	for _, name := range r.Callbacks {
		if v := query.Get(name); v != "" && len(v) <= 256 && strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.[]") == "" {
			return v
		}
	}
	return ""
}

// variants looks up captures of wanted's path whose query has the same essence. It is for a URL that has no capture of
// its own.
func (r *rules) variants(ctx context.Context, c *Collection, wanted, method string, at time.Time) (History, error) {
	u, err := weburl.Parse(wanted)
	if err != nil || !u.Fetchable() {
		return History{}, nil
	}
	essence := r.essence(u)
	path, _, _ := strings.Cut(wanted, "?")
	var found []Capture
	for _, q := range []cdx.Query{{URL: path, MatchType: cdx.Exact}, {URL: path + "?", MatchType: cdx.Prefix}} {
		n := 0
		for e, err := range c.Captures(ctx, q) {
			if err != nil {
				return History{}, err
			}
			if n++; n > maxVariants {
				break
			}
			if !answers(&e, method) {
				continue
			}
			if v, err := weburl.Parse(keyURL(&e)); err == nil && v.Path() == u.Path() && r.essence(v) == essence {
				found = append(found, e)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Capture) int { return strings.Compare(a.Timestamp, b.Timestamp) })
	var w window
	for _, e := range found {
		w.add(e, at)
	}
	return w.history(), nil
}

// posted looks up the responses to requests with a method other than GET. withBody is the URL with the request's body
// added to its query, as in the index.
func posted(ctx context.Context, c *Collection, withBody, method string, at time.Time) (History, error) {
	var w window
	for e, err := range c.Captures(ctx, cdx.Query{URL: withBody, MatchType: cdx.Exact}) {
		if err != nil {
			return History{}, err
		}
		if answers(&e, method) {
			w.add(e, at)
		}
	}
	return w.history(), nil
}

// answers reports whether a capture is a response to a request with the given method.
func answers(e *Capture, method string) bool {
	if method == http.MethodGet {
		return Shows(e)
	}
	return e.Get("method") == method
}

// maxPosted is how many bytes of a request's body are read to find the response to it.
const maxPosted = 1 << 20

// look finds the captures that may answer a request: those of its URL, else those of the URL without a query if it
// names a static file, else those of the same page with another query. wanted is the URL that they are captures of.
func (s *rules) look(r *http.Request, rt route, at time.Time) (h History, wanted string, err error) {
	ctx, method := r.Context(), r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	wanted = rt.url
	key := rt.url
	if method == http.MethodGet {
		h, err = rt.coll.History(ctx, rt.url, at)
		if alt := withoutQuery(rt.url); err == nil && h.Count == 0 && alt != "" {
			wanted = alt
			h, err = rt.coll.History(ctx, alt, at)
		}
	} else {
		body, _ := io.ReadAll(io.LimitReader(r.Body, maxPosted)) // use what came, also of a body that was cut short
		key = cdx.WithMethod(rt.url, cdx.MethodQuery(method, r.Header.Get("Content-Type"), body))
		h, err = posted(ctx, rt.coll, key, method, at)
	}
	if err == nil && h.Count == 0 {
		if h, err = s.variants(ctx, rt.coll, key, method, at); h.Count > 0 {
			wanted = h.First.URL
		}
	}
	return h, wanted, err
}

// keyURL returns the URL of a capture. If its request was not a GET, the URL has the request's body added to its query.
func keyURL(e *Capture) string {
	if method := e.Get("method"); method == "" || method == http.MethodGet {
		return e.URL
	}
	query := "__wb_method=" + e.Get("method")
	if body := e.Get("requestBody"); body != "" {
		query += "&" + body
	}
	return cdx.WithMethod(e.URL, query)
}
