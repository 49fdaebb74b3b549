package site

// This file tells which pages should be visited more often, and writes that as settings of a crawl.

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"kavosh/archive"
	"kavosh/change"
	"kavosh/lib/cdx"
	"kavosh/quality"
)

// Bounds of what is read so that noise is told from news.
const (
	triedPages  = 3 // of pages that change alike
	triedBefore = 4 // versions of a page before the last two
)

// Often returns the pages of a series that change more often than they are visited. Those of which the newest versions that readable yields
// differ by noise alone, such as counters, are left out; where versions cannot be read, bytes decide.
func Often(ctx context.Context, g *quality.Grid, readable func(q cdx.Query) iter.Seq2[change.Version, error]) ([]archive.Often, error) {
	all := archive.OftenOf(g)
	var failed error
	all = slices.DeleteFunc(all, func(o archive.Often) bool {
		if failed != nil {
			return false
		}
		for _, url := range o.Pages[:min(len(o.Pages), triedPages)] {
			news, err := toldNews(ctx, readable(cdx.Query{URL: url, MatchType: cdx.Exact}), url)
			if failed = err; news || err != nil {
				return false
			}
		}
		return true
	})
	return all, failed
}

// toldNews reports whether the last two versions of a page differ by more than noise, or cannot be read.
func toldNews(ctx context.Context, captures iter.Seq2[change.Version, error], url string) (bool, error) {
	var versions []change.Version
	for v, err := range captures {
		if err != nil {
			return false, err
		}
		if v.Entry.URL != url || v.Entry.MIME == cdx.Revisit || !change.IsPage(&v.Entry) {
			continue
		}
		if n := len(versions); n == 0 || versions[n-1].Entry.Digest != v.Entry.Digest {
			versions = append(versions, v)
			versions = versions[max(0, len(versions)-triedBefore-2):]
		}
	}
	n := len(versions)
	if n < 2 {
		return true, nil
	}
	var before []cdx.Entry
	for i := range versions[:n-2] {
		before = append(before, versions[i].Entry)
	}
	report, err := versions[n-1].Reader.Calm(ctx, before, &versions[n-2].Entry, &versions[n-1].Entry)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err != nil || len(report.News()) > 0, nil
}

// oftenProposals returns what pages of a series speak for that change more often than they are visited.
func oftenProposals(g *quality.Grid, all []archive.Often) []quality.Proposal {
	if len(all) == 0 {
		return nil
	}
	var pages, rules []string
	for i := range all {
		pages, rules = append(pages, all[i].Pages...), append(rules, all[i].Rule())
	}
	return []quality.Proposal{quality.Often(pages, len(g.Pages), rules)}
}

// SeriesProposals returns what a series of crawls speaks for, and the report of the newest of them.
func (c *Collection) SeriesProposals(ctx context.Context, g *quality.Grid, often []archive.Often, host string) ([]quality.Proposal, error) {
	return c.Proposals(ctx, "", host, append(g.Proposals(), oftenProposals(g, often)...))
}

// Settings writes pages that should be visited more often as a file for kavosh crawl --config.
func Settings(all []archive.Often) string {
	var b strings.Builder
	b.WriteString("# Pages that changed more often than they were visited: kavosh crawl --archive DIR --config FILE URL\nrevisit = \"gain\"\nrevisit-rule = [\n")
	for i := range all {
		fmt.Fprintf(&b, "  %q, # of %d, visited every %s\n", all[i].Rule(), len(all[i].Pages), all[i].Visited)
	}
	b.WriteString("]\n")
	return b.String()
}
