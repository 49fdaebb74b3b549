package site

// This file lists the URLs of a collection.

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/cdx"
	"kavosh/lib/dates"
	"kavosh/pages"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// listSize is how many URLs one page of a list has. It may have a few more, because URLs with one key stay together.
const listSize = 100

// everything is the URL in a query that matches all captures.
const everything = "*"

// listPage lists the URLs of a collection that match a filter.
func (s *Site) listPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	p := draw.Listing{Summary: c.summary(), Filter: draw.Filter{
		Prefix: strings.TrimSpace(r.FormValue("prefix")), Kind: r.FormValue("kind"), Status: statusOf(r.FormValue("status")), From: r.FormValue("from"), To: r.FormValue("to"),
	}}
	if !slices.Contains(draw.Kinds(), p.Kind) {
		p.Kind = ""
	}
	q := cdx.Query{URL: everything}
	var ok bool
	if q.From, q.To, ok = bounds(p.From, p.To); !ok {
		s.draw.Listing(w, r, p)
		return
	}
	if p.Prefix != "" {
		q.URL, q.MatchType = p.Prefix, cdx.Prefix
	}
	at, after := "/c/"+c.Name+"/pages?", r.FormValue("after")
	if after != "" {
		q.After = after + " 0 0"
		p.Back = at + p.Query().Encode()
	}
	lang, last := s.draw.LangOf(r), ""
	var faces []faced
	for a, err := range c.addressesOf(r.Context(), q, p.Filter) {
		if err != nil {
			s.broken(w, r, "index", err)
			return
		}
		if a.key < after {
			continue
		}
		if len(p.URLs) >= listSize && a.key != last {
			more := p.Query()
			more.Set("after", a.key)
			p.More = at + more.Encode()
			break
		}
		a.Calendar = c.calendarPath(lang, a.URL)
		p.URLs, last = append(p.URLs, a.Address), a.key
		faces = append(faces, faced{Capture: a.newest, mime: a.MIME})
	}
	for i := range faces {
		faces[i].face = &p.URLs[i].Face
	}
	s.recognise(r.Context(), c, faces)
	s.draw.Listing(w, r, p)
}

// statusOf checks a status filter: "404" or "4xx". It returns "" for all else.
func statusOf(v string) string {
	if len(v) == 3 && v[0] >= '1' && v[0] <= '9' && (v[1:] == "xx" || v[1] >= '0' && v[1] <= '9' && v[2] >= '0' && v[2] <= '9') {
		return v
	}
	return ""
}

// fits reports whether a status matches a status filter.
func fits(status int, filter string) bool {
	if first, ok := strings.CutSuffix(filter, "xx"); ok {
		return strconv.Itoa(status/100) == first
	}
	return filter == "" || strconv.Itoa(status) == filter
}

// stampOf returns the last second of a date that a person typed, in 14 digits: "2024" means the capture nearest to its
// end.
func stampOf(typed string) (string, error) {
	span, err := dates.Parse(typed, time.UTC)
	return replay.Timestamp(span.Last), err
}

// bounds returns two dates that a person typed, in 14 digits; false if one cannot be read.
func bounds(from, to string) (first, last string, ok bool) {
	a, err1 := pages.Moment(from)
	b, err2 := pages.Moment(to)
	if !a.First.IsZero() {
		first = replay.Timestamp(a.First)
	}
	if !b.Last.IsZero() {
		last = replay.Timestamp(b.Last)
	}
	return first, last, err1 == nil && err2 == nil
}

// maxSpellings is how many URLs with one key a list shows separately.
const maxSpellings = 100

// keyed is a URL with its key in the index.
type keyed struct {
	draw.Address
	key    string
	newest replay.Capture
}

// addressesOf yields the URLs that match the query and the filter, each once, with the number of its captures. The
// index has the captures of a key in order of time, with the key's URLs mixed, so all of a key are collected first.
func (c *Collection) addressesOf(ctx context.Context, q cdx.Query, f draw.Filter) iter.Seq2[keyed, error] {
	return func(yield func(keyed, error) bool) {
		var key, mime string
		var spellings []keyed
		flush := func() bool {
			for _, a := range spellings {
				if !yield(a, nil) {
					return false
				}
			}
			spellings = spellings[:0]
			return true
		}
		for e, err := range c.Captures(ctx, q) {
			if err != nil {
				yield(keyed{}, err)
				return
			}
			if !replay.Shows(&e) {
				continue
			}
			if e.Key != key {
				if !flush() {
					return
				}
				key, mime = e.Key, ""
			}
			if t := e.Type(); t != "" || e.MIME != replay.RevisitMIME {
				mime = t
			}
			if f.Kind != "" && draw.KindOf(mime) != f.Kind || !fits(e.Status, f.Status) {
				continue
			}
			url := replay.Canonical(e.URL)
			i := slices.IndexFunc(spellings, func(a keyed) bool { return a.Address.URL == url })
			if i < 0 {
				if len(spellings) == maxSpellings {
					continue
				}
				spellings = append(spellings, keyed{Address: draw.Address{URL: url}, key: key})
				i = len(spellings) - 1
			}
			a := &spellings[i]
			a.Captures++
			a.newest = e
			a.Last, a.Path = e.When(), c.replayed(e.Timestamp, rewrite.Page, e.URL)
			a.MIME = mime
			if e.MIME != replay.RevisitMIME || a.Status == 0 {
				a.Status = e.Status
			}
		}
		flush()
	}
}
