package replay

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"

	"kavosh/lib/cdx"
	"kavosh/pages"
	"kavosh/replay/rewrite"
)

// Bounds on what is told of links.
const (
	fewLinks     = 10     // of a capture's page
	linksSize    = 100    // of a page of their list
	maxHostLinks = 50_000 // that are read for the page of a host
	topSources   = 15     // hosts that link to one
)

// linksPage lists the pages that link to a URL, the newest first.
func (s *Server) linksPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	address, ok := addressOf(r.FormValue("url"))
	if !ok {
		s.homeProblem(w, r, http.StatusBadRequest, "bad-request", "")
		return
	}
	p := pages.Links{Summary: s.summary(c), Incomplete: s.reading(c), URL: canonical(address), Calendar: s.calendarPath(c, s.pages.LangOf(r), address)}
	after := r.FormValue("after")
	if after != "" {
		p.Back = s.linksPath(c, address, "")
	}
	mark := cdx.NewMark(after)
	q := cdx.Query{URL: address, MatchType: cdx.Exact, Reverse: true, Limit: linksSize + 1, After: after}
	if _, _, err := q.Range(); err != nil {
		s.homeProblem(w, r, http.StatusBadRequest, "bad-request", strings.TrimPrefix(err.Error(), "cdx: "))
		return
	}
	for e, err := range s.linksTo(r.Context(), c, q) {
		if err != nil {
			s.homeBroken(w, r, err)
			return
		}
		if len(p.List) == linksSize {
			p.More = s.linksPath(c, address, mark.String())
			break
		}
		mark.Pass(&e)
		p.List = append(p.List, s.linkIn(c, &e))
	}
	s.pages.Links(w, r, p)
}

// reading reports whether pages of c are still being read for the links in them.
func (s *Server) reading(c *Collection) bool {
	return slices.ContainsFunc(s.members(c), func(m *Collection) bool { return m.Reading != nil && m.Reading() })
}

// linksTo are the links that q asks for by where they lead, without those in pages that the reader may not see.
func (s *Server) linksTo(ctx context.Context, c *Collection, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return q.Answer(func(q cdx.Query) iter.Seq2[cdx.Entry, error] {
		return func(yield func(cdx.Entry, error) bool) {
			for e, err := range s.merged(ctx, c, q, func(m *Collection) Index { return m.Links }) {
				if !yield(e.Entry, err) {
					return
				}
			}
		}
	})
}

// linkIn is a link to a page as it is shown.
func (s *Server) linkIn(c *Collection, e *cdx.Entry) pages.LinkIn {
	source := e.Get("source")
	return pages.LinkIn{URL: canonical(source), Time: moment(e.Timestamp), Path: s.base + replayPath(c, e.Timestamp, rewrite.Page, source),
		Details: s.detailsPath(c, source, e.Timestamp), Anchor: clip(e.Get("anchor")), Kind: e.MIME}
}

func (s *Server) linksPath(c *Collection, address, after string) string {
	return s.home + "/c/" + c.Name + "/links?" + pages.LinksQuery(address, after)
}

// linkedFrom fills in who links to a capture's URL.
func (s *Server) linkedFrom(ctx context.Context, c *Collection, p *pages.Capture) {
	for e, err := range s.linksTo(ctx, c, cdx.Query{URL: p.URL, MatchType: cdx.Exact, Reverse: true, Limit: fewLinks + 1}) {
		if err != nil {
			s.trouble("links: " + err.Error())
			return
		}
		if len(p.LinksIn) == fewLinks {
			p.MoreLinksIn = s.linksPath(c, p.URL, "")
			return
		}
		p.LinksIn = append(p.LinksIn, s.linkIn(c, &e))
	}
}

// linkingHosts are the other hosts that link to a host, below a path, with how many links they have, the most first.
func (s *Server) linkingHosts(ctx context.Context, c *Collection, host, path string) []pages.HostCount {
	counts, n := map[string]int64{}, 0
	for e, err := range s.merged(ctx, c, cdx.Query{URL: "http://" + host + path, MatchType: cdx.Prefix}, func(m *Collection) Index { return m.Links }) {
		if err != nil {
			s.trouble("links: " + err.Error())
			return nil
		}
		if n++; n > maxHostLinks {
			break
		}
		if from := hostOf(e.Get("source")); strings.TrimPrefix(from, "www.") != strings.TrimPrefix(host, "www.") {
			counts[from]++
		}
	}
	var list []pages.HostCount
	for host, n := range counts {
		list = append(list, pages.HostCount{Host: host, Captures: n})
	}
	slices.SortFunc(list, func(a, b pages.HostCount) int {
		if a.Captures != b.Captures {
			return int(max(-1, min(1, b.Captures-a.Captures)))
		}
		return strings.Compare(a.Host, b.Host)
	})
	return list[:min(len(list), topSources)]
}
