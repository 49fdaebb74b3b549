package engine

// This file tells the schedule of a crawl that goes on what visits found.

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"strings"
	"time"

	"kavosh"
	"kavosh/frontier"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/schedule"
)

// finding is what a visit found.
type finding struct {
	at       time.Time
	status   int
	standIn  kavosh.StandIn
	whole    bool // the answer is complete
	listing  bool // a sitemap or feed
	digest   string
	mime     string
	modified time.Time // by its own word
	same     time.Time // when the archive got what was found; zero if that is new to it
	print    uint64    // scope.Print of what a browser showed; 0 if that is not known
	looked
}

// looked is what the payload of an answer tells.
type looked struct {
	weight float64 // importance of what changed, if it did: 0 if that is only noise, 1 if it is not known
	told   []told  // what a listing tells of other pages
}

// told is what a listing tells of a page.
type told struct {
	url      string
	modified time.Time
}

// mostTold is how many pages of one listing count.
const mostTold = 50_000

// found returns what a visit found.
func (v *revisits) found(x *kavosh.Exchange, captures []kavosh.Capture, page *kavosh.Page, l looked) *finding {
	if v == nil || !x.Answered() || x.Dropped != nil && x.Dropped.Kept == nil {
		return nil
	}
	f := &finding{
		at: x.Began, status: x.Status, standIn: page.StandIn, whole: x.Truncated == kavosh.Whole, listing: page.List,
		digest: captures[0].Digest, mime: captures[0].MIME, looked: l,
	}
	if x.Dropped != nil { // by --keep
		f.digest = v.recorder.DigestText(x.Digest)
	}
	if prior := x.Task.Prior; prior != nil {
		if x.Status == http.StatusNotModified {
			f.mime = prior.MIME
		}
		if x.Status == http.StatusNotModified || warc.SameDigest(f.digest, prior.Digest) {
			f.same = prior.Time
		}
	}
	f.modified, _ = httpwire.LastModified(x.Header) // zero if it says nothing
	return f
}

// look reads of an answer what its payload tells the schedule: how much a page changed, and what a listing tells.
func (v *revisits) look(o *reading, page *kavosh.Page) (l looked) {
	l.weight = 1
	switch {
	case v == nil:
	case page.List && v.opt.Revisits.Signals && o.lost == nil:
		l.told = toldBy(o, true)
	default:
		if d, ok := v.differs(o, page); ok {
			if l.weight = d.Importance; !d.Matters {
				l.weight = 0
			}
		}
	}
	return l
}

// observe tells the schedule what came of items that are about to be committed, and adds to their updates what is to be kept of
// it. release is called when the frontier has them.
func (v *revisits) observe(items []item) (release func(), err error) {
	if v == nil {
		return func() {}, nil
	}
	v.mu.Lock()
	if !v.opt.Revisits.Once {
		v.mu.schedule.Cross(v.clock.Now())
	}
	sites := map[uint32]bool{}
	last := -1
	for i := range items {
		it := &items[i]
		site, scheduled, err := v.observeOne(it)
		if err != nil {
			v.mu.Unlock()
			return func() {}, err
		}
		if scheduled {
			sites[site], last = true, i
		}
	}
	for n := range sites {
		host := v.mu.hosts[n]
		value := append([]byte{byte(min(len(host), 255))}, host[:min(len(host), 255)]...)
		items[last].update.Values = append(items[last].update.Values, frontier.Value{Name: keptSite + number(n), Value: v.mu.schedule.AppendSite(value, n)})
	}
	if last >= 0 {
		items[last].update.Values = append(items[last].update.Values, frontier.Value{Name: keptBegun, Value: v.mu.schedule.AppendBegun(nil)})
	}
	v.pages.Store(int64(v.mu.schedule.Pages()))
	return v.mu.Unlock, nil
}

// observeOne does that for one item, and returns the site that it concerns, if its page is scheduled.
func (v *revisits) observeOne(it *item) (site uint32, is bool, err error) {
	t, f := &it.update.Task, it.found
	if it.late != nil {
		return 0, false, v.showsLate(it)
	}
	if t.Part() {
		v.part(it)
	}
	if t.URL == "" || t.Variant || !it.update.Retry.IsZero() || !t.Page() && (t.Kind != kavosh.Sitemap || v.opt.Revisits.Once) {
		return 0, false, nil
	}
	s := v.mu.schedule
	id, known, err := v.numberOf(t.URL)
	if err != nil {
		return 0, false, err
	}
	var p scheduled
	switch {
	case known:
		if p, err = v.page(id); err != nil {
			return 0, false, err
		}
	case f == nil || !f.begins(t) || v.second() || f.listing && v.opt.Revisits.Once:
		return 0, false, nil
	default:
		p.url = t.URL
		site = v.site(t.URL)
		page := schedule.Page{Site: site, Listing: f.listing && v.opt.Revisits.Signals}
		if v.opt.Revisits.Once && httpwire.ChangedBefore(f.modified, f.at) { // one change, so long ago
			page.Changes, page.Watched = 1, float32(f.at.Sub(f.modified).Hours())
		}
		id = s.Add(page)
	}
	before := s.Page(id)
	o := schedule.Observation{At: v.clock.Now(), Lost: true}
	if f != nil {
		o = f.observe(&p)
		o.At = f.at
	}
	s.SetRule(id, v.ruleOf(&p))
	s.Observe(id, o)
	if known && f != nil && !o.Lost {
		it.visited, it.changed = true, o.Changed
	}
	switch {
	case v.second():
		v.tested(it, &before)
	case p.misses < goneTimes:
		it.update.Again = frontier.Someday()
	}
	p.state = s.AppendPage(nil, id)
	site = s.Page(id).Site
	it.update.Values = append(it.update.Values, frontier.Value{Name: pageName(id), Value: p.append(nil)})
	if !known {
		it.update.Values = append(it.update.Values, frontier.Value{Name: numberName(t.URL), Value: []byte(number(uint32(id)))})
	}
	if f != nil && f.listing && v.opt.Revisits.Signals {
		if err := v.signal(it, f); err != nil {
			return 0, false, err
		}
	}
	return site, true, nil
}

