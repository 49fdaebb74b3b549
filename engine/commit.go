package engine

// This file is the committer: it makes what workers hand over durable, a group at a time.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

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

// of returns the task whose outcome the item is; zero if the item has only links.
func (it *item) of() *kavosh.Task {
	if it.task.URL != "" {
		return &it.task
	}
	return &it.update.Task
}

// commitLoop commits groups until done is closed, and then the remaining items. The first error stops the crawl.
func (c *crawl) commitLoop(done <-chan struct{}) error {
	for {
		last := false
		select {
		case <-done:
			last = true
		case <-c.pend.wake:
		case <-c.frontier.Starving():
		}
		if err := c.commit(); err != nil {
			c.pend.fail(err)
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
	items, waiting, marked := c.pend.take(written{c.recorder.End(), c.spool.end()})
	if len(items) == 0 {
		return nil
	}
	if err := cmp.Or(c.gone(), room(c.fs, c.opt.Archive, c.opt.Limits.MinFree, waiting)); err != nil {
		return err
	}
	if err := c.noteDropped(items); err != nil {
		return c.diskError(err)
	}
	if err := c.recorder.Sync(); err != nil {
		return c.diskError(err)
	}
	m := marks{WARC: marked.warc, Beyond: c.pend.groupsBeyond(items, marked.warc)}
	if err := c.moved.keep(c.frontier, c.scope); err != nil {
		return c.diskError(err)
	}
	if s := c.scope.Snapshot(); !bytes.Equal(s, c.scopeSaved) {
		if err := c.frontier.Put("scope", s); err != nil {
			return c.diskError(err)
		}
		c.scopeSaved = s
	}
	if err := c.unloaded.keep(c.frontier, items); err != nil {
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
	if err := c.reached.note(c.fs, c.dir, m.log()); err != nil {
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
	if err := c.spool.trim(marked.spool); err != nil {
		return c.diskError(err)
	}
	c.release(items)
	c.pend.done(len(items))
	for i := range lines {
		c.alarms.line(&lines[i])
		if c.opt.Events.Finished != nil {
			c.opt.Events.Finished(lines[i])
		}
	}
	return nil
}

// flushEvery is how often a running crawl makes its index visible to others and keeps its cookies.
const flushEvery = 10 * time.Second

func (c *crawl) flush() error {
	if err := c.archive.Index.Flush(); err != nil {
		return err
	}
	if now := c.clock.Now(); now.Sub(c.purpose.saved) > keepEvery {
		c.purpose.saved = now
		if err := c.purpose.keep(c.fs, c.orderFile()); err != nil {
			return err
		}
	}
	return c.frontier.Put("cookies", c.fetcher.Cookies())
}

// tell turns items and what the frontier made of them into log lines and captures, and counts them.
func (c *crawl) tell(items []item, results []frontier.Result) (captures []kavosh.Capture, lines []archive.Line) {
	now := c.clock.Now()
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
			l := refusedLink(&it.update.Links[t.Link], cmp.Or(it.update.Parent, &it.update.Task), t.Rule, now)
			l.Failure = kavosh.TrapFailure
			lines = append(lines, l)
			c.tally.line(&l)
		}
		for _, t := range r.LeftOut {
			l := refusedLink(&it.update.Links[t.Link], cmp.Or(it.update.Parent, &it.update.Task), "the order leaves it out: "+t.Rule, now)
			l.Rule = string(leftOut)
			lines = append(lines, l)
			c.tally.line(&l)
		}
	}
	return captures, lines
}

// leftOut is the class of refusing what the order leaves out.
const leftOut scope.Reason = "order"

// room makes sure that a commit of pending bytes will find space on the disk of the archive in dir: a database that meets a full disk in the middle of a write gives up,
// so we stop before.
func room(fs vfs.FS, dir string, minFree, pending int64) error {
	usage, err := fs.GetDiskUsage(dir)
	if err != nil {
		return nil // a file system that does not tell; a full one will show in the writes
	}
	need := max(minFree, leastFree+4*pending)
	if int64(min(usage.AvailBytes, 1<<62)) >= need {
		return nil
	}
	return &fullError{fmt.Sprintf("only %s are free on the disk of %s, and %s must be to go on safely (see --min-free): free some space, then go on with `kavosh crawl --archive %s --resume`",
		bytesText(int64(usage.AvailBytes)), dir, bytesText(need), dir)}
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
