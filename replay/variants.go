package replay

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

// rulesFile is what is known of sites whose addresses change at each visit.
//
//go:embed rules.json
var rulesFile []byte

// maxVariants is how many captures of one path are looked at for one whose query differs in what does not matter.
const maxVariants = 1000

// rules say which parts of a query do not tell what the answer is.
type rules struct {
	Ignored   []string // names of parameters that are made anew at each visit
	Callbacks []string // those of them that name the function that JSONP calls
	Streams   []string // name endings of media: their queries hold signatures and times
	Sites     []site
}

// site is a rule for the paths of a host, and of the hosts below it, that begin so: only the parameters By tell.
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

// essence is what tells of u what it shows: its query without what changes at each visit, in order of names. Two
// URLs of one host and path with the same essence may stand for one another.
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

// under reports whether host is domain or lies below it.
func under(host, domain string) bool {
	rest, ok := strings.CutSuffix(host, domain)
	return ok && (rest == "" || strings.HasSuffix(rest, "."))
}

// callback is the name of the function that the answer to a request for u must call, "" when its query names none.
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

// variants looks up captures of the same path whose query differs from that of wanted only in what the rules call
// changing. It is for what was not found by its own URL; a URL without query, and without a rule for its site, has none.
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

// posted looks up the answers to requests with the method for the URL, which has the request's body as a query.
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

// answers reports whether a capture is the answer to a request with that method.
func answers(e *Capture, method string) bool {
	if method == http.MethodGet {
		return Shows(e)
	}
	return e.Get("method") == method
}

// maxPosted is how much of a request's body is read to find the answer to it.
const maxPosted = 1 << 20

// look finds the captures that may answer a request: those of its URL, those of the static file that it names, those of
// the same page with another query. wanted is the URL that they are captures of.
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
		body, _ := io.ReadAll(io.LimitReader(r.Body, maxPosted)) // of a body cut short, what came is what there is
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

// keyURL is the URL of a capture; of one that was no GET with the request's body as a query.
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
