package site

// This file shows a captured page with its links in frames that say what the archive has of where they lead (Spaniol, Mazeika, Denev and
// Weikum, "Catch me if you can: Visual Analysis of Coherence Defects in Web Archiving", 2009, figure 1).

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"kavosh"
	"kavosh/change"
	"kavosh/pages"
	"kavosh/quality"
	"kavosh/replay"
	"kavosh/site/draw"
)

// maxFramed is how many links of a page are looked up.
const maxFramed = 500

// Links shows a capture with frames drawn around its links. Its script looks into the frame of the capture, as that of a comparison
// does.
func (s replayPages) Links(w http.ResponseWriter, r *http.Request, a replay.Asked) (found bool, err error) {
	ctx, lang, c := r.Context(), s.langOf(r, a), s.of(a.Coll)
	if !s.ownWindow(w, r, a) {
		return true, nil
	}
	p := &draw.Framed{Collection: c.summary(), URL: a.URL, Calendar: "/" + c.Name + "/*" + string(lang) + "/" + a.URL,
		Switch: func(l pages.Lang) string { return framedPath(c, a.Time, string(l), a.URL) }}
	e, err := s.side(ctx, c, a.URL, a.Time, &p.Side)
	if e == nil || err != nil {
		return false, err
	}
	if !change.IsPage(&e.Entry) {
		s.Problem(w, r, replay.Problem{Asked: a, Status: http.StatusNotFound, Kind: "no-parts"})
		return true, nil
	}
	urls, err := s.linksOf(ctx, c, e)
	if err != nil {
		return false, err
	}
	p.URL, p.More = e.URL, max(0, len(urls)-maxFramed)
	held, err := c.linked(ctx, e, urls[:len(urls)-p.More])
	if err != nil {
		return false, err
	}
	for _, part := range held {
		t := draw.Target{State: stateOf(&part), URL: part.URL, Calendar: "/" + c.Name + "/*" + string(lang) + "/" + replay.Canonical(part.URL)}
		switch part.State {
		case quality.Held:
			t.Time = part.Time
		case quality.Failed:
			t.Code = part.Code
		}
		p.List = append(p.List, t)
	}
	s.draw.Framed(w, r, lang, p)
	return true, nil
}

// linksOf returns the addresses to which a reader of a capture can go, each once, without those within the page.
func (s *Site) linksOf(ctx context.Context, c *Collection, e *replay.Capture) (urls []string, err error) {
	a, err := c.Load(ctx, *e)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	page := s.pageOf(a)
	if page == nil {
		return nil, nil
	}
	known := map[string]bool{e.URL: true}
	for _, l := range page.Links {
		url, _, _ := strings.Cut(l.URL, "#")
		if l.Kind == kavosh.Navigation && !known[url] {
			known[url] = true
			urls = append(urls, url)
		}
	}
	return urls, nil
}

// linked looks up addresses to which a capture links, in all collections that c shows: the one nearest in time counts. What the reader may
// not see is as what is not there.
func (c *Collection) linked(ctx context.Context, page *replay.Capture, urls []string) (all []quality.Part, err error) {
	for _, m := range c.members {
		found, err := (&quality.Reader{Records: m.Records, Hide: true}).Linked(ctx, &page.Entry, urls)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = found
			continue
		}
		for i := range all {
			if nearer(&found[i], &all[i], page) {
				all[i] = found[i]
			}
		}
	}
	return all, nil
}

// nearer reports whether replay would show a rather than b beside a page.
func nearer(a, b *quality.Part, page *replay.Capture) bool {
	rank := func(p *quality.Part) int { return slices.Index([]quality.State{quality.Failed, quality.Held}, p.State) }
	if by := cmp.Compare(rank(a), rank(b)); by != 0 || a.State != quality.Held {
		return by > 0
	}
	return a.Time.Sub(page.When()).Abs() < b.Time.Sub(page.When()).Abs()
}

// stateOf says what the archive has of where a link leads. What is closed is told as what was never captured.
func stateOf(p *quality.Part) string {
	switch p.State {
	case quality.Held:
		return string(p.Fit)
	case quality.Failed, quality.Loops:
		return "failed"
	}
	return "absent"
}

// framedPath returns the URL of a capture with its links in frames, in a language.
func framedPath(c *Collection, stamp, lang, url string) string {
	return "/" + c.Name + "/" + stamp + "links" + lang + "/" + replay.Canonical(url)
}
