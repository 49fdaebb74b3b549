package engine

// This file begins, resumes and ends a crawl.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/extract"
	"kavosh/fetch"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/internal/about"
	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/plan"
	"kavosh/record"
	"kavosh/standin"
)

// grace is how long exchanges in flight may go on after a crawl was asked to stop; then they are dropped, unrecorded.
const grace = 10 * time.Second

// retryWait is the time before a URL is asked for the second time; four times as long before the third. Somebody who
// mistyped a seed learns of it in a quarter of a minute; a host that stays away is left alone by the gate's own
// waiting.
const retryWait = 3 * time.Second

// crawl is one run of one crawl: what each stage needs to lead a URL from the frontier to the archive.
type crawl struct {
	opt     Options
	fs      vfs.FS
	clock   clock.Clock
	id      string
	dir     string    // crawls/<id>
	agent   string    // product token, for robots.txt
	began   time.Time // of the crawl, in its first run
	run     time.Time // of this run
	seconds float64   // that earlier runs took
	kept    bool      // the crawl can be resumed
	afresh  bool      // its frontier is being made anew from the WARC files
	first   bool      // the archive was empty when this run began: no URL was captured before

	// The stages, in the order in which a URL meets them.
	frontier *frontier.Frontier
	quota    *quota
	fetcher  *fetch.HTTP
	network  *network
	recorder *record.Recorder
	spool    *undecidedFiles // where answers are written that --only or --keep may drop; nil without them
	buffers  extract.Buffers
	decoders httpwire.Decoders
	answered answers         // of requests for RDF
	uris     uris            // in RDF documents
	searches map[string]bool // URLs of seeds that are answers of search engines
	purpose  purpose
	standIns standin.Memory
	scope    *scope.Scope
	unloaded unloadedPages
	auto     *auto     // nil unless --browser auto loads pages
	revisits *revisits // nil unless the crawl goes on
	patch    *patch    // nil unless the crawl mends the archive
	trusted  trusted   // what hosts say of their pages, with --skip-younger lastmod
	pend     *pending
	crawlLog *journal.Log
	loadLog  *journal.Log // browser.log; nil without a browser
	archive  *archive.Archive

	// The committer's.
	scopeSaved  []byte // the scope's snapshot when it was last kept
	told        []byte // … that of standIns
	moved       movedSeeds
	seedsQueued int64 // how far the file of seeds is queued by the next commit
	addedQueued int64 // … and the seeds in control.log
	flushed     time.Time
	reached     reachedFile

	control   *controls
	hard      context.Context // ends when exchanges in flight must end
	stop      context.CancelFunc
	inFlight  atomic.Int64
	comparing sync.Mutex        // held while two versions of a page are compared, which takes memory
	last      frontier.Stats    // when the frontier was closed
	limited   []archive.Limited // then, for the report
	limits    int               // of limited, how many there were in all
	ending    struct {
		sync.Mutex
		why string
	}
	tally struct {
		sync.Mutex
		counts
	}
	alarms alarms
}

// Run crawls until nothing is left, a limit is reached or ctx ends, and returns the report, which it also leaves in the
// archive. When ctx ends, exchanges in flight are given a few seconds. An error means that the crawl could not be done
// as asked or had to stop; what was recorded until then is in the archive, and Resume goes on from there.
func Run(ctx context.Context, opt Options) (*archive.Report, error) {
	c := newCrawl(opt)
	var cancel context.CancelFunc
	c.hard, cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	ctx, c.stop = context.WithCancel(ctx)
	defer c.stop()

	if err := c.open(ctx); err != nil {
		c.giveUp()
		return nil, err
	}
	if c.opt.Events.Started != nil {
		c.opt.Events.Started(c.id, opt.Resume)
	}
	if set := c.control.otherThan(&c.opt); opt.Resume && set != "" {
		c.trouble("as set while it ran, and not as in its settings: " + set)
	}
	if c.quota.waits() {
		c.trouble("the crawl is paused, as it was told: `kavosh control " + c.opt.Archive + " resume` lets it go on")
	}
	if c.opt.Events.Progress != nil {
		c.opt.Events.Progress(c.Status)
	}
	err := c.crawl(ctx, cancel)
	if cerr := c.close(err == nil); err == nil {
		err = c.diskError(cerr)
	}
	report, rerr := c.report(ctx, err)
	if lerr := c.archive.Unlock(); rerr == nil { // not before the report is there: who resumes reads it
		rerr = lerr
	}
	if err == nil {
		err = c.diskError(rerr)
	}
	return report, err
}

