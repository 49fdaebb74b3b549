package engine

// This file is the committer: one goroutine that makes durable what workers hand over (items), many at a time. It
// writes in this order: WARC files, crawl.log and the capture log, the frontier (the database of URLs to fetch). If a
// crash comes between, recover.go accounts for what the WARC files hold and the frontier does not know.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/internal/journal"
	"kavosh/record"
)

// item is what came of one task (a URL to request), or a batch of new seeds or links. It waits to become durable.
type item struct {
	update      frontier.Update  // what the frontier must learn
	line        *archive.Line    // the task's line in crawl.log; nil if the item has only links or seeds
	bad         []archive.Line   // lines for crawl.log about input that is no seed
	addedQueued int64            // with this item, the seeds in the first addedQueued bytes of control.log are queued
	captures    []kavosh.Capture // entries for the capture log
	rejected    []archive.Line   // for update.Rejected, in the same order: why each link stays out
	size        int64            // estimated bytes of memory and disk; pending bounds their sum
	urgent      bool             // it is to be durable at once: somebody waits for it, or a failure must be remembered
	places      places           // what it uses of --max-pages and --max-urls
	host        bool             // it is the first answer of its host

	note *kavosh.Exchange // an answer that --only drops, of which the archive still has to keep a note; else nil

	task     kavosh.Task                 // the request whose records these are, if it is in no queue of the frontier; else zero
	unloaded func([]unloaded) []unloaded // changes the list of pages whose loading was cut short; nil: no change

	heard            []told     // what a listing tells of pages, with --skip-younger lastmod
	late             *shownLate // what a page showed when its visit had been judged, in a crawl that goes on; else nil
	found            *finding   // what a visit found, in a crawl that goes on; else nil
	visited, changed bool       // the schedule knew the page, and found it changed
	checked, lied    bool       // it checks an answer 304 by asking for the whole page, and that was not true

	load *archive.Load // of a page that the browser loaded after its line was written, for browser.log; else nil

	done chan struct{} // closed when the item is durable; nil if nobody waits for that

	group string       // name of its group of WARC records, "<task>.<attempt>"; "" if it has none
	place record.Place // where the group begins
}

// marks say how far the crawl's files reach that are durable. The frontier stores them in the same write as the tasks
// that are done. When the crawl resumes, crawl.log is cut back to them, and groups of WARC records behind them are read
// again (recover.go).
type marks struct {
	WARC    record.Place   `json:"warc"`             // every group of records before this place is accounted for
	Beyond  []string       `json:"beyond,omitempty"` // groups after it that are accounted for, too (item.group)
	Log     int64          `json:"crawl_log"`        // size of crawl.log in bytes
	LogSum  string         `json:"crawl_log_crc"`    // checksum of its last line
	Capture journal.Cursor `json:"capture_log"`      // end of the capture log
	Counts  counts         `json:"counts"`
	Seeds   int64          `json:"seeds"` // the first so many bytes of the file of seeds are queued
	Sown    int64          `json:"sown"`  // the seeds in the first so many bytes of control.log are queued
}

// log returns where crawl.log ended.
func (m *marks) log() journal.Mark { return journal.Mark{Bytes: m.Log, CRC: m.LogSum} }

// of returns the request whose outcome the item is; zero if the item has only links.
func (it *item) of() *kavosh.Task {
	if it.task.URL != "" {
		return &it.task
	}
	return &it.update.Task
}

// commitLoop commits when pending or the frontier asks for it, until done is closed, and then once more. The first
// error stops the crawl and is returned.
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

