package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kavosh"
	"kavosh/frontier"
	"kavosh/index"
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
	m.Capture.Generation = c.archive.captures.generation
	if data != nil {
		if err := json.Unmarshal(data, &m); err != nil {
			return fmt.Errorf("the marks of crawl %s are damaged: %w", c.id, err)
		}
	}
	c.tally.counts = m.Counts
	c.quota.finished = m.Counts.Fetched
	c.payload.Store(m.Counts.Bytes)
	c.seconds, c.seedsQueued, c.sown = m.Counts.Seconds, m.Seeds, m.Sown
	if err := c.crawlLog.Cut(m.Log); err != nil {
		return err
	}
	if err := c.archive.captures.mend(m.Capture); err != nil {
		return err
	}
	if err := c.archive.catchUp(); err != nil {
		return err
	}
	var found []record.Group
	serial, err := record.Resume(c.fs, c.archive.warc, c.id, m.WARC, func(g record.Group) error {
		if !slices.Contains(m.Beyond, fmt.Sprintf("%d.%d", g.Task, g.Attempt)) {
			found = append(found, g)
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.newRecorder(serial)
	logged, err := c.logged(m, found)
	if err != nil {
		return err
	}
	if err := c.unspool(found); err != nil {
		return err
	}
	for _, g := range found {
		c.pend.air[g.Task] = places{warc: c.recorder.PlaceOf(&g.Captures[0])}
	}
	for _, g := range found {
		if err := c.account(g, logged); err != nil {
			return err
		}
		delete(c.pend.air, g.Task)
		if c.pend.bytes >= maxPending {
			if err := c.commit(); err != nil {
				return err
			}
		}
	}
	if err := c.commit(); err != nil {
		return err
	}
	return c.openSpool()
}

// logged are the records of found that the capture log lists already: the crash came between the log and the marks. The
// log is only ever appended to, so that those who follow it need not look back.
func (c *crawl) logged(m marks, found []record.Group) (map[string]bool, error) {
	ids := map[string]bool{}
	for _, g := range found {
		for i := range g.Captures {
			ids[g.Captures[i].Record] = false
		}
	}
	if len(ids) == 0 {
		return ids, nil
	}
	l := c.archive.captures
	from, err := l.since(m.Capture)
	if err != nil {
		return nil, err
	}
	return ids, l.read(index.Cursor{Generation: l.generation, Position: from}, func(batch []kavosh.Capture, _ []int64, _ index.Cursor) error {
		for i := range batch {
			if _, ours := ids[batch[i].Record]; ours {
				ids[batch[i].Record] = true
			}
		}
		return nil
	})
}

// account makes a recovered group's item and hands it to the committer. What is logged is not logged again.
func (c *crawl) account(g record.Group, logged map[string]bool) error {
	hand := func(it item) {
		it.captures = slices.DeleteFunc(it.captures, func(capture kavosh.Capture) bool { return logged[capture.Record] })
		c.quota.reserved += int64(it.pages) // as a worker did
		c.hand(it)
	}
	x := g.Exchange
	if d := x.Decided; d != nil {
		origin := strings.TrimPrefix(d.URL, robotsURN)
		var how robotsDecision
		_ = json.Unmarshal([]byte(d.Text), &how) // a longer text than is read back leaves the way unknown
		task := kavosh.Task{
			ID: g.Task, URL: x.Task.URL, Kind: kavosh.Prerequisite, Attempt: g.Attempt, Via: how.Via, Seed: how.Seed, Path: how.Path, Hops: how.Hops,
		}
		x.Task = &task
		it := c.judge(task, x, g.Captures, c.read(x, nil), kavosh.Verdict{})
		it.update.Robots = c.robots(&frontier.Lease{Task: task, Origin: origin}, x)
		it.update.Robots.Age = c.clock.Now().Sub(x.Began) // it may have lain there for days
		var err error
		if it.host, err = c.newHost(origin); err != nil {
			return err
		}
		hand(it)
		return nil
	}
	if x.Method != "" && x.Method != "GET" {
		task := *x.Task
		task.Kind, task.Via = kavosh.Embed, ""
		hand(c.posted(task, x, g.Captures))
		return nil
	}
	task, queued, err := c.frontier.Task(x.Task.URL, x.Task.Variant)
	if err != nil {
		return err
	}
	if !queued {
		return nil // marked already
	}
	x.Task = &task
	if x.Dropped != nil && !x.Answered() {
		return fmt.Errorf("%s lacks the answer of %s, which was not kept: it was taken away", c.fs.PathJoin(c.dir, "spool"), task.URL)
	}
	var stored *kavosh.Prior
	if main := g.Captures[0]; main.Type == "revisit" {
		if p, ok := c.archive.originals.Digest(main.Digest); ok {
			stored = &p
		} else if p, ok := c.archive.originals.URL(task.URL); ok && !task.Variant {
			stored = &p
		}
	}
	page := c.read(x, stored)
	verdict, dropped := c.weigh(x, page)
	if x.Dropped != nil && dropped != nil {
		x.Dropped = dropped // the same, with its reasons
	}
	if x.Dropped == nil && c.wantsLoading(x, page) { // the crash may have cut that short
		u := unloaded{Task: task, File: g.Captures[0].File, Offset: g.Captures[0].Offset}
		if stored != nil {
			u.File, u.Offset = stored.File, stored.Offset
		}
		if err := c.keepUnloaded(func(all []unloaded) []unloaded { return append(all, u) }); err != nil {
			return err
		}
	}
	it := c.judge(task, x, g.Captures, page, verdict)
	if it.note != nil { // it is written already
		it.note = nil
		c.lies(&it, g.Captures)
	}
	hand(it)
	return nil
}
