package replay

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// nearby is how many captures before and how many after a moment are kept as candidates.
const nearby = 16

// capture is an index entry and the collection that it is from.
type capture struct {
	cdx.Entry
	coll *Collection
}

// when is the time of the capture, to the second.
func (c *capture) when() time.Time { return moment(c.Timestamp) }

// captures are what the indexes of c answer to q in the order of key and time, or the last first by q.Reverse; q sorts in no
// other way and sets no limit. Captures that two collections share come once.
func (s *Server) captures(ctx context.Context, c *Collection, q cdx.Query) iter.Seq2[capture, error] {
	return s.merged(ctx, c, q, func(m *Collection) Index { return m.Index })
}

// merged is as captures, of the indexes that of gives; nil for none.
func (s *Server) merged(ctx context.Context, c *Collection, q cdx.Query, of func(*Collection) Index) iter.Seq2[capture, error] {
	q.After = cdx.NewMark(q.After).All()
	var seqs []iter.Seq2[capture, error]
	for _, m := range s.members(c) {
		if index := of(m); index != nil {
			seqs = append(seqs, m.own(index.Query(ctx, q)))
		}
	}
	if len(seqs) == 1 { // most often: the rest takes as long as the look-up
		return seqs[0]
	}
	return func(yield func(capture, error) bool) {
		type source struct {
			head capture
			next func() (capture, error, bool)
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
				yield(capture{}, err)
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
			shared := e.Timestamp == last.Timestamp && e.URL == last.URL && warc.SameDigest(e.Digest, last.Digest) && e.MIME == last.MIME &&
				e.Get("source") == last.Get("source") // of links
			last = *e
			if !shared && !yield(least.head, nil) {
				return
			}
			switch more, err := advance(least); {
			case err != nil:
				yield(capture{}, err)
				return
			case !more:
				sources = slices.DeleteFunc(sources, func(src *source) bool { return src == least })
			}
		}
	}
}

// own are entries as captures of c.
func (c *Collection) own(entries iter.Seq2[cdx.Entry, error]) iter.Seq2[capture, error] {
	return func(yield func(capture, error) bool) {
		for e, err := range entries {
			if err == nil && len(e.Timestamp) != len(timestampLayout) { // of a foreign index
				e.Timestamp = timestamp(moment(e.Timestamp))
			}
			if !yield(capture{e, c}, err) || err != nil {
				return
			}
		}
	}
}

// history is what the indexes know of one URL around a moment.
type history struct {
	around      []capture // in order of time, up to nearby before the moment and as many after it
	first, last capture
	count       int
	more        bool   // there are more than count
	url         string // that was looked up
}

const (
	// maxPassing is how many captures of a URL are read one after the other; of one that has more, those near the moment are.
	maxPassing = 2 * nearby
	// maxCounted is how many captures of a URL are counted for people.
	maxCounted = 500
	// maxPassed is how many captures that the index folds with a URL are passed over in one direction to find its own.
	maxPassed = 5000
)

// history looks up url. The index folds URLs that often are the same: www. and none, capitals, a slash at the end, the
// order of a query. Captures whose path and query are those asked for are taken alone when there are any; only the host's
// www. and the scheme may then differ.
func (s *Server) history(ctx context.Context, c *Collection, url string, at time.Time) (history, error) {
	w := windows{url: url}
	n := 0
	for e, err := range s.captures(ctx, c, cdx.Query{URL: url, MatchType: cdx.Exact}) {
		if err != nil {
			return history{}, err
		}
		if n++; n > maxPassing {
			return s.long(ctx, c, url, at)
		}
		if one := w.of(&e); one != nil {
			one.add(e, at)
		}
	}
	return w.history(), nil
}

// long is history of a URL with many captures: from the moment in both directions, and the first and the last of all.
func (s *Server) long(ctx context.Context, c *Collection, url string, at time.Time) (history, error) {
	w := windows{url: url}
	for _, part := range []struct {
		q    cdx.Query
		take func(one *window, e capture) (enough bool)
	}{
		{cdx.Query{To: timestamp(at), Reverse: true}, func(one *window, e capture) bool {
			one.before = slices.Insert(one.before, 0, e)
			return len(one.before) == nearby
		}},
		{cdx.Query{From: timestamp(at.Add(time.Second))}, func(one *window, e capture) bool {
			one.after = append(one.after, e)
			return len(one.after) == nearby
		}},
		{cdx.Query{}, func(one *window, e capture) bool { one.h.first = e; return true }},
		{cdx.Query{Reverse: true}, func(one *window, e capture) bool { one.h.last = e; return true }},
	} {
		part.q.URL, part.q.MatchType = url, cdx.Exact
		n := 0
		full := map[*window]bool{}
		for e, err := range s.captures(ctx, c, part.q) {
			if err != nil {
				return history{}, err
			}
			if n++; n > maxPassed || full[&w.same] {
				break
			}
			if one := w.of(&e); one != nil && !full[one] {
				full[one] = part.take(one, e)
				one.h.count, one.h.more = maxPassing, true
			}
		}
	}
	return w.history(), nil
}

// windows keep the captures of a URL, and those that the index folds with it.
type windows struct {
	url          string
	same, folded window
}

// of is the window that e belongs into; nil when it has nothing to show.
func (w *windows) of(e *capture) *window {
	switch {
	case !shows(e) && isWeb(w.url):
		return nil
	case samePath(e.URL, w.url):
		return &w.same
	}
	return &w.folded
}

func (w *windows) history() history {
	h := w.folded.history()
	if w.same.h.count > 0 {
		h = w.same.history()
	}
	h.url = w.url
	return h
}