// A style or script makes the look of many pages, and may change under its URL. It is asked for again when it has been the same as
// long as it was known to be, and within these bounds: so one that changes is asked for daily, one that never does a few times a year.
const (
	leastOfPart = 24 * time.Hour
	mostOfPart  = 90 * 24 * time.Hour
)

// part plans when a part of pages is asked for again. It is in no budget: its time doubles as long as it stays the same.
func (v *revisits) part(it *item) {
	t, f := &it.update.Task, it.found
	if v.opt.Browser != nil && f != nil && !t.Variant && it.update.Retry.IsZero() && isData(f.mime) {
		it.update.Again = frontier.Someday() // when its page is loaded again
		return
	}
	if v.opt.Revisits.Once || f == nil || t.Variant || !it.update.Retry.IsZero() || !shapes(f.mime) {
		return
	}
	known := time.Duration(0)
	if !f.same.IsZero() {
		known = f.at.Sub(f.same)
	}
	it.update.Again = v.clock.Now().Add(min(max(known, leastOfPart), mostOfPart))
}

// shapes reports whether a part of a media type makes how pages look.
func shapes(mime string) bool {
	return mime == "text/css" || strings.HasSuffix(mime, "javascript") || strings.HasSuffix(mime, "ecmascript")
}

// signal tells the schedule what a listing tells of pages. What it tells of changes is kept.
func (v *revisits) signal(it *item, f *finding) error {
	s := v.mu.schedule
	site := v.site(it.update.Task.URL)
	for _, told := range f.told {
		id, known, err := v.numberOf(told.url)
		if err != nil {
			return err
		}
		if !known || s.Page(id).Site != site { // nobody speaks for others
			continue
		}
		s.Signal(id, f.at, told.modified)
		if s.Page(id).ToldChange {
			p, err := v.page(id)
			if err != nil {
				return err
			}
			p.state = s.AppendPage(nil, id)
			it.update.Values = append(it.update.Values, frontier.Value{Name: pageName(id), Value: p.append(nil)})
		}
	}
	return nil
}

// begins reports whether what was found is visited again: pages that are there, listings, and redirects of seeds.
func (f *finding) begins(t *kavosh.Task) bool {
	switch {
	case f.standIn == kavosh.Wall || f.standIn == kavosh.Login || f.standIn == kavosh.NotFound || f.standIn == kavosh.Parked:
		return false
	case f.status >= 300 && f.status < 400 && f.status != http.StatusNotModified:
		return t.Kind == kavosh.Seed
	}
	return f.status >= 200 && f.status < 300 || f.status == http.StatusNotModified
}

// sum returns a number for what was found: for what a browser showed, else for the digest.
func (f *finding) sum() uint64 {
	if f.print != 0 {
		return f.print | inBrowser
	}
	sum := sha256.Sum256([]byte(f.digest))
	return binary.BigEndian.Uint64(sum[:]) &^ inBrowser
}

// observe returns what was found in the words of the schedule, beside what was found last, and brings that up to date.
func (f *finding) observe(p *scheduled) (o schedule.Observation) {
	o.Modified = f.modified
	switch {
	case f.status == http.StatusNotFound || f.status == http.StatusGone || f.standIn == kavosh.NotFound || f.standIn == kavosh.Parked:
		o.Changed, o.E = p.misses == 0, 1
		p.misses = min(p.misses+1, goneTimes)
		p.digest = 0
		return o
	case f.status == http.StatusNotModified && f.print == 0:
		if p.digest == 0 {
			p.digest = f.sum()
		}
	case f.status < 200 || f.status >= 400 || !f.whole || f.standIn == kavosh.Wall || f.standIn == kavosh.Login:
		o.Lost = true
		return o
	default:
		digest := f.sum()
		if o.Changed, o.E = digest != p.digest, f.weight; p.digest != 0 && !alike(digest, p.digest) {
			o.Changed = f.same.IsZero()
		}
		p.digest = digest
		if o.E == 0 {
			o.Changed = false
		}
	}
	p.misses = 0
	if f.mime != "" {
		p.mime = f.mime
	}
	return o
}
