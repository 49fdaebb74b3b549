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
	"kavosh/site/draw"
)

// summarySpan is after which time a collection's numbers are counted again, and readingSpan while its captures are being
// indexed, because languages come from the index. If counting takes long, the time is longer.
const (
	summarySpan = time.Minute
	readingSpan = 5 * time.Second
)

// counts counts the captures of collections now and then, and keeps the numbers.
type counts struct {
	trouble func(string)

	mu struct {
		sync.Mutex
		of       map[*Collection]keptCount
		counting map[*Collection]bool
	}
}

// counted is a collection with its numbers, and with captures that its pages show.
type counted struct {
	draw.Summary
	newest []listed          // the latest pages
	homes  map[string]listed // the latest page at the root of each host in Hosts
}

// listed is a capture with its media type, which a revisit has from its original.
type listed struct {
	replay.Capture
	mime string
}

// keptCount is what was counted of a collection.
type keptCount struct {
	counted
	edition string    // Edition of the access rules when the counting began
	again   time.Time // when to count again
}

// of returns a collection with its numbers. It counts in the background by reading the whole index. The first caller
// waits a moment for the numbers, and then gets the collection without them. Numbers from before a change of the access
// rules are never returned.
func (s *counts) of(ctx context.Context, c *Collection) counted {
	m, edition := &s.mu, c.Edition()
	m.Lock()
	if m.of == nil {
		m.of, m.counting = map[*Collection]keptCount{}, map[*Collection]bool{}
	}
	have, known := m.of[c]
	known = known && have.edition == edition
	if known && time.Now().Before(have.again) || m.counting[c] {
		m.Unlock()
		if !known {
			return counted{Summary: c.summary()}
		}
		return have.counted
	}
	m.counting[c] = true
	m.Unlock()
	done := make(chan counted, 1)
	go func() {
		began := time.Now()
		sum := s.count(context.WithoutCancel(ctx), c)
		ended, span := time.Now(), summarySpan
		if c.reading() {
			span = readingSpan
		}
		m.Lock()
		m.of[c], m.counting[c] = keptCount{sum, edition, ended.Add(max(span, 50*ended.Sub(began)))}, false
		m.Unlock()
		done <- sum
	}()
	if known {
		return have.counted
	}
	wait := time.NewTimer(2 * time.Second)
	defer wait.Stop()
	select {
	case sum := <-done:
		return sum
	case <-wait.C:
	case <-ctx.Done():
	}
	return counted{Summary: c.summary()}
}

// count counts by reading the whole index of c. Its memory does not grow with the index.
func (s *counts) count(ctx context.Context, c *Collection) counted {
	n := tally{counted: counted{Summary: c.summary(), homes: map[string]listed{}}}
	n.Days, n.Kinds, n.Status = pages.Days{}, map[string]int64{}, map[string]int64{}
	for e, err := range c.Captures(ctx, cdx.Query{URL: everything}) {
		if err != nil {
			s.trouble(fmt.Sprintf("count %s: %v", c.Name, err))
			return counted{Summary: c.summary()}
		}
		if replay.Shows(&e) {
			n.add(&e)
			n.latest(&e)
		}
	}
	n.hostEnds()
	n.largest()
	n.HostCount += int64(n.left)
	n.Languages = c.languages(context.Background()) // the numbers are for all readers
	n.Known = true
	return n.counted
}

// tally counts captures in the order of an index, where those of one URL come together, and those of one host.
type tally struct {
	counted
	key, site string // key of the last capture, and the host part of the key
	mime      string // media type of the last capture of the key that had one; used for revisits without one
	page      bool   // a capture of the key was a page
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
		n.key, n.mime, n.page = e.Key, "", false
		n.URLs++
		n.host.URLs++
	}
	if mime := e.Type(); mime != "" || e.MIME != replay.RevisitMIME {
		n.mime = mime
	}
	bad := failed(e)
	n.host.Captures++
	if bad {
		n.host.Bad++
	}
	if when.After(n.host.Last) {
		n.host.Last = when
	}
	n.Days.Add(when, bad)
	kind := draw.KindOf(n.mime)
	n.Kinds[kind]++
	if kind == "page" && e.Status < 400 && !n.page {
		n.page = true
		n.Pages++
	}
	if e.Status > 0 {
		n.Status[strconv.Itoa(e.Status)]++
	}
}

// failed reports whether a server answered with an error. Most have no robots.txt: that is none.
func failed(e *replay.Capture) bool {
	return e.Status >= 400 && !strings.HasSuffix(e.Key, ")/robots.txt")
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
	for _, h := range n.Hosts[min(len(n.Hosts), draw.MaxHosts):] {
		delete(n.homes, h.Host)
	}
	n.Hosts = n.Hosts[:min(len(n.Hosts), draw.MaxHosts)]
}

// newestPages is how many of its latest pages a collection shows.
const newestPages = 12

// latest keeps the added capture e if it is one of the latest pages: one of each address, and one of each host and day, so
// that the list shows several crawls and hosts. It also keeps the page at the root of each host. Revisits count too.
func (n *tally) latest(e *replay.Capture) {
	if e.Status != 200 && e.Status != 304 || draw.KindOf(n.mime) != "page" {
		return
	}
	if strings.HasSuffix(e.Key, ")/") && n.homes != nil {
		n.homes[n.host.Host] = listed{*e, n.mime}
	}
	when := e.When()
	if len(n.newest) == newestPages && !when.After(n.newest[newestPages-1].When()) {
		return
	}
	const day = 24 * time.Hour
	of := func(a listed) bool {
		return a.Key == e.Key || a.When().Truncate(day).Equal(when.Truncate(day)) && hostOf(a.URL) == n.host.Host
	}
	if slices.ContainsFunc(n.newest, func(a listed) bool { return of(a) && !when.After(a.When()) }) {
		return
	}
	n.newest = slices.DeleteFunc(n.newest, of)
	i := slices.IndexFunc(n.newest, func(a listed) bool { return a.When().Before(when) })
	if i < 0 {
		i = len(n.newest)
	}
	n.newest = slices.Insert(n.newest, i, listed{*e, n.mime})
	n.newest = n.newest[:min(len(n.newest), newestPages)]
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

// calendarPath returns the URL of the calendar of a URL.
func (c *Collection) calendarPath(lang pages.Lang, url string) string {
	return c.addresses.Replay + "/" + c.Name + "/*" + string(lang) + "/" + url
}
