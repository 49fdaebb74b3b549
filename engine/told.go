package engine

// This file leaves out pages of which their sites say that they did not change since the last visit (--skip-younger lastmod),
// where what a site says was true before: the archive has what its sitemaps and feeds said, and what its pages were.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"kavosh"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/lib/cdx"
	"kavosh/lib/sitemap"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
	"kavosh/schedule/pattern"
)

// toldUnchanged is the class of refusing a URL whose site says that it did not change.
const toldUnchanged scope.Reason = "told"

// Bounds of what is read of a host to know how far it can be believed.
const (
	enoughTrust  = 0.8     // Youden's index; it takes eight visits that found a change and eight that found none, all foretold
	mostListings = 64      // captures of sitemaps and feeds, the newest
	mostSaid     = 200_000 // what these say of pages, together
	mostPages    = 1000    // of these, by their hashes
	mostCaptures = 64      // of one URL, the newest
	mostTrusted  = 1 << 16 // hosts
)

// trusted is how far hosts can be believed, by the archive as it was when the crawl began.
type trusted struct {
	mu     sync.Mutex
	byHost map[string]*trustOf
}

// trustOf is how far one host can be believed, from 0 to 1, when once is done.
type trustOf struct {
	once  sync.Once
	trust float64
}

// toldBy returns what a listing tells of pages. RSS tells when they were published, which is a word on new pages, and none on what
// has not changed: without published, it tells nothing.
func toldBy(o *reading, published bool) (all []told) {
	payload, _, _ := o.decoded()
	m, _ := sitemap.Parse(bytes.NewReader(payload), o.x.Task.URL, sitemap.Limits{Bytes: maxRead, URLs: mostTold}) // what is read before an error counts
	if m.Format == sitemap.RSS && !published {
		return nil
	}
	for i := range m.URLs {
		if u := &m.URLs[i]; !u.LastMod.IsZero() {
			all = append(all, told{u.Loc, u.LastMod})
		}
	}
	return all
}

// keptTold is the beginning of the names of values in the frontier that say when a URL changed last; its hash follows.
const keptTold = "told/"

func toldName(url string) string { return keptTold + numberName(url)[len(keptNumber):] }

// listingName is the name under which the frontier keeps the URL of a listing that told something of pages of its host; with url "",
// what all of that host begin with.
func listingName(host, url string) string { return "listing/" + host + "/" + url }

// hear returns what a listing tells of the pages of its own host, by their keys: nobody speaks for others.
func (c *crawl) hear(o *reading, page *kavosh.Page) (heard []told) {
	if !c.opt.SkipTold || c.first || !page.List || o.lost != nil {
		return nil
	}
	host := weburl.Host(o.x.Task.URL)
	for _, t := range toldBy(o, false) {
		if key, err := weburl.Key(t.url); err == nil && weburl.Host(key) == host {
			heard = append(heard, told{key, t.modified})
		}
	}
	return heard
}

// keepHeard adds to updates what is to be kept of listings. Of a page it is the newest word of all of them: a listing that was made
// earlier does not take back what another told of a later change. The committer calls it.
func (c *crawl) keepHeard(items []item) error {
	newest := map[string]time.Time{} // by names of values
	for i := range items {
		if url := items[i].update.Task.URL; len(items[i].heard) > 0 && url != "" {
			items[i].update.Values = append(items[i].update.Values, frontier.Value{Name: listingName(weburl.Host(url), url), Value: []byte(url)})
		}
		for _, t := range items[i].heard {
			name := toldName(t.url)
			was, met := newest[name]
			if !met {
				var err error
				if was, err = c.lastTold(name); err != nil {
					return err
				}
				newest[name] = was
			}
			if t.modified.After(was) {
				newest[name] = t.modified
				items[i].update.Values = append(items[i].update.Values, frontier.Value{Name: name, Value: binary.BigEndian.AppendUint64(nil, uint64(t.modified.Unix()))})
			}
		}
	}
	return nil
}

// lastTold returns the time that is kept under a name; zero if none is.
func (c *crawl) lastTold(name string) (time.Time, error) {
	value, err := c.frontier.Get(name)
	if err != nil || len(value) != 8 {
		return time.Time{}, err
	}
	return time.Unix(int64(binary.BigEndian.Uint64(value)), 0), nil
}

// unchanged returns why a page that was visited last at a time is not asked for: its site says that it did not change since, and
// can be believed. It is "" otherwise.
func (c *crawl) unchanged(url string, visited time.Time) string {
	if !c.opt.SkipTold {
		return ""
	}
	modified, err := c.lastTold(toldName(url))
	if err != nil || modified.IsZero() || saysChange(modified, visited) { // the page is asked for
		return ""
	}
	trust := c.trustIn(weburl.Host(url))
	if trust < enoughTrust {
		return ""
	}
	return fmt.Sprintf("visited on %s, and last changed on %s by the word of its site, whose trust is %.2f (--skip-younger lastmod)",
		visited.UTC().Format(time.DateTime), modified.UTC().Format(time.DateTime), trust)
}