// newCrawl returns a crawl with nothing open yet.
func newCrawl(opt Options) *crawl {
	c := &crawl{opt: opt, fs: opt.FS, clock: opt.Clock}
	c.purpose.opt = &c.opt
	if c.fs == nil {
		c.fs = vfs.Default
	}
	if c.clock == nil {
		c.clock = clock.Real{}
	}
	if c.opt.Workers <= 0 {
		c.opt.Workers = 16
	}
	c.quota = newQuota(opt.Limits, c.opt.Workers)
	c.quota.twice = opt.Revisits != nil && opt.Revisits.Once
	c.searches = map[string]bool{}
	c.tally.counts = newCounts()
	c.alarms = alarms{judged: opt.Judge != nil || opt.Only != nil, tell: c.trouble, warn: opt.Warn, counted: c.counted}
	c.alarms.mu.now = map[string]Alarm{}
	c.run = c.clock.Now()
	return c
}

// giveUp closes what a failed open left. A new crawl that got nowhere leaves nothing behind.
func (c *crawl) giveUp() {
	_ = c.close(false) // what it meets is of the same cause
	if c.archive == nil {
		return
	}
	if !c.kept && !c.opt.Resume && c.dir != "" {
		_ = c.fs.RemoveAll(c.dir)
	}
	_ = c.archive.Unlock()
}

