package main

// This file lists what changed between two crawls, for kavosh change without a URL.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"kavosh/archive"
	"kavosh/change"
)

// crawls prints what changed between two crawls.
func (c *changeCmd) crawls(ctx context.Context, p *program, dir string, r *change.Reader) error {
	older, newer, err := c.sides(dir)
	if err != nil {
		return err
	}
	line := newProgress(p.err)
	l := change.Lister{Records: r.Records, Offset: c.Offset, Limit: c.Limit, Compare: r.Compare,
		Trouble: func(url string, err error) { line.say("%s: %s", url, oneLine(err)) },
		Done: func(n int64) {
			if n%100 == 0 {
				line.draw(fmt.Sprintf(" %s compared", plural(n, "page")))
			}
		},
	}
	list, err := l.List(ctx, older.Has, newer.Has)
	line.stop()
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(p.out, struct {
			From string `json:"from"` // IDs of the crawls, with times of parts of one
			To   string `json:"to"`
			*change.List
		}{older.String(), newer.String(), list})
	}
	return c.print(p.out, dir, older, newer, list)
}

// print prints a list for people.
func (c *changeCmd) print(out io.Writer, dir string, older, newer *archive.Visit, l *change.List) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "crawl %s → crawl %s\n  %s new, %s changed, %s unchanged, %s gone", older, newer, count(l.New), count(l.Changed), count(l.Unchanged), count(l.Gone))
	for _, more := range []struct {
		n    int64
		text string
	}{{l.NotAsked, "not asked for again, or left out by --keep"}, {l.Unread, "cannot be read"}} {
		if more.n > 0 {
			fmt.Fprintf(w, ", %s %s", count(more.n), more.text)
		}
	}
	if l.Unseen > 0 {
		fmt.Fprintf(w, "\n  of the unchanged, %s with other bytes that no reader sees", count(l.Unseen))
	}
	if l.Noise > 0 {
		fmt.Fprintf(w, "\n  of the changed, %s with nothing but noise: adverts, counters, dates", count(l.Noise))
	}
	w.WriteByte('\n')
	heading := func(title string, pages []change.Page, all int64) bool {
		if len(pages) > 0 {
			fmt.Fprintf(w, "\n%s", title)
			if int64(len(pages)) < all {
				fmt.Fprintf(w, ", %d to %d of %s", c.Offset+1, c.Offset+len(pages), count(all))
			}
			w.WriteByte('\n')
		}
		return len(pages) > 0
	}
	if heading("changed, what matters most first", l.Changes, l.Changed) {
		for _, p := range l.Changes {
			fmt.Fprintf(w, "  %.4f  %s\n          %s\n", p.Importance, p.URL, pageText(&p))
		}
		fmt.Fprintf(w, "what changed on one of them: kavosh change %s URL\n", quoted(dir))
	}
	if heading("new", l.News, l.New) {
		for _, p := range l.News {
			fmt.Fprintf(w, "  %s\n", p.URL)
		}
	}
	if heading("gone", l.Lost, l.Gone) {
		for _, p := range l.Lost {
			fmt.Fprintf(w, "  %d  %s\n", p.Status, p.URL)
		}
	}
	return w.Flush()
}

// pageText returns in words what changed on a page, and how much noise there is beside it.
func pageText(p *change.Page) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p.Operations)) {
		do, what, _ := strings.Cut(name, " ")
		parts = append(parts, fmt.Sprintf("%s %s", plural(p.Operations[name], what), done[change.Do(do)]))
	}
	if noise := noiseText(p.Noise); noise != "" {
		parts = append(parts, "noise: "+noise)
	}
	if len(parts) == 0 {
		return "a version cannot be read"
	}
	return strings.Join(parts, ", ")
}

// done has in words what was done.
var done = map[change.Do]string{change.Insert: "new", change.Delete: "gone", change.Update: "updated", change.Move: "moved", change.Split: "split", change.Merge: "merged"}
