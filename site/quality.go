package site

// This file tells how whole the pages of a collection are, of a host, or of a crawl.

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/lib/cdx"
	"kavosh/pages"
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
	measuredFor = 10 * time.Minute // how long what was found is shown
	maxMeasures = 1000             // that are kept
)

// qualityPage shows what pages lack: those of a collection, of a host, or of a crawl. Some are looked at, picked at random.
func (s *Site) qualityPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	of := measureOf{c, strings.TrimSpace(r.FormValue("host")), r.FormValue("crawl"), c.Edition()}
	if c == s.all {
		p := draw.Quality{Collection: c.summary()}
		for _, m := range c.members {
			p.Members = append(p.Members, m.summary())
		}
		s.draw.Quality(w, r, p)
		return
	}
	if _, err := quality.Of(of.host); err != nil {
		s.problem(w, r, http.StatusBadRequest, "bad-request", err.Error())
		return
	}
	if known, err := c.hasCrawl(r.Context(), of.crawl); err != nil {
		s.broken(w, r, "crawls", err)
		return
	} else if !known {
		s.problem(w, r, http.StatusNotFound, "no-crawl", "")
		return
	}
	m, err := s.measure(r.Context(), of)
	switch {
	case err != nil:
		s.broken(w, r, "quality", err)
		return
	case m == nil:
		w.Header().Set("Retry-After", "60")
		s.problem(w, r, http.StatusServiceUnavailable, "busy", "")
		return
	}
	p := m.page
	s.worst(r, c, m.sum, &p)
	found := m.sum.Proposals()
	if m.looks != nil {
		found = append(found, m.looks.Proposals()...)
		p.Looked = s.looked(r, c, m.looks, p.Looked.Made)
	}
	if p.Proposals, err = c.Proposals(r.Context(), of.crawl, of.host, found); err != nil {
		s.broken(w, r, "crawls", err)
		return
	}
	s.draw.Quality(w, r, p)
}

// hasCrawl reports whether a collection has a crawl with an ID; "" is any.
func (c *Collection) hasCrawl(ctx context.Context, id string) (bool, error) {
	if id == "" || c.Crawls == nil {
		return id == "", nil
	}
	list, err := c.Crawls.List(ctx)
	return slices.ContainsFunc(list, func(one draw.Crawl) bool { return one.ID == id }), err
}

// measureOf names what was measured.
type measureOf struct {
	coll        *Collection
	host, crawl string
	edition     string // of the access rules
}

// measured is what was found, as everybody may see it.
type measured struct {
	page  draw.Quality // without what depends on the reader's language
	sum   *quality.Summary
	looks *quality.Fidelity // of pages as they were replayed; nil if nobody looked
	until time.Time         // when to measure again
}

// measures keeps what was found for a while.
type measures struct {
	mu sync.Mutex
	of map[measureOf]*measured
}

func (k *measures) kept(of measureOf, now time.Time) *measured {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m := k.of[of]; m != nil && now.Before(m.until) {
		return m
	}
	return nil
}

func (k *measures) keep(of measureOf, m *measured) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.of) >= maxMeasures || k.of == nil {
		k.of = map[measureOf]*measured{}
	}
	k.of[of] = m
}

// measure returns what is known of pages, and looks at them if it is not known or old. It returns nil if others are being looked at for
// long.
func (s *Site) measure(ctx context.Context, of measureOf) (*measured, error) {
	if m := s.measures.kept(of, s.now()); m != nil {
		return m, nil
	}
	wait := time.NewTimer(maxLooking)
	defer wait.Stop()
	select { // one after the other: each takes a processor for a while
	case s.learning <- struct{}{}:
		defer func() { <-s.learning }()
	case <-wait.C:
		return nil, nil
	case <-ctx.Done():
		panic(http.ErrAbortHandler) // the client is gone
	}
	if m := s.measures.kept(of, s.now()); m != nil {
		return m, nil
	}
	m, err := s.look(of)
	if err == nil {
		m.until = s.now().Add(measuredFor)
		s.measures.keep(of, m)
	}
	return m, err
}