// saysChange reports whether a site that says when a page changed last says that it changed since a visit. Midnight stands for all
// of its day, to its end in the time zone where it ends last: many sites tell days alone, their own.
func saysChange(modified, visited time.Time) bool {
	if modified.Equal(modified.UTC().Truncate(24 * time.Hour)) {
		modified = modified.Add((24 + 12) * time.Hour)
	}
	return modified.After(visited)
}

// trustIn returns how far a host can be believed, from 0 to 1. It is measured once; of other hosts it is told meanwhile.
func (c *crawl) trustIn(host string) float64 {
	c.trusted.mu.Lock()
	t := c.trusted.byHost[host]
	if t == nil {
		if c.trusted.byHost == nil || len(c.trusted.byHost) == mostTrusted {
			c.trusted.byHost = map[string]*trustOf{}
		}
		t = &trustOf{}
		c.trusted.byHost[host] = t
	}
	c.trusted.mu.Unlock()
	t.once.Do(func() {
		if trust, err := c.measureTrust(host); err == nil { // an archive that cannot be read tells nothing
			t.trust = trust.Of()
		}
	})
	return t.trust
}

// said is what a listing said of a page.
type said struct{ at, modified time.Time }

// measureTrust compares what the listings of a host said with what the archive has of its pages.
func (c *crawl) measureTrust(host string) (trust pattern.Trust, err error) {
	words, err := c.saidBy(host)
	if err != nil {
		return trust, err
	}
	for _, url := range sampled(slices.Collect(maps.Keys(words)), mostPages) {
		var last cdx.Entry
		for e, err := range c.capturesOf(url) {
			if err != nil {
				return trust, err
			}
			if e.Status != http.StatusOK && e.MIME != cdx.Revisit || e.Get("variant") != "" || e.Get("method") != "" {
				continue
			}
			if last.URL != "" {
				was, is := last.Time(), e.Time()
				if modified := newestWord(words[url], was, is); !modified.IsZero() {
					trust.Check(saysChange(modified, was), e.Digest != "" && !warc.SameDigest(last.Digest, e.Digest))
				}
			}
			if e.Digest == "" { // a revisit that says nothing: the content is as it was
				e.Digest = last.Digest
			}
			last = e
		}
	}
	return trust, nil
}

// sampled returns at most so many of urls, those with the least hashes.
func sampled(urls []string, most int) []string {
	if len(urls) > most {
		slices.SortFunc(urls, func(a, b string) int { return strings.Compare(numberName(a), numberName(b)) })
	}
	return urls[:min(len(urls), most)]
}

// newestWord returns the newest time of a change that was said after one visit and before the next; zero if nothing was said.
func newestWord(words []said, was, is time.Time) (modified time.Time) {
	for _, s := range words {
		if s.at.After(was) && !s.at.After(is) {
			modified = later(modified, s.modified)
		}
	}
	return modified
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// saidBy returns what the newest listings of a host said of each page, the newest first.
func (c *crawl) saidBy(host string) (map[string][]said, error) {
	var urls []string
	for kept, err := range c.frontier.Values(listingName(host, "")) {
		if err != nil {
			return nil, err
		}
		if urls = append(urls, string(kept.Value)); len(urls) == mostListings {
			break
		}
	}
	var listings []cdx.Entry
	for _, url := range urls {
		for e, err := range c.capturesOf(url) {
			if err != nil {
				return nil, err
			}
			if mime := e.MIME; lists(mime) && e.Status == http.StatusOK || mime == cdx.Revisit && lists(e.Type()) {
				listings = append(listings, e)
			}
		}
	}
	slices.SortStableFunc(listings, func(a, b cdx.Entry) int { return strings.Compare(a.Timestamp, b.Timestamp) })
	listings = listings[max(0, len(listings)-mostListings):]
	words, n := map[string][]said{}, 0
	for i := range slices.Backward(listings) {
		e := &listings[i]
		x, err := c.stored(c.hard, e, 2*maxRead)
		if err != nil {
			continue
		}
		o := c.reading(x, nil)
		for _, t := range toldBy(o, false) {
			key, err := weburl.Key(t.url)
			if err != nil || n == mostSaid {
				continue
			}
			of, at := words[key], e.Time()
			if last := len(of) - 1; last >= 0 && of[last].at.Equal(at) { // one word a listing
				of[last].modified = later(of[last].modified, t.modified)
				continue
			}
			words[key] = append(of, said{at, t.modified})
			n++
		}
		o.close()
	}
	return words, nil
}

// capturesOf returns the newest captures of a URL from before the crawl, a bounded number, in the order of their times.
func (c *crawl) capturesOf(url string) func(yield func(cdx.Entry, error) bool) {
	return func(yield func(cdx.Entry, error) bool) {
		var newest []cdx.Entry
		q := cdx.Query{URL: url, MatchType: cdx.Exact, To: c.began.UTC().Format(cdxTime), Reverse: true, Limit: mostCaptures}
		for e, err := range c.archive.Records.Index.Query(c.hard, q) {
			if err != nil {
				yield(e, err)
				return
			}
			if e.URL == url {
				newest = append(newest, e)
			}
		}
		for _, e := range slices.Backward(newest) {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// cdxTime is the form of times in an index.
const cdxTime = "20060102150405"
