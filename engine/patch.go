package engine

// This file is what a crawl does that mends its archive (--patch missing). It asks for the parts that pages of the archive lack, as
// package quality finds them, each once, and for what these need in turn. It follows no links.
//
// What pages lack is looked for once, when the crawl begins. The parts then are its seeds (seeds.go): they stand in the crawl's file of
// seeds, and are queued as what their pages embed, so that they are not let through where a seed is: to private addresses, say.

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier/scope"
	"kavosh/internal/disk"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
	"kavosh/plan"
	"kavosh/quality"
	"kavosh/record"
)

// These are the classes of refusing what a crawl that mends its archive does not ask for.
const (
	notLacked scope.Reason = "held"   // the archive has it, or no page lacks it
	withheld  scope.Reason = "access" // a rule of access holds it back
	noPart    scope.Reason = "patch"  // a link
)

// patch is what a crawl mends of its archive. A nil patch is that of any other crawl.
type patch struct {
	fromBegin archive.Patch
	missing   []quality.Missing // until they are kept as seeds
	apart     []quality.Apart   // … pages to visit again (incoherent.go)

	mu     sync.Mutex // of reader, which knows of one document's parts at a time
	reader *quality.Reader
}

// parts reports whether the crawl asks for parts, of which the archive has nothing, each once.
func (p *patch) parts() bool { return p != nil && p.fromBegin.Together == nil }

// openPatch finds what the archive lacks, or takes up what an earlier run of the crawl found.
func (c *crawl) openPatch(ctx context.Context) error {
	if c.opt.Patch == plan.NoPatch {
		return nil
	}
	p := &patch{reader: archive.QualityOf(c.fs, c.opt.Archive, c.clock)}
	c.patch = p
	path := c.fs.PathJoin(c.dir, archive.PatchFile)
	if c.opt.Resume {
		data, err := disk.ReadFile(c.fs, path)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &p.fromBegin); err != nil {
			return archive.Advise("%s is damaged (%w): begin a new crawl, without --resume", path, err)
		}
		return nil
	}
	find := c.findMissing
	if c.opt.Patch == plan.Incoherent {
		find = c.findApart
	}
	if err := find(ctx, p); err != nil {
		return err
	}
	data, err := json.Marshal(&p.fromBegin)
	if err != nil {
		return err
	}
	return disk.WriteFile(c.fs, path, append(data, '\n'))
}

// findMissing finds the parts that pages lack.
func (c *crawl) findMissing(ctx context.Context, p *patch) error {
	sum := quality.NewSummary(0, quality.MaxMissing)
	if err := c.measure(ctx, p.reader, sum, anyCapture); err != nil {
		return err
	}
	p.missing, sum.Missing = sum.Missing, []quality.Missing{}
	met, err := c.wanted(ctx, p)
	if err != nil {
		return err
	}
	p.reader.Forget()
	p.missing = slices.DeleteFunc(p.missing, func(m quality.Missing) bool { return m.State == quality.Loops }) // the archive has all of it
	p.fromBegin = archive.Patch{Of: string(c.opt.Patch), Parts: len(p.missing), Met: met, Before: sum}
	return nil
}

// wanted adds to the parts those that readers met as missing, and returns how many that are. What the archive has by now is taken out of
// their file.
func (c *crawl) wanted(ctx context.Context, p *patch) (met int, err error) {
	all, err := archive.ReadWanted(c.fs, c.opt.Archive)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	known := map[string]bool{}
	for i := range p.missing {
		known[p.missing[i].Wanted()], known[p.missing[i].URL] = true, true
	}
	var still []archive.Wanted
	for _, w := range all {
		at, err := time.Parse("20060102150405", w.Time)
		if err != nil {
			continue
		}
		part, err := p.reader.Look(ctx, w.URL, at)
		if err != nil {
			return 0, err
		}
		if part.State == quality.Held {
			continue
		}
		page, err := p.reader.Look(ctx, w.Page, at)
		if err != nil {
			return 0, err
		}
		if page.State == quality.Closed || page.State == quality.Absent { // a rule has closed it since
			part.State = quality.Closed
		}
		if still = append(still, w); !known[part.Wanted()] {
			known[part.Wanted()] = true
			p.missing = append(p.missing, quality.Missing{Part: part, Pages: 1, On: w.Page})
			met++
		}
	}
	if len(still) == len(all) {
		return met, nil
	}
	return met, archive.WriteWanted(c.fs, c.opt.Archive, still)
}

// measure reads what all pages lack, by the captures for which of returns true, and tells the observer how far it has come.
func (c *crawl) measure(ctx context.Context, r *quality.Reader, sum *quality.Summary, of func(*cdx.Entry) bool) error {
	return sum.Read(r.Pages(ctx, cdx.Query{URL: "*"}, of), func() bool {
		c.measuring(int64(sum.Pages))
		return true
	})
}

// allowEarlierSeeds lets the fetcher reach the hosts that people named to earlier crawls of the archive, also where their addresses are
// private: pages from there have parts there.
func (c *crawl) allowEarlierSeeds() error {
	if c.opt.Patch == plan.NoPatch {
		return nil
	}
	crawls, err := archive.Crawls(c.fs, c.opt.Archive)
	if err != nil {
		return err
	}
	for i := range crawls {
		for url, err := range archive.Seeds(c.fs, c.opt.Archive, crawls[i].ID) {
			if err != nil {
				break // kavosh check tells of the damage, and no more depends on it than private addresses
			}
			if u, err := weburl.Parse(url); err == nil {
				c.fetcher.AllowHost(u.Hostname(), u.PortNumber())
			}
		}
	}
	return nil
}

