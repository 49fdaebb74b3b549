package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/internal/journal"
	"kavosh/record"
)

// item is what one task came to, waiting to become durable.
type item struct {
	update      frontier.Update
	line        *archive.Line  // of the task; nil for seeds
	bad         []archive.Line // of lines that are no seeds
	addedQueued int64          // how far the seeds in control.log are queued by it
	captures    []kavosh.Capture
	rejected    []archive.Line // for update.Rejected, in order: why each link stays out
	size        int64          // bytes that wait with it
	urgent      bool           // a server asked us to wait: that must not be forgotten
	places      places         // under --max-pages and --max-urls it used
	host        bool           // it is the first of its host

	note *kavosh.Exchange // what the archive is still to keep of an answer that was dropped (--only); nil for all others

	task     kavosh.Task                 // it came of, when that stands in no queue, so that update.Task is zero
	unloaded func([]unloaded) []unloaded // changes the list of pages that are still to be loaded; nil for not

	done chan struct{} // closed when it is durable; nil for nobody waits

	group string       // of its records, "<task>.<attempt>"; "" when it has none
	place record.Place // where the group begins
}

// Groups become durable after maxDelay, or when maxPending bytes wait, or when a worker waits for what is in them.
const (
	maxDelay   = time.Second
	maxPending = 16 << 20
)

// marks is how far everything durable reaches, kept in the frontier in the same write as the tasks that are done:
// whatever the files hold beyond is done again when the crawl resumes (recover.go).
type marks struct {
	WARC    record.Place   `json:"warc"`             // every group before it is accounted for
	Beyond  []string       `json:"beyond,omitempty"` // groups after it that are, too
	Log     int64          `json:"crawl_log"`        // size of crawl.log
	LogSum  string         `json:"crawl_log_crc"`    // of its last line
	Capture journal.Cursor `json:"capture_log"`      // end of the capture log
	Counts  counts         `json:"counts"`
	Seeds   int64          `json:"seeds"` // how much of the file of seeds is queued
	Sown    int64          `json:"sown"`  // … and of the seeds in control.log
}

// log is where crawl.log ended.
func (m *marks) log() journal.Mark { return journal.Mark{Bytes: m.Log, CRC: m.LogSum} }

// announce says that the task's group is about to be written: until it is handed over, no mark goes beyond it.
func (c *crawl) announce(task uint64) {
	c.pend.Lock()
	c.pend.air[task] = written{c.recorder.End(), c.spool.end()}
	c.pend.Unlock()
}

// hand gives an item to the committer. It waits while too much is waiting already.
func (c *crawl) hand(it item) {
	c.pend.Lock()
	for c.pend.bytes >= 2*maxPending && c.pend.err == nil {
		c.pend.cond.Wait()
	}
	c.pend.items = append(c.pend.items, it)
	c.pend.bytes += it.size
	c.pend.left++
	delete(c.pend.air, it.of().ID)
	first := len(c.pend.items) == 1
	full := c.pend.bytes >= maxPending || it.urgent || c.frontier.Hungry()
	c.pend.Unlock()
	switch {
	case full:
		c.kick()
	case first:
		go func() {
			if c.clock.Sleep(c.hard, maxDelay) == nil {
				c.kick()
			}
		}()
	}
}

// of returns the task whose outcome the item is; zero if the item has only links.
func (it *item) of() *kavosh.Task {
	if it.task.URL != "" {
		return &it.task
	}
	return &it.update.Task
}

// settle waits until all that was handed over is durable.
func (c *crawl) settle() {
	c.kick()
	c.pend.Lock()
	defer c.pend.Unlock()
	for c.pend.left > 0 && c.pend.err == nil {
		c.pend.cond.Wait()
	}
}

// kick wakes the committer.
func (c *crawl) kick() {
	select {
	case c.wake <- struct{}{}:
	default: // it is awake
	}
}

