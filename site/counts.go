package site

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

// summarySpan is how long a collection's numbers are shown before they are counted again; longer when counting takes long.
const summarySpan = time.Minute

// counts are the numbers of collections, counted now and then.
type counts struct {
	trouble func(string)

	mu struct {
		sync.Mutex
		of       map[*Collection]countedSummary
		counting map[*Collection]bool
	}
}

// countedSummary is what was counted.
type countedSummary struct {
	draw.Summary
	edition string    // of what may be seen, when the counting began
	again   time.Time // when it is counted again
}

// of is a collection with its numbers. They are counted by reading its index in the background; whoever asks first
// waits a moment for them, and is answered without when that does not suffice. What was counted before a decision is shown to nobody.
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

// count reads the whole index of c, in memory that does not grow with it.
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

// tally counts captures as they come in the order of an index: those of one URL together, and those of one host.
type tally struct {
	draw.Summary
	key, site string // of the last capture; site is the key's host
	mime      string // of the last capture of the key that has one: a revisit of which the index tells none has that of the one before
	host      draw.HostCount
	left      int // hosts that were counted and are not among Hosts
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

// hostEnds takes the counts of a host whose captures have all passed.
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

// largest keeps the largest hosts alone, in that order.
func (n *tally) largest() {
	slices.SortStableFunc(n.Hosts, func(a, b draw.HostCount) int { return int(max(-1, min(1, b.Captures-a.Captures))) })
	n.Hosts = n.Hosts[:min(len(n.Hosts), draw.MaxHosts)]
}

// newestPages is how many of the pages captured last a collection shows.
const newestPages = 10

// newest keeps e, which was added, when it is among the pages captured last: one of each host a day, so that the list tells of
// several crawls and hosts. That a page was as before is a capture, too.
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
	n.Newest = slices.Insert(n.Newest, i, draw.Address{URL: replay.Canonical(e.URL), Last: when, Path: c.Path(e.Timestamp, rewrite.Page, e.URL), MIME: n.mime, Status: e.Status})
	n.Newest = n.Newest[:min(len(n.Newest), newestPages)]
}

// hostOf is the host of a URL with its port, when that is not the usual one.
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

// linked is an address of a summary with its paths made addresses.
func (c *Collection) linked(a draw.Address, lang pages.Lang) draw.Address {
	a.Path = c.addresses.Replay + a.Path
	a.Calendar = c.calendarPath(lang, a.URL)
	return a
}

// calendarPath is the address of a URL's calendar.
func (c *Collection) calendarPath(lang pages.Lang, url string) string {
	return c.addresses.Replay + "/" + c.Name + "/*" + string(lang) + "/" + url
}
