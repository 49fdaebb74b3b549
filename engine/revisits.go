package engine

// This file lets a crawl go on: pages that are done are visited again when a schedule says so (package schedule). finding.go
// tells the schedule what visits found.
//
// The schedule keeps 48 bytes a page in memory; all else of a page is a value in the frontier: its URL, the digest of what was
// found last, and what the schedule knows. A value is written with the frontier's update of the page, after the records of the
// visit, so that a crash leaves the schedule as it was at the last record. The value of a visit that is handed out is written in
// the same write that queues its URL.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/internal/clock"
	"kavosh/lib/weburl"
	"kavosh/plan"
	"kavosh/schedule"
)

// Revisits say how a crawl goes on.
type Revisits struct {
	schedule.Plan
	Rules []RevisitRule
}

// RevisitRule bounds how often some pages are visited. The first that fits a page holds for it.
type RevisitRule struct {
	schedule.Rule
	Fits func(url, mime string) bool
}

// Rules of pages that are gone come after those of Revisits.Rules, of which number 0 bounds nothing.
const (
	ruleSeldom = iota + 1 // past the last rule
	ruleNever
)

// A page that is gone is asked for this seldom, and no more when it was gone so many times in a row.
const (
	goneLeast = 7 * 24 * time.Hour
	goneTimes = 3
)

// mostSites is how many hosts the schedule tells apart; those beyond share what is known with others.
const mostSites = 1 << 16

// revisits is the schedule of a crawl that goes on. A nil one is that of a crawl that does not.
type revisits struct {
	*crawl
	pages   atomic.Int64 // scheduled
	begun   atomic.Int64 // when the second round began of a crawl that visits its pages twice (secondround.go), in nanoseconds since 1970; 0 before
	brought int64        // bytes that the first round recorded, if an earlier run began the second
	liars   sync.Map     // hosts of which an answer 304 was not true
	mu      struct {
		sync.Mutex // held from what a visit found until the frontier has it; before the frontier's own locks
		schedule   *schedule.Schedule
		sites      map[string]uint32 // by host
		hosts      []string          // by number of the site: that which had it first
		rules      []RevisitRule
		checked    map[string]bool // hosts of which an answer 304 is checked
	}
}

// newRevisits makes an empty schedule of the crawl; nil if it does not go on.
func newRevisits(c *crawl) *revisits {
	o := c.opt.Revisits
	if o == nil {
		return nil
	}
	v := &revisits{crawl: c}
	v.mu.sites, v.mu.checked = map[string]uint32{}, map[string]bool{}
	v.mu.rules = append([]RevisitRule{{Fits: func(string, string) bool { return false }}}, o.Rules...)
	rules := make([]schedule.Rule, len(v.mu.rules), len(v.mu.rules)+2)
	for i := range v.mu.rules {
		rules[i] = v.mu.rules[i].Rule
	}
	rules = append(rules,
		schedule.Rule{Name: "gone", Spans: []schedule.Span{{Least: goneLeast}}},
		schedule.Rule{Name: "gone for good", Spans: []schedule.Span{{Until: time.Unix(1, 0)}}})
	v.mu.schedule = schedule.New(o.Chosen, schedule.Options{Start: c.began.Truncate(time.Second), Period: o.Period, Budget: o.Budget, Calendar: o.Calendar, Rules: rules, Seed: 1})
	return v
}

// load takes up what earlier runs have learned.
func (v *revisits) load() error {
	if v == nil {
		return nil
	}
	begun, err := v.frontier.Get(keptBegun)
	if err != nil || begun == nil {
		return err
	}
	if err := v.loadTurn(); err != nil {
		return err
	}
	s := v.mu.schedule
	damaged := func(err error) error { return fmt.Errorf("%w (%w)", frontier.ErrDamaged, err) }
	for k, err := range v.frontier.Values(keptSite) {
		if err != nil {
			return err
		}
		number, value, host := v.cutSite(k)
		if err := s.LoadSite(number, value); err != nil {
			return damaged(err)
		}
		if host == "" || int(number) != len(v.mu.hosts) {
			return damaged(errors.New("a site is missing"))
		}
		v.mu.sites[host], v.mu.hosts = number, append(v.mu.hosts, host)
	}
	for k, err := range v.frontier.Values(keptPage) {
		if err != nil {
			return err
		}
		p, err := parseScheduled(k.Value)
		if err != nil {
			return damaged(err)
		}
		id, err := s.LoadPage(p.state)
		if err != nil || k.Name != pageName(id) {
			return damaged(cmp.Or(err, errors.New("pages are missing")))
		}
		s.SetRule(id, v.ruleOf(&p))
	}
	if err := s.LoadBegun(begun); err != nil {
		return damaged(err)
	}
	v.pages.Store(int64(s.Pages()))
	return nil
}