// commitLoop commits groups until done is closed, and then the remaining items. The first error stops the crawl.
func (c *crawl) commitLoop(done <-chan struct{}) error {
	for {
		last := false
		select {
		case <-done:
			last = true
		case <-c.wake:
		case <-c.frontier.Starving():
		}
		if err := c.commit(); err != nil {
			c.pend.Lock()
			c.pend.err = err
			c.pend.cond.Broadcast()
			c.pend.Unlock()
			c.halt("failed")
			return err
		}
		if last {
			return c.gone()
		}
	}
}

// commit makes what waits durable: first the records, then the logs, then the frontier.
func (c *crawl) commit() error {
	c.pend.Lock()
	items := c.pend.items
	waiting := c.pend.bytes
	c.pend.items, c.pend.bytes = nil, 0
	m := marks{WARC: c.recorder.End()}
	spooled := c.spool.end()
	for _, p := range c.pend.air {
		if p.warc.Before(m.WARC) {
			m.WARC = p.warc
		}
		if p.spool.Before(spooled) {
			spooled = p.spool
		}
	}
	c.pend.cond.Broadcast()
	c.pend.Unlock()
	if len(items) == 0 {
		return nil
	}
	if err := cmp.Or(c.gone(), c.room(waiting)); err != nil {
		return err
	}
	if err := c.noteDropped(items); err != nil {
		return c.diskError(err)
	}
	if err := c.recorder.Sync(); err != nil {
		return c.diskError(err)
	}
	m.Beyond = c.groupsBeyond(items, m.WARC)
	if err := c.keepMoved(); err != nil {
		return c.diskError(err)
	}
	if s := c.scope.Snapshot(); !bytes.Equal(s, c.scopeSaved) {
		if err := c.frontier.Put("scope", s); err != nil {
			return c.diskError(err)
		}
		c.scopeSaved = s
	}
	if err := c.keepUnloaded(items); err != nil {
		return c.diskError(err)
	}
	updates := make([]frontier.Update, len(items))
	for i := range items {
		updates[i] = items[i].update
		c.addedQueued = max(c.addedQueued, items[i].addedQueued)
	}
	var captures []kavosh.Capture
	var lines []archive.Line
	_, err := c.frontier.Apply(updates, func(results []frontier.Result) ([]byte, error) {
		captures, lines = c.tell(items, results)
		var text []byte
		for i := range lines {
			text = lines[i].Append(text[:0])
			c.crawlLog.Append(text)
		}
		if err := c.crawlLog.Sync(); err != nil {
			return nil, err
		}
		if err := c.archive.Captures.Append(captures); err != nil {
			return nil, err
		}
		end := c.crawlLog.Mark()
		m.Log, m.LogSum, m.Capture, m.Counts = end.Bytes, end.CRC, c.archive.Captures.Cursor(), c.tally.copy()
		m.Seeds, m.Sown = c.seedsQueued, c.addedQueued
		m.Counts.Seconds = c.seconds + c.clock.Now().Sub(c.run).Seconds()
		return json.Marshal(m)
	})
	if err != nil {
		return c.diskError(err)
	}
	if err := c.noteReached(m.log()); err != nil {
		return c.diskError(err)
	}
	if err := c.archive.Follow(captures); err != nil {
		return c.diskError(err)
	}
	if now := c.clock.Now(); now.Sub(c.flushed) > flushEvery {
		c.flushed = now
		if err := c.flush(); err != nil {
			return c.diskError(err)
		}
	}
	if err := c.spool.trim(spooled); err != nil {
		return c.diskError(err)
	}
	c.release(items)
	c.pend.Lock()
	c.pend.left -= len(items)
	c.pend.cond.Broadcast()
	c.pend.Unlock()
	if c.opt.Events.Finished != nil {
		for i := range lines {
			c.opt.Events.Finished(lines[i])
		}
	}
	return nil
}

