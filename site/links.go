package site

// This file shows which archived pages link to a URL.

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"

	"kavosh/lib/cdx"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/search"
	"kavosh/site/draw"
)

// Bounds on what is shown of links.
const (
	fewLinks     = 10     // linking pages on a capture's page
	linksSize    = 100    // linking pages on one page of their list
	maxLinksRead = 2_000  // links that are read for one page of their list
	maxHostLinks = 50_000 // links that are read for a host's page
	topSources   = 15     // linking hosts on a host's page
)

// linksPage lists the pages that link to a URL, the newest first.
func (s *Site) linksPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	address, ok := replay.AddressOf(r.FormValue("url"))
	if !ok {
		s.problem(w, r, http.StatusBadRequest, "bad-request", "")
		return
	}
	p := draw.Links{Summary: c.summary(), Incomplete: c.reading(), URL: replay.Canonical(address), Calendar: c.calendarPath(s.draw.LangOf(r), address)}
	after := r.FormValue("after")
	if after != "" {
		p.Back = c.linksPath(address, "")
	}
	q := cdx.Query{URL: address, MatchType: cdx.Exact, Reverse: true, Limit: maxLinksRead + 1, After: after}
	_, _, err := q.Range()
	if err != nil {
		s.problem(w, r, http.StatusBadRequest, "bad-request", strings.TrimPrefix(err.Error(), "cdx: "))
		return
	}
	if p.List, p.More, err = s.linking(r.Context(), c, q, linksSize); err != nil {
		s.broken(w, r, "index", err)
		return
	}
	s.draw.Links(w, r, p)
}

// linking returns at most most pages with the links that q asks for, the newest first. more is the URL of the list from
// where they end, "" if these are all. A page comes once, by its newest capture, with what its links say.
func (s *Site) linking(ctx context.Context, c *Collection, q cdx.Query, most int) (list []draw.LinkIn, more string, err error) {
	mark, read := cdx.NewMark(q.After), 0
	at := map[string]int{} // places in list
	var payloads []search.Payload
	for e, err := range c.linksTo(ctx, q) {
		if err != nil {
			return nil, "", err
		}
		source := replay.Canonical(e.Get("source"))
		i, known := at[source]
		if !known && len(list) == most || read == maxLinksRead {
			more = c.linksPath(q.URL, mark.String())
			break
		}
		if !known {
			i, at[source] = len(list), len(list)
			list = append(list, c.linkIn(&e))
			payloads = append(payloads, search.Payload{URL: e.Get("source"), Digest: e.Digest})
		}
		list[i].Add(draw.Link{Anchor: clip(e.Get("anchor")), Kind: e.MIME})
		mark.Pass(&e)
		read++
	}
	for _, m := range c.members { // linksTo does not say whose the link is, but that this reader may see the page
		if m.Titles == nil {
			continue
		}
		for i, title := range m.Titles(payloads) {
			if title != "" && list[i].Title == "" {
				list[i].Title = clip(title)
			}
		}
	}
	for i := range list {
		if l := &list[i]; l.Title != "" && s.takes() {
			l.Picture = c.picturePath(l.URL, replay.Timestamp(l.Time))
		}
	}
	return list, more, nil
}

// reading reports whether captures of c are still being read for their links.
func (c *Collection) reading() bool {
	return slices.ContainsFunc(c.members, func(m *Collection) bool { return m.Reading != nil && m.Reading() })
}

// links yields the links whose targets match q.
func (c *Collection) links(ctx context.Context, q cdx.Query) iter.Seq2[replay.Capture, error] {
	var from []replay.Source
	for _, m := range c.members {
		if m.Links != nil {
			from = append(from, replay.Source{Index: m.Links, Coll: m.Collection})
		}
	}
	return replay.Merge(ctx, q, from)
}

// linksTo yields the links whose targets match q, without those in pages that this reader may not see.
func (c *Collection) linksTo(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return q.Answer(func(q cdx.Query) iter.Seq2[cdx.Entry, error] {
		return func(yield func(cdx.Entry, error) bool) {
			for e, err := range c.links(ctx, q) {
				if !yield(e.Entry, err) {
					return
				}
			}
		}
	})
}

// linkIn returns the page of a link in the form that pages show.
func (c *Collection) linkIn(e *cdx.Entry) draw.LinkIn {
	source := e.Get("source")
	return draw.LinkIn{URL: replay.Canonical(source), Time: replay.Moment(e.Timestamp), Path: c.replayed(e.Timestamp, rewrite.Page, source),
		Details: c.detailsPath(source, e.Timestamp)}
}

func (c *Collection) linksPath(address, after string) string {
	return c.page("links?") + draw.LinksQuery(address, after)
}

// linkingHosts returns the other hosts with links to a host, below a path. Those with the most links come first.
func (c *Collection) linkingHosts(ctx context.Context, host, path string) ([]draw.HostCount, error) {
	counts, n := map[string]int64{}, 0
	for e, err := range c.links(ctx, cdx.Query{URL: "http://" + host + path, MatchType: cdx.Prefix}) {
		if err != nil {
			return nil, err
		}
		if n++; n > maxHostLinks {
			break
		}
		if from := hostOf(e.Get("source")); strings.TrimPrefix(from, "www.") != strings.TrimPrefix(host, "www.") {
			counts[from]++
		}
	}
	var list []draw.HostCount
	for host, n := range counts {
		list = append(list, draw.HostCount{Host: host, Captures: n})
	}
	slices.SortFunc(list, func(a, b draw.HostCount) int {
		return cmp.Or(cmp.Compare(b.Captures, a.Captures), strings.Compare(a.Host, b.Host))
	})
	return list[:min(len(list), topSources)], nil
}
