package site

// This file serves feeds of what changed on a page, on the pages of a host, or of a collection.

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/change"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
	"kavosh/replay"
	"kavosh/site/draw"
)

// Bounds of a feed.
const (
	maxEntries = 20      // changes in it, the newest
	maxFed     = 200_000 // captures that are read for it
)

// feed is an Atom feed (RFC 4287).
type feed struct {
	XMLName struct{}    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string      `xml:"xml:lang,attr"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated time.Time   `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []feedLink  `xml:"link"`
	Entries []feedEntry `xml:"entry"`
}

type feedLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

type feedEntry struct {
	ID      string    `xml:"id"`
	Title   string    `xml:"title"`
	Updated time.Time `xml:"updated"`
	Link    feedLink  `xml:"link"`
	Content string    `xml:"content"`
}

// changesFeed sends the feed of changes of the page at url, of the pages of host, or of all.
func (s *Site) changesFeed(w http.ResponseWriter, r *http.Request, c *Collection) {
	lang, of, host := s.draw.LangOf(r), r.FormValue("url"), strings.TrimSpace(r.FormValue("host"))
	if l := lensOf(r); of != "" && l != (kavosh.Lens{}) {
		s.lensFeed(w, r, c, l)
		return
	}
	var q cdx.Query
	var title string
	switch sum := c.summary(); {
	case of != "":
		q, title = cdx.Query{URL: of, MatchType: cdx.Exact}, draw.FeedTitle(lang, "url", of, &sum)
	case host != "":
		u, err := weburl.Parse("http://" + host + "/")
		if err != nil {
			s.problem(w, r, http.StatusBadRequest, "bad-request", "")
			return
		}
		q, title = cdx.Query{URL: u.String(), MatchType: cdx.Host}, draw.FeedTitle(lang, "host", u.Host(), &sum)
	default:
		q, title = cdx.Query{URL: "*"}, draw.FeedTitle(lang, "", "", &sum)
	}
	pairs, any, err := newest(c.Captures(r.Context(), q), of)
	if err != nil {
		s.broken(w, r, "index", err)
		return
	}
	if !any && of != "" {
		p := draw.Problem{Status: http.StatusNotFound, Kind: "no-capture", URL: q.URL}
		if refused := s.withheld(r.Context(), c, q.URL); refused != nil {
			p.Status, p.Kind = replay.OfRefused(refused)
		}
		s.draw.HomeProblem(w, r, p)
		return
	}
	list, err := s.entries(r, c, pairs)
	if err != nil {
		s.broken(w, r, "records", err)
		return
	}
	s.sendFeed(w, r, title, list)
}

// sendFeed sends a feed.
func (s *Site) sendFeed(w http.ResponseWriter, r *http.Request, title string, list []feedEntry) {
	self := "http://" + r.Host + r.URL.RequestURI()
	if s.addresses.Home != "" {
		self = s.addresses.Home + r.URL.RequestURI()
	}
	f := feed{Lang: string(s.draw.LangOf(r)), ID: self, Title: title, Updated: time.Unix(0, 0).UTC(), Author: "Kavosh", Links: []feedLink{{"self", self}}, Entries: list}
	if len(list) > 0 {
		f.Updated = list[0].Updated
	}
	w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	if r.Method != http.MethodHead {
		io.WriteString(w, xml.Header)
		xml.NewEncoder(w).Encode(f) // the client may be gone
	}
}

// fedPair is two captures of a page that follow each other and differ.
type fedPair struct{ old, new replay.Capture }

// newest returns the newest pairs among captures in the order of the index. If url is not empty, it is that of all. any is
// false if there are no captures.
func newest(captures iter.Seq2[replay.Capture, error], url string) (pairs []fedPair, any bool, err error) {
	last, key, n := map[string]replay.Capture{}, "", 0 // by URL, of one key
	for e, err := range captures {
		if err != nil {
			return nil, false, err
		}
		if n++; n > maxFed {
			break
		}
		if e.Key != key {
			key = e.Key
			clear(last)
		}
		if !change.IsPage(&e.Entry) || url != "" && e.URL != url {
			continue
		}
		if had, ok := last[e.URL]; ok && (e.MIME != replay.RevisitMIME || e.Digest != "") && !warc.SameDigest(had.Digest, e.Digest) {
			pairs = append(pairs, fedPair{had, e})
		}
		if last[e.URL] = e; len(pairs) > 4*maxEntries {
			pairs = latest(pairs)
		}
	}
	return latest(pairs), n > 0, nil
}

func latest(pairs []fedPair) []fedPair {
	slices.SortStableFunc(pairs, func(a, b fedPair) int { return cmp.Compare(b.new.Timestamp, a.new.Timestamp) })
	return pairs[:min(len(pairs), maxEntries)]
}

// entries returns what changed between captures, where a reader sees something. What the reader of r may not see is left
// out, and so is what cannot be read.
func (s *Site) entries(r *http.Request, c *Collection, pairs []fedPair) (list []feedEntry, err error) {
	lang, replayed := s.draw.LangOf(r), cmp.Or(s.addresses.Replay, "http://"+r.Host)
	for i := range pairs {
		p := &pairs[i]
		report, err := s.changes(r.Context(), &p.old, &p.new)
		if r.Context().Err() != nil {
			return nil, r.Context().Err()
		}
		if _, refused := errors.AsType[*kavosh.Refused](err); err != nil {
			if !refused {
				s.trouble(p.new.URL + ": " + err.Error())
			}
			continue
		}
		if report == nil || len(report.News()) == 0 {
			continue
		}
		at := replayed + comparePath(c, p.old.Timestamp, p.new.Timestamp, p.new.URL)
		title, words := draw.FeedEntry(lang, report)
		list = append(list, feedEntry{at, p.new.URL + ": " + title, p.new.When(), feedLink{"alternate", at}, words})
	}
	return list, nil
}
