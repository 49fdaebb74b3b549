package site

// This file tells how whole the pages of a collection are, of a host, or of a crawl.

import (
	"context"
	"net/http"
	"strings"
	"time"

	"kavosh/archive"
	"kavosh/lib/cdx"
	"kavosh/quality"
	"kavosh/record"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// Bounds of a page of quality.
const (
	maxWorst    = 20               // pages and missing parts that are listed
	maxLooking  = 10 * time.Second // for which pages are looked at
	wholeWithin = 0.02             // how well the share of whole pages is to be known
)

// qualityPage shows what pages lack: those of a collection, of a host, or of a crawl. Some are looked at, picked at random.
func (s *Site) qualityPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	p := draw.Quality{Collection: c.summary(), Host: strings.TrimSpace(r.FormValue("host")), Crawl: r.FormValue("crawl"), Time: s.now()}
	if c == s.all {
		for _, m := range c.members {
			p.Members = append(p.Members, m.summary())
		}
		s.draw.Quality(w, r, p)
		return
	}
	q, err := quality.Of(p.Host)
	if err != nil {
		s.problem(w, r, http.StatusBadRequest, "bad-request", err.Error())
		return
	}
	select { // one after the other: each takes a processor for a while
	case s.learning <- struct{}{}:
		defer func() { <-s.learning }()
	case <-r.Context().Done():
		panic(http.ErrAbortHandler) // the client is gone
	}
	of := func(e *cdx.Entry) bool { return p.Crawl == "" || record.CrawlOf(e.Filename) == p.Crawl }
	sum, err := s.look(r.Context(), c, q, of, &p)
	if err != nil {
		s.broken(w, r, "quality", err)
		return
	}
	s.worst(r, c, sum, &p)
	s.draw.Quality(w, r, p)
}

// look looks at pages until enough is known, or the time is over.
func (s *Site) look(ctx context.Context, c *Collection, q cdx.Query, of func(*cdx.Entry) bool, p *draw.Quality) (*quality.Summary, error) {
	limited, stop := context.WithTimeout(ctx, maxLooking)
	defer stop()
	sum := quality.NewSummary(maxWorst, maxWorst)
	reader := quality.Reader{Records: c.Records, Links: archive.ExtractedLinks()}
	for page, err := range reader.Sample(limited, q, of, 1, func(n int) { sum.Sample = quality.NewSample(n) }) {
		if limited.Err() != nil && ctx.Err() == nil {
			p.Late = true
			break
		}
		if err != nil {
			return nil, err
		}
		sum.Add(page)
		p.Count(page.Damage, page.Unread != "")
		if sum.Sample.Whole.Within(wholeWithin) {
			break
		}
	}
	sum.End()
	return sum, nil
}

// worst fills in what was found, for people.
func (s *Site) worst(r *http.Request, c *Collection, sum *quality.Summary, p *draw.Quality) {
	p.Pages, p.Parts, p.Lacking, p.Unfit = sum.Pages, sum.Parts, sum.Lacking, sum.Unfit
	if a := sum.Sample; a != nil && sum.Pages > 0 {
		p.Of, p.Low, p.High, p.Damage, p.DamageLow, p.DamageHigh = a.Of, a.Whole.Low, a.Whole.High, sum.Damage, a.Damage.Low, a.Damage.High
	}
	lang := s.draw.LangOf(r)
	p.Worst = make([]draw.BadPage, len(sum.Worst))
	var faces []faced
	for i, page := range sum.Worst {
		e := page.Capture
		url := replay.Canonical(e.URL)
		bad := draw.BadPage{Damage: page.Damage, Unfit: len(page.Unfit), Unread: page.Unread != "", Address: draw.Address{
			URL: url, Calendar: c.calendarPath(lang, url), Last: page.Time, Path: c.replayed(e.Timestamp, rewrite.Page, e.URL), Status: e.Status}}
		for _, part := range page.Lacks {
			bad.Lack(string(part.As))
		}
		p.Worst[i] = bad
		faces = append(faces, faced{replay.Capture{Entry: e, Coll: c.Collection}, e.Type(), &p.Worst[i].Face})
	}
	s.recognise(r.Context(), c, faces)
	for _, m := range sum.Missing {
		if m.State == quality.Closed {
			continue // who may not see it is not told of it either
		}
		url := replay.Canonical(m.URL)
		p.Missing = append(p.Missing, draw.MissingPart{As: string(m.As), URL: url, Calendar: c.calendarPath(lang, url), Code: m.Code, Pages: m.Pages})
	}
}
