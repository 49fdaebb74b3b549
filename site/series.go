package site

// This file tells how the pages of a collection, or of a host, behave over a series of crawls.

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"kavosh/change"
	"kavosh/lib/cdx"
	"kavosh/pages"
	"kavosh/quality"
	"kavosh/record"
	"kavosh/replay"
	"kavosh/site/draw"
)

// Bounds of a series.
const (
	maxSeries  = 2_000_000 // captures that are read
	maxBehaved = 20_000    // pages that are looked at
	maxVisits  = 200       // crawls, the newest
	maxDays    = 100       // different days of captures; of more, months are shown
)

// seriesPage shows how pages behave over a series of crawls.
func (s *Site) seriesPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	p := s.series(w, r, c)
	if p == nil {
		return
	}
	often, err := Often(r.Context(), p.Grid, func(q cdx.Query) iter.Seq2[change.Version, error] { return c.readable(r.Context(), q) })
	if err == nil {
		p.Proposals, err = c.SeriesProposals(r.Context(), p.Grid, often, p.Host)
	}
	if err != nil {
		s.broken(w, r, "index", err)
		return
	}
	s.draw.Series(w, r, *p)
}

// seriesFile sends a picture of a series.
func (s *Site) seriesFile(w http.ResponseWriter, r *http.Request, c *Collection) {
	p := s.series(w, r, c)
	if p != nil && (len(p.Grid.Visits) < 2 || !s.draw.SeriesFile(w, r, *p, r.FormValue("picture"))) {
		s.problem(w, r, http.StatusNotFound, "no-page", "")
	}
}

// series reads a series; it returns nil after it has sent a problem.
func (s *Site) series(w http.ResponseWriter, r *http.Request, c *Collection) *draw.Series {
	host := strings.TrimSpace(r.FormValue("host"))
	q, err := quality.Of(host)
	if err != nil {
		s.problem(w, r, http.StatusBadRequest, "bad-request", err.Error())
		return nil
	}
	select { // one after the other: each takes a processor, and memory, for a while
	case s.learning <- struct{}{}:
		defer func() { <-s.learning }()
	case <-r.Context().Done():
		panic(http.ErrAbortHandler) // the client is gone
	}
	lang := s.draw.LangOf(r)
	p := &draw.Series{Collection: c.summary(), Host: host, Calendar: func(url string) string { return c.calendarPath(lang, replay.Canonical(url)) }}
	crawls, err := c.visits(r.Context())
	if err == nil {
		p.Grid, p.ByTime, err = SeriesOf(crawls, func() iter.Seq2[cdx.Entry, error] { return c.open(r.Context(), q, &p.Cut) })
	}
	if err != nil {
		s.broken(w, r, "index", err)
		return nil
	}
	return p
}

// open yields the captures that a query finds and whose content the reader may see, at most maxSeries; else cut is set.
func (c *Collection) open(ctx context.Context, q cdx.Query, cut *bool) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		n := 0
		for e, err := range c.Captures(ctx, q) {
			if n++; n > maxSeries {
				*cut = true
				return
			}
			if gate := e.Coll.Records.Gate; err == nil && gate != nil {
				refused, failed := gate.Refused(ctx, &e.Entry)
				if err = failed; refused != nil {
					continue
				}
			}
			if !yield(e.Entry, err) || err != nil {
				return
			}
		}
	}
}

// visits returns the crawls of a collection, the oldest first, without those that mend it.
func (c *Collection) visits(ctx context.Context) (visits []quality.Visit, err error) {
	if c.Crawls == nil {
		return nil, nil
	}
	list, err := c.Crawls.List(ctx)
	for _, one := range slices.Backward(list) {
		set := map[string]string{}
		for _, setting := range one.Config {
			set[setting.Name] = setting.Value
		}
		if set["patch"] == "" {
			visits = append(visits, quality.Visit{ID: one.ID, Started: one.Started, Seconds: one.Seconds, Sparse: quality.Sparse(set["keep"])})
		}
	}
	return visits, err
}

// SeriesOf reads how pages behave over crawls, the oldest first, by captures, which are read twice. Where they are not of several crawls,
// byTime is set: days count as such, or months, if there are many.
func SeriesOf(crawls []quality.Visit, captures func() iter.Seq2[cdx.Entry, error]) (g *quality.Grid, byTime bool, err error) {
	crawls = crawls[max(0, len(crawls)-maxVisits):]
	place := map[string]int{}
	for k := range crawls {
		place[crawls[k].ID] = k
	}
	of := func(e *cdx.Entry) int {
		if k, known := place[record.CrawlOf(e.Filename)]; known {
			return k
		}
		return -1
	}
	days, named := map[string]bool{}, map[int]bool{}
	for e, err := range captures() {
		if err != nil {
			return nil, false, err
		}
		if k := of(&e); k >= 0 {
			named[k] = true
		}
		if len(e.Timestamp) >= len(dayOf) {
			days[e.Timestamp[:len(dayOf)]] = true
		}
	}
	if byTime = len(named) < 2; byTime {
		crawls, of = spans(days)
	}
	if g, err = quality.ReadGrid(captures(), crawls, of, maxBehaved); err == nil {
		g.Group()
	}
	return g, byTime, err
}

// HabitWords says how pages of a group behave; lang is "en" or "fa".
func HabitWords(lang string, h quality.Habit) string { return draw.HabitWords(pages.Lang(lang), h) }

// dayOf is the form of the day at the beginning of the time of a capture.
const dayOf = "20060102"

// spans returns days as visits, or the months that they are of if they are many.
func spans(days map[string]bool) ([]quality.Visit, func(*cdx.Entry) int) {
	form := dayOf
	if len(days) > maxDays {
		form = dayOf[:6]
	}
	starts := map[string]time.Time{}
	for day := range days {
		if at, err := time.Parse(form, day[:len(form)]); err == nil {
			starts[day[:len(form)]] = at
		}
	}
	names := slices.Sorted(maps.Keys(starts))
	names = names[max(0, len(names)-maxVisits):]
	var visits []quality.Visit
	for _, name := range names {
		visits = append(visits, quality.Visit{Started: starts[name]})
	}
	return visits, func(e *cdx.Entry) int {
		if len(e.Timestamp) < len(form) {
			return -1
		}
		k, found := slices.BinarySearch(names, e.Timestamp[:len(form)])
		if !found {
			return -1
		}
		return k
	}
}
