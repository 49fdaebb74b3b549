package main

// This file is the flag --dry-run of kavosh crawl: it crawls a few pages into a temporary folder, and shows as a tree what
// the crawl would take and leave out.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/engine"
	"kavosh/frontier"
	"kavosh/frontier/scope"
)

const (
	mostTold   = 100_000 // URLs that a dry run remembers; more are only counted
	mostShown  = 12      // of a folder, entries that are printed
	mostName   = 60      // of a name, characters that are printed
	mostReason = 20      // reasons in the list at the end
)

// met is a URL that a dry run met, and what became of it.
type met struct {
	URL     string `json:"url"`
	Outcome string `json:"outcome"`          // as in crawl.log, or "queued": the crawl would ask for it, or it waits
	Reason  string `json:"reason,omitempty"` // in words
	Rule    string `json:"rule,omitempty"`   // its class, of a URL that is left out; beyondLimit of one that waits
	brief   string
	odd     bool // left out, failed, answered with a status of 400 or above, or in place of the page

	StandIn kavosh.StandIn `json:"standin,omitempty"` // what its answer stands in for
}

// dryRun is what a dry run met.
type dryRun struct {
	Pages   int64            `json:"pages"`   // that were fetched
	Fetched int64            `json:"fetched"` // URLs
	Queued  int64            `json:"queued"`  // URLs that the crawl would ask for next
	Limited int64            `json:"limited"` // URLs that wait beyond a limit
	Left    int64            `json:"left_out"`
	Reasons map[string]int64 `json:"reasons"` // why, with counts
	URLs    []met            `json:"urls"`
	More    int64            `json:"more,omitempty"` // URLs that are not told

	byURL map[string]met
}

// dry crawls at most c.DryRun pages, and prints what it met.
func (c *crawlCmd) dry(p *program, opts engine.Options) (err error) {
	if c.Resume.Set {
		return usage("--dry-run begins a crawl that is not kept, and --resume goes on with one: leave one of them out")
	}
	dir, err := os.MkdirTemp("", "kavosh-dry-run-")
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(dir)) }()
	var removed atomic.Bool
	p.atOnce = func() {
		removed.Store(true)
		for try := 0; os.RemoveAll(dir) != nil && try < 100; try++ { // the crawl goes on writing meanwhile
		}
	}
	opts.Archive = filepath.Join(dir, "archive")
	if n := int64(*c.DryRun); opts.Limits.Pages == 0 || opts.Limits.Pages > n {
		opts.Limits.Pages = n
	}
	watch := newProgress(p.err)
	watch.say("dry run: at most %s, into a folder that is removed", plural(opts.Limits.Pages, "page"))
	d := dryRun{Reasons: map[string]int64{}, URLs: []met{}, byURL: map[string]met{}}
	opts.Events = engine.Events{
		Trouble:  func(text string) { watch.say("%s", text) },
		Progress: watch.start,
		Finished: d.line,
	}
	ctx, stop := p.interruptible(func() { watch.say("stopping: finishing what is in flight; Ctrl-C again stops at once") })
	defer stop()
	report, err := engine.Run(ctx, opts)
	if removed.Load() {
		select {} // what it says of a folder that goes away helps nobody, and the process is about to end
	}
	watch.stop()
	if err != nil {
		return err
	}
	d.Pages = report.Pages
	if err := d.readQueue(&opts); err != nil {
		return err
	}
	d.count()
	if c.JSON {
		enc := json.NewEncoder(p.out)
		enc.SetIndent("", "  ")
		err = enc.Encode(&d)
	} else {
		_, err = io.WriteString(p.out, d.text())
	}
	switch {
	case err != nil:
		return err
	case report.End == "interrupted":
		return exitStatus(exitInterrupted)
	case report.SeedsKept == 0:
		return exitStatus(exitNothing)
	}
	return nil
}

// line takes a line of crawl.log.
func (d *dryRun) line(l archive.Line) {
	if l.Outcome == archive.Retry || l.Kind == kavosh.Prerequisite.String() {
		return
	}
	m := met{URL: l.URL, Outcome: l.Outcome, Reason: l.Reason, Rule: cmp.Or(l.Rule, string(l.Failure)), StandIn: l.StandIn, brief: brief(&l), odd: l.Outcome == archive.Failed || l.Status >= 400 || l.StandIn != kavosh.NoStandIn}
	if l.StandIn != kavosh.NoStandIn {
		m.brief += ", " + standIns[l.StandIn]
	}
	if l.Forbids != "" {
		m.brief += ", though " + l.Forbids
	}
	d.add(m)
}

func (d *dryRun) add(m met) {
	m.odd = m.odd || m.left()
	if _, known := d.byURL[m.URL]; !known && len(d.byURL) >= mostTold {
		d.More++
		return
	}
	d.byURL[m.URL] = m
}

