package site

// This file tells why a collection has no capture of a URL, and what it has instead.

import (
	"context"
	"slices"
	"strings"

	"kavosh/lib/weburl"
	"kavosh/pages"
	"kavosh/replay"
	"kavosh/site/draw"
)

// Bounds on the page of a missing URL.
const (
	maxParents = 20 // folders above it that are looked up
	maxNear    = 6
)

// missing fills in why a collection has no capture of a URL, and which similar URLs it has.
func (s *Site) missing(ctx context.Context, c *Collection, url string, lang pages.Lang, p *draw.Problem) {
	for _, m := range c.members {
		if m.Crawls == nil || p.Why.Outcome != "" && p.Why.Outcome != draw.NeverMet {
			continue
		}
		why, err := m.Crawls.Why(ctx, url)
		if err != nil {
			s.trouble("crawl logs of " + m.Name + ": " + err.Error())
			continue
		}
		if p.Why = why; why.Crawl != "" {
			p.CrawlPath = m.page("crawl?id=") + why.Crawl
		}
	}
	if p.Why.Outcome == "" {
		p.Why.Outcome = draw.Unknown
	}
	near := func(c *Collection, url string) {
		if h, err := c.History(ctx, url, s.now()); err == nil && h.Count > 0 && len(p.Near) < maxNear {
			n := draw.Near{URL: replay.Canonical(h.Last.URL), Path: c.calendarPath(lang, replay.Canonical(h.Last.URL)), Count: h.Count, More: h.More, Last: h.Last.When()}
			if !slices.ContainsFunc(p.Near, func(o draw.Near) bool { return o.URL == n.URL && o.Collection.Name == n.Collection.Name }) {
				p.Near = append(p.Near, n)
			}
		}
	}
	if c != s.all {
		for _, other := range s.collections {
			before := len(p.Near)
			if other != c {
				near(other, url)
			}
			for i := range p.Near[before:] {
				p.Near[before+i].Collection = other.summary()
			}
		}
	}
	for _, u := range neighbours(url) {
		near(c, u)
	}
}

// neighbours returns similar URLs that may have the wanted content, the most similar first: the same path on related
// host names, the URL without its query, and the folders above it. Other schemes and "www." have the same key in the
// index.
func neighbours(url string) (list []string) {
	u, err := weburl.Parse(url)
	if err != nil || !u.Fetchable() {
		return nil
	}
	bare := strings.TrimPrefix(strings.TrimPrefix(u.Hostname(), "www."), "m.")
	for _, host := range []string{bare, "m." + bare, u.Hostname()} {
		if host != u.Host() {
			list = append(list, "http://"+host+u.PathQuery())
		}
	}
	at := u.Scheme() + "://" + u.Host()
	if u.Path() != u.PathQuery() {
		list = append(list, at+u.Path())
	}
	path := u.Path()
	for range maxParents {
		i := strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/')
		if i < 0 {
			break
		}
		path = path[:i+1]
		list = append(list, at+path)
	}
	return append(list, at+"/", "http://"+u.Hostname()+"/")
}
