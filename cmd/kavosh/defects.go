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

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/index"
	"kavosh/internal/clock"
	"kavosh/internal/nameset"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/dates"
	"kavosh/lib/weburl"
	"kavosh/quality"
	"kavosh/schedule"
)

// visit is one of the visits that are compared.
type visit struct {
	side
	name string
	end  string // why the crawl ended; "" if it is not known, or if it was done
}

// compared is what the second visit of a pair tells of the first.
type compared struct {
	From string `json:"from"`
	To   string `json:"to"`
	*quality.Defects
	short string // why the second crawl may not have asked for all
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
	if c.JSON {
		return printJSON(p.out, struct {
			Visits []compared `json:"visits"`
		}{pairs})
	}
	w := bufio.NewWriter(p.out)
	for i := range pairs {
		if i > 0 {
			w.WriteByte('\n')
		}
		pairs[i].print(w, c.Limit)
	}
	return w.Flush()
}

// compare compares each two visits that follow each other.
func (c *qualityCmd) compare(ctx context.Context, dir string, visits []visit, line *progress) (pairs []compared, err error) {
	r, done, err := openChanges(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	standIn, err := archive.StandIns(vfs.Default, dir)
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(visits); i++ {
		old, new := &visits[i-1], &visits[i]
		left, err := leftOut(ctx, dir, new)
		if err != nil {
			return nil, err
		}
		comparer := quality.Comparer{
			Reader: r, Links: publicLinks(dir), NotAsked: left.Has, Rounds: new.second, Rate: rate, Most: c.Limit,
			StandsIn: func(e *cdx.Entry) bool {
				return standIn(&kavosh.Capture{File: e.Filename, Offset: e.Offset}) != kavosh.NoStandIn
			},
			Done: progressOf(line),
		}
		found, err := comparer.Defects(ctx, c.within(old.has), c.within(new.has))
		if err != nil {
			return nil, fmt.Errorf("%s → %s: %w", old.name, new.name, err)
		}
		pairs = append(pairs, compared{old.name, new.name, found, new.end})
	}
	return pairs, nil
}

// visits returns the visits that --between names: crawls, days, months or years, the oldest first; of one crawl, its two rounds.
func (c *qualityCmd) visits(dir string) ([]visit, error) {
	all, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		return nil, err
	}
	var visits []visit
	for text := range strings.SplitSeq(c.Between, ",") {
		if text = strings.TrimSpace(text); text == "all" {
			for i := range all {
				visits = append(visits, visitOf(&all[i]))
			}
			continue
		}
		if i := slices.IndexFunc(all, func(crawl archive.Crawl) bool { return crawl.ID == text }); i >= 0 {
			visits = append(visits, visitOf(&all[i]))
			continue
		}
		span, err := dates.Parse(text, time.UTC)
		if err != nil {
			return nil, usage("--between: %v, and no crawl has this ID (kavosh log %s --crawls lists them)", err, dir)
		}
		visits = append(visits, visit{side: side{after: span.First.Add(-time.Second), until: span.Last}, name: text})
	}
	if len(visits) == 1 && visits[0].crawl != "" {
		id := visits[0].crawl
		last, err := archive.FirstRound(vfs.Default, dir, id)
		if errors.Is(err, archive.ErrOneRound) {
			return nil, usage("--between %s: the crawl has one round alone: name two crawls, or crawl with --revisit once", c.Between)
		}
		if err != nil {
			return nil, err
		}
		return []visit{
			{side: side{crawl: id, until: last}, name: id + ", first round"},
			{side: side{crawl: id, after: last, second: true}, name: id + ", second round", end: visits[0].end},
		}, nil
	}
	if len(visits) < 2 {
		return nil, usage("--between %s: name two crawls, days, months or years, or one crawl with --revisit once (kavosh log %s --crawls lists the crawls)", c.Between, dir)
	}
	return visits, nil
}