// keep adds the parts to the file of seeds of a crawl that begins, those that matter most first, or the pages.
func (p *patch) keep(c *crawl) error {
	if p == nil || c.opt.Resume {
		return nil
	}
	return c.keepLines(func(yield func(seedLine, error) bool) {
		for i := range p.missing {
			m := &p.missing[i]
			if !yield(seedLine{URL: m.Wanted(), As: archive.SeedPart, Page: cmp.Or(m.Via, m.On), Closed: m.State == quality.Closed}, nil) {
				return
			}
		}
		for i := range p.apart {
			if !yield(seedLine{URL: p.apart[i].URL, As: archive.SeedAgain}, nil) {
				return
			}
		}
		p.missing, p.apart = nil, nil
	})
}

// queuePart hands over the part of a line of the file of seeds.
func (c *crawl) queuePart(line *seedLine) {
	page, link := &kavosh.Task{URL: line.Page, Seed: line.Page}, line.link()
	if !line.Closed {
		c.pend.hand(c.linksOf(page, []kavosh.Link{link}))
		return
	}
	var it item
	it.reject(&link, page, refusedPart, c.clock.Now())
	c.pend.hand(it)
}

var refusedPart = scope.Decision{Reason: withheld, Rule: "a rule of kavosh access holds it back"}

// original finds the capture to which a revisit record may refer that has a payload with this digest. A crawl that mends does not trust
// the log: what it asks for may be missing since the record is lost.
func (c *crawl) original(digest string) (kavosh.Prior, bool) {
	p, ok := c.archive.Originals.Digest(digest)
	if !ok || !c.patch.parts() || !p.Time.Before(c.began) {
		return p, ok
	}
	held, err := c.archive.Records.Alone(c.hard, &cdx.Entry{Filename: p.File, Offset: p.Offset})
	if err != nil {
		return p, false
	}
	held.Close()
	return p, true
}

// choose returns what decides of each of a document's links, before scope is asked, whether the crawl wants it: what a browser loads to show
// the document, where a redirect leads, and only what the archive lacks. It returns nil for a crawl that does not mend.
func (p *patch) choose(ctx context.Context, task *kavosh.Task, links []kavosh.Link, now time.Time) func(i int) scope.Decision {
	if p == nil || len(links) == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.reader.Forget() // what comes after this is to be seen
	lacks, err := p.reader.Lacking(ctx, links, now)
	named := map[string]bool{}
	for i := range links {
		l := &links[i]
		named[l.URL] = true
		if l.Kind == kavosh.Redirect && task.Kind != kavosh.Prerequisite && err == nil {
			var to quality.Part
			if to, err = p.reader.Look(ctx, l.URL, now); to.State != quality.Held {
				lacks = append(lacks, to)
			}
		}
	}
	state := map[string]quality.State{}
	for i := range lacks {
		url := lacks[i].URL
		if named[lacks[i].Ask] { // another size
			url = lacks[i].Ask
		}
		state[url] = lacks[i].State
	}
	return func(i int) scope.Decision {
		l := &links[i]
		switch {
		case task.Kind == kavosh.Prerequisite && l.Kind == kavosh.Redirect:
			return scope.Decision{In: true}
		case l.Kind != kavosh.Embed && l.Kind != kavosh.Redirect:
			return scope.Decision{Reason: noPart, Rule: "--patch follows no links"}
		case err != nil:
			return scope.Decision{Reason: notLacked, Rule: "nobody can tell whether the archive has it: " + err.Error()}
		case state[l.URL] == quality.Closed:
			return refusedPart
		case state[l.URL] == quality.Loops:
			return scope.Decision{Reason: notLacked, Rule: "the archive has it: it is redirected on and on"}
		case state[l.URL] == "":
			return scope.Decision{Reason: notLacked, Rule: "the archive has it, or no browser loads it to show the page"}
		}
		return scope.Decision{In: true}
	}
}

// patched says what the crawl mended, and if it is whole, what the archive lacks now. What cannot be told is left out.
func (c *crawl) patched(ctx context.Context, whole bool) *archive.Patch {
	if c.patch == nil {
		return nil
	}
	told := c.patch.fromBegin
	for l, err := range archive.ReadLog(c.fs, c.opt.Archive, c.id) {
		if err != nil {
			c.trouble("what was not asked for is not told: " + err.Error())
			break
		}
		switch reason := scope.Reason(l.Rule); {
		case l.Outcome != archive.Refused || reason == noPart || reason == notLacked:
		case reason == withheld:
			told.Closed++
		case l.Failure == kavosh.RobotsFailure:
			told.Robots++
		default:
			told.LeftOut++
		}
	}
	if !whole || ctx.Err() != nil {
		return &told
	}
	what := "what the archive lacks"
	if told.Together != nil {
		what = "how far the pages fit together"
	}
	switch err := c.remeasure(ctx, &told); {
	case ctx.Err() != nil:
		c.trouble(what + " now is not told, since it was interrupted: kavosh quality tells it")
	case err != nil:
		c.trouble(what + " now is not told: " + err.Error())
	}
	return &told
}

// remeasure measures again what the crawl mended.
func (c *crawl) remeasure(ctx context.Context, told *archive.Patch) error {
	if told.Together != nil {
		return c.rejoined(ctx, told.Together)
	}
	earlier := func(e *cdx.Entry) bool { return record.CrawlOf(e.Filename) != c.id } // the pages are the same as before: frames that came are parts
	after := quality.NewSummary(0, 0)
	if err := c.measure(ctx, archive.QualityOf(c.fs, c.opt.Archive, c.clock), after, earlier); err != nil {
		return err
	}
	told.After = after
	return nil
}