// howMany is how many captures of h there are, up to maxCounted, and whether there are more.
func (s *Server) howMany(ctx context.Context, c *Collection, h *history) (n int, more bool) {
	if !h.more {
		return h.count, false
	}
	for _, err := range s.of(ctx, c, h.url) {
		if n == maxCounted || err != nil {
			return n, true
		}
		n++
	}
	return n, false
}

// shows reports whether a capture has something to show: an answer to GET, or a resource of the web. Indexes of other
// tools also list what a crawler noted about a URL, DNS answers, and answers to POST. What has an address of another kind
// (dns:, metadata:, urn:) is shown to who asks for that.
func shows(e *capture) bool {
	if method := e.Get("method"); method != "" && method != "GET" {
		return false
	}
	if e.Status == 0 && (e.MIME == "text/anvl" || e.MIME == "application/warc-fields") {
		return false
	}
	return isWeb(e.URL)
}

// window keeps the captures around a moment as they pass by in order of time.
type window struct {
	h             history
	before, after []capture
}

func (w *window) add(e capture, at time.Time) {
	if w.h.count == 0 {
		w.h.first = e
	}
	w.h.last = e
	w.h.count++
	if !e.when().After(at) {
		if len(w.before) == nearby {
			w.before = slices.Delete(w.before, 0, 1)
		}
		w.before = append(w.before, e)
	} else if len(w.after) < nearby {
		w.after = append(w.after, e)
	}
}

func (w *window) history() history {
	h := w.h
	h.around = slices.Concat(w.before, w.after)
	if h.count > 0 && len(h.around) == 0 { // all of them are behind many of another spelling
		for _, c := range []capture{h.first, h.last} {
			if c.coll != nil {
				h.around = append(h.around, c)
			}
		}
	}
	if n := len(h.around); n > 0 {
		if h.first.coll == nil {
			h.first = h.around[0]
		}
		if h.last.coll == nil {
			h.last = h.around[n-1]
		}
	}
	return h
}

// nearest are the captures around the moment, the nearest first; at equal distance one of the very url comes first. Those
// that were asked for as RDF come before all others where rdf is wanted, else after them; but one of the very moment is
// what was meant, whatever it is.
func (h *history) nearest(url string, at time.Time, rdf bool) []capture {
	type place struct {
		at, form int
		distance time.Duration
	}
	places := make([]place, len(h.around))
	for i := range h.around {
		c := &h.around[i]
		places[i] = place{i, form(c, at, rdf), c.when().Sub(at).Abs()}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if d := cmp.Or(a.form-b.form, cmp.Compare(a.distance, b.distance)); d != 0 {
			return d
		}
		return rank(&h.around[a.at], url) - rank(&h.around[b.at], url)
	})
	near := make([]capture, len(places))
	for i, p := range places {
		near[i] = h.around[p.at]
	}
	return near
}

// form orders captures by what was asked for when they were made.
func form(c *capture, at time.Time, rdf bool) int {
	n := 0
	if !c.when().Equal(at) {
		n += 2
	}
	if (c.Get("variant") != "") != rdf {
		n++
	}
	return n
}

// wantsRDF reports whether a request asks for RDF, as Accept says: browsers never do.
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

// rank orders captures of one moment: those of the very URL first, revisits after what they may be revisits of.
func rank(c *capture, url string) int {
	n := 0
	if canonical(c.URL) != url {
		n += 2
	}
	if c.MIME == revisitMIME {
		n++
	}
	return n
}

// varies reports whether what is shown depends on the request's Accept.
func (h *history) varies() bool {
	return slices.ContainsFunc(h.around, func(c capture) bool { return c.Get("variant") != "" })
}

// neighbours are the captures before and after c in time, nil where there is none.
func (h *history) neighbours(c *capture) (prev, next *capture) {
	i := slices.IndexFunc(h.around, func(o capture) bool {
		return o.Timestamp == c.Timestamp && o.Filename == c.Filename && o.Offset == c.Offset
	})
	if i < 0 {
		return nil, nil
	}
	for j := i - 1; j >= 0 && prev == nil; j-- {
		if h.around[j].Timestamp < c.Timestamp {
			prev = &h.around[j]
		}
	}
	for j := i + 1; j < len(h.around) && next == nil; j++ {
		if h.around[j].Timestamp > c.Timestamp {
			next = &h.around[j]
		}
	}
	return prev, next
}

// of are the captures of url alone, by the rule of history, in order of time.
func (s *Server) of(ctx context.Context, c *Collection, url string) iter.Seq2[capture, error] {
	return func(yield func(capture, error) bool) {
		h, err := s.history(ctx, c, url, time.Time{})
		if err != nil {
			yield(capture{}, err)
			return
		}
		same := h.count > 0 && samePath(h.first.URL, url)
		for e, err := range s.captures(ctx, c, cdx.Query{URL: url, MatchType: cdx.Exact}) {
			if err == nil && (!shows(&e) && isWeb(url) || same && !samePath(e.URL, url)) {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// samePath reports whether two absolute URLs have the same path and query, byte for byte. Their keys in the index are
// the same, so their hosts are but for "www.".
func samePath(a, b string) bool {
	if a == b {
		return true
	}
	return pathQuery(a) == pathQuery(b)
}

func pathQuery(u string) string {
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
	// What was captured may be spelt otherwise than browsers spell it.
	if parsed, err := weburl.Parse("http://x" + rest); err == nil {
		return parsed.PathQuery()
	}
	return rest
}

// staticTypes are name endings of files that a server sends whatever the query says.
var staticTypes = []string{
	".html", ".htm", ".xhtml", ".css", ".js", ".mjs", ".json", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico",
	".woff", ".woff2", ".ttf", ".otf", ".eot", ".pdf", ".txt",
}

// withoutQuery is url without its query when its path names a static file: a search page that reads its own query in
// the browser, or a style sheet asked for with a version. It is "" for all others.
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
