package engine

// This file keeps the seeds of a crawl and queues them.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/internal/journal"
	"kavosh/lib/weburl"
	"kavosh/seeds"
)

// Seeds may be millions: they stand in crawls/<id>/seeds, a line each, and go from there into the frontier a batch at a
// time. Those that commands add stand in control.log. The marks say how far both are queued.

// SeedURLs yields URLs that are seen-keys as Options.Seeds has them.
func SeedURLs(urls ...string) iter.Seq2[kavosh.Link, error] {
	return func(yield func(kavosh.Link, error) bool) {
		for _, url := range urls {
			if !yield(kavosh.Link{URL: url, Kind: kavosh.Seed}, nil) {
				return
			}
		}
	}
}

// seedLine is a line of crawls/<id>/seeds.
type seedLine struct {
	URL    string           `json:"url,omitempty"`
	As     string           `json:"as,omitempty"` // "sitemap", "search", "part", "again"
	Plan   *kavosh.SeedPlan `json:"plan,omitempty"`
	Page   string           `json:"page,omitempty"`   // of a part: the document that embeds it
	Closed bool             `json:"closed,omitempty"` // of a part: a rule of access holds it back, so that it is not asked for
	*seeds.Bad
}

// link returns the link of a line that has a URL.
func (s *seedLine) link() kavosh.Link {
	link := kavosh.Link{URL: s.URL, Kind: kavosh.Seed, Element: s.As, Plan: s.Plan}
	switch s.As {
	case kavosh.Sitemap.String():
		link.Kind, link.Element = kavosh.Sitemap, ""
	case archive.SeedPart:
		link.Kind, link.Element = kavosh.Embed, ""
	case archive.SeedAgain:
		link.Element = ""
	}
	return link
}

// named reports whether a person named it.
func (s *seedLine) named() bool { return s.Bad == nil && !s.part() && s.As != archive.SeedAgain }

// part reports whether the line is a part that pages of the archive lack (patch.go), and no seed.
func (s *seedLine) part() bool { return s.As == archive.SeedPart }

const (
	seedBatch  = 10_000  // seeds that are queued at once
	seedSync   = 4 << 20 // bytes of seeds that wait to be written
	keptBad    = 100     // bad lines that the report has
	seedsBegun = "seeds" // key in the frontier of how long the file of seeds is
)

// seedFile is crawls/<id>/seeds.
type seedFile struct {
	fs   vfs.FS
	path string
}

func (c *crawl) seedFile() seedFile { return seedFile{c.fs, c.fs.PathJoin(c.dir, "seeds")} }

// admitKept adds the seeds of earlier runs to scope and fetcher.
func (c *crawl) admitKept() error {
	kept, err := c.frontier.Get(seedsBegun)
	if err != nil || !c.opt.Resume {
		return err
	}
	if bytes.HasPrefix(kept, []byte("[")) {
		return c.moveSeeds(kept)
	}
	size, err := strconv.ParseInt(string(kept), 10, 64)
	if err != nil {
		return fmt.Errorf("the frontier of crawl %s is damaged: %w; start a new crawl without --resume", c.id, err)
	}
	var end int64
	for line, err := range c.seedFile().read(0) {
		if err != nil {
			return err
		}
		if end = line.next; line.named() {
			link := line.link()
			if err := c.admit(&link); err != nil {
				return err
			}
		}
	}
	if end < size {
		return archive.Advise("%s lacks seeds that the crawl began with: put the file back, or start a new crawl without --resume", c.seedFile().path)
	}
	return nil
}

// movedKey is the key in the frontier of the n-th list of seeds that redirects added: a commit writes those that are
// new.
func movedKey(n int) string { return fmt.Sprintf("moved %d", n) }

// movedSeeds are the seeds that redirects added, in lists that the frontier keeps.
type movedSeeds struct{ lists int }

// keep keeps those that scope added since it was called last.
func (m *movedSeeds) keep(f *frontier.Frontier, s *scope.Scope) error {
	urls := s.Moved()
	if len(urls) == 0 {
		return nil
	}
	list, err := json.Marshal(urls)
	if err != nil {
		return err
	}
	m.lists++
	return f.Put(movedKey(m.lists), list)
}