// readQueue takes what waits: the crawl would ask for it, unless robots.txt forbids it.
func (d *dryRun) readQueue(opts *engine.Options) error {
	crawls, err := archive.Crawls(vfs.Default, opts.Archive)
	if err != nil || len(crawls) == 0 {
		return err
	}
	crawl := &crawls[len(crawls)-1]
	var urls []string
	var all []met
	_, err = engine.ListQueue(opts.Archive, crawl, &engine.QueueAsk{}, func(l *engine.QueueLine) error {
		switch {
		case l.URL == nil:
			return nil
		case len(all) == mostTold:
			d.More++
			return nil
		}
		m := met{URL: l.URL.URL, Outcome: "queued"}
		if l.URL.State == frontier.WaitLimit {
			m.Reason, m.Rule = l.URL.Reason, beyondLimit
		}
		all, urls = append(all, m), append(urls, m.URL)
		return nil
	})
	if err != nil {
		return err
	}
	forbidden, err := opts.Forbidden(crawl.ID, urls)
	for _, m := range all {
		if why := forbidden[m.URL]; why != "" {
			m.Outcome, m.Reason, m.Rule = archive.Refused, why, string(kavosh.RobotsFailure)
		}
		d.add(m)
	}
	return err
}

// beyondLimit is met.Rule of URLs that wait beyond a limit.
const beyondLimit = "limit"

// count sums up what was met.
func (d *dryRun) count() {
	for _, url := range slices.Sorted(maps.Keys(d.byURL)) {
		m := d.byURL[url]
		d.URLs = append(d.URLs, m)
		switch {
		case m.left():
			d.Left++
		case m.waits():
			d.Limited++
		case m.Outcome == "queued":
			d.Queued++
		default:
			d.Fetched++
		}
		if m.left() || m.waits() || scope.IsRule(m.Reason) {
			d.Reasons[m.class()]++
		}
	}
}

func (m *met) left() bool { return m.Outcome == archive.Refused }

func (m *met) waits() bool { return m.Outcome == "queued" && m.Rule == beyondLimit }

// class returns the reason without the name of the host, so that all hosts out of scope count together.
func (m *met) class() string {
	parts, _ := scope.Split(m.URL)
	if rest, ok := strings.CutPrefix(m.Reason, parts.Host+" is "); ok && m.Rule == string(scope.OutOfScope) {
		return rest
	}
	return m.Reason
}

// words says in a few words what became of a URL.
func (m *met) words() string {
	switch {
	case m.left():
		return "left out: " + m.Reason
	case m.waits():
		return "would wait: " + m.Reason
	case m.Outcome == "queued":
		return "would be taken"
	case m.Outcome == archive.Failed:
		return "failed: " + cmp.Or(m.Reason, m.brief)
	case m.Reason != "":
		return m.brief + ", but " + m.Reason
	}
	return m.brief
}

// text returns the tree, and the reasons.
func (d *dryRun) text() string {
	root := branch{}
	for i := range d.URLs {
		m := &d.URLs[i]
		parts, ok := scope.Split(m.URL)
		if !ok {
			root.put([]string{m.URL}, m) // a line that is no seed
			continue
		}
		root.put(append([]string{parts.Host}, segments(parts.PathQuery)...), m)
	}
	var b strings.Builder
	waits := ""
	if d.Limited > 0 {
		waits = ", " + count(d.Limited) + " would wait beyond limits"
	}
	fmt.Fprintf(&b, "Dry run: %s and %s fetched; %s would be taken next%s, %s left out. Nothing is kept.\n\n",
		plural(d.Pages, "page"), plural(d.Fetched, "URL"), count(d.Queued), waits, count(d.Left))
	outside := 0
	for _, host := range root.sorted() {
		if host.taken() == 0 {
			outside++
		}
		if outside <= mostShown {
			host.write(&b, "", host.name)
		}
	}
	if more := outside - mostShown; more > 0 {
		fmt.Fprintf(&b, "… and %s of which nothing is taken\n", plural(int64(more), "host"))
	}
	if d.More > 0 {
		fmt.Fprintf(&b, "… and %s more\n", plural(d.More, "URL"))
	}
	if len(d.Reasons) > 0 {
		b.WriteString("\nleft out or kept waiting, by rule\n")
		writeReasons(&b, "", d.Reasons)
	}
	return b.String()
}

// writeReasons lists reasons, the most frequent first.
func writeReasons(out *strings.Builder, indent string, counts map[string]int64) {
	reasons := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y))
	})
	for i, r := range reasons {
		if i == mostReason {
			fmt.Fprintf(out, "%s  … and %s more\n", indent, plural(int64(len(reasons)-i), "reason"))
			break
		}
		fmt.Fprintf(out, "%s  %6s  %s\n", indent, count(counts[r]), r)
	}
}

// segments cuts a path into the names of folders, each with its slash, and what follows the last one.
func segments(pathQuery string) []string {
	path, query, asked := strings.Cut(pathQuery, "?")
	all := strings.SplitAfter(strings.TrimPrefix(path, "/"), "/")
	if asked {
		all[len(all)-1] += "?" + query
	}
	if last := len(all) - 1; all[last] == "" {
		all[last] = "(index)"
	}
	return all
}