// open makes ready all that a crawl needs, and accounts for what an earlier run left.
func (c *crawl) open(ctx context.Context) (err error) {
	c.agent, c.pend = agentOf(c.opt.Fetch.UserAgent), newPending(c.hard, c.clock, c.opt.Order != "" && c.opt.Order != "breadth")
	if err := c.purpose.open(); err != nil {
		return err
	}
	create := func() error { return about.Create(c.fs, c.opt.Archive, c.opt.Version, c.run) }
	if c.opt.Resume || c.opt.Patch != plan.NoPatch {
		create = nil
	}
	if c.archive, err = archive.Open(c.fs, c.opt.Archive, create); err != nil {
		return c.diskError(err)
	}
	c.first = !c.opt.Resume && c.archive.Captures.Empty()
	if err := c.choose(); err != nil {
		return err
	}
	if err := c.purpose.recall(c.fs, c.orderFile(), c.trouble); err != nil {
		return c.diskError(err)
	}
	if err := c.openFrontier(); err != nil {
		return c.diskError(err)
	}
	if c.crawlLog, err = journal.Open(c.fs, c.fs.PathJoin(c.dir, "crawl.log")); err != nil {
		return c.diskError(err)
	}
	so := c.opt.Scope
	so.ObeyNoFollow = c.opt.NoFollow != "ignore"
	if c.scope, err = scope.New(so); err != nil {
		return err
	}
	fo := c.opt.Fetch
	fo.Version = c.opt.Version
	fo.FS, fo.Clock, fo.Web = c.fs, c.clock, c.opt.Web
	fo.Dir = c.fs.PathJoin(c.dir, "tmp")
	fo.Body = c.bodyBound
	c.opt.Logins.give(&fo)
	if fo.Digest = c.opt.Digest; fo.Digest == "" {
		fo.Digest = "sha256"
	}
	if err := c.fs.RemoveAll(fo.Dir); err != nil { // bodies of exchanges that a crash interrupted
		return c.diskError(err)
	}
	if err := disk.MkdirAll(c.fs, fo.Dir); err != nil {
		return c.diskError(err)
	}
	if c.fetcher, err = fetch.New(fo); err != nil {
		return err
	}
	c.opt.Logins.use(c.fetcher)
	if err := cmp.Or(c.allowEarlierSeeds(), c.openPatch(ctx)); err != nil {
		return c.diskError(err)
	}
	if err := c.restore(); err != nil {
		return c.diskError(err)
	}
	c.control = newControls(c)
	if err := c.control.recall(&c.opt); err != nil {
		return c.diskError(err)
	}
	c.revisits = newRevisits(c)
	c.control.revisits = c.revisits
	if err := c.revisits.load(); err != nil {
		return c.diskError(err)
	}
	if err := c.recover(); err != nil {
		return c.diskError(err)
	}
	c.unloaded.todo = slices.Clone(c.unloaded.all)
	if err := c.recallLoads(); err != nil {
		return c.diskError(err)
	}
	c.network = &network{clock: c.clock, fetcher: c.fetcher, quota: c.quota, control: c.control, waiting: make(chan struct{}, 1)}
	if err := c.control.open(&c.opt); err != nil {
		return c.diskError(err)
	}
	if err := c.control.logIn(); err != nil {
		return c.diskError(err)
	}
	if err := c.addSeeds(); err != nil {
		return c.diskError(err)
	}
	if err := c.queueAddedSeeds(); err != nil {
		return c.diskError(err)
	}
	if err := c.control.catchUp(c.commit); err != nil {
		return c.diskError(err)
	}
	if c.opt.Control != nil {
		if c.control.listener, err = c.opt.Control(c.dir); err != nil {
			c.trouble("the crawl cannot be controlled while it runs: " + err.Error())
			c.control.listener = nil
		}
	}
	return c.diskError(c.dropReport())
}

// orderFile is the path of what the order has learned.
func (c *crawl) orderFile() string { return c.fs.PathJoin(c.dir, "order") }

