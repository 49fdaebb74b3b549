package main

// This file chooses what kavosh change compares without a URL: two crawls, or two parts of a crawl that goes on.

import (
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/lib/dates"
	"kavosh/schedule"
)

// sides returns the two sides to compare.
func (c *changeCmd) sides(dir string) (older, newer *archive.Visit, err error) {
	crawls, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		return nil, nil, err
	}
	all := slices.DeleteFunc(slices.Clone(crawls), archive.Crawl.Mends)
	if len(all) == 0 || len(all) == 1 && all[0].Config["revisit"] == "" {
		return nil, nil, fmt.Errorf("%s has %s: crawl again into it (kavosh crawl --archive %s SEED) to have two to compare", dir, none(len(all), "crawl"), dir)
	}
	find := func(flag, text string, otherwise int) (i int, until time.Time, err error) {
		if text == "" {
			return otherwise, until, nil
		}
		if i := slices.IndexFunc(all, func(c archive.Crawl) bool { return c.ID == text }); i >= 0 {
			return i, until, nil
		}
		if slices.ContainsFunc(crawls, func(c archive.Crawl) bool { return c.ID == text }) {
			return 0, until, refuseMend(flag, text)
		}
		span, err := dates.Parse(text, time.UTC)
		if err != nil {
			return 0, until, usage("%s: %v, and no crawl has this ID (kavosh log %s --crawls lists them)", flag, err, dir)
		}
		if i = slices.IndexFunc(all, func(c archive.Crawl) bool { return c.Started.After(span.Last) }); i < 0 {
			i = len(all)
		}
		return max(0, i-1), span.Last, nil
	}
	to, until, err := find("--to", c.To, len(all)-1)
	if err != nil {
		return nil, nil, err
	}
	otherwise := max(0, to-1)
	if c.Together && all[to].Config["revisit"] == schedule.Once {
		otherwise = to
	}
	from, cut, err := find("--from", c.From, otherwise)
	if err != nil {
		return nil, nil, err
	}
	if from != to {
		return &archive.Visit{Crawl: all[min(from, to)].ID}, &archive.Visit{Crawl: all[max(from, to)].ID}, nil
	}
	crawl := &all[to]
	if crawl.Config["revisit"] == schedule.Once {
		last, err := archive.FirstRound(vfs.Default, dir, crawl.ID)
		if err != nil {
			return nil, nil, fmt.Errorf("crawl %s: %w", crawl.ID, err)
		}
		return &archive.Visit{Crawl: crawl.ID, Until: last}, &archive.Visit{Crawl: crawl.ID, After: last, Second: true}, nil
	}
	if crawl.Config["revisit"] == "" {
		return nil, nil, fmt.Errorf("--from and --to both mean crawl %s: kavosh log %s --crawls lists the crawls", crawl.ID, dir)
	}
	if cut.IsZero() {
		cut = lastDay(crawl, until)
	}
	if !until.IsZero() && !cut.Before(until) {
		return nil, nil, usage("--from is not before --to: write the earlier of two times of crawl %s first", crawl.ID)
	}
	return &archive.Visit{Crawl: crawl.ID, Until: cut}, &archive.Visit{Crawl: crawl.ID, After: cut, Until: until}, nil
}

// refuseMend returns why a crawl that mends the archive is not compared.
func refuseMend(flag, id string) error {
	return usage("%s %s: this crawl mended the archive (--patch), so it visited no pages that could be compared, or only some", flag, id)
}

// lastDay returns when the last day of a crawl that goes on began, up to a time or, if that is zero, up to now; or when its first
// round ended, if that is later.
func lastDay(crawl *archive.Crawl, until time.Time) time.Time {
	if until.IsZero() {
		if until = crawl.Report.Ended; crawl.End == "" || until.IsZero() {
			until = time.Now()
		}
	}
	first := crawl.Started
	if p, err := schedule.ParsePlan(crawl.Config["revisit"]); err == nil { // else an older program wrote it
		first = first.Add(p.Period)
	}
	if day := until.Add(-24 * time.Hour); day.After(first) {
		return day
	}
	return first
}
