package main

// This file tells the defects of crawls by a second visit, and what an archive shows of a time, for kavosh quality --between and
// --at.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/archive"
	"kavosh/change"
	"kavosh/index"
	"kavosh/internal/clock"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/dates"
	"kavosh/quality"
)

// visit is one of the visits that are compared.
type visit struct {
	archive.Visit
	name string
	from time.Time // when it began
	end  string    // why the crawl ended; "" if it is not known, or if it was done
}

// compared is what the second visit of a pair tells of the first.
type compared struct {
	From             string `json:"from"`
	To               string `json:"to"`
	*quality.Defects        // nil if they cannot be compared
	Trouble          string `json:"trouble,omitempty"` // why they cannot be
	short            string // why the second crawl may not have asked for all
	weighed          bool   // pages are weighed by those that link to them
}

// between prints the defects of each two visits that follow each other.
func (c *qualityCmd) between(ctx context.Context, p *program, dir string) error {
	visits, err := c.visits(dir)
	if err != nil {
		return err
	}
	line := newProgress(p.err)
	pairs, err := c.compare(ctx, dir, visits, line)
	line.stop()
	if err != nil {
		return err
	}
	if c.Timeline != "" {
		if err := c.drawTimelines(pairs); err != nil {
			return err
		}
	}
	proposals := apartOf(pairs)
	if c.JSON {
		return printJSON(p.out, struct {
			Visits    []compared         `json:"visits"`
			Proposals []quality.Proposal `json:"proposals"`
		}{pairs, reasoned(proposals, dir)})
	}
	w := bufio.NewWriter(p.out)
	for i := range pairs {
		if i > 0 {
			w.WriteByte('\n')
		}
		pairs[i].print(w, c.Limit)
	}
	printProposals(w, proposals, dir)
	return w.Flush()
}

// apartOf returns what the last pair of visits speaks for, if its pages were not there together.
func apartOf(pairs []compared) []quality.Proposal {
	last := pairs[len(pairs)-1].Defects
	if last == nil || last.Together.At.IsZero() {
		return nil
	}
	return quality.NotTogether(int64(float64(last.Pages)*(1-last.Together.Pages.Most)+0.5), last.Pages)
}