func visitOf(crawl *archive.Crawl) visit {
	v := visit{side: side{crawl: crawl.ID}, name: crawl.ID, end: crawl.End}
	if v.end == "done" {
		v.end = ""
	} else if v.end == "" {
		v.end = "it did not end"
	}
	return v
}

// leftOut returns the addresses for which a visit did not ask, by a rule, or whose answers it did not keep.
func leftOut(ctx context.Context, dir string, v *visit) (*nameset.Set[string], error) {
	var left nameset.Set[string]
	if v.crawl == "" {
		return &left, nil
	}
	for l, err := range archive.ReadLog(vfs.Default, dir, v.crawl) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if l.Outcome == archive.Refused || l.Outcome == archive.Dropped {
			left.Add(l.URL)
		}
	}
	return &left, nil
}

// within narrows captures down to those of --host.
func (c *qualityCmd) within(has func(*cdx.Entry) bool) func(*cdx.Entry) bool {
	if c.Host == "" {
		return has
	}
	host := strings.ToLower(c.Host)
	return func(e *cdx.Entry) bool { return has(e) && hostnameOf(e.URL) == host }
}

// hostnameOf returns the host of a URL, without its port.
func hostnameOf(url string) string {
	u, err := weburl.Parse(url)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// publicLinks returns what everybody may see of an archive's index of links. It is empty until a search, an export of tables
// or kavosh serve has made it.
func publicLinks(dir string) records.Index {
	rules := access.Follow(vfs.Default, dir, clock.Real{})
	return access.NewGuard(nil, nil, rules).Links(index.LiveLinks(vfs.Default, vfs.Default.PathJoin(dir, "derived", linksName)))
}

// rate returns how often a page changes, in changes an hour.
func rate(visits, changed int, hours float64) float64 {
	known := schedule.Counted(visits, changed, hours)
	if known.Hours == 0 {
		return 0
	}
	return known.Changes / known.Hours
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
		{c.Doubted, "not modified, says a server that is not believed"},
	} {
		if more.n > 0 {
			fmt.Fprintf(w, "%9s  %s\n", count(more.n), more.words)
		}
	}
	if c.short != "" && c.Classes[quality.DefectDeleted] > 0 {
		fmt.Fprintf(w, "  The second crawl was not done (%s): of what it lacks, some may still be there.\n", c.short)
	}
	fmt.Fprintf(w, "Coherent by visit and revisit: %s of the pages were the same at both.\n", percent(c.Coherence))
	printTogether(w, "Coherent by intersection: ", &c.Together)
	fmt.Fprintf(w, "Blur: %.3f changes of a page between its visit and any moment of the first one.\n", c.Blur)
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
}

// printTogether says how many versions were there at one moment.
func printTogether(w io.Writer, head string, t *quality.Together) {
	if t.At.IsZero() {
		return
	}
	fmt.Fprintf(w, "%s%s of the pages were there together at %s; weighed by the pages that link to them, %s.\n",
		head, shareText(t.Pages), t.At.Format(time.DateTime), shareText(t.Weighted))
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
	r, done, err := openChanges(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	line := newProgress(p.err)
	view := quality.View{Reader: r, Links: publicLinks(dir), Rate: rate, Most: c.Limit, Done: progressOf(line)}
	nearest, before, err := view.At(ctx, c.within(of), span.Last)
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
		return fmt.Errorf("%s has no pages that can be shown", dir)
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
		printTogether(w, "  Coherent by intersection: ", &a.Together)
		fmt.Fprintf(w, "  Blur: %.3f changes of a page between its capture and that time.\n", a.Blur)
		for i := range a.Worst {
			fmt.Fprintf(w, "%9.2f  changes expected: %s, captured %s\n", a.Worst[i].Changes, a.Worst[i].URL, a.Worst[i].Shown.Format(time.DateTime))
		}
	}
	return w.Flush()
}