// commit makes all waiting items durable: first the records, then the logs, then the frontier. After that the archive's
// index learns of the captures, those who wait for the items are woken, and Events.Finished is called for each line.
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
	if s := c.standIns.Snapshot(); !bytes.Equal(s, c.told) {
		if err := c.frontier.Put("standins", s); err != nil {
			return c.diskError(err)
		}
		c.told = s
	}
	if err := cmp.Or(c.keepLoads(items), c.unloaded.keep(c.frontier, items), c.keepHeard(items)); err != nil {
		return c.diskError(err)
	}
	scheduled, err := c.revisits.observe(items)
	if err != nil {
		return c.diskError(err)
	}
	defer scheduled()
	updates := make([]frontier.Update, len(items))
	for i := range items {
		updates[i] = items[i].update
		c.addedQueued = max(c.addedQueued, items[i].addedQueued)
	}
	var captures []kavosh.Capture
	var lines []archive.Line
	_, err = c.frontier.Apply(updates, func(results []frontier.Result) ([]byte, error) {
		captures, lines = c.tell(items, results)
		var text []byte
		for i := range lines {
			lines[i].Round = c.revisits.roundOf(lines[i].Time)
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

// flushEvery is how often a running crawl makes its index visible to other programs and stores its cookies.
const flushEvery = 10 * time.Second

// flush makes the index visible to other programs, and stores the cookies and, less often, what the order has learned.
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
	if err := c.opt.Logins.keepSometimes(c.clock.Now()); err != nil {
		c.trouble(err.Error())
	}
	return c.frontier.Put("cookies", c.fetcher.Cookies())
}

// tell returns the captures and the lines of crawl.log for items, and counts the lines. results says what the frontier
// made of each item.
func (c *crawl) tell(items []item, results []frontier.Result) (captures []kavosh.Capture, lines []archive.Line) {
	now := c.clock.Now()
	c.tally.Lock()
	defer c.tally.Unlock()
	for i := range items {
		it, r := &items[i], results[i]
		if r.Known && it.line != nil && it.line.Outcome != archive.Retry {
			continue // it was done before the crash, and recover.go read its records once more
		}
		captures = append(captures, it.captures...)
		if it.line != nil {
			lines = append(lines, *it.line)
			fetched := c.tally.Fetched
			c.tally.line(it.line)
			if c.revisits.repeats(&it.update.Task) {
				c.tally.Twice += c.tally.Fetched - fetched
			}
			if p := it.of().Partial; p != nil && it.line.Outcome == archive.Recorded {
				c.tally.Bytes -= p.Size // counted when they came
			}
			c.tally.Pages += it.places.pages
			if it.host {
				c.tally.Hosts++
			}
		}
		if it.visited || it.checked {
			c.tally.visit(c.revisits.roundOf(it.line.Time), it)
		}
		if it.load != nil {
			c.tally.load(it.load)
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
			l.Rule = string(frontier.LeftOut)
			lines = append(lines, l)
			c.tally.line(&l)
		}
	}
	return captures, lines
}

// room returns a *fullError if the disk of the archive in dir has too little space for a commit of pending bytes, or
// less than minFree bytes. The crawl then stops in good order: a database that meets a full disk in the middle of a
// write cannot be used any more.
func room(fs vfs.FS, dir string, minFree, pending int64) error {
	usage, err := fs.GetDiskUsage(dir)
	if err != nil {
		return nil // the file system does not tell; if it is full, a write will fail
	}
	need := max(minFree, leastFree+4*pending)
	if int64(min(usage.AvailBytes, 1<<62)) >= need {
		return nil
	}
	return &fullError{fmt.Sprintf("only %s are free on the disk of %s, and %s must be to go on safely (see --min-free): free some space, then go on with `kavosh crawl --archive %s --resume`",
		bytesText(int64(usage.AvailBytes)), dir, bytesText(need), dir)}
}

// leastFree is how many bytes the databases need to close in good order.
const leastFree = 4 << 20

// release counts the places that items used as finished (quota.go), and wakes those who wait for the items.
func (c *crawl) release(items []item) {
	var n places
	for i := range items {
		n = n.plus(items[i].places)
		if items[i].done != nil {
			close(items[i].done)
		}
	}
	c.quota.finish(n)
	c.tellBudget()
}

// tellBudget tells the frontier what is left of the crawl's budget, so that it can wait for better URLs. Orders that
// choose by where URLs stand or by chance do not say which are better.
func (c *crawl) tellBudget() {
	switch name, _, _ := strings.Cut(c.opt.Order, ","); name {
	case "", "breadth", "depth", "random":
	default:
		if c.revisits.second() {
			c.frontier.SetBudget(frontier.Budget{}) // its visits wait for no better ones
			return
		}
		c.frontier.SetBudget(c.quota.budget())
	}
}