// branch is a host, a folder or a URL in the tree.
type branch struct {
	name    string
	at      *met // the URL; nil for a host or a folder
	below   map[string]*branch
	sum     struct{ fetched, queued, limited, left, odd int64 }
	reasons map[string]int64 // why what is left out or waits is not taken
}

// put puts a URL below a branch.
func (b *branch) put(names []string, m *met) {
	if m.odd {
		b.sum.odd++
	}
	switch {
	case m.left() || m.waits():
		if m.left() {
			b.sum.left++
		} else {
			b.sum.limited++
		}
		if b.reasons == nil {
			b.reasons = map[string]int64{}
		}
		b.reasons[m.Reason]++
	case m.Outcome == "queued":
		b.sum.queued++
	default:
		b.sum.fetched++
	}
	if len(names) == 0 {
		b.at = m
		return
	}
	next := b.below[names[0]]
	if next == nil {
		next = &branch{name: names[0]}
		if b.below == nil {
			b.below = map[string]*branch{}
		}
		b.below[names[0]] = next
	}
	next.put(names[1:], m)
}

// taken returns how many URLs of a branch are or would be fetched.
func (b *branch) taken() int64 { return b.sum.fetched + b.sum.queued }

// all returns how many URLs a branch has.
func (b *branch) all() int64 { return b.taken() + b.sum.limited + b.sum.left }

// sorted returns what lies below: what is taken first.
func (b *branch) sorted() []*branch {
	return slices.SortedFunc(maps.Values(b.below), func(x, y *branch) int {
		return cmp.Or(cmp.Compare(min(y.taken(), 1), min(x.taken(), 1)), cmp.Compare(x.name, y.name))
	})
}

// shown returns what is printed of what lies below a host or a folder. Of many entries of a host these are the largest,
// and up to a half odd ones. Of a folder they are odd ones alone: its counts say enough of the others.
func (b *branch) shown(folder bool) []*branch {
	all := b.sorted()
	if len(all) <= mostShown && !folder {
		return all
	}
	largest := slices.Clone(all)
	slices.SortStableFunc(largest, func(x, y *branch) int { return cmp.Compare(y.all(), x.all()) })
	chosen := map[*branch]bool{}
	mostOdd := mostShown / 2
	if folder {
		mostOdd = mostShown
	}
	for _, next := range largest {
		if next.sum.odd > 0 && len(chosen) < mostOdd {
			chosen[next] = true
		}
	}
	for _, next := range largest {
		if !folder && len(chosen) < mostShown {
			chosen[next] = true
		}
	}
	return slices.DeleteFunc(all, func(next *branch) bool { return !chosen[next] })
}

// write writes a branch, its name as shown, and what lies below it.
func (b *branch) write(out *strings.Builder, indent, shown string) {
	if b.at != nil && len(b.below) == 0 && b.all() == 1 {
		writeEntry(out, indent, shown, b.at.words())
		return
	}
	if all := b.sorted(); len(all) == 1 && b.at == nil && len(all[0].below) > 0 { // a folder in a folder
		all[0].write(out, indent, shown+slashed(shown)+all[0].name)
		return
	}
	writeEntry(out, indent, shown, b.counts())
	folder := indent != ""
	switch {
	case b.taken() == 0 && len(b.reasons) == 1: // it says why for all below
		return
	case b.taken() == 0:
		writeReasons(out, indent, b.reasons)
		return
	case folder && b.sum.odd == 0:
		return
	}
	entries := b.shown(folder)
	for _, next := range entries {
		next.write(out, indent+"  ", next.name)
	}
	if more := len(b.below) - len(entries); more > 0 {
		fmt.Fprintf(out, "%s  … and %d more\n", indent, more)
	}
}

// writeEntry writes a line of the tree. A long name loses its middle, because the end of a URL tells it from others.
func writeEntry(out *strings.Builder, indent, name, text string) {
	if r := []rune(name); len(r) > mostName {
		name = string(r[:mostName/2]) + "…" + string(r[len(r)-mostName/2+1:])
	}
	fmt.Fprintf(out, "%s%-*s  %s\n", indent, 40-len(indent), name, text)
}

// slashed is the slash that a host lacks before a path.
func slashed(name string) string {
	if strings.HasSuffix(name, "/") {
		return ""
	}
	return "/"
}

// counts says how much of a branch is taken and left out.
func (b *branch) counts() string {
	var parts []string
	for _, of := range []struct {
		n    int64
		what string
	}{{b.sum.fetched, "fetched"}, {b.sum.queued, "would be taken"}, {b.sum.limited, "would wait"}, {b.sum.left, "left out"}} {
		if of.n > 0 {
			parts = append(parts, count(of.n)+" "+of.what)
		}
	}
	text := strings.Join(parts, ", ")
	if len(b.reasons) == 1 {
		for why := range b.reasons {
			text += ": " + why
		}
	}
	return text
}