// The names of values in the frontier.
const (
	keptPage   = "schedule/page/"   // and the number of the page: a scheduled
	keptNumber = "schedule/number/" // and the hash of a URL: the number of its page
	keptSite   = "schedule/site/"   // and the number of a site: its host and what is known of it
	keptBegun  = "schedule/begun"   // the period that is on
)

func number(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

func pageName(id schedule.ID) string { return keptPage + number(uint32(id)) }

func numberName(url string) string {
	sum := sha256.Sum256([]byte(url))
	return keptNumber + string(sum[:16])
}

// scheduled is what the frontier keeps of a page.
type scheduled struct {
	state  []byte // what the schedule knows, of schedule.PageSize bytes
	misses uint8  // how often it was gone in a row
	digest uint64 // of what was found last
	mime   string
	url    string
}

func (p *scheduled) append(b []byte) []byte {
	b = append(append(b, p.state...), p.misses)
	b = binary.BigEndian.AppendUint64(b, p.digest)
	mime := p.mime[:min(len(p.mime), 255)]
	return append(append(append(b, byte(len(mime))), mime...), p.url...)
}

func parseScheduled(b []byte) (p scheduled, err error) {
	const head = schedule.PageSize + 1 + 8 + 1
	if len(b) < head || len(b) < head+int(b[head-1]) {
		return p, errors.New("a page of the schedule is cut short")
	}
	mime := head + int(b[head-1])
	return scheduled{b[:schedule.PageSize:schedule.PageSize], b[schedule.PageSize], binary.BigEndian.Uint64(b[schedule.PageSize+1:]), string(b[head:mime]), string(b[mime:])}, nil
}

// site returns the number of a URL's site.
func (v *revisits) site(url string) uint32 {
	host := weburl.Host(url)
	n, ok := v.mu.sites[host]
	if !ok {
		if n = uint32(len(v.mu.hosts)); n >= mostSites {
			h := fnv.New32a()
			h.Write([]byte(host))
			return h.Sum32() % mostSites
		}
		v.mu.sites[host], v.mu.hosts = n, append(v.mu.hosts, host)
	}
	return n
}

// cutSite reads the value of a site.
func (v *revisits) cutSite(k frontier.Value) (n uint32, value []byte, host string) {
	if len(k.Name) == len(keptSite)+4 && len(k.Value) > 0 && int(k.Value[0]) < len(k.Value) {
		n = binary.BigEndian.Uint32([]byte(k.Name[len(keptSite):]))
		end := 1 + int(k.Value[0])
		return n, k.Value[end:], string(k.Value[1:end])
	}
	return 0, nil, ""
}

// ruleOf returns the rule that holds for a page.
func (v *revisits) ruleOf(p *scheduled) uint16 {
	switch {
	case p.misses >= goneTimes:
		return uint16(len(v.mu.rules) - 1 + ruleNever)
	case p.misses > 0:
		return uint16(len(v.mu.rules) - 1 + ruleSeldom)
	}
	for i := range v.mu.rules {
		if v.mu.rules[i].Fits(p.url, p.mime) {
			return uint16(i)
		}
	}
	return 0
}

// numberOf returns the number of a URL in the schedule.
func (v *revisits) numberOf(url string) (id schedule.ID, ok bool, err error) {
	value, err := v.frontier.Get(numberName(url))
	if err != nil || len(value) != 4 {
		return 0, false, err
	}
	return schedule.ID(binary.BigEndian.Uint32(value)), true, nil
}

// page reads what the frontier keeps of a page.
func (v *revisits) page(id schedule.ID) (scheduled, error) {
	value, err := v.frontier.Get(pageName(id))
	if err != nil {
		return scheduled{}, err
	}
	return parseScheduled(value)
}

// keep hands out visits when they are due, until ctx ends.
func (v *revisits) keep(ctx context.Context) {
	if v == nil || v.opt.Revisits.Once {
		return
	}
	for ctx.Err() == nil {
		next, err := v.handOut()
		if err != nil {
			if ctx.Err() == nil {
				v.pend.fail(v.diskError(err))
				v.halt("failed")
			}
			return
		}
		_ = v.clock.Sleep(ctx, max(next.Sub(v.clock.Now()), 0)) // ctx says whether it ended
	}
}

// handOutAtOnce bounds the visits that are handed out in one write.
const handOutAtOnce = 256

// handOut queues the pages that are due, and returns when others are.
func (v *revisits) handOut() (next time.Time, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s, now := v.mu.schedule, v.clock.Now()
	var urls []string
	var ids []schedule.ID
	var values []frontier.Value
	for {
		visit, at, due := s.Due(now)
		if next = at; !due || len(urls) == handOutAtOnce {
			if due {
				s.Leave(visit.Page)
			}
			break
		}
		p, err := v.page(visit.Page)
		if err != nil {
			return next, err
		}
		p.state = s.AppendPage(nil, visit.Page)
		ids, urls = append(ids, visit.Page), append(urls, p.url)
		values = append(values, frontier.Value{Name: pageName(visit.Page), Value: p.append(nil)})
	}
	if len(urls) == 0 {
		if s.Pages() > 0 && v.frontier.Stats().Queued == 0 && s.Over(now) {
			v.halt("done")
		}
		return next, nil
	}
	values = append(values, frontier.Value{Name: keptBegun, Value: s.AppendBegun(nil)})
	others, err := v.frontier.Recall(urls, values)
	if err != nil {
		return next, err
	}
	values = values[:0]
	for _, i := range others { // a person has queued it, or taken it out of the crawl
		s.Observe(ids[i], schedule.Observation{At: now, Lost: true})
		p, err := v.page(ids[i])
		if err != nil {
			return next, err
		}
		p.state = s.AppendPage(nil, ids[i])
		values = append(values, frontier.Value{Name: pageName(ids[i]), Value: p.append(nil)})
	}
	if len(values) > 0 {
		_, err = v.frontier.Recall(nil, values)
	}
	return next, err
}

// roundOf returns the number of the round that a time is in; 0 if the crawl does not go on.
func (v *revisits) roundOf(at time.Time) int {
	switch {
	case v == nil:
		return 0
	case v.opt.Revisits.Once:
		if begun := v.begun.Load(); begun != 0 && at.UnixNano() >= begun {
			return 2
		}
		return 1
	}
	return v.mu.schedule.Round(at)
}

// told says how the schedule goes, by the counts of the crawl.
func (v *revisits) told(n *counts, now time.Time) archive.Schedule {
	if v == nil {
		return archive.Schedule{}
	}
	o := v.opt.Revisits
	s := archive.Schedule{
		Policy: o.Spec, Seconds: o.Period.Seconds(), Budget: o.Budget, Pages: v.pages.Load(), Round: v.roundOf(now), Visits: n.Visited.Visits, Changed: n.Visited.Changed,
		Checked: n.Visited.Checked, Lied: n.Visited.Lied,
	}
	if o.Once {
		s.Seconds, s.Budget = 0, int(s.Pages)
	}
	if n.Visited.Round == s.Round {
		s.VisitsOfRound, s.ChangedOfRound = n.Visited.Now, n.Visited.Differ
	}
	return s
}

// storedWhy is why of the stopped crawl of the archive in dir, as if it went on now; "" if that cannot be told.
func storedWhy(dir string, info *archive.Crawl, url string) (why string) {
	p, err := plan.OfKept(info.Config)
	if err != nil || p.Revisit == "" {
		return ""
	}
	c := &crawl{clock: clock.Real{}, began: info.Started}
	if c.opt.Revisits, err = plannedRevisits(p); err != nil {
		return ""
	}
	err = frontier.Stored(vfs.Default, vfs.Default.PathJoin(dir, "crawls", info.ID, "frontier"), func(f *frontier.Frontier) (err error) {
		c.frontier = f
		v := newRevisits(c)
		if err = v.load(); err == nil {
			v.mu.schedule.Cross(c.clock.Now())
			why, err = v.why(url)
		}
		return err
	})
	if err != nil || why == "" {
		return ""
	}
	return "when --resume goes on, " + why
}

// why says when a page is visited again, and why then; "" if it is not scheduled.
func (v *revisits) why(url string) (string, error) {
	if v == nil {
		return "", nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	id, known, err := v.numberOf(url)
	if err != nil || !known {
		return "", err
	}
	s := v.mu.schedule
	p := s.Page(id)
	if v.opt.Revisits.Once {
		return v.whySecond(&p), nil
	}
	text := fmt.Sprintf("visited again by %s: %d visits, %d of them found a change; last visited %s", v.opt.Revisits.Spec, p.Visits, p.Changed, time.Unix(int64(p.Last), 0).UTC().Format(time.DateTime))
	if p.Out() {
		return text + "; it is asked for in this round", nil
	}
	if at, chosen := s.When(id); chosen {
		text += fmt.Sprintf("; due at %s, in round %d", at.Format(time.DateTime), s.Round(at))
	} else {
		text += fmt.Sprintf("; not among the %d visits of round %d, and weighed again for the next", s.Budget, s.Round(v.clock.Now()))
	}
	why := s.Why(id)
	if bounds := s.Bounds(id, v.clock.Now()); bounds != "" && bounds != why {
		text += "; " + bounds
	}
	return text + ": " + why, nil
}
