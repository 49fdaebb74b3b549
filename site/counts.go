package site

// This file counts the captures of collections now and then, for pages that show numbers.

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
	"kavosh/pages"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// summarySpan is after which time a collection's numbers are counted again. If counting takes long, the time is longer.
const summarySpan = time.Minute

// counts counts the captures of collections now and then, and keeps the numbers.
type counts struct {
	trouble func(string)

	mu struct {
		sync.Mutex
		of       map[*Collection]countedSummary
		counting map[*Collection]bool
	}
}

// countedSummary is a collection with its numbers.
type countedSummary struct {
	draw.Summary
	edition string    // Edition of the access rules when the counting began
	again   time.Time // when to count again
}

// of returns a collection with its numbers. It counts in the background by reading the whole index. The first caller
// waits a moment for the numbers, and then gets the collection without them. Numbers from before a change of the access
// rules are never returned.
func (s *counts) of(ctx context.Context, c *Collection) draw.Summary {
	m, edition := &s.mu, c.Edition()
	m.Lock()
	if m.of == nil {
		m.of, m.counting = map[*Collection]countedSummary{}, map[*Collection]bool{}
	}
	have, known := m.of[c]
	known = known && have.edition == edition
	if known && time.Now().Before(have.again) || m.counting[c] {
		m.Unlock()
		if !known {
			return c.summary()
		}
		return have.Summary
	}
	m.counting[c] = true
	m.Unlock()
	done := make(chan draw.Summary, 1)
	go func() {
		began := time.Now()
		sum := s.count(context.WithoutCancel(ctx), c)
		ended := time.Now()
		m.Lock()
		m.of[c], m.counting[c] = countedSummary{sum, edition, ended.Add(max(summarySpan, 50*ended.Sub(began)))}, false
		m.Unlock()
		done <- sum
	}()
	if known {
		return have.Summary
	}
	wait := time.NewTimer(2 * time.Second)
	defer wait.Stop()
	select {
	case sum := <-done:
		return sum
	case <-wait.C:
	case <-ctx.Done():
	}
	return c.summary()
}

// count counts by reading the whole index of c. Its memory does not grow with the index.
func (s *counts) count(ctx context.Context, c *Collection) draw.Summary {
	n := tally{Summary: c.summary()}
	n.Days, n.Kinds, n.Status = pages.Days{}, map[string]int64{}, map[string]int64{}
	for e, err := range c.Captures(ctx, cdx.Query{URL: everything}) {
		if err != nil {
			s.trouble(fmt.Sprintf("count %s: %v", c.Name, err))
			return c.summary()
		}
		if replay.Shows(&e) {
			n.add(&e)
			n.newest(c, &e)
		}
	}
	n.hostEnds()
	n.largest()
	n.HostCount += int64(n.left)
	n.Known = true
	return n.Summary
}

// tally counts captures in the order of an index, where those of one URL come together, and those of one host.
type tally struct {
	draw.Summary
	key, site string // key of the last capture, and the host part of the key
	mime      string // media type of the last capture of the key that had one; used for revisits without one
	host      draw.HostCount
	left      int // how many counted hosts are not in Hosts
}

func (n *tally) add(e *replay.Capture) {
	when := e.When()
	n.Captures++
	if n.First.IsZero() || when.Before(n.First) {
		n.First = when
	}
	if when.After(n.Last) {
		n.Last = when
	}
	if site, _, _ := strings.Cut(e.Key, ")"); site != n.site || n.host.Host == "" {
		n.hostEnds()
		n.site, n.host = site, draw.HostCount{Host: hostOf(e.URL)}
	}
	if e.Key != n.key {
		n.key, n.mime = e.Key, ""
		n.URLs++
		n.host.URLs++
	}
	if mime := e.Type(); mime != "" || e.MIME != replay.RevisitMIME {
		n.mime = mime
	}
	bad := e.Status >= 400
	n.host.Captures++
	if bad {
		n.host.Bad++
	}
	if when.After(n.host.Last) {
		n.host.Last = when
	}
	n.Days.Add(when, bad)
	n.Kinds[draw.KindOf(n.mime)]++
	if e.Status > 0 {
		n.Status[strconv.Itoa(e.Status)]++
	}
}

// hostEnds adds the counts of a host after its last capture.
func (n *tally) hostEnds() {
	if n.host.Host == "" {
		return
	}
	n.HostCount++
	n.Hosts = append(n.Hosts, n.host)
	if len(n.Hosts) == 2*draw.MaxHosts {
		n.largest()
	}
	n.host = draw.HostCount{}
}

// largest sorts the hosts by size and keeps only the largest.
func (n *tally) largest() {
	slices.SortStableFunc(n.Hosts, func(a, b draw.HostCount) int { return int(max(-1, min(1, b.Captures-a.Captures))) })
	n.Hosts = n.Hosts[:min(len(n.Hosts), draw.MaxHosts)]
}

// newestPages is how many of its latest pages a collection shows.
const newestPages = 10

// newest keeps the added capture e if it is one of the latest pages. It keeps one page of each host and day, so that
// the list shows several crawls and hosts. Revisits count too.
func (n *tally) newest(c *Collection, e *replay.Capture) {
	if e.Status != 200 && e.Status != 304 || draw.KindOf(n.mime) != "page" {
		return
	}
	when := e.When()
	if len(n.Newest) == newestPages && !when.After(n.Newest[newestPages-1].Last) {
		return
	}
	const day = 24 * time.Hour
	of := func(a draw.Address) bool {
		return a.Last.Truncate(day).Equal(when.Truncate(day)) && hostOf(a.URL) == n.host.Host
	}
	if i := slices.IndexFunc(n.Newest, of); i >= 0 {
		if !when.After(n.Newest[i].Last) {
			return
		}
		n.Newest = slices.Delete(n.Newest, i, i+1)
	}
	i := slices.IndexFunc(n.Newest, func(a draw.Address) bool { return a.Last.Before(when) })
	if i < 0 {
		i = len(n.Newest)
	}
	n.Newest = slices.Insert(n.Newest, i, draw.Address{URL: replay.Canonical(e.URL), Last: when,
		Path: c.Path(e.Timestamp, rewrite.Page, e.URL), MIME: n.mime, Status: e.Status})
	n.Newest = n.Newest[:min(len(n.Newest), newestPages)]
}

// hostOf returns the host of a URL, with its port if that is not the default.
func hostOf(url string) string {
	if u, err := weburl.Parse(url); err == nil {
		return u.Host()
	}
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// linked turns the paths in a into URLs.
func (c *Collection) linked(a draw.Address, lang pages.Lang) draw.Address {
	a.Path = c.addresses.Replay + a.Path
	a.Calendar = c.calendarPath(lang, a.URL)
	return a
}

// calendarPath returns the URL of the calendar of a URL.
func (c *Collection) calendarPath(lang pages.Lang, url string) string {
	return c.addresses.Replay + "/" + c.Name + "/*" + string(lang) + "/" + url
}
