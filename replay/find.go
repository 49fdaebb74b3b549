package replay

// This file finds the capture of a URL that is nearest to a time.

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// nearby is how many captures before a moment, and how many after it, are kept as candidates.
const nearby = 16

// Capture is an index entry with its collection.
type Capture struct {
	cdx.Entry
	Coll *Collection
}

// When returns the time of the capture, to the second.
func (c *Capture) When() time.Time { return Moment(c.Timestamp) }

// Captures yields what the indexes of c answer to q, in the order of key and time, or in reverse order if q.Reverse is
// set. q must have no other order and no limit. A capture that two collections share comes once.
func (c *Collection) Captures(ctx context.Context, q cdx.Query) iter.Seq2[Capture, error] {
	var from []Source
	for _, m := range c.members {
		from = append(from, Source{m.Index, m})
	}
	return Merge(ctx, q, from)
}

// Source is an index with the collection whose captures it lists.
type Source struct {
	Index records.Index
	Coll  *Collection
}

// Merge yields what several indexes answer to q, as [Collection.Captures] does.
func Merge(ctx context.Context, q cdx.Query, from []Source) iter.Seq2[Capture, error] {
	q.After = cdx.NewMark(q.After).All()
	var seqs []iter.Seq2[Capture, error]
	for _, f := range from {
		seqs = append(seqs, f.Coll.own(f.Index.Query(ctx, q)))
	}
	if len(seqs) == 1 { // the usual case; merging would take as long as the look-up
		return seqs[0]
	}
	return func(yield func(Capture, error) bool) {
		type source struct {
			head Capture
			next func() (Capture, error, bool)
		}
		var sources []*source
		advance := func(src *source) (more bool, err error) {
			src.head, err, more = src.next()
			return more, err
		}
		for _, seq := range seqs {
			next, stop := iter.Pull2(seq)
			defer stop()
			src := &source{next: next}
			switch more, err := advance(src); {
			case err != nil:
				yield(Capture{}, err)
				return
			case more:
				sources = append(sources, src)
			}
		}
		var last cdx.Entry
		for len(sources) > 0 {
			least := sources[0]
			for _, src := range sources[1:] {
				if d := cdx.Compare(&src.head.Entry, &least.head.Entry); d < 0 && !q.Reverse || d > 0 && q.Reverse {
					least = src
				}
			}
			e := &least.head.Entry
			shared := e.Timestamp == last.Timestamp && e.URL == last.URL && warc.SameDigest(e.Digest, last.Digest) &&
				e.MIME == last.MIME && e.Get("source") == last.Get("source") // links have a source
			last = *e
			if !shared && !yield(least.head, nil) {
				return
			}
			switch more, err := advance(least); {
			case err != nil:
				yield(Capture{}, err)
				return
			case !more:
				sources = slices.DeleteFunc(sources, func(src *source) bool { return src == least })
			}
		}
	}
}

// own turns index entries into captures of c.
func (c *Collection) own(entries iter.Seq2[cdx.Entry, error]) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		for e, err := range entries {
			if err == nil && len(e.Timestamp) != len(TimestampLayout) { // an index of another program
				e.Timestamp = Timestamp(Moment(e.Timestamp))
			}
			if !yield(Capture{e, c}, err) || err != nil {
				return
			}
		}
	}
}

// History is what the indexes know about one URL around a moment.
type History struct {
	Around      []Capture // in order of time: at most nearby ones before the moment, and as many after it
	First, Last Capture
	Count       int    // of captures; if More is set, only a lower bound
	More        bool   // there are more than Count
	url         string // the URL that was looked up
}

const (
	// maxPassing is the most captures of a URL that are all read. If it has more, only those near the moment are read.
	maxPassing = 2 * nearby
	// maxCounted is how many captures of a URL are counted for people.
	maxCounted = 500
	// maxPassed is how many captures are read in one direction to find those of the exact URL. The others belong to
	// URLs that have the same key in the index.
	maxPassed = 5000
)

// History looks up url. URLs that usually mean the same page share one key in the index: with and without "www.", with
// capitals, with a slash at the end, with another order of the query. If some captures have exactly the path and query
// of url, History takes only them; then only the scheme and the "www." of the host may differ.
func (c *Collection) History(ctx context.Context, url string, at time.Time) (History, error) {
	w := windows{url: url}
	n := 0
	for e, err := range c.Captures(ctx, cdx.Query{URL: url, MatchType: cdx.Exact}) {
		if err != nil {
			return History{}, err
		}
		if n++; n > maxPassing {
			return c.long(ctx, url, at)
		}
		if one := w.of(&e); one != nil {
			one.add(e, at)
		}
	}
	return w.history(), nil
}

