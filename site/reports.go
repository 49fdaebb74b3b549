package site

// This file reads the reports and logs of an archive's crawls, for the pages about crawls.

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/internal/about"
	"kavosh/lib/ranges"
	"kavosh/lib/weburl"
	"kavosh/plan"
	"kavosh/site/draw"
)

// Bounds on what is read of a crawl.log for the page of a crawl.
const (
	maxLogLines = 1_000_000
	maxLogHosts = 100_000
	maxSlots    = 240 // bars in the graph over the crawl's time
	topHosts    = 15
)

// Reports implements [Crawls] for the archive in a folder.
type Reports struct {
	Dir   string
	Rules *access.Follower // hides hosts that were taken down
	Guard *access.Guard    // hides seeds whose content was taken down
	Live

	asked sync.Mutex // one call of Why at a time, because a long log takes seconds to read

	mu struct {
		sync.Mutex
		logs map[string]*logTally // by id of the crawl
	}
}

// Live tells of crawls that have not ended.
type Live struct {
	// Queued returns the state of a URL that waits in the queue of a crawl that runs or can be resumed; false if it
	// does not.
	Queued func(dir string, crawl archive.Crawl, url string) (archive.Line, bool)
	// Running returns how the crawl of the archive in dir goes that runs now; false if none does.
	Running func(dir string) (Running, bool)
}

// Running is how a crawl goes that runs now.
type Running struct {
	ID                                                       string
	Seconds                                                  float64 // since this run began
	Fetched, Recorded, Bytes, Revisits, Hosts, Known, Queued int64
	Walls                                                    int64
	Again                                                    draw.Again
	Failed, Status, MIME, StandIns                           map[string]int64
	draw.Running                                             // Held has all hosts
}

// List returns the crawls by their reports, the newest first. Of the crawl that runs it has the numbers of now.
func (c *Reports) List(ctx context.Context) ([]draw.Crawl, error) {
	infos, err := archive.Crawls(vfs.Default, c.Dir)
	if err != nil {
		return nil, err
	}
	sight, err := c.Rules.Sight(access.From(ctx))
	if err != nil {
		return nil, err
	}
	odd := archive.Anomalies(vfs.Default, c.Dir, infos)
	var list []draw.Crawl
	for _, info := range slices.Backward(infos) {
		list = append(list, crawlOf(&info))
		one := &list[len(list)-1]
		one.Odd, one.Proposals = string(odd[info.ID]), named(info.Report.Proposals, hides(sight, info.Started))
	}
	c.running(list, sight)
	return list, nil
}

// running fills in the numbers of the crawl that runs, if it is in list and has no report.
func (c *Reports) running(list []draw.Crawl, sight access.Sight) {
	if !slices.ContainsFunc(list, func(p draw.Crawl) bool { return p.End == "" }) {
		return
	}
	now, ok := c.Running(c.Dir)
	i := slices.IndexFunc(list, func(p draw.Crawl) bool { return p.ID == now.ID })
	if !ok || i < 0 {
		return
	}
	p := &list[i]
	p.Seconds, p.Fetched, p.Recorded, p.Bytes, p.Revisits = now.Seconds, now.Fetched, now.Recorded, now.Bytes, now.Revisits
	p.Hosts, p.Known, p.Queued, p.Failed, p.Status, p.MIME = now.Hosts, now.Known, now.Queued, now.Failed, now.Status, now.MIME
	p.Walls, p.StandIns, p.Again = now.Walls, now.StandIns, now.Again
	hidden := hides(sight, p.Started)
	for i := range now.Alarms {
		if a := &now.Alarms[i]; a.Host != "" && hidden("http://"+a.Host+"/") {
			a.Host = ""
		}
	}
	now.Held = slices.DeleteFunc(now.Held, func(h draw.Held) bool { return hidden("http://" + h.Host + "/") })
	p.Now = &now.Running
}

// AgainOf returns of a schedule what readers are shown.
func AgainOf(s *archive.Schedule) draw.Again {
	return draw.Again{Pages: s.Pages, Round: s.Round, Visits: s.Visits, Changed: s.Changed}
}