// compare compares each two visits that follow each other. It fails if none can be compared.
func (c *qualityCmd) compare(ctx context.Context, dir string, visits []visit, line *progress) (pairs []compared, err error) {
	r, done, err := openChanges(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	links, err := publicLinks(dir)
	if err != nil {
		return nil, err
	}
	list := make([]archive.Visit, len(visits))
	for i := range visits {
		list[i] = visits[i].Visit
	}
	var trouble error
	i := 0
	for comparer, err := range archive.Comparers(ctx, vfs.Default, dir, list) {
		if err != nil {
			return nil, err
		}
		i++
		old, new := &visits[i-1], &visits[i]
		isOld, err := c.within(old.Has)
		if err != nil {
			return nil, err
		}
		isNew, err := c.within(new.Has)
		if err != nil {
			return nil, err
		}
		comparer.Reader, comparer.Links, comparer.Most, comparer.Done = r, links, c.Limit, progressOf(line)
		if c.Timeline != "" {
			comparer.Bars = c.Limit
		}
		found, err := comparer.Defects(ctx, isOld, isNew)
		pair := compared{From: old.name, To: new.name, Defects: found, short: new.end, weighed: links != nil}
		if err == nil {
			err = c.empty(dir, &pair)
		}
		if overlap, ok := errors.AsType[*change.Overlap](err); ok {
			err = &incomparable{fmt.Sprintf("%s still visited pages at %s, when %s had begun (at %s): name visits that follow each other",
				old.name, overlap.Last.Format(time.DateTime), new.name, overlap.First.Format(time.DateTime))}
		}
		if not, ok := errors.AsType[*incomparable](err); ok {
			trouble = err
			pair.Defects, pair.Trouble = nil, not.why
		} else if err != nil {
			return nil, fmt.Errorf("%s → %s: %w", old.name, new.name, err)
		}
		pairs = append(pairs, pair)
	}
	if !slices.ContainsFunc(pairs, func(p compared) bool { return p.Defects != nil }) {
		return nil, trouble
	}
	return pairs, nil
}

// incomparable says why two visits cannot be compared.
type incomparable struct{ why string }

func (e *incomparable) Error() string { return e.why }

// empty returns an error if one of two visits holds no page.
func (c *qualityCmd) empty(dir string, p *compared) error {
	name := p.From
	if p.Pages > 0 {
		if p.Pages+p.Classes[quality.DefectAdded] > p.Classes[quality.DefectDeleted]+p.NotAsked {
			return nil
		}
		name = p.To
	}
	what := "no page"
	if c.Host != "" {
		what += " of " + c.Host
	}
	return &incomparable{fmt.Sprintf("%s holds %s: kavosh log %s --crawls lists the crawls", name, what, dir)}
}

// visits returns the visits that --between names: crawls, days, months or years, the oldest first; of one crawl, its two rounds.
func (c *qualityCmd) visits(dir string) ([]visit, error) {
	all, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		return nil, err
	}
	mending, err := mendingCrawls(dir)
	if err != nil {
		return nil, err
	}
	var visits []visit
	for text := range strings.SplitSeq(c.Between, ",") {
		if text = strings.TrimSpace(text); text == "all" {
			for i := range all {
				if !all[i].Mends() {
					visits = append(visits, visitOf(&all[i]))
				}
			}
			continue
		}
		if i := slices.IndexFunc(all, func(crawl archive.Crawl) bool { return crawl.ID == text }); i >= 0 {
			if all[i].Mends() {
				return nil, refuseMend("--between", text)
			}
			visits = append(visits, visitOf(&all[i]))
			continue
		}
		span, err := dates.Parse(text, time.UTC)
		if err != nil {
			return nil, usage("--between: %v, and no crawl has this ID (kavosh log %s --crawls lists them)", err, dir)
		}
		visits = append(visits, visit{Visit: archive.Visit{Without: mending, After: span.First.Add(-time.Second), Until: span.Last}, name: text, from: span.First})
	}
	slices.SortStableFunc(visits, func(a, b visit) int { return a.from.Compare(b.from) })
	if len(visits) == 1 && visits[0].Crawl != "" {
		id := visits[0].Crawl
		last, err := archive.FirstRound(vfs.Default, dir, id)
		if errors.Is(err, archive.ErrOneRound) {
			return nil, usage("--between %s: the crawl has one round alone: name two crawls, or crawl with --revisit once", c.Between)
		}
		if err != nil {
			return nil, err
		}
		return []visit{
			{Visit: archive.Visit{Crawl: id, Until: last}, name: id + ", first round"},
			{Visit: archive.Visit{Crawl: id, After: last, Second: true}, name: id + ", second round", end: visits[0].end},
		}, nil
	}
	if len(visits) < 2 {
		return nil, usage("--between %s: name two crawls, days, months or years, or one crawl with --revisit once (kavosh log %s --crawls lists the crawls)", c.Between, dir)
	}
	return visits, nil
}

func visitOf(crawl *archive.Crawl) visit {
	v := visit{Visit: archive.Visit{Crawl: crawl.ID}, name: crawl.ID, from: crawl.Started, end: crawl.End}
	v.Noise = crawl.Config["keep"] == "changed"
	if v.end == "done" {
		v.end = ""
	} else if v.end == "" {
		v.end = "it did not end"
	}
	return v
}

// within narrows captures down to those of --host.
func (c *qualityCmd) within(has func(*cdx.Entry) bool) (func(*cdx.Entry) bool, error) {
	if _, err := c.hosts(); err != nil {
		return nil, err
	}
	of, err := quality.Within(c.Host)
	return func(e *cdx.Entry) bool { return of(e) && has(e) }, err
}