// recall adds those of earlier runs to scope.
func (m *movedSeeds) recall(f *frontier.Frontier, s *scope.Scope) error {
	for {
		list, err := f.Get(movedKey(m.lists + 1))
		if err != nil || list == nil {
			return err
		}
		var urls []string
		err = json.Unmarshal(list, &urls)
		for _, url := range urls {
			err = cmp.Or(err, s.AddSeed(url))
		}
		if err != nil {
			return fmt.Errorf("the list of seeds that redirects added is damaged: %w", err)
		}
		m.lists++
	}
}

// moveSeeds writes the seeds that an older program kept in the frontier, as a list, to the file of seeds.
func (c *crawl) moveSeeds(list []byte) error {
	var links []kavosh.Link
	if err := json.Unmarshal(list, &links); err != nil {
		return fmt.Errorf("the seeds of crawl %s are damaged: %w; start a new crawl without --resume", c.id, err)
	}
	return c.keepSeeds(func(yield func(kavosh.Link, error) bool) {
		for _, link := range links {
			if !yield(link, nil) {
				return
			}
		}
	})
}

// placedSeed is a line of the file of seeds, and where the next one begins.
type placedSeed struct {
	seedLine
	next int64
}

// read yields its lines from a position on.
func (f seedFile) read(from int64) iter.Seq2[placedSeed, error] {
	return func(yield func(placedSeed, error) bool) {
		for e, err := range journal.Read(f.fs, f.path, from) {
			line := placedSeed{next: e.Next}
			if err == nil {
				if err = json.Unmarshal(e.Line, &line.seedLine); err != nil {
					err = fmt.Errorf("%s, before byte %d, %w: %w", f.path, e.Next, journal.ErrDamaged, err)
				}
			}
			if err = archive.NeedsMending(err); !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// admit lets scope measure by a seed and the fetcher reach its address, whatever kind of address it is; but not for
// what strangers submit. What was said of the seed alone holds from then on. A part of a page is none.
func (c *crawl) admit(seed *kavosh.Link) error {
	if seed.Kind == kavosh.Embed {
		return nil
	}
	if seed.Element == seeds.Search { // never one that a command adds, while others look
		c.searches[seed.URL] = true
	}
	c.scope.AddSeed(seed.URL)
	if u, err := weburl.Parse(seed.URL); err == nil && seed.Element != submitted {
		c.fetcher.AllowHost(u.Hostname(), u.PortNumber())
	}
	if seed.Plan == nil {
		return nil
	}
	c.frontier.FavourSeed(seed.URL, seed.Plan.Priority)
	return c.scope.SetPlan(seed.URL, seed.Plan)
}

// keepSeeds adds seeds to the file of seeds.
func (c *crawl) keepSeeds(all iter.Seq2[kavosh.Link, error]) error {
	if all == nil {
		return nil
	}
	return c.keepLines(func(yield func(seedLine, error) bool) {
		for link, err := range all {
			line := seedLine{URL: link.URL, As: link.Element, Plan: link.Plan}
			switch {
			case errors.As(err, &line.Bad):
				err = nil
			case err != nil:
			case link.Kind == kavosh.Sitemap:
				line.As = link.Kind.String()
				fallthrough
			default:
				err = c.admit(&link)
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	})
}

// keepLines adds lines to the file of seeds.
func (c *crawl) keepLines(all iter.Seq2[seedLine, error]) (err error) {
	log, err := journal.Open(c.fs, c.seedFile().path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	synced := log.Position()
	for line, err := range all {
		if err != nil {
			return err
		}
		data, err := json.Marshal(line)
		if err != nil {
			return err
		}
		if log.Append(data); log.Position()-synced > seedSync {
			if err := log.Sync(); err != nil {
				return err
			}
			synced = log.Position()
		}
	}
	if err := log.Sync(); err != nil {
		return err
	}
	return c.frontier.Put(seedsBegun, strconv.AppendInt(nil, log.Position(), 10))
}

// addSeeds keeps this run's seeds and queues them, with those that an earlier run kept and could not queue. A crawl
// counts as begun, and can be resumed, once its seeds are kept: config.toml comes after them.
func (c *crawl) addSeeds() error {
	if err := c.keepSeeds(c.opt.Seeds); err != nil {
		return err
	}
	if err := c.patch.keep(c); err != nil {
		return err
	}
	if !c.opt.Resume {
		if err := archive.WriteConfig(c.fs, c.dir, c.opt.Config); err != nil {
			return err
		}
		c.kept = true
	}
	batch := make([]kavosh.Link, 0, 1000)
	var bad []archive.Line
	parts := 0
	queueBatch := func() error {
		it := c.linksOf(nil, batch)
		it.bad = bad
		c.pend.hand(it)
		batch, bad, parts = batch[:0], nil, 0
		return c.commit()
	}
	from, err := journal.LineAt(c.fs, c.seedFile().path, c.seedsQueued) // of a mended file all are read: what is queued is not queued again
	if err != nil {
		return err
	}
	for line, err := range c.seedFile().read(from) {
		if err != nil {
			return err
		}
		switch {
		case line.part():
			c.queuePart(&line.seedLine)
			parts++
		case line.Bad == nil:
			link := line.link()
			link.Position = len(batch)
			batch = append(batch, link)
		default:
			bad = append(bad, archive.Line{
				Time: c.clock.Now(), URL: line.Where, Outcome: archive.Refused, Rule: badSeed, Reason: line.Why, Kind: kavosh.Seed.String(),
			})
		}
		c.seedsQueued = line.next
		if len(batch)+len(bad)+parts >= seedBatch {
			if err := queueBatch(); err != nil {
				return err
			}
		}
	}
	return queueBatch()
}

// badSeed is the class of a refusal because a line is no seed.
const badSeed = "seed"

// admitAdded adds the seeds that commands of earlier runs added to scope and fetcher, before what a crash left is judged.
func (c *crawl) admitAdded() error {
	for cmd, err := range readCommands(c.fs, c.fs.PathJoin(c.dir, "control.log")) {
		if err != nil {
			return err
		}
		links := cmd.seeds()
		for i := range links {
			if err := c.admit(&links[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// queueAddedSeeds admits the seeds that commands added, those of Options too, and queues those that a crash kept from it.
func (c *crawl) queueAddedSeeds() error {
	for cmd, err := range readCommands(c.fs, c.fs.PathJoin(c.dir, "control.log")) {
		if err != nil {
			return err
		}
		links := cmd.seeds()
		for i := range links {
			if err := c.admit(&links[i]); err != nil {
				return err
			}
		}
		if len(links) == 0 || cmd.next <= c.addedQueued {
			continue
		}
		it := c.linksOf(cmd.embedder(), links)
		it.addedQueued = cmd.next
		c.pend.hand(it)
		if err := c.commit(); err != nil {
			return err
		}
	}
	return nil
}

// queueSeeds queues the seeds of a command, after which control.log ends at the position.
func (c *crawl) queueSeeds(cmd *Command, position int64) string {
	links := cmd.seeds()
	for i := range links {
		if err := c.admit(&links[i]); err != nil {
			return err.Error() // the command was checked before it was taken
		}
	}
	it := c.linksOf(cmd.embedder(), links)
	it.addedQueued, it.urgent = position, true
	in, rejected := len(it.update.Links), slices.Clone(it.rejected)
	c.pend.hand(it)
	if len(rejected) > 0 {
		return fmt.Sprintf("%s taken, %d left out: the first because it is %s", seedsOf(in), len(rejected), rejected[0].Reason)
	}
	return seedsOf(in) + " taken; what is new to the crawl is queued"
}

// embedder is the page of which a command names parts; nil for seeds.
func (cmd *Command) embedder() *kavosh.Task {
	if cmd.Name != addParts {
		return nil
	}
	return &kavosh.Task{URL: cmd.Via, Seed: cmd.Via}
}

// seeds are those that a command names, or parts of a page.
func (cmd *Command) seeds() []kavosh.Link {
	if cmd.Name != "seeds" && cmd.Name != "submit" && cmd.Name != addParts {
		return nil
	}
	links := make([]kavosh.Link, len(cmd.URLs))
	for i, url := range cmd.URLs {
		links[i] = kavosh.Link{URL: url, Kind: kavosh.Seed, Plan: cmd.Plan}
		if cmd.Name == "submit" {
			links[i].Element, links[i].Plan = submitted, nil
		}
		if cmd.Name == addParts {
			links[i].Kind = kavosh.Embed
		}
	}
	return links
}

// submitted is the Element of seeds that a stranger gave.
const submitted = "submitted"

// seedsOf is a number of seeds in words.
func seedsOf(n int) string {
	if n == 1 {
		return "1 seed"
	}
	return fmt.Sprintf("%d seeds", n)
}
