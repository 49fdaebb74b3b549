package quality

// This file goes through the captures of an archive page by page, and finds those that show a time.

import (
	"context"
	"iter"
	"net/http"
	"time"

	"kavosh/change"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
)

// history is what the captures of one page tell.
type history struct {
	key     string
	visits  int // captures, errors included
	changed int // of them, those that differ from the one before
	began   time.Time
	last    cdx.Entry // the last capture

	nearest, before *chosen // what shows the time; nil if there is none

	run  run               // the captures that hold the same as the last one
	read map[string]dating // by time: when versions began
}

// run is captures of a page that follow each other and hold the same.
type run struct {
	first    cdx.Entry
	previous string // the time of the capture before first; "" if there is none
	page     bool   // false for an error, or the way to another address
}

// chosen is a capture that shows a time, and what is known of its version.
type chosen struct {
	capture     cdx.Entry
	first, last cdx.Entry  // of the run of captures that hold the same
	previous    string     // the time of the capture before first; "" if there is none
	next        *cdx.Entry // the first capture after last; nil if there is none
	open        bool       // its run goes on
}

// dating is when a version began.
type dating struct {
	at int64
	ok bool
}

// dated returns the second in which the version of a capture began, as it says itself; ok is false if it says nothing that is
// plausible. after is when another version was seen.
func (h *history) dated(ctx context.Context, r *change.Reader, e *cdx.Entry, after time.Time) (at int64, ok bool, err error) {
	if d, known := h.read[e.Timestamp]; known {
		return d.at, d.ok, nil
	}
	var d dating
	if began, by, err := r.Dated(ctx, e, after); err == nil && by != change.NoDate {
		d = dating{began.Unix(), true}
	} else if ctx.Err() != nil {
		return 0, false, ctx.Err()
	}
	if h.read == nil {
		h.read = map[string]dating{}
	}
	h.read[e.Timestamp] = d
	return d.at, d.ok, nil
}

// add takes up the next capture in time.
func (h *history) add(e *cdx.Entry, at time.Time) {
	page := change.IsPage(e) && (e.MIME != cdx.Revisit || e.Type() != "" || h.run.page)
	if h.visits == 0 && !page {
		return // nothing tells yet that it is a page
	}
	unchanged := e.MIME == cdx.Revisit && (e.Digest == "" || e.Status == http.StatusNotModified)
	same := h.visits > 0 && page && h.run.page && (unchanged || sameDigest(e, &h.last)) ||
		h.visits > 0 && !page && !h.run.page
	if unchanged && same {
		again := *e
		again.Digest = h.last.Digest
		e = &again
	}
	switch {
	case h.visits == 0:
		h.began = e.Time()
		h.run = run{first: *e, page: page}
	case !same:
		if page != h.run.page || e.Digest != "" && h.last.Digest != "" {
			h.changed++ // else nobody knows
		}
		for _, c := range [...]*chosen{h.nearest, h.before} {
			if c != nil && c.open {
				next := *e
				c.next, c.open = &next, false
			}
		}
		h.run = run{first: *e, previous: h.last.Timestamp, page: page}
	}
	h.visits++
	h.last = *e
	if page {
		h.choose(at)
	}
}

// choose looks whether the last capture shows a time better than those before it, which h has chosen.
func (h *history) choose(at time.Time) {
	c := &chosen{capture: h.last, first: h.run.first, last: h.last, previous: h.run.previous, open: true}
	taken := h.last.Time()
	for _, had := range [...]*chosen{h.nearest, h.before} {
		if had != nil && had.open {
			had.last = h.last
		}
	}
	if h.nearest == nil || taken.Sub(at).Abs() < h.nearest.capture.Time().Sub(at).Abs() {
		h.nearest = c
	}
	if !taken.After(at) {
		before := *c
		h.before = &before
	}
}

// histories yields the pages of an archive in the order of the index. Memory is bounded by one address.
func histories(ctx context.Context, index records.Index, of func(*cdx.Entry) bool, at time.Time) iter.Seq2[*history, error] {
	return func(yield func(*history, error) bool) {
		pages := map[string]*history{} // of one key, by URL
		var order []string
		key := ""
		flush := func() bool {
			for _, url := range order {
				if h := pages[url]; h.visits > 0 && !yield(h, nil) {
					return false
				}
			}
			clear(pages)
			order = order[:0]
			return true
		}
		for e, err := range index.Query(ctx, cdx.Query{URL: "*"}) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if e.Key != key {
				if !flush() {
					return
				}
				key = e.Key
			}
			if !of(&e) || e.Get("method") != "" || e.Get("variant") != "" || e.Get(cdx.Of) != "" {
				continue
			}
			h := pages[e.URL]
			if h == nil {
				if len(pages) == maxOfAKey {
					continue
				}
				h = &history{key: key}
				pages[e.URL] = h
				order = append(order, e.URL)
			}
			h.add(&e, at)
		}
		flush()
	}
}