// publicLinks returns what everybody may see of an archive's index of links; nil if there is none, or if it does not reach as far as
// the captures. A search, an export of tables or kavosh serve makes it.
func publicLinks(dir string) (records.Index, error) {
	links := vfs.Default.PathJoin(dir, "derived", linksName)
	made, err := index.Reached(vfs.Default, links)
	if err != nil {
		return nil, err
	}
	captures, err := index.Reached(vfs.Default, vfs.Default.PathJoin(dir, "index"))
	if err != nil || made.Generation != captures.Generation || !made.Covers(captures) {
		return nil, err
	}
	rules := access.Follow(vfs.Default, dir, clock.Real{})
	return access.NewGuard(nil, nil, rules).Links(index.LiveLinks(vfs.Default, links)), nil
}

func progressOf(line *progress) func(int64) {
	return func(n int64) {
		if n%100 == 0 {
			line.draw(fmt.Sprintf(" %s compared", plural(n, "page")))
		}
	}
}

// classWords has the classes of defects in words, the worst first.
var classWords = []struct {
	class quality.Class
	words string
}{
	{quality.DefectMissing, "missing: there was another answer, or none"},
	{quality.DefectDeleted, "deleted: the second visit does not have them"},
	{quality.DefectStructure, "with other links"},
	{quality.DefectContent, "with other content and the same links"},
	{quality.DefectAdded, "added: the first visit does not have them"},
}

// print prints for people what a pair of visits tells.
func (c *compared) print(w io.Writer, limit int) {
	if c.Defects == nil {
		fmt.Fprintf(w, "%s → %s: %s\n", c.From, c.To, c.Trouble)
		return
	}
	fmt.Fprintf(w, "%s → %s: %s\n", c.From, c.To, plural(c.Pages, "page"))
	for _, class := range classWords {
		fmt.Fprintf(w, "%9s  %s\n", count(c.Classes[class.class]), class.words)
	}
	fmt.Fprintf(w, "%9s  unchanged", count(c.Unchanged+c.Noise))
	if c.Noise > 0 {
		fmt.Fprintf(w, ", %s of them but for noise: adverts, counters, dates", count(c.Noise))
	}
	fmt.Fprintln(w)
	for _, more := range []struct {
		n     int64
		words string
	}{
		{c.NotAsked, "not asked for again by a rule, or not kept"},
		{c.Unread, "changed, and one version cannot be read"},
		{c.Doubted, "called unchanged by a server that was wrong about other pages"},
	} {
		if more.n > 0 {
			fmt.Fprintf(w, "%9s  %s\n", count(more.n), more.words)
		}
	}
	if c.short != "" && c.Classes[quality.DefectDeleted] > 0 {
		fmt.Fprintf(w, "  The second crawl was not done (%s): of what it lacks, some may still be there.\n", c.short)
	}
	asked := ""
	if c.NotAsked > 0 {
		asked = ", without those not asked for again"
	}
	fmt.Fprintf(w, "Coherent by visit and revisit: %s of the pages were the same at both%s.\n", percent(c.Coherence), asked)
	printTogether(w, "Coherent by intersection: ", &c.Together, c.weighed)
	fmt.Fprintf(w, "Blur: a page changes %.3f times, on average, between its visit and a random moment of the first visit.\n", c.Blur)
	if e := c.Estimate; e != nil {
		fmt.Fprintf(w, "Completeness: both visits together have %s, %s of about %s (95 of 100 times from %s to %s), if each had found pages on its own. Visits that follow the same links miss the same pages: then there are more.\n",
			plural(e.Seen, "page"), percent(e.Share), plural(int64(e.Pages+0.5), "page"), count(e.Least), count(e.Most))
	}
	if len(c.Worst) > 0 {
		fmt.Fprintf(w, "\nThe worst pages, at most %s:\n", count(limit))
	}
	for i := range c.Worst {
		printDefect(w, &c.Worst[i])
	}
	printBars(w, c.Timeline)
}

