package main

// This file says which pages that sitemaps and feeds list an archive lacks, for kavosh quality --listed.

import (
	"bufio"
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/internal/clock"
)

// listed prints it.
func (c *qualityCmd) listed(ctx context.Context, p *program, dir string) error {
	line := newProgress(p.err)
	l, err := archive.QualityOf(vfs.Default, dir, clock.Real{}).Listed(ctx, c.Limit, func(n int) { line.draw(fmt.Sprintf(" %s read", plural(n, "sitemap or feed"))) })
	line.stop()
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(p.out, l)
	}
	w := bufio.NewWriter(p.out)
	if c.URLs {
		for i := range l.Missing {
			fmt.Fprintln(w, l.Missing[i].URL)
		}
		if missing := l.Failed + l.Lacking; int64(len(l.Missing)) < missing {
			fmt.Fprintf(p.err, "kavosh: these are %s of %s missing pages: --limit N prints N of them\n", count(len(l.Missing)), count(missing))
		}
		return w.Flush()
	}
	if l.Documents == 0 {
		return fmt.Errorf("%s holds no sitemap and no feed: nobody says what its sites have (kavosh quality --between estimates it by two crawls)", dir)
	}
	fmt.Fprintf(w, "sitemaps and feeds, each version counted: %s\n", count(l.Documents))
	fmt.Fprintf(w, "%9s  pages of their own hosts are listed\n%9s  captured: %s\n", count(l.Listed), count(l.Captured), percent(l.Share))
	for _, more := range []struct {
		n     int64
		words string
	}{
		{l.Stale, "captured before they were changed last, as a sitemap says"},
		{l.Failed, "answered with nothing but errors"},
		{l.Lacking, "not captured"},
		{l.Closed, "closed by a rule of access"},
		{l.Elsewhere, "times a page of another host was listed, which does not count"},
		{int64(l.Unread), "sitemaps and feeds cannot be read: kavosh check says why"},
	} {
		if more.n > 0 {
			fmt.Fprintf(w, "%9s  %s\n", count(more.n), more.words)
		}
	}
	if len(l.Missing) > 0 {
		fmt.Fprintf(w, "\nMissing pages, at most %s:\n", count(c.Limit))
	}
	for i := range l.Missing {
		why := "not captured"
		if l.Missing[i].Failed {
			why = "errors"
		}
		fmt.Fprintf(w, "  %s (%s, listed in %s)\n", l.Missing[i].URL, why, l.Missing[i].In)
	}
	return w.Flush()
}
