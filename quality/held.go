package quality

// This file looks up the captures of parts.

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Bounds of what is known of one part, and of all.
const (
	maxKnown    = 20_000  // URLs
	maxEntries  = 200_000 // their captures
	maxCaptures = 1000    // of one URL; of more, the first
	maxMoves    = 5       // redirects from a part to where it lies
	maxOthers   = 10      // captures of a URL that are tried in place of one that cannot be opened
)

// stampLayout is the form of times in an index.
const stampLayout = "20060102150405"

// captures are those of a URL, by time.
type captures struct {
	good []cdx.Entry
	code int  // of the newest answer that is an error; 0 if there is none
	shut bool // lists hide some, and there is no other that is good
}

// capturesOf returns the captures of a URL; if there are none but errors, those of the same path and query, where the scheme and
// "www." differ, else those that are otherwise one with it to the index: replay shows these in its place. They are read once,
// until too many are known.
func (r *Reader) capturesOf(ctx context.Context, url string) (*captures, error) {
	if c := r.known[url]; c != nil {
		return c, nil
	}
	if len(r.known) >= maxKnown || r.entries >= maxEntries || r.known == nil {
		r.known, r.entries = map[string]*captures{}, 0
	}
	var own, twins, like captures
	all := r.Records.Index.Query
	if r.Hide {
		all = func(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] { return Shown(ctx, r.Records, q) }
	}
	for e, err := range all(ctx, cdx.Query{URL: url, MatchType: cdx.Exact}) {
		switch {
		case err != nil:
			return nil, err
		case weburl.Same(e.URL, url):
			own.add(e)
		case samePath(e.URL, url):
			twins.add(e)
		default:
			like.add(e)
		}
	}
	c := &own
	for _, other := range [...]*captures{&twins, &like} {
		if len(c.good) == 0 && (len(other.good) > 0 || c.code == 0) {
			c = other
		}
	}
	if len(c.good) == 0 && r.Records.Gate != nil {
		why, err := r.Records.Gate.Withheld(ctx, url)
		if err != nil {
			return nil, err
		}
		c.shut = why != nil
	}
	r.known[url] = c
	r.entries += len(c.good)
	return c, nil
}

// Forget drops what is known of parts: they are looked up anew.
func (r *Reader) Forget() { r.known, r.entries = nil, 0 }

// add adds the next capture in time.
func (c *captures) add(e cdx.Entry) {
	note := e.Status == 0 && (e.MIME == "text/anvl" || e.MIME == "application/warc-fields") // of a crawler
	switch {
	case note || e.Get("method") != "" || e.Get("variant") != "" || e.Get(cdx.Of) != "":
	case e.Status >= 400:
		c.code = e.Status
	case len(c.good) < maxCaptures:
		if n := len(c.good); n > 0 && e.MIME == cdx.Revisit && e.Digest == "" { // the server said that it had not changed
			e.Digest = c.good[n-1].Digest
		}
		c.good = append(c.good, e)
	}
}

// samePath reports whether two URLs that are one to the index have the same path and query.
func samePath(a, b string) bool {
	u, err := weburl.Parse(a)
	if err != nil {
		return a == b
	}
	v, err := weburl.Parse(b)
	return err == nil && u.PathQuery() == v.PathQuery()
}

// around returns the newest capture that is not after a time, and the oldest that is not before it; nil where there is none.
func (c *captures) around(stamp string) (before, after *cdx.Entry) {
	for i := range c.good {
		e := &c.good[i]
		if e.Timestamp <= stamp && (before == nil || e.Timestamp >= before.Timestamp) {
			before = e
		}
		if e.Timestamp >= stamp && (after == nil || e.Timestamp < after.Timestamp) {
			after = e
		}
	}
	return before, after
}

// nearest returns that of two captures, of which one may be nil, that replay shows at a time.
func nearest(before, after *cdx.Entry, stamp string) *cdx.Entry {
	switch {
	case before == nil:
		return after
	case after == nil:
		return before
	}
	at, _ := time.Parse(stampLayout, stamp)
	if after.Time().Sub(at) < at.Sub(before.Time()) {
		return after
	}
	return before
}

// held is a part that is there: the captures around the time of the page, and what the one that is shown holds.
type held struct {
	before, after *cdx.Entry
	shown         *cdx.Entry
	payload       *records.Payload // the caller closes it
}