// long is History for a URL with many captures. It reads from the moment in both directions, and the first and the
// last.
func (c *Collection) long(ctx context.Context, url string, at time.Time) (History, error) {
	w := windows{url: url}
	for _, part := range []struct {
		q    cdx.Query
		take func(one *window, e Capture) (enough bool)
	}{
		{cdx.Query{To: Timestamp(at), Reverse: true}, func(one *window, e Capture) bool {
			one.before = slices.Insert(one.before, 0, e)
			return len(one.before) == nearby
		}},
		{cdx.Query{From: Timestamp(at.Add(time.Second))}, func(one *window, e Capture) bool {
			one.after = append(one.after, e)
			return len(one.after) == nearby
		}},
		{cdx.Query{}, func(one *window, e Capture) bool { one.h.First = e; return true }},
		{cdx.Query{Reverse: true}, func(one *window, e Capture) bool { one.h.Last = e; return true }},
	} {
		part.q.URL, part.q.MatchType = url, cdx.Exact
		n := 0
		full := map[*window]bool{}
		for e, err := range c.Captures(ctx, part.q) {
			if err != nil {
				return History{}, err
			}
			if n++; n > maxPassed || full[&w.same] {
				break
			}
			if one := w.of(&e); one != nil && !full[one] {
				full[one] = part.take(one, e)
				one.h.Count, one.h.More = maxPassing, true
			}
		}
	}
	return w.history(), nil
}

// windows keeps apart the captures of a URL (same) and those of other URLs with the same key in the index (folded).
type windows struct {
	url          string
	same, folded window
}

// of returns the window that e belongs to, or nil if e has nothing to show.
func (w *windows) of(e *Capture) *window {
	switch {
	case !Shows(e) && isWeb(w.url):
		return nil
	case SamePath(e.URL, w.url):
		return &w.same
	}
	return &w.folded
}

func (w *windows) history() History {
	h := w.folded.history()
	if w.same.h.Count > 0 {
		h = w.same.history()
	}
	h.url = w.url
	return h
}

// HowMany returns the number of captures of h's URL, at most maxCounted, and whether there are more.
func (c *Collection) HowMany(ctx context.Context, h *History) (n int, more bool) {
	if !h.More {
		return h.Count, false
	}
	for _, err := range c.Of(ctx, h.url) {
		if n == maxCounted || err != nil {
			return n, true
		}
		n++
	}
	return n, false
}

// Shows reports whether a capture has something to show: a response to GET, or a resource of the web. Indexes of other
// tools also list a crawler's notes about a URL, DNS answers, and responses to POST. A record with another kind of
// address (dns:, metadata:, urn:) is shown only to a reader who asks for that address.
func Shows(e *Capture) bool {
	if method := e.Get("method"); method != "" && method != "GET" {
		return false
	}
	if e.Status == 0 && (e.MIME == "text/anvl" || e.MIME == "application/warc-fields") {
		return false
	}
	return isWeb(e.URL)
}

// window collects the captures around a moment. They are added in order of time.
type window struct {
	h             History
	before, after []Capture
}

func (w *window) add(e Capture, at time.Time) {
	if w.h.Count == 0 {
		w.h.First = e
	}
	w.h.Last = e
	w.h.Count++
	if !e.When().After(at) {
		if len(w.before) == nearby {
			w.before = slices.Delete(w.before, 0, 1)
		}
		w.before = append(w.before, e)
	} else if len(w.after) < nearby {
		w.after = append(w.after, e)
	}
}

func (w *window) history() History {
	h := w.h
	h.Around = slices.Concat(w.before, w.after)
	if h.Count > 0 && len(h.Around) == 0 { // long gave up before it came to them: only the first and last are known
		for _, c := range []Capture{h.First, h.Last} {
			if c.Coll != nil {
				h.Around = append(h.Around, c)
			}
		}
	}
	if n := len(h.Around); n > 0 {
		if h.First.Coll == nil {
			h.First = h.Around[0]
		}
		if h.Last.Coll == nil {
			h.Last = h.Around[n-1]
		}
	}
	return h
}

// Nearest returns the captures around the moment, the nearest first. A capture of exactly this moment comes before all
// others. Then, if rdf is true, captures that were requested as RDF come before the others, else after them. At equal
// distance, captures of exactly this url come first.
func (h *History) Nearest(url string, at time.Time, rdf bool) []Capture {
	type place struct {
		at, form int
		distance time.Duration
	}
	places := make([]place, len(h.Around))
	for i := range h.Around {
		c := &h.Around[i]
		places[i] = place{i, form(c, at, rdf), c.When().Sub(at).Abs()}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if d := cmp.Or(a.form-b.form, cmp.Compare(a.distance, b.distance)); d != 0 {
			return d
		}
		return rank(&h.Around[a.at], url) - rank(&h.Around[b.at], url)
	})
	near := make([]Capture, len(places))
	for i, p := range places {
		near[i] = h.Around[p.at]
	}
	return near
}

