package main

// This file says how pages behave over a series of crawls, for kavosh quality --series.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/change"
	"kavosh/lib/cdx"
	"kavosh/quality"
	"kavosh/site"
)

// series prints how pages behave over all crawls.
func (c *qualityCmd) series(ctx context.Context, p *program, dir string) (err error) {
	q, err := c.hosts()
	if err != nil {
		return err
	}
	all, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		return err
	}
	var crawls []quality.Visit
	for i := range all {
		if one := &all[i]; !one.Mends() {
			crawls = append(crawls, quality.Visit{ID: one.ID, Started: one.Started, Seconds: one.Report.Seconds, Sparse: quality.Sparse(one.Config["keep"])})
		}
	}
	records := openRecords(dir)
	g, byTime, err := site.SeriesOf(crawls, func() iter.Seq2[cdx.Entry, error] { return quality.Shown(ctx, records, q) })
	if err != nil {
		return err
	}
	r, done, err := openChanges(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	often, err := site.Often(ctx, g, func(q cdx.Query) iter.Seq2[change.Version, error] { return readable(ctx, r, q) })
	if err != nil {
		return err
	}
	of, err := site.OpenArchive(dir, "", "", notRunning)
	if err != nil {
		return err
	}
	proposals, err := of.SeriesProposals(ctx, g, often, c.Host)
	switch {
	case err != nil:
		return err
	case c.Settings:
		if len(often) == 0 {
			_, err = fmt.Fprintf(p.err, "kavosh: no page of %s changed more often than it was visited: there is nothing to set\n", dir)
			return err // an empty file sets nothing
		}
		_, err = io.WriteString(p.out, site.Settings(often))
		return err
	case c.JSON:
		return printJSON(p.out, struct {
			*quality.Grid
			Often     []archive.Often    `json:"often"`
			Proposals []quality.Proposal `json:"proposals"`
		}{g, often, reasoned(proposals, dir)})
	case len(g.Pages) == 0:
		return c.noPages(dir)
	}
	w := bufio.NewWriter(p.out)
	visits := plural(len(g.Visits), "crawl")
	if byTime {
		visits = plural(len(g.Visits), "time")
	}
	fmt.Fprintf(w, "%s in %s\n", plural(g.All, "page"), visits)
	if len(g.Pages) < g.All {
		fmt.Fprintf(w, "  %s of them were picked at random\n", count(len(g.Pages)))
	}
	for k := range g.Visits {
		if v := &g.Visits[k]; v.Odd != quality.Usual {
			fmt.Fprintf(w, "  %s: %s (%s changed, %s new, %s unchanged, %s failing, %s gone)\n", v.Started.Format(time.DateTime), oddWords[v.Odd], count(v.Changed), count(v.New), count(v.Unchanged), count(v.Failing), count(v.Gone))
		}
	}
	fmt.Fprintln(w, "\nPages that behave alike:")
	for i := range g.Groups {
		of := &g.Groups[i]
		fmt.Fprintf(w, "%9s  %s, such as %s\n", count(of.Pages), site.HabitWords("en", of.Habit), of.Like)
	}
	if len(g.Stable) > 0 {
		fmt.Fprintln(w, "\nPages that change least:")
	}
	for i := range g.Stable[:min(len(g.Stable), c.Limit)] {
		fmt.Fprintf(w, "%9s  of %s: %s\n", count(g.Stable[i].Changed), plural(g.Stable[i].Visits, "visit"), g.Stable[i].URL)
	}
	if len(g.Telling) > 0 {
		fmt.Fprintln(w, "\nPages that are most unlike theirs:")
	}
	for i := range g.Telling[:min(len(g.Telling), c.Limit)] {
		t := &g.Telling[i]
		var at []string
		for _, u := range t.At {
			at = append(at, fmt.Sprint(g.Visits[u.Crawl].Started.Format(time.DateOnly), " ", u.Seen))
		}
		if t.More > 0 {
			at = append(at, fmt.Sprint(count(t.More), " more"))
		}
		fmt.Fprintf(w, "  %s (group %d): %s\n", t.URL, t.Group+1, strings.Join(at, ", "))
	}
	printOften(w, often)
	printProposals(w, proposals, dir)
	return w.Flush()
}

// printOften prints which pages should be visited more often.
func printOften(w io.Writer, all []archive.Often) {
	if len(all) > 0 {
		fmt.Fprintln(w, "\nPages that changed more often than they were visited, as rules for kavosh crawl --revisit (--settings prints a file of them):")
	}
	for i := range all {
		fmt.Fprintf(w, "%9s  --revisit-rule %s, visited every %s\n", count(len(all[i].Pages)), quoted(all[i].Rule()), all[i].Visited)
	}
}
