package engine

// This file is the second round of a crawl that visits its pages twice (--revisit once). When nothing is left of the first, each
// page is asked for once more, in the order of package schedule, by a conditional request through the same queue; then the
// crawl ends. archive.CoherenceOf makes of both rounds what the report tells.
//
// The frontier keeps when the second round began. All else comes from what revisits keep of each page, so that a crawl that
// was killed works out the same order again for what is not queued yet.

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
	"kavosh/schedule"
)

// secondRound is the class of refusing links that only the second round finds.
const secondRound scope.Reason = "second-round"

// keptTurn is the name under which the frontier keeps when the second round began, and how many bytes the first recorded.
const keptTurn = "schedule/turn"

// turns reports whether the first round of two is on.
func (v *revisits) turns() bool { return v != nil && v.opt.Revisits.Once && v.begun.Load() == 0 }

// second reports whether the second round of two is on.
func (v *revisits) second() bool { return v != nil && v.begun.Load() != 0 }

// repeats reports whether a task is a visit of the second round, other than one of a new part.
func (v *revisits) repeats(t *kavosh.Task) bool { return v.second() && t.Again }

// loadTurn takes up when the second round began, if it did.
func (v *revisits) loadTurn() error {
	kept, err := v.frontier.Get(keptTurn)
	if err == nil && len(kept) == 16 {
		v.begun.Store(int64(binary.BigEndian.Uint64(kept)))
		v.brought = int64(binary.BigEndian.Uint64(kept[8:]))
	}
	return err
}

// recallTurn goes on with the second round that an earlier run began.
func (v *revisits) recallTurn(ctx context.Context) error {
	if !v.second() {
		return nil
	}
	v.quota.change(func(q *quota) { q.turned(v.brought) })
	return v.queueSecond(ctx)
}

// turn begins the second round. No worker has anything. It begins with a second, so that the times in indexes, which are
// exact to the second, tell the rounds apart.
func (v *revisits) turn(ctx context.Context) error {
	now := v.clock.Now()
	begins := now.Truncate(time.Second).Add(time.Second)
	if v.clock.Sleep(ctx, begins.Sub(now)) != nil {
		return nil // the first round is over, and the second begins when the crawl goes on
	}
	kept := binary.BigEndian.AppendUint64(nil, uint64(begins.UnixNano()))
	v.quota.change(func(q *quota) { kept = binary.BigEndian.AppendUint64(kept, uint64(q.bytes)) })
	if err := v.frontier.Put(keptTurn, kept); err != nil {
		return err
	}
	v.begun.Store(begins.UnixNano())
	if err := v.archive.Index.Flush(); err != nil { // which tells how often pages changed in earlier crawls
		return err
	}
	return v.queueSecond(ctx)
}

// onceMore is a page whose second visit is to be queued.
type onceMore struct {
	id    schedule.ID
	same  float32 // the chance that it is as it was
	loss  float64
	group uint64 // of pages that are alike
	host  uint64
	known schedule.Known
}

// hostRound is the first round of a host.
type hostRound struct {
	known       schedule.Known
	first, last uint32
}

// queueSecond queues the second visits that are not queued or made yet. If ctx ends, it leaves the rest to the run that goes on.
func (v *revisits) queueSecond(ctx context.Context) error {
	full := false
	v.quota.change(func(q *quota) { full = q.full() })
	if err := v.frontier.Only(!full, true); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	pages, err := v.orderSecond(ctx)
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(pages, handOutAtOnce) {
		if ctx.Err() != nil {
			return nil
		}
		var visits []frontier.Change
		for i := range batch {
			p, err := v.page(batch[i].id)
			if err != nil {
				return err
			}
			visits = append(visits, frontier.Change{URL: p.url, Score: batch[i].loss, Why: batch[i].why()})
		}
		if _, err := v.frontier.RecallAs(visits, nil); err != nil {
			return err
		}
	}
	return nil
}

// why says in words why a page is where it is in the second round.
func (m *onceMore) why() string {
	if m.same < hopeless {
		return fmt.Sprintf("second visit: hopeless, since it is another by now with %.0f %%", 100*(1-m.same))
	}
	return fmt.Sprintf("second visit: as it was with %.0f %%, of which waiting to the end would lose %.1f", 100*m.same, 100*m.loss)
}

// hopeless is the chance to be as it was below which a page is called so. It orders nothing.
const hopeless = 0.05

