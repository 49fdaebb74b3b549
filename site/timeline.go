package site

// This file shows when the pages of a crawl were as the archive has them.

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/lib/cdx"
	"kavosh/pages"
	"kavosh/quality"
	"kavosh/replay"
	"kavosh/site/draw"
)

// timelinePage shows the timeline of a crawl and of what visited its pages again: of the two newest ones, or with crawl of that one.
func (s *Site) timelinePage(w http.ResponseWriter, r *http.Request, c *Collection) {
	if p := s.timeline(w, r, c); p != nil {
		s.draw.Timeline(w, r, *p)
	}
}

// timelineFile sends its picture.
func (s *Site) timelineFile(w http.ResponseWriter, r *http.Request, c *Collection) {
	switch p := s.timeline(w, r, c); {
	case p == nil:
	case p.Reading:
		w.Header().Set("Retry-After", "3")
		s.problem(w, r, http.StatusServiceUnavailable, "busy", "")
	case p.Found == nil || p.Found.Timeline == nil:
		s.problem(w, r, http.StatusNotFound, "no-page", "")
	default:
		s.draw.TimelineFile(w, r, *p)
	}
}

// timeline reads a timeline; it returns nil after it has sent a problem.
func (s *Site) timeline(w http.ResponseWriter, r *http.Request, c *Collection) *draw.Timeline {
	p := &draw.Timeline{Collection: c.summary(), Host: strings.TrimSpace(r.FormValue("host")), Weighed: c.Links != nil, All: r.FormValue("bars") == "all"}
	if c == s.all {
		for _, m := range c.members {
			p.Members = append(p.Members, m.summary())
		}
		return p
	}
	if _, err := quality.Of(p.Host); err != nil {
		s.problem(w, r, http.StatusBadRequest, "bad-request", err.Error())
		return nil
	}
	pair, steps, err := c.paired(r.FormValue("crawl"))
	if err != nil {
		s.broken(w, r, "crawls", err)
		return nil
	}
	if p.Steps = steps; pair == nil {
		return p
	}
	p.From, p.To = pair.step.From, pair.step.To
	g := s.timelines.get(readingOf{c, p.From, p.Host, p.To, c.Edition()}, func() (*quality.Defects, error) { return readTimeline(c, pair.visits, p.Host) })
	if !g.waited(r) {
		p.Reading = true
		w.Header().Set("Refresh", "3")
		return p
	}
	if p.Large, p.Overlap = g.trouble(); g.err != nil && !p.Large && !p.Overlap {
		s.broken(w, r, "timeline", g.err)
		return nil
	}
	lang := s.draw.LangOf(r)
	p.Found, p.Calendar = g.made, func(url string) string { return c.calendarPath(lang, replay.Canonical(url)) }
	return p
}

// pairOf is a crawl and what visited its pages again.
type pairOf struct {
	visits []archive.Visit
	step   draw.TimelineStep
}

// paired returns the pair that begins with a crawl, or the newest one; nil if there is none. steps are the newest pairs of crawls.
func (c *Collection) paired(id string) (pair *pairOf, steps []draw.TimelineStep, err error) {
	visits, names, err := c.traced("")
	if err != nil || len(names) == 0 {
		return nil, nil, err
	}
	for i := range names[1:] {
		steps = append(steps, draw.TimelineStep{From: names[i], To: names[i+1]})
	}
	if id == "" && len(names) == 1 {
		id = names[0] // which may have two rounds
	}
	if id != "" {
		if visits, names, err = c.traced(id); err != nil {
			return nil, nil, err
		}
	}
	n := len(visits)
	if n < 2 {
		return nil, steps, nil
	}
	return &pairOf{visits[n-2:], draw.TimelineStep{From: names[n-2], To: names[n-1]}}, steps, nil
}

// readTimeline compares the pages of two visits.
func readTimeline(c *Collection, visits []archive.Visit, host string) (found *quality.Defects, err error) {
	ctx, stop := context.WithTimeout(context.Background(), maxReading)
	defer stop()
	reader, done := keptChanges(c)
	defer func() { err = errors.Join(err, done()) }()
	of, err := quality.Within(host)
	if err != nil {
		return nil, err
	}
	for comparer, err := range archive.Comparers(ctx, vfs.Default, c.Dir, visits) {
		if err != nil {
			return nil, err
		}
		comparer.Reader, comparer.Links, comparer.Bars = reader, c.Links, quality.MostBars
		return comparer.Defects(ctx, func(e *cdx.Entry) bool { return of(e) && visits[0].Has(e) }, func(e *cdx.Entry) bool { return of(e) && visits[1].Has(e) })
	}
	return nil, nil
}

// TimelineFile returns the picture of a timeline as an SVG file; lang is "en" or "fa".
func TimelineFile(lang string, found *quality.Defects) []byte {
	return draw.TimelineFile(pages.Lang(lang), found)
}
