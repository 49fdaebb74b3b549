package quality

// This file measures completeness where the truth is known: sites say themselves which pages they have, in sitemaps and feeds.
// Those that the archive holds are read, and what they list is looked up.

import (
	"context"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/internal/nameset"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// maxListings is how many sitemaps and feeds are read, each version of one counted.
const maxListings = 200_000

// Listing is how much of what sitemaps and feeds list an archive holds.
type Listing struct {
	Documents int     `json:"documents"` // sitemaps and feeds that were read, each version of one counted
	Unread    int     `json:"unread"`    // those whose record cannot be read
	Listed    int64   `json:"listed"`    // addresses of their own hosts, each counted once
	Captured  int64   `json:"captured"`  // of them, those that the archive holds
	Stale     int64   `json:"stale"`     // of these, those that were changed after the newest capture, as the sitemap says
	Failed    int64   `json:"failed"`    // those of which it has nothing but errors
	Lacking   int64   `json:"lacking"`   // those of which it has nothing
	Closed    int64   `json:"closed"`    // those of which a rule of access hides what it has
	Elsewhere int64   `json:"elsewhere"` // times that an address of another host was listed; these are not counted
	Share     float64 `json:"share"`     // of the listed ones that are captured; 0 if none is listed

	Missing []Unheld `json:"missing"` // failed and lacking ones
}

// Unheld is an address that is listed, and that the archive does not hold.
type Unheld struct {
	URL    string `json:"url"`
	In     string `json:"in"`     // the sitemap or feed
	Failed bool   `json:"failed"` // there are nothing but errors
}

// Listed reads all sitemaps and feeds of an archive, and looks up what they list. most is how many of the missing ones are named. What may
// not be shown is left out. Memory is some 50 bytes an address that the archive holds, and 16 one that is listed.
func (r *Reader) Listed(ctx context.Context, most int, done func(documents int)) (*Listing, error) {
	held, listings, err := r.holdings(ctx)
	if err != nil {
		return nil, err
	}
	l := listed{reader: r, held: held, most: most, Listing: Listing{Missing: []Unheld{}}}
	for i := range listings {
		if err := l.read(ctx, &listings[i]); err != nil {
			return nil, err
		}
		done(l.Documents)
	}
	l.Share = float64(l.Captured) / float64(max(1, l.Listed))
	return &l.Listing, nil
}

// holdings returns when each address was captured last, by its key in the index: 0 for those with nothing but errors; and
// the captures that may be sitemaps and feeds, one of each content.
func (r *Reader) holdings(ctx context.Context) (held map[string]int64, listings []cdx.Entry, err error) {
	held = map[string]int64{}
	var met nameset.Set[string]
	for e, err := range r.Records.Index.Query(ctx, cdx.Query{URL: "*"}) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, nil, err
		}
		if e.Get("method") != "" || e.Get(cdx.Of) != "" {
			continue
		}
		good := e.Status/100 == 2 || e.Status/100 == 3 || e.Status == 0 && e.MIME != "text/anvl" && e.MIME != "application/warc-fields"
		if was, known := held[e.Key]; !known || good {
			at := int64(0)
			if good {
				at = max(was, e.Time().Unix())
			}
			held[strings.Clone(e.Key)] = at
		}
		if e.Status/100 != 2 || e.MIME == cdx.Revisit || !mayList(&e) || len(listings) == maxListings {
			continue
		}
		if content := e.Key + " " + warc.DigestKey(e.Digest); e.Digest == "" || !met.Has(content) {
			met.Add(content)
			listings = append(listings, e)
		}
	}
	return held, listings, nil
}

// mayList reports whether a capture may be a sitemap or a feed.
func mayList(e *cdx.Entry) bool {
	switch {
	case strings.Contains(e.MIME, "html"), strings.Contains(e.MIME, "svg"):
		return false
	case strings.Contains(e.MIME, "xml"), strings.Contains(e.MIME, "rss"), strings.Contains(e.MIME, "atom"), strings.Contains(e.MIME, "feed"):
		return true
	}
	return strings.Contains(strings.ToLower(e.URL), "sitemap")
}

// listed is one call of Listed.
type listed struct {
	Listing
	reader *Reader
	held   map[string]int64
	met    nameset.Set[string] // keys that are counted
	stale  nameset.Set[string]
	most   int
}

// read counts what one sitemap or feed lists.
func (l *listed) read(ctx context.Context, e *cdx.Entry) error {
	payload, err := l.reader.Records.Open(ctx, e)
	if isRefused(err) || ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		l.Unread++
		return nil
	}
	defer payload.Close()
	var decoder httpwire.Decoder
	body, err := decoder.All(payload.Body, payload.Codings(), maxBody, maxRatio)
	if err != nil && len(body) == 0 {
		l.Unread++
		return nil
	}
	lists := false
	for _, link := range l.reader.Links(Document{e.URL, payload.Header, body}) {
		if !isEntry(&link) {
			continue
		}
		lists = true
		if err := l.add(ctx, &link, e.URL); err != nil {
			return err
		}
	}
	if lists {
		l.Documents++
	}
	return nil
}

// isEntry reports whether a link is to a page that a sitemap or a feed lists, and not to a part of it or to another sitemap.
func isEntry(l *kavosh.Link) bool {
	switch {
	case l.Kind == kavosh.Sitemap && l.Element == "sitemap":
		return l.Attr == "loc"
	case l.Kind == kavosh.Feed && l.Element == "feed":
		return slices.Contains([]string{"link", "guid", "url", "rdf:resource"}, l.Attr)
	}
	return false
}

// add counts an address that is listed.
func (l *listed) add(ctx context.Context, link *kavosh.Link, in string) error {
	if weburl.Host(link.URL) != weburl.Host(in) {
		l.Elsewhere++
		return nil
	}
	key := weburl.SURT(link.URL)
	at, held := l.held[key]
	if link.Listed != nil && at > 0 && link.Listed.Changed.Unix() > at && !link.Listed.Changed.After(time.Now()) && !l.stale.Has(key) {
		l.stale.Add(key)
		l.Stale++
	}
	if l.met.Has(key) {
		return nil
	}
	l.met.Add(key)
	l.Listed++
	switch {
	case at > 0:
		l.Captured++
		return nil
	case held:
		l.Failed++
	default:
		if l.reader.Records.Gate != nil {
			if why, err := l.reader.Records.Gate.Withheld(ctx, link.URL); err != nil {
				return err
			} else if why != nil {
				l.Closed++
				return nil
			}
		}
		l.Lacking++
	}
	if len(l.Missing) < l.most {
		l.Missing = append(l.Missing, Unheld{link.URL, in, held})
	}
	return nil
}