// groupsBeyond are the groups accounted for, these items' among them, that begin after place: those that were written
// while a slower worker still had an earlier one in hand.
func (c *crawl) groupsBeyond(items []item, place record.Place) []string {
	var kept []beyond
	for _, b := range c.beyond {
		if !b.place.Before(place) {
			kept = append(kept, b)
		}
	}
	for i := range items {
		if it := &items[i]; it.group != "" && !it.place.Before(place) {
			kept = append(kept, beyond{it.group, it.place})
		}
	}
	c.beyond = kept
	ids := make([]string, len(kept))
	for i := range kept {
		ids[i] = kept[i].group
	}
	return ids
}

// beyond is a group that is accounted for although the marks do not reach it.
type beyond struct {
	group string
	place record.Place
}

// flushEvery is how often a running crawl makes its index visible to others and keeps its cookies.
const flushEvery = 10 * time.Second

func (c *crawl) flush() error {
	if err := c.archive.Index.Flush(); err != nil {
		return err
	}
	if now := c.clock.Now(); now.Sub(c.purpose.saved) > keepEvery {
		c.purpose.saved = now
		if err := c.keepOrder(); err != nil {
			return err
		}
	}
	return c.frontier.Put("cookies", c.fetcher.Cookies())
}

// tell turns items and what the frontier made of them into log lines and captures, and counts them.
func (c *crawl) tell(items []item, results []frontier.Result) (captures []kavosh.Capture, lines []archive.Line) {
	c.tally.Lock()
	defer c.tally.Unlock()
	for i := range items {
		it, r := &items[i], results[i]
		if r.Known && it.line != nil && it.line.Outcome != archive.Retry {
			continue // done before the crash that brought it here again
		}
		captures = append(captures, it.captures...)
		if it.line != nil {
			lines = append(lines, *it.line)
			c.tally.line(it.line)
			c.tally.Pages += it.places.pages
			if it.host {
				c.tally.Hosts++
			}
		}
		for j := range it.bad {
			lines = append(lines, it.bad[j])
			c.tally.line(&it.bad[j])
		}
		for _, j := range r.Rejected {
			lines = append(lines, it.rejected[j])
			c.tally.line(&it.rejected[j])
		}
		for _, t := range r.Trapped {
			l := c.refusedLink(&it.update.Links[t.Link], cmp.Or(it.update.Parent, &it.update.Task), t.Rule)
			l.Failure = kavosh.TrapFailure
			lines = append(lines, l)
			c.tally.line(&l)
		}
		for _, t := range r.LeftOut {
			l := c.refusedLink(&it.update.Links[t.Link], cmp.Or(it.update.Parent, &it.update.Task), "the order leaves it out: "+t.Rule)
			l.Rule = string(leftOut)
			lines = append(lines, l)
			c.tally.line(&l)
		}
	}
	return captures, lines
}

// leftOut is the class of refusing what the order leaves out.
const leftOut scope.Reason = "order"

// room makes sure that a commit will find space: a database that meets a full disk in the middle of a write gives up,
// so we stop before.
func (c *crawl) room(pending int64) error {
	usage, err := c.fs.GetDiskUsage(c.opt.Archive)
	if err != nil {
		return nil // a file system that does not tell; a full one will show in the writes
	}
	need := max(c.opt.Limits.MinFree, leastFree+4*pending)
	if int64(min(usage.AvailBytes, 1<<62)) >= need {
		return nil
	}
	return &fullError{fmt.Sprintf("only %s are free on the disk of %s, and %s must be to go on safely (see --min-free): free some space, then go on with `kavosh crawl --archive %s --resume`",
		bytesText(int64(usage.AvailBytes)), c.opt.Archive, bytesText(need), c.opt.Archive)}
}

// leastFree is what the databases need to close in good order.
const leastFree = 4 << 20

// release gives back the places of finished items, and wakes those who wait for them.
func (c *crawl) release(items []item) {
	var n places
	for i := range items {
		n = n.plus(items[i].places)
		if items[i].done != nil {
			close(items[i].done)
		}
	}
	c.quota.finish(n)
}