// look looks at pages until enough is known, or the time is over, as somebody who is nowhere in particular may see them.
func (s *Site) look(of measureOf) (*measured, error) {
	q, err := quality.Of(of.host)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(context.Background(), maxLooking)
	defer stop()
	sum := quality.NewSummary(maxWorst, maxWorst)
	m := &measured{page: draw.Quality{Collection: of.coll.summary(), Host: of.host, Crawl: of.crawl}, sum: sum}
	reader := quality.Reader{Records: of.coll.Records, Links: archive.ExtractedLinks()}
	captured := func(e *cdx.Entry) bool { return of.crawl == "" || record.CrawlOf(e.Filename) == of.crawl }
	for page, err := range reader.Sample(ctx, q, captured, 1, func(n int) { sum.Sample = quality.NewSample(n) }) {
		if ctx.Err() != nil {
			m.page.Late = true
			break
		}
		if err != nil {
			return nil, err
		}
		sum.Add(page)
		m.page.Count(page.Damage, page.Unread != "")
		if sum.Sample.Whole.Within(wholeWithin) {
			break
		}
	}
	sum.End()
	if of.host != "" || of.crawl != "" || of.coll.Dir == "" || sum.Sample == nil {
		return m, nil
	}
	m.page.Looked = &draw.Looked{}
	m.looks, m.page.Looked.Made, err = reader.Kept(ctx, vfs.Default, filepath.Join(of.coll.Dir, "derived", quality.LooksName), sum.Sample.Of, maxWorst)
	if err != nil { // which was made by hand, or takes too long
		m.page.Looked, m.looks = nil, nil
	}
	return m, nil
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
		bad := draw.BadPage{Damage: page.Damage, Unfit: len(page.Unfit) + page.MoreUnfit, Unread: page.Unread != "", Address: c.addressOf(lang, &e)}
		for _, part := range page.Lacks {
			bad.Lack(string(part.As), 1)
		}
		for as, n := range page.MoreLacks {
			bad.Lack(string(as), n)
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

// addressOf returns a capture with the pages that it leads to.
func (c *Collection) addressOf(lang pages.Lang, e *cdx.Entry) draw.Address {
	url := replay.Canonical(e.URL)
	return draw.Address{URL: url, Calendar: c.calendarPath(lang, url), Last: e.Time(), Path: c.replayed(e.Timestamp, rewrite.Page, e.URL), Status: e.Status}
}

// looked returns what was found of pages as they were replayed, for people.
func (s *Site) looked(r *http.Request, c *Collection, f *quality.Fidelity, made time.Time) *draw.Looked {
	p := &draw.Looked{Made: made, Pages: f.Pages, Random: f.Random, Of: f.Of, Faithful: f.Faithful, Low: f.Share.Low, High: f.Share.High, DamageLow: f.Damage.Low, DamageHigh: f.Damage.High,
		Worst: make([]draw.BadPage, len(f.Worst))}
	var faces []faced
	for i, k := range f.Worst {
		bad := draw.BadPage{Damage: k.Damage, Address: c.addressOf(s.draw.LangOf(r), &k.Capture), Blank: k.Blank, Unrendered: k.Failed != "", Leaks: len(k.Leaks), Cut: len(k.Cut), Unlisted: k.More}
		if k.StandIn != kavosh.NoStandIn {
			bad.StandIn = string(k.StandIn)
		}
		if k.Beside != nil {
			bad.Likeness = k.Beside.Picture
		}
		for _, part := range k.Lacks {
			bad.Lack(string(part.As), 1)
		}
		p.Worst[i] = bad
		faces = append(faces, faced{replay.Capture{Entry: k.Capture, Coll: c.Collection}, k.Capture.Type(), &p.Worst[i].Face})
	}
	s.recognise(r.Context(), c, faces)
	return p
}