func crawlOf(info *archive.Crawl) draw.Crawl {
	r := &info.Report
	p := draw.Crawl{
		ID: info.ID, Started: info.Started, Ended: r.Ended, Seconds: r.Seconds, End: info.End, Fetched: r.Fetched, Recorded: r.Recorded, Bytes: r.Bytes,
		Revisits: r.Revisits, Counted: draw.Counted(r.Quality), Changes: draw.Changes(r.Changes), Again: AgainOf(&r.Schedule), Hosts: r.Hosts, Known: r.Known, Queued: r.Queued, Dropped: r.Dropped, Unkept: r.Unkept, Relevant: r.Relevant, RelevantHosts: r.RelevantHosts, RelevantDomains: r.RelevantDomains,
		SeedsFailed: r.SeedsFailed, SeedsKept: r.SeedsKept, Walls: r.Walls, Loads: draw.Loads(r.Loads), StandIns: r.StandIns, Status: r.Status, MIME: r.MIME, Failed: map[string]int64{},
	}
	for kind, n := range r.Failed {
		if n > 0 {
			p.Failed[string(kind)] = n
		}
	}
	p.Scope = cmp.Or(info.Config["scope"], "host")
	for _, name := range slices.Sorted(maps.Keys(info.Config)) {
		value := info.Config[name]
		if k, ok := plan.KeyOf(name); ok && k.Told {
			p.Config = append(p.Config, draw.Setting{Name: name, Value: value})
		} else {
			p.Config = append(p.Config, draw.Setting{Name: name, Untold: len(strings.Split(strings.TrimSuffix(value, "\n"), "\n"))})
		}
	}
	return p
}