// printTogether says how many versions were there at one moment.
func printTogether(w io.Writer, head string, t *quality.Together, weighed bool) {
	if t.At.IsZero() {
		return
	}
	least := ""
	if t.Pages.Least < t.Pages.Most {
		least = "at least "
	}
	fmt.Fprintf(w, "%s%s%s of the pages were there together at %s, and at no moment more than %s", head, least, percent(t.Pages.Least), t.At.Format(time.DateTime), percent(t.Pages.Most))
	if weighed {
		fmt.Fprintf(w, "; weighed by the pages that link to them, %s at the best moment for that.\n", shareText(t.Weighted))
		return
	}
	io.WriteString(w, ". All pages count the same: kavosh export tables makes the index of links that weighs them.\n")
}

// shareText writes a share, or the two between which it lies.
func shareText(s quality.Bounds) string {
	if s.Least == s.Most {
		return percent(s.Least)
	}
	return percent(s.Least) + " to " + percent(s.Most)
}

// printDefect prints a page with a defect.
func printDefect(w io.Writer, d *quality.Defect) {
	var why []string
	switch d.Class {
	case quality.DefectMissing:
		if why = []string{fmt.Sprint("status ", d.Status)}; d.Status == 0 {
			why = []string{"no answer"}
		}
	case quality.DefectStructure:
		if len(d.Came) > 0 {
			why = append(why, plural(len(d.Came), "link")+" added")
		}
		if len(d.Went) > 0 {
			why = append(why, plural(len(d.Went), "link")+" removed")
		}
	}
	if d.Importance > 0 {
		why = append(why, fmt.Sprintf("importance %.2f", d.Importance))
	}
	text := ""
	if len(why) > 0 {
		text = " (" + strings.Join(why, ", ") + ")"
	}
	fmt.Fprintf(w, "%9s  %s%s\n", d.Class, d.URL, text)
}

// asOf prints what the archive shows of a time.
func (c *qualityCmd) asOf(ctx context.Context, p *program, dir string) (err error) {
	span, err := dates.Parse(c.At, time.UTC)
	if err != nil {
		return usage("--at: %v", err)
	}
	of, err := c.pages(dir)
	if err != nil {
		return err
	}
	if of, err = c.within(of); err != nil {
		return err
	}
	links, err := publicLinks(dir)
	if err != nil {
		return err
	}
	r, done, err := openChanges(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	line := newProgress(p.err)
	view := quality.View{Reader: r, Links: links, Rate: archive.ChangeRate, Most: c.Limit, Done: progressOf(line)}
	nearest, before, err := view.At(ctx, of, span.Last)
	line.stop()
	switch {
	case err != nil:
		return err
	case c.JSON:
		return printJSON(p.out, struct {
			At      time.Time     `json:"at"`
			Nearest *quality.AsOf `json:"nearest"`
			Before  *quality.AsOf `json:"before"`
		}{span.Last, nearest, before})
	case nearest.Pages == 0:
		return c.noPages(dir)
	}
	w := bufio.NewWriter(p.out)
	fmt.Fprintf(w, "What %s shows of %s:\n", dir, span.Last.UTC().Format(time.DateTime))
	for _, way := range []struct {
		name string
		of   *quality.AsOf
	}{{"By the nearest capture of each page, as replay does", nearest}, {"By the latest capture up to then", before}} {
		a := way.of
		fmt.Fprintf(w, "\n%s: %s", way.name, plural(a.Pages, "page"))
		if a.Lacks > 0 {
			fmt.Fprintf(w, ", and %s without one", count(a.Lacks))
		}
		fmt.Fprintf(w, "\n  %s of them were so at that time.\n", shareText(a.Then))
		printTogether(w, "  Coherent by intersection: ", &a.Together, links != nil)
		fmt.Fprintf(w, "  Blur: a page changes %.3f times, on average, between its capture and that time; noise counts.\n", a.Blur)
		for i := range a.Worst {
			fmt.Fprintf(w, "%9.2f  changes expected: %s, captured %s\n", a.Worst[i].Changes, a.Worst[i].URL, a.Worst[i].Shown.Format(time.DateTime))
		}
	}
	return w.Flush()
}