// orderSecond returns the pages that were not visited twice, those that lose most by waiting first; none if ctx ends. Rates come from earlier
// crawls of the archive, or from Last-Modified; what is not known of a page is as with others of its host, depth and type.
func (v *revisits) orderSecond(ctx context.Context) ([]onceMore, error) {
	begun := v.begun.Load() / int64(time.Second)
	index := archive.RecordsOf(v.fs, v.opt.Archive).Index
	seed := maphash.MakeSeed()
	groups, hosts := map[uint64]schedule.Known{}, map[uint64]*hostRound{}
	var all schedule.Known
	var pages []onceMore
	for k, err := range v.frontier.Values(keptPage) {
		if err != nil || ctx.Err() != nil {
			return nil, err
		}
		p, err := parseScheduled(k.Value)
		if err != nil || len(k.Name) != len(keptPage)+4 {
			return nil, fmt.Errorf("%w: a page of the second round", frontier.ErrDamaged)
		}
		id := schedule.ID(binary.BigEndian.Uint32([]byte(k.Name[len(keptPage):])))
		page := v.mu.schedule.Page(id)
		if int64(page.Last) >= begun {
			continue
		}
		m := onceMore{id: id, known: schedule.Known{Changes: float64(page.Changes), Hours: float64(page.Watched)}}
		if !v.first {
			if known, err := history(ctx, index, p.url, time.Unix(begun, 0)); err != nil {
				return nil, err
			} else if known.Hours > 0 {
				m.known = known
			}
		}
		host := weburl.Host(p.url)
		m.host, m.group = maphash.String(seed, host), maphash.String(seed, fmt.Sprint(host, " ", depth(p.url), " ", p.mime))
		if hosts[m.host] == nil {
			hosts[m.host] = &hostRound{first: page.Last}
		}
		h := hosts[m.host]
		h.first, h.last = min(h.first, page.Last), max(h.last, page.Last)
		h.known.Add(m.known)
		of := groups[m.group]
		of.Add(m.known)
		groups[m.group] = of
		all.Add(m.known)
		pages = append(pages, m)
	}
	for i := range pages {
		m := &pages[i]
		h := hosts[m.host]
		seen := schedule.Seen{Rate: schedule.Drawn(m.known, groups[m.group], h.known, all), Since: float64(begun-int64(v.mu.schedule.Page(m.id).Last)) / 3600}
		m.same, m.loss = float32(seen.Same()), seen.Loss(float64(h.last-h.first+1)/3600) // it will take as long as the first
	}
	slices.SortStableFunc(pages, func(a, b onceMore) int { return cmp.Compare(b.loss, a.loss) })
	return pages, nil
}

// depth returns how many folders deep a URL is, at most five.
func depth(url string) int {
	_, path, _ := strings.Cut(url, "://")
	path, _, _ = strings.Cut(path, "?")
	return min(strings.Count(path, "/"), 6) - 1
}

// mostHistory is how many captures of a page count, the last ones.
const mostHistory = 400

// history returns what earlier captures of a page, up to a time, tell of how often it changes.
func history(ctx context.Context, index records.Index, url string, until time.Time) (schedule.Known, error) {
	var past []cdx.Entry
	for e, err := range index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact, To: until.UTC().Add(-time.Second).Format("20060102150405")}) {
		if err != nil {
			return schedule.Known{}, err
		}
		if e.URL == url && e.Get("method") == "" && e.Get("variant") == "" && e.Get(cdx.Of) == "" && (e.MIME == cdx.Revisit || e.Status/100 == 2) {
			if past = append(past, e); len(past) > mostHistory {
				past = slices.Delete(past, 0, 1)
			}
		}
	}
	if len(past) < 2 {
		return schedule.Known{}, nil
	}
	changed := 0
	for i := 1; i < len(past); i++ {
		if d := past[i].Digest; d != "" && past[i-1].Digest != "" && !warc.SameDigest(d, past[i-1].Digest) {
			changed++
		}
	}
	return schedule.Counted(len(past), changed, past[len(past)-1].Time().Sub(past[0].Time()).Hours()), nil
}

// An answer 304 of the second round is checked now and then: the page is asked for again, in full. Each host is checked at its
// first, and then at one URL of checkedOf, which its hash chooses. A host of which one was not true is asked in full from
// then on.

// checkedOf is how many answers 304 there are for one that is checked.
const checkedOf = 50

// checkWhy is Task.Why of a visit that checks an answer 304.
const checkWhy = "asks for the whole page, to check the answer 304"

// tested notes what the second visit of a page told. before is what was known of it.
func (v *revisits) tested(it *item, before *schedule.Page) {
	t, f := &it.update.Task, it.found
	host := weburl.Host(t.URL)
	if int64(before.Last) >= v.begun.Load()/int64(time.Second) { // it was visited twice: this is the check
		it.visited, it.checked = false, it.visited
		if modified := f != nil && !f.modified.Before(time.Unix(int64(before.Last), 0)); it.changed && !modified {
			it.lied = true
			v.liars.Store(host, true)
		}
		return
	}
	if f != nil && f.status == 304 && (!v.mu.checked[host] || isChecked(t.URL)) {
		v.mu.checked[host] = true
		t.Why, it.update.Again = checkWhy, v.clock.Now()
	}
}

// isChecked reports whether the hash of a URL chooses it.
func isChecked(url string) bool {
	sum := numberName(url)
	return binary.BigEndian.Uint32([]byte(sum[len(sum)-4:]))%checkedOf == 0
}

// doubts reports whether a page is asked for in full though the archive has it.
func (v *revisits) doubts(t *kavosh.Task) bool {
	if !v.second() || !t.Again {
		return false
	}
	_, liar := v.liars.Load(weburl.Host(t.URL))
	return liar || t.Why == checkWhy
}

// whySecond says how it stands with the second visit of a page.
func (v *revisits) whySecond(p *schedule.Page) string {
	last := time.Unix(int64(p.Last), 0).UTC().Format(time.DateTime)
	switch begun := v.begun.Load() / int64(time.Second); {
	case begun == 0:
		return "visited " + last + ", and once more when all pages are"
	case int64(p.Last) >= begun:
		return "visited the second time " + last
	}
	return fmt.Sprintf("visited %s, and once more in this round", last)
}