// form returns a capture's rank by exact time, and by whether it was requested as RDF. The lowest rank comes first.
func form(c *Capture, at time.Time, rdf bool) int {
	n := 0
	if !c.When().Equal(at) {
		n += 2
	}
	if (c.Get("variant") != "") != rdf {
		n++
	}
	return n
}

// wantsRDF reports whether the Accept header of a request asks for RDF. Browsers never do.
func wantsRDF(r *http.Request) bool {
	for _, v := range r.Header.Values("Accept") {
		for _, name := range [...]string{"turtle", "rdf+xml", "ld+json", "n-triples", "n-quads", "/trig", "/n3"} {
			if strings.Contains(strings.ToLower(v), name) {
				return true
			}
		}
	}
	return false
}

// rank orders captures of one moment: those of exactly this URL come first, and revisits after other captures.
func rank(c *Capture, url string) int {
	n := 0
	if Canonical(c.URL) != url {
		n += 2
	}
	if c.MIME == RevisitMIME {
		n++
	}
	return n
}

// varies reports whether what is shown depends on the request's Accept.
func (h *History) varies() bool {
	return slices.ContainsFunc(h.Around, func(c Capture) bool { return c.Get("variant") != "" })
}

// Neighbours returns the captures before and after c in time, or nil where there is none.
func (h *History) Neighbours(c *Capture) (prev, next *Capture) {
	i := slices.IndexFunc(h.Around, func(o Capture) bool {
		return o.Timestamp == c.Timestamp && o.Filename == c.Filename && o.Offset == c.Offset
	})
	if i < 0 {
		return nil, nil
	}
	for j := i - 1; j >= 0 && prev == nil; j-- {
		if h.Around[j].Timestamp < c.Timestamp {
			prev = &h.Around[j]
		}
	}
	for j := i + 1; j < len(h.Around) && next == nil; j++ {
		if h.Around[j].Timestamp > c.Timestamp {
			next = &h.Around[j]
		}
	}
	return prev, next
}

// Of yields the captures of url in order of time, by the rule of [Collection.History] for URLs that share a key.
func (c *Collection) Of(ctx context.Context, url string) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		h, err := c.History(ctx, url, time.Time{})
		if err != nil {
			yield(Capture{}, err)
			return
		}
		same := h.Count > 0 && SamePath(h.First.URL, url)
		for e, err := range c.Captures(ctx, cdx.Query{URL: url, MatchType: cdx.Exact}) {
			if err == nil && (!Shows(&e) && isWeb(url) || same && !SamePath(e.URL, url)) {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// SamePath reports whether two absolute URLs have exactly the same path and query. It does not compare the hosts: both
// URLs have the same key in the index, so that their hosts differ by "www." at most.
func SamePath(a, b string) bool {
	if a == b {
		return true
	}
	return PathQuery(a) == PathQuery(b)
}

// PathQuery returns the path and query of an absolute URL, as browsers write them.
func PathQuery(u string) string {
	_, rest, ok := strings.Cut(u, "://")
	if !ok {
		return u
	}
	i := strings.IndexAny(rest, "/?#")
	if i < 0 {
		return "/"
	}
	rest = rest[i:]
	if rest[0] != '/' {
		rest = "/" + rest
	}
	if i := strings.IndexByte(rest, '#'); i >= 0 {
		rest = rest[:i]
	}
	// A captured URL may be written in another way than browsers do.
	if parsed, err := weburl.Parse("http://x" + rest); err == nil {
		return parsed.PathQuery()
	}
	return rest
}

// staticTypes are the extensions of files that a server sends whatever the query is.
var staticTypes = []string{
	".html", ".htm", ".xhtml", ".css", ".js", ".mjs", ".json", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico",
	".woff", ".woff2", ".ttf", ".otf", ".eot", ".pdf", ".txt",
}

// withoutQuery returns url without its query if its path names a static file, and "" for all other URLs. Such a query
// is read by the page's own script, or is the version of a style sheet.
func withoutQuery(url string) string {
	path, _, ok := strings.Cut(url, "?")
	if !ok {
		return ""
	}
	low := strings.ToLower(path)
	if slices.ContainsFunc(staticTypes, func(end string) bool { return strings.HasSuffix(low, end) }) {
		return path
	}
	return ""
}