// Crawl returns one crawl with the numbers of its log; nil if there is none with this id.
func (c *Reports) Crawl(ctx context.Context, id string) (*draw.Crawl, error) {
	infos, err := archive.Crawls(vfs.Default, c.Dir)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(infos, func(info archive.Crawl) bool { return info.ID == id })
	if i < 0 {
		return nil, nil
	}
	sight, err := c.Rules.Sight(access.From(ctx))
	if err != nil {
		return nil, err
	}
	one := []draw.Crawl{crawlOf(&infos[i])}
	one[0].Odd = string(archive.Anomalies(vfs.Default, c.Dir, infos)[id])
	c.running(one, sight)
	p := one[0]
	t, err := c.log(ctx, id)
	if err != nil {
		return nil, err
	}
	hidden := hides(sight, p.Started)
	p.Proposals = named(infos[i].Report.Proposals, hidden)
	if err := c.seeds(ctx, &p, hidden); err != nil {
		return nil, err
	}
	if p.Now == nil {
		for _, l := range infos[i].Report.LoginsOver {
			if !hidden("http://" + l.Host + "/") {
				p.LoginsOver = append(p.LoginsOver, l.Host)
			}
		}
	}
	p.Slots, p.Slot, p.Cut = t.slots, t.slot, t.cut
	for host, n := range t.hosts {
		if !sight.Listed(access.Capture("http://"+host+"/", p.Started, "")) {
			continue
		}
		p.Top = append(p.Top, draw.HostCount{Host: host, Captures: n})
	}
	slices.SortFunc(p.Top, func(a, b draw.HostCount) int {
		return cmp.Or(cmp.Compare(b.Captures, a.Captures), strings.Compare(a.Host, b.Host))
	})
	p.Top = p.Top[:min(len(p.Top), topHosts)]
	for rule, n := range t.refused {
		p.Refused = append(p.Refused, draw.Count{Name: rule, Count: n})
	}
	slices.SortFunc(p.Refused, func(a, b draw.Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
	return &p, nil
}

// maxTelling is how long Why may search the logs while a reader waits.
const maxTelling = 2 * time.Second

// Why returns what happened to a URL in the last crawl that met it.
func (c *Reports) Why(ctx context.Context, url string) (why draw.Why, err error) {
	sight, err := c.Rules.Sight(access.From(ctx))
	if err != nil {
		return why, err
	}
	hidden := hides(sight, time.Now())
	if why.Outcome = draw.NeverMet; hidden(url) {
		return why, nil
	}
	why.Outcome = draw.Unread
	if !c.asked.TryLock() {
		return why, nil
	}
	defer c.asked.Unlock()
	ctx, cancel := context.WithTimeout(ctx, maxTelling)
	defer cancel()
	infos, err := archive.Crawls(vfs.Default, c.Dir)
	if err != nil {
		return why, err
	}
	for _, info := range slices.Backward(infos) {
		l, met, err := archive.LastOf(ctx, vfs.Default, c.Dir, info.ID, url)
		if err != nil {
			if ctx.Err() != nil {
				err = nil
			}
			return why, err
		}
		if !met || l.Outcome == "retry" {
			waits, queued := c.Queued(c.Dir, info, url)
			if queued {
				l = waits
			}
			met = met || queued
		}
		if met {
			why = whyOf(&l)
			why.Reason, why.Crawl = weburl.Silence(why.Reason, "…", hidden), info.ID
			return why, nil
		}
	}
	return draw.Why{Outcome: draw.NeverMet}, nil
}

// whyOf turns a line of a crawl.log into what pages show.
func whyOf(l *archive.Line) draw.Why {
	why := draw.Why{Status: l.Status, Reason: l.Reason, Time: l.Time}
	switch {
	case l.Outcome == "refused":
		why.Outcome, why.Cause = draw.Refused, "rule."+cmp.Or(l.Rule, "other")
		if l.Rule == "" && l.Failure != kavosh.NoFailure {
			why.Cause = "failure." + string(l.Failure)
		}
	case l.Outcome == "queued" || l.Outcome == "retry":
		why.Outcome, why.Reason = draw.Queued, ""
	case l.Outcome == "failed" && l.Status == 0:
		why.Outcome, why.Cause = draw.Failed, "failure."+string(l.Failure)
	case l.Status >= 400:
		why.Outcome = draw.Answered
	case l.Outcome == "recorded":
		why.Outcome = draw.Recorded
	default:
		why.Outcome = draw.Dropped
	}
	return why
}

// log counts the lines of a crawl's log. It keeps the result and reads only what was added since, so that the page of a
// running crawl can be drawn again and again.
func (c *Reports) log(ctx context.Context, id string) (logTally, error) {
	c.mu.Lock()
	defer c.mu.Unlock() // one log at a time, because a long one takes seconds to read
	t := c.mu.logs[id]
	if t != nil {
		if err := t.read(ctx, c.Dir, id); err == nil || ctx.Err() != nil {
			return t.copy(), err
		}
		// The log may have been mended when the crawl went on: then other lines stand there now.
	}
	t = &logTally{slot: time.Second, hosts: map[string]int64{}, refused: map[string]int64{}}
	if c.mu.logs == nil {
		c.mu.logs = map[string]*logTally{}
	}
	c.mu.logs[id] = t
	err := t.read(ctx, c.Dir, id)
	return t.copy(), err
}

// logTally counts the lines of a crawl.log.
type logTally struct {
	lines   int
	next    int64 // position in bytes of the first line that was not read
	cut     bool
	slots   []draw.Slot
	slot    time.Duration
	hosts   map[string]int64
	refused map[string]int64
}

// read counts the lines that were added since it was called last.
func (t *logTally) read(ctx context.Context, dir, id string) error {
	if t.cut {
		return nil
	}
	for l, err := range archive.ReadLogFrom(vfs.Default, dir, id, t.next) {
		if err != nil {
			return err
		}
		if t.lines++; t.lines > maxLogLines {
			t.cut = true
			return nil
		}
		if t.lines%1000 == 0 && ctx.Err() != nil {
			t.lines--
			return ctx.Err()
		}
		t.add(&l.Line)
		t.next = l.Next
	}
	return nil
}

// copy returns a copy that shares nothing with t.
func (t *logTally) copy() logTally {
	c := *t
	c.slots, c.hosts, c.refused = slices.Clone(t.slots), maps.Clone(t.hosts), maps.Clone(t.refused)
	return c
}

func (t *logTally) add(l *archive.Line) {
	switch l.Outcome {
	case "refused":
		rule := l.Rule
		switch {
		case rule == "" && l.Failure != kavosh.NoFailure:
			rule = string(l.Failure)
		case rule == "":
			rule = "other"
		}
		t.refused[rule]++
		return
	case "retry":
		return
	}
	if l.Kind == kavosh.Prerequisite.String() { // robots.txt: the report does not count it either
		return
	}
	if u, err := weburl.Parse(l.URL); err == nil && (len(t.hosts) < maxLogHosts || t.hosts[u.Host()] > 0) {
		t.hosts[u.Host()]++
	}
	if len(t.slots) == 0 {
		t.slots = append(t.slots, draw.Slot{From: l.Time.Truncate(time.Second)})
	}
	at := max(0, int(l.Time.Sub(t.slots[0].From)/t.slot))
	for at >= maxSlots {
		t.coarser()
		at /= 2
	}
	for len(t.slots) <= at {
		t.slots = append(t.slots, draw.Slot{From: t.slots[0].From.Add(time.Duration(len(t.slots)) * t.slot)})
	}
	s := &t.slots[at]
	if l.Outcome == "failed" {
		s.Failed++
	} else {
		s.Recorded++
	}
	s.Bytes += l.Size
}

// coarser makes each slot twice as long.
func (t *logTally) coarser() {
	t.slot *= 2
	for i := range (len(t.slots) + 1) / 2 {
		s := t.slots[2*i]
		if 2*i+1 < len(t.slots) {
			next := t.slots[2*i+1]
			s.Recorded, s.Failed, s.Bytes = s.Recorded+next.Recorded, s.Failed+next.Failed, s.Bytes+next.Bytes
		}
		t.slots[i] = s
	}
	t.slots = t.slots[:(len(t.slots)+1)/2]
}

// Bounds on the seeds on a crawl's page.
const (
	shownSeeds  = 20
	lookedAt    = 10 * shownSeeds // seeds whose content is checked against the access rules
	countedSeed = 10_000
)

// seeds fills in a crawl's seeds: a few of those that this reader may see, and how many more there are.
func (c *Reports) seeds(ctx context.Context, p *draw.Crawl, hidden func(url string) bool) error {
	read, looked := 0, 0
	for seed, err := range archive.Seeds(vfs.Default, c.Dir, p.ID) {
		if err != nil {
			return nil // damaged: kavosh check reports it
		}
		if read++; read > countedSeed {
			p.SeedsCut = true
			break
		}
		switch {
		case hidden(seed) || weburl.Silence(seed, "", hidden) != seed: // the seed, or a URL inside it, is hidden
			continue
		case len(p.Seeds) == shownSeeds || looked == lookedAt:
			p.MoreSeeds++
			continue
		}
		looked++
		refused, err := c.Guard.Withheld(ctx, seed)
		if err != nil {
			return err
		}
		if refused == nil {
			p.Seeds = append(p.Seeds, seed)
		}
	}
	return nil
}

// hides returns a function that reports whether the rules hide a URL on the page of a crawl that began at the given
// time.
func hides(sight access.Sight, began time.Time) func(url string) bool {
	now := time.Now()
	return func(url string) bool {
		return !sight.Listed(access.Capture(url, began, "")) || !sight.Listed(access.Capture(url, now, ""))
	}
}

// Imports returns the imported files, the newest first.
func (c *Reports) Imports(context.Context) ([]draw.Import, error) {
	sight, err := c.Rules.Sight(access.Reader{})
	if err != nil {
		return nil, err
	}
	var list []draw.Import
	for made := range archive.Imports(vfs.Default, c.Dir) {
		told := func(text string) string { return unnamed(about.Title(text), hides(sight, made.Time)) }
		list = append(list, draw.Import{Name: told(baseName(made.Source)), Title: told(made.Title), Time: made.Time, Captures: made.Captures})
	}
	slices.SortStableFunc(list, func(a, b draw.Import) int { return b.Time.Compare(a.Time) })
	return list, nil
}

// baseName returns the last part of a path or URL, which says nothing about the machine that it was on.
func baseName(source string) string {
	if u, err := url.Parse(source); err == nil && ranges.IsURL(source) {
		return path.Base("/" + u.Path)
	}
	return filepath.Base(filepath.ToSlash(source))
}

// unnamed returns text, or "…" if it names a hidden URL or host: files are often named after sites.
func unnamed(text string, hidden func(url string) bool) string {
	if weburl.Silence(text, "", hidden) != text {
		return "…"
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" _/:;,()[]\"'«»،؛", r) }) {
		for name := word; strings.Contains(name, "."); name = name[:strings.LastIndexAny(name, "-.")] {
			for host := name; strings.Contains(host, "."); {
				if hidden("http://" + host + "/") {
					return "…"
				}
				i := strings.IndexAny(host, "-.")
				host = host[i+1:]
			}
		}
	}
	return text
}