// dropReport takes the report of an earlier run away, since this one is not over. It knows best how long the crawl
// took.
func (c *crawl) dropReport() error {
	path := c.fs.PathJoin(c.dir, "report.json")
	data, err := disk.ReadFile(c.fs, path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var earlier archive.Report
	if err == nil && json.Unmarshal(data, &earlier) == nil {
		c.seconds = max(c.seconds, earlier.Seconds)
	}
	return c.fs.Remove(path)
}

// choose settles which crawl this is: a new one, or the one to resume.
func (c *crawl) choose() error {
	if !c.opt.Resume {
		files, err := record.Files(c.fs, c.archive.WARC)
		if err != nil {
			return c.diskError(err)
		}
		for c.began = c.run; ; c.began = c.began.Add(time.Second) {
			c.id = c.began.UTC().Format(archive.IDFormat)
			c.dir = c.fs.PathJoin(c.opt.Archive, "crawls", c.id)
			named := func(file string) bool { return record.CrawlOf(file) == c.id }
			if _, err := c.fs.Stat(c.dir); err != nil && !slices.ContainsFunc(files, named) {
				break // the name is free, also of a crawl whose folder was removed
			}
		}
		return c.diskError(disk.MkdirAll(c.fs, c.dir))
	}
	crawls, err := archive.Crawls(c.fs, c.opt.Archive)
	if err != nil {
		return err
	}
	c.kept = true
	for i := len(crawls) - 1; i >= 0; i-- {
		if info := crawls[i]; c.opt.ID == info.ID || c.opt.ID == "" && info.Unfinished() {
			if err := info.Resumable(); err != nil {
				return err
			}
			c.id, c.began = info.ID, info.Started
			c.dir = c.fs.PathJoin(c.opt.Archive, "crawls", c.id)
			return nil
		}
	}
	if c.opt.ID != "" {
		return archive.Advise("%s has no crawl %q to resume", c.opt.Archive, c.opt.ID)
	}
	return archive.Advise("nothing to resume: no crawl of %s was interrupted; start a new one without --resume", c.opt.Archive)
}

// newRecorder makes the recorder, its files numbered from serial on.
func (c *crawl) newRecorder(serial int) {
	info := warc.Header{
		{Name: "software", Value: "Kavosh/" + c.opt.Version},
		{Name: "isPartOf", Value: c.id},
		{Name: "robots", Value: "obey"},
		{Name: "http-header-user-agent", Value: c.fetcher.UserAgent()},
	}
	if c.opt.RecordRobots != "" {
		info.Set("robots", "ignore")
		info.Add("robots-reason", c.opt.RecordRobots)
	}
	if s := c.opt.Config["scope"]; s != "" {
		info.Add("scope", s)
	}
	if c.opt.Fetch.KeepSecrets {
		info.Add("secrets", "kept")
	}
	c.recorder = record.New(record.Options{
		FS: c.fs, Dir: c.archive.WARC, Crawl: c.id, Node: c.opt.Node, Clock: c.clock, MaxFile: c.opt.MaxFile, Digest: c.opt.Digest,
		Info: info, Serial: serial, NewID: c.opt.NewID, Original: c.original, Compression: c.opt.Compression.Format, Level: c.opt.Compression.Level,
	})
}

// restore gives scope and fetcher what earlier runs of this crawl kept: seeds, seeds that redirects added, cookies.
func (c *crawl) restore() error {
	if err := c.admitKept(); err != nil {
		return err
	}
	if err := c.admitAdded(); err != nil {
		return err
	}
	told, err := c.frontier.Get("standins")
	if err == nil {
		err = c.standIns.Restore(told)
	}
	if err != nil {
		return err
	}
	c.told = told
	snapshot, err := c.frontier.Get("scope")
	if err != nil {
		return err
	}
	if err := c.scope.Restore(snapshot); err != nil {
		return err
	}
	if err := c.moved.recall(c.frontier, c.scope); err != nil {
		return err
	}
	if err := cmp.Or(c.unloaded.recall(c.frontier), c.openBrowser()); err != nil {
		return err
	}
	cookies, err := c.frontier.Get("cookies")
	if err != nil {
		return err
	}
	return c.fetcher.RestoreCookies(cookies)
}

// crawl runs workers and committer until the end.
func (c *crawl) crawl(ctx context.Context, abort context.CancelFunc) error {
	defer context.AfterFunc(ctx, func() {
		c.quota.change(func(*quota) {}) // who waits sees that ctx has ended
		if c.clock.Sleep(c.hard, grace) == nil {
			abort()
		}
	})()
	if err := c.revisits.recallTurn(ctx); err != nil {
		return err
	}
	taking, deaf := context.WithCancel(ctx)
	defer deaf()
	if t := c.opt.Limits.Time; t > 0 {
		go func() {
			if c.clock.Sleep(taking, t) == nil {
				c.halt("time")
			}
		}()
	}
	if c.control.listener != nil {
		c.control.wg.Go(func() { c.control.serve(taking, c.control.listener) })
	}
	c.control.wg.Go(func() { c.control.keepHours(taking) })
	c.control.wg.Go(func() { c.network.keep(taking) })
	c.control.wg.Go(func() { c.revisits.keep(taking) })
	c.control.wg.Go(func() { c.endLoggedOut(taking) })
	done := make(chan struct{})
	committed := make(chan error, 1)
	c.pend.begin()
	go func() { committed <- c.commitLoop(done) }()

	c.tellBudget()
	var crew sync.WaitGroup
	failed := make(chan error, 1) // the first error of a worker
	c.quota.start(func() {
		crew.Go(func() {
			defer c.quota.retire()
			if err := c.work(ctx); err != nil {
				c.halt("failed")
				select {
				case failed <- err:
				default:
				}
			}
		})
	})
	crew.Wait()
	deaf()
	c.control.deaf()
	c.control.wg.Wait() // before the committer ends: a command may hand it seeds
	close(done)
	if err := <-committed; err != nil {
		return err // the disk is the cause of what workers then met
	}
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// counted returns what the crawl has counted of its quality.
func (c *crawl) counted() archive.Counted {
	c.tally.Lock()
	defer c.tally.Unlock()
	return c.tally.Quality
}

// trouble tells the observer.
func (c *crawl) trouble(text string) {
	if c.opt.Events.Trouble != nil {
		c.opt.Events.Trouble(text)
	}
}

// halt begins the end of the crawl: nothing new is asked for. The first reason stands.
func (c *crawl) halt(why string) {
	c.ending.Lock()
	if c.ending.why == "" {
		c.ending.why = why
	}
	c.ending.Unlock()
	c.stop()
}

// close closes everything that is open but the archive's lock. whole is false after a failure: then the open WARC file
// stays as it is, for Resume to read.
func (c *crawl) close(whole bool) (err error) {
	keep := func(e error) { err = cmp.Or(err, e) } // the first; what follows is mostly of the same cause
	if c.recorder != nil {
		if whole {
			keep(c.recorder.Close())
		} else {
			c.recorder.Abandon()
		}
	}
	if c.spool != nil {
		keep(c.spool.close(whole))
	}
	if c.fetcher != nil {
		if whole && c.frontier != nil {
			keep(c.frontier.Put("cookies", c.fetcher.Cookies()))
			keep(c.purpose.keep(c.fs, c.orderFile()))
		}
		if err := c.opt.Logins.keep(c.clock.Now()); err != nil {
			c.trouble(err.Error())
		}
		c.fetcher.Close()
	}
	if c.frontier != nil {
		c.last = c.frontier.Stats()
		if whole {
			keep(c.noteLimited())
		}
		keep(c.frontier.Close())
	}
	if c.crawlLog != nil {
		keep(c.crawlLog.Close())
	}
	if c.loadLog != nil {
		keep(c.loadLog.Close())
	}
	keep(c.reached.close())
	if c.control != nil {
		keep(c.control.close())
	}
	if c.archive != nil {
		if whole {
			keep(c.archive.Index.Merge())
		}
		keep(c.archive.Close())
	}
	return err
}

// Status is the crawl's state now.
func (c *crawl) Status() Status {
	s := c.frontier.Stats()
	c.tally.Lock()
	n := c.tally.counts.copy()
	c.tally.Unlock()
	c.ending.Lock()
	why := c.ending.why
	c.ending.Unlock()
	waiting := ""
	c.quota.Lock()
	if c.quota.parts && !c.quota.second && why == "" {
		why = "pages"
	}
	switch {
	case c.quota.paused:
		waiting = WaitingPaused
	case c.quota.offline:
		waiting = WaitingNetwork
	}
	c.quota.Unlock()
	return Status{
		ID: c.id, Started: c.run, Now: c.clock.Now(), Finished: n.Fetched, Pages: n.Pages, Recorded: n.Recorded, Bytes: n.Bytes, Queued: s.Queued, Limited: s.Limited, OnHold: s.OnHold, Known: s.Known,
		Hosts: n.Hosts, InFlight: c.inFlight.Load(), Revisits: n.Revisits, Failed: n.Failed, Codes: n.Status, MIME: n.MIME, Stopping: why,
		Waiting: waiting, Walls: n.Walls, StandIns: n.StandIns, Held: int64(s.Held), Again: s.Again, AgainAt: s.AgainAt, Next: s.Next, NextAt: s.NextAt, Limits: c.opt.Limits, Alarms: c.alarms.current(),
		Schedule: c.revisits.told(&n, c.clock.Now()),
	}
}