// look looks up a part, and then those that do in its place. h is nil if the archive has none of them.
func (r *Reader) look(ctx context.Context, part *wanted, stamp string) (h *held, err error) {
	h, err = r.find(ctx, &part.Part, part.URL, stamp, 0)
	for _, other := range part.or {
		if err != nil || h != nil {
			break
		}
		instead := Part{URL: other}
		h, err = r.find(ctx, &instead, other, stamp, 0)
		switch {
		case h != nil:
			part.State, part.Time, part.Ask = instead.State, instead.Time, ""
		case part.State == Failed && instead.State == Absent && part.Ask == "": // nobody asked for that yet
			part.Ask = instead.Wanted()
		case part.State == Loops && instead.Open():
			part.State, part.Code, part.Ask = instead.State, instead.Code, instead.Wanted()
		}
	}
	return h, err
}

// find looks up what a part is shown as: the captures of a URL, or of where that is redirected to. h is nil if the archive does
// not have it.
func (r *Reader) find(ctx context.Context, p *Part, url, stamp string, moves int) (h *held, err error) {
	p.State = Absent
	c, err := r.capturesOf(ctx, url)
	if err != nil {
		return nil, err
	}
	before, after := c.around(stamp)
	shown := nearest(before, after, stamp)
	if shown == nil {
		switch {
		case c.shut:
			p.State = Closed
		case c.code != 0:
			p.State, p.Code = Failed, c.code
		}
		if r.Records.Gate != nil && p.State != Closed { // a rule may close what the archive never had
			refused, err := r.Records.Gate.Refused(ctx, &cdx.Entry{URL: url, Timestamp: stamp})
			if refused != nil {
				p.State = Closed
			}
			return nil, err
		}
		return nil, nil
	}
	if moves > maxMoves {
		p.State, p.Code, p.Ask = Loops, shown.Status, ""
		return nil, nil
	}
	shown, payload, closed := r.openNearest(ctx, c, shown, stamp)
	if payload == nil {
		if closed {
			p.State = Closed
		}
		return nil, ctx.Err()
	}
	switch { // which of both could not be opened
	case shown != before && shown.Timestamp <= stamp:
		before = shown
	case shown != after && shown.Timestamp > stamp:
		after = shown
	}
	if to := payload.Header.Get("Location"); payload.Status/100 == 3 && to != "" {
		payload.Close()
		from, err := weburl.Parse(url)
		if err != nil {
			return nil, nil
		}
		if url, err = weburl.Resolve(from, to); err != nil {
			return nil, nil
		}
		p.Ask = url
		return r.find(ctx, p, url, stamp, moves+1)
	}
	p.State, p.Time, p.Ask = Held, shown.Time(), ""
	return &held{before, after, shown, payload}, nil
}

// openNearest opens the first capture, and if it cannot be opened, as replay does, the nearest other one: a record may be damaged, a
// revisit may have lost its original, a rule may close it. closed says that a rule closes one of them.
func (r *Reader) openNearest(ctx context.Context, c *captures, first *cdx.Entry, stamp string) (shown *cdx.Entry, payload *records.Payload, closed bool) {
	payload, err := r.Records.Open(ctx, first)
	if err == nil {
		return first, payload, false
	}
	closed = isRefused(err)
	at, _ := time.Parse(stampLayout, stamp)
	var others []*cdx.Entry
	for i := range c.good {
		if e := &c.good[i]; e != first {
			others = append(others, e)
		}
	}
	slices.SortStableFunc(others, func(a, b *cdx.Entry) int {
		return cmp.Compare(a.Time().Sub(at).Abs(), b.Time().Sub(at).Abs())
	})
	for _, e := range others[:min(len(others), maxOthers)] {
		if payload, err = r.Records.Open(ctx, e); err == nil || ctx.Err() != nil {
			return e, payload, false
		}
		closed = closed || isRefused(err)
	}
	return nil, nil, closed
}

// mayHave returns why a capture may not be shown; nil if it may.
func mayHave(ctx context.Context, r *records.Records, e *cdx.Entry) (*kavosh.Refused, error) {
	if r.Gate == nil {
		return nil, nil
	}
	return r.Gate.Refused(ctx, e)
}

func isRefused(err error) bool {
	_, ok := err.(*kavosh.Refused)
	return ok
}

// stampTime reads a time of an index; it is zero for what is none.
func stampTime(stamp string) time.Time {
	t, _ := time.Parse(stampLayout, stamp)
	return t
}

func sameDigest(a, b *cdx.Entry) bool {
	return a != nil && b != nil && (a == b || a.Digest != "" && warc.SameDigest(a.Digest, b.Digest))
}
