package engine

// This file accounts, when a crawl resumes, for what a crash left in the WARC files.

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/internal/journal"
	"kavosh/record"
)

// recover accounts for what an earlier run left, if there was one. The marks say how far the frontier knows: crawl.log
// is cut back to there, and each whole group of records beyond is read again and handed to the committer as if it had
// just been written, so that its links, its log lines and its done-mark come out as they would have. A group that the
// crash cut short is cut off; its URL is still queued.
func (c *crawl) recover() error {
	data, err := c.frontier.Get(frontier.Mark)
	if err != nil {
		return err
	}
	m := marks{Counts: newCounts()}
	m.Capture = c.archive.Captures.Begin()
	if data != nil {
		if err := json.Unmarshal(data, &m); err != nil {
			return fmt.Errorf("the marks of crawl %s are damaged: %w", c.id, err)
		}
	}
	c.tally.counts = m.Counts
	c.quota.finished, c.quota.bytes = places{m.Counts.Fetched - m.Counts.Twice, m.Counts.Pages}, m.Counts.Bytes
	c.seconds, c.seedsQueued, c.addedQueued = m.Counts.Seconds, m.Seeds, m.Sown
	if err := c.crawlLog.Cut(m.Log); err != nil {
		return err
	}
	if err := c.archive.Captures.Mend(m.Capture, c.archive.Index.Cursor()); err != nil {
		return err
	}
	if err := c.archive.CatchUp(); err != nil {
		return err
	}
	dropped := map[[2]uint64]*kavosh.Exchange{}
	each := func(found func(g record.Group) error) (int, error) {
		return record.Resume(c.fs, c.archive.WARC, c.id, m.WARC, func(g record.Group) error {
			if slices.Contains(m.Beyond, fmt.Sprintf("%d.%d", g.Task, g.Attempt)) {
				return nil
			}
			return found(g)
		})
	}
	some := false
	serial, err := each(func(g record.Group) error {
		some = true
		if g.Exchange.Dropped != nil {
			dropped[groupKey(&g)] = nil
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.newRecorder(serial)
	if c.afresh {
		c.pend.air[notYet] = written{} // the seeds come before all groups
		err := c.addSeeds()
		if err == nil {
			err = c.queueAddedSeeds()
		}
		if err != nil {
			return err
		}
		c.opt.Seeds = nil // they are kept now
	}
	if some {
		since := m.Capture
		if c.afresh { // the marks are new, the records are not
			since = c.archive.Captures.Begin()
		}
		logged, err := logged(c.archive, c.id, since)
		if err != nil {
			return err
		}
		if err := unspool(c.fs, c.spoolDir(), c.id, dropped); err != nil {
			return err
		}
		if _, err := each(func(g record.Group) error { return c.recount(g, logged, dropped) }); err != nil {
			return err
		}
	}
	delete(c.pend.air, notYet)
	if c.afresh {
		c.pend.hand(item{}) // so that marks go beyond what is asked for again, too
	}
	if err := c.commit(); err != nil {
		return err
	}
	if c.afresh {
		if err := c.frontier.Put(begunAnew, nil); err != nil {
			return err
		}
	}
	return c.openSpool()
}

// notYet is the entry in pend.air for all groups that are not accounted for yet: marks stay before the first of them.
const notYet = math.MaxUint64

// recount accounts for a group, the next one in the WARC files.
func (c *crawl) recount(g record.Group, logged map[uint64]struct{}, dropped map[[2]uint64]*kavosh.Exchange) error {
	if x := dropped[groupKey(&g)]; x != nil {
		x.Dropped, g.Exchange = g.Exchange.Dropped, x
	}
	c.pend.Lock()
	c.pend.air[notYet] = written{warc: c.recorder.PlaceOf(&g.Captures[0])}
	c.pend.Unlock()
	if err := c.account(g, logged); err != nil {
		return err
	}
	if c.pend.bytes >= maxPending {
		return c.commit()
	}
	return nil
}

// groupKey identifies a group.
func groupKey(g *record.Group) [2]uint64 { return [2]uint64{g.Task, uint64(g.Attempt)} }

// logged are the hashes of the records of a crawl that the capture log lists after a place: the crash came between
// the log and the marks. The log is only ever appended to, so that those who follow it need not look back.
func logged(a *archive.Archive, crawl string, after journal.Cursor) (map[uint64]struct{}, error) {
	records := map[uint64]struct{}{}
	from, err := a.Captures.Since(after)
	if err != nil {
		return nil, err
	}
	for capture, err := range a.Captures.Read(from) {
		if err != nil {
			return nil, err
		}
		if capture.Crawl == crawl {
			records[hashOf(capture.Record)] = struct{}{}
		}
	}
	return records, nil
}

// hashOf is a number for a record.
func hashOf(record string) uint64 {
	sum := sha256.Sum256([]byte(record))
	return binary.LittleEndian.Uint64(sum[:])
}

// account makes a recovered group's item and hands it to the committer. What is logged is not logged again.
func (c *crawl) account(g record.Group, logged map[uint64]struct{}) error {
	hand := func(it item) error {
		if it.line != nil {
			if err := c.recallPermit(it.line); err != nil {
				return err
			}
		}
		it.captures = slices.DeleteFunc(it.captures, func(capture kavosh.Capture) bool {
			_, is := logged[hashOf(capture.Record)]
			return is
		})
		c.quota.reserved = c.quota.reserved.plus(it.places) // as a worker did
		c.pend.hand(it)
		return nil
	}
	x := g.Exchange
	if g.Page != "" {
		it := item{task: kavosh.Task{ID: g.Task, Attempt: g.Attempt, URL: g.Page}, size: 1024}
		it.recorded(c.recorder, g.Captures)
		it.unloaded = func(all []unloaded) []unloaded { return rendered(g.Page, all) }
		return hand(it)
	}
	if d := x.Decided; d != nil {
		origin := strings.TrimPrefix(d.URL, robotsURN)
		var how robotsDecision
		_ = json.Unmarshal([]byte(d.Text), &how) // a longer text than is read back leaves the way unknown
		task := kavosh.Task{
			ID: g.Task, URL: x.Task.URL, Kind: kavosh.Prerequisite, Attempt: g.Attempt, Via: how.Via, Seed: how.Seed, Path: how.Path, Hops: how.Hops,
		}
		x.Task = &task
		o := c.reading(x, nil)
		defer o.close()
		it := c.judge(task, x, g.Captures, c.read(o), kavosh.Verdict{})
		it.update.Robots = robotsOf(&frontier.Lease{Task: task, Origin: origin}, x, &c.decoders)
		it.update.Robots.Age = c.clock.Now().Sub(x.Began) // it may have lain there for days
		var err error
		if it.host, err = newHost(c.frontier, origin); err != nil {
			return err
		}
		return hand(it)
	}
	if x.Method != "" && x.Method != "GET" {
		task := *x.Task
		task.Kind = kavosh.Embed
		it := c.posted(task, x, g.Captures)
		if c.afresh && task.Via != "" {
			it.unloaded = func(all []unloaded) []unloaded { return postedBy(task.Via, all) }
		}
		return hand(it)
	}
	asked := *x.Task
	task, done, err := c.taskOf(x, g.Task)
	if err != nil || done {
		return err
	}
	x.Task = &task
	partly := task.Partial != nil
	if partly && x.Status != http.StatusOK {
		return hand(c.piece(task, x, g.Captures))
	}
	task.Partial = nil
	if !partly {
		if it, waits := c.brokeOff(x, g.Captures); waits {
			return hand(it)
		}
	}
	if x.Dropped != nil && !x.Answered() {
		if c.afresh { // of what was dropped long ago only the note is left: it is asked for again, since its links are wanted
			return nil
		}
		return fmt.Errorf("%s lacks the answer of %s, which was not kept: it was taken away", c.spoolDir(), task.URL)
	}
	var stored *kavosh.Prior
	if main := g.Captures[0]; main.Type == "revisit" {
		p, ok := c.archive.Originals.Digest(main.Digest)
		if !ok && c.pend.left > 0 { // its original may wait with what is not durable yet
			if err := c.commit(); err != nil {
				return err
			}
			p, ok = c.archive.Originals.Digest(main.Digest)
		}
		if ok {
			stored = &p
		} else if p, ok := c.archive.Originals.URL(task.URL); ok && !task.Variant {
			stored = &p
		}
	}
	o := c.reading(x, stored)
	defer o.close()
	page := c.read(o)
	if asked.Via == task.URL && !task.Variant && !lets(x, page.StandIn) { // by the page of a bot wall in the browser
		return hand(c.tried(&frontier.Lease{Task: asked}, x, g.Captures, o.standIn()))
	}
	if page.StandIn == kavosh.Wall && c.loads(x, page.StandIn) && isHTML(page) { // it is not known how that ended
		it, _ := c.retry(&frontier.Lease{Task: task}, x, met{sign: page.Sign, held: true})
		it.line.Reason = wallWhy + page.Sign + ", asked again, since the crawl ended while the browser loaded it"
		c.keptInVain(&it, g.Captures)
		it.update.Bytes = it.line.Size
		if err := hand(it); err != nil {
			return err
		}
		return c.commit() // what the page asked for comes next
	}
	verdict, _ := c.purpose.weigh(x, page)
	found := c.revisits.found(x, g.Captures, page, c.revisits.look(o, page))
	it := c.judge(task, x, g.Captures, page, verdict)
	it.found, it.heard = found, c.hear(o, page)
	if x.Dropped == nil && c.loads(x, page.StandIn) && isHTML(page) { // the crash may have cut that short
		u := unloaded{Task: task, File: g.Captures[0].File, Offset: g.Captures[0].Offset, StandIn: page.StandIn, Page: g.Captures[0]}
		if stored != nil {
			u.File, u.Offset = stored.File, stored.Offset
		}
		it.unloaded = u.list
	}
	if it.note != nil { // it is written already
		it.note = nil
		it.recorded(c.recorder, g.Captures)
	}
	return hand(it)
}

// recallPermit says in the line of a recovered group which rule of robots.txt forbade its URL, and what permitted it.
func (c *crawl) recallPermit(l *archive.Line) error {
	if l.Kind == kavosh.Prerequisite.String() || c.control.everywhere == "" && len(c.control.set.plan.Permit) == 0 {
		return nil
	}
	p, _ := scope.Split(l.URL)
	asked, err := c.frontier.Asked(p.Origin)
	if err == nil && !asked && c.pend.left > 0 { // its robots.txt may wait with what is not durable yet
		err = c.commit()
	}
	if err != nil {
		return err
	}
	lease, err := c.frontier.Overridden(l.URL)
	if err == nil {
		permitted(l, lease)
	}
	return err
}

// taskOf is the task that a recovered exchange came of; done says that it is marked already. The page that led to it
// may wait with what is not durable yet. Where none did, its records tell the way: a page's scripts asked for it. Where
// they do not, it stands for itself; in a browser's crawl, where scripts may have made the link, no steps are left to
// go on from it.
func (c *crawl) taskOf(x *kavosh.Exchange, id uint64) (task kavosh.Task, done bool, err error) {
	for _, waits := range []bool{c.pend.left > 0, false} {
		task, queued, err := c.frontier.Task(x.Task.URL, x.Task.Variant)
		if err != nil || queued && !(waits && task.Attempt < x.Task.Attempt) {
			return task, false, err
		}
		state, err := c.frontier.State(x.Task.URL, x.Task.Variant)
		if err != nil || state == frontier.Done {
			return task, true, err
		}
		if !waits {
			break
		}
		if err := c.commit(); err != nil {
			return task, false, err
		}
	}
	task = *x.Task
	task.ID = id
	if task.Seed == "" {
		task.Kind, task.Path = kavosh.Navigation, "L"
		if c.opt.Browser != nil {
			task.Hops = max(0, c.opt.Scope.MaxHops)
		}
	}
	return task, false, nil
}
