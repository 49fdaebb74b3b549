package main

// This file prints which pages of a crawl can have been seen together, for kavosh change --coherence.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"kavosh/archive"
	"kavosh/change"
)

// coherence is what a pair of crawls says of the first.
type coherence struct {
	From string `json:"from"` // IDs of the crawls
	To   string `json:"to"`
	change.Coherence
	Pages   []change.Validity    `json:"pages"` // incoherent and unknown ones, --offset and --limit take a part; with a URL, that page
	skipped map[change.State]int // for --offset
	shown   map[change.State]int // for --limit
}

// coherence prints it; of one page if url is not "".
func (c *changeCmd) coherence(ctx context.Context, p *program, dir, url string, r *change.Reader) error {
	older, newer, err := c.sides(dir)
	if err != nil {
		return err
	}
	list := coherence{From: older.String(), To: newer.String(), Pages: []change.Validity{}, skipped: map[change.State]int{}, shown: map[change.State]int{}}
	m, err := r.Moment(ctx, older.Has, newer.Has, newer.Second)
	if err != nil {
		return err
	}
	list.At, list.Checked, list.Lied, list.Why = m.At, m.Checked, m.Lied, map[string]int64{}
	for v, err := range r.Validities(ctx, older.Has, newer.Has, m) {
		switch {
		case err != nil:
			return err
		case url == "":
			list.add(v, c.Offset, c.Limit)
		case v.URL == url:
			list.Add(&v)
			list.Pages = append(list.Pages, v)
		}
	}
	switch {
	case url != "" && len(list.Pages) == 0:
		return fmt.Errorf("crawl %s of %s has no page of %s: kavosh why %s %s says what came of it", older, dir, url, quoted(dir), quoted(url))
	case c.JSON:
		return printJSON(p.out, list)
	case url != "":
		return printValidity(p.out, &list.Pages[0], list.At)
	}
	return list.print(p.out, older, newer)
}

// printValidity prints for people when a page was as it is in the archive, and how that is known.
func printValidity(out io.Writer, v *change.Validity, at time.Time) error {
	until := v.Until.Format(time.DateTime)
	if v.State == change.Unknown {
		until = "nobody knows when"
	}
	_, err := fmt.Fprintf(out, "%s\n  visited %s\n  valid from %s (%s, %s) until %s (%s, %s)\n  %s at %s\n", v.URL, v.Visited.Format(time.DateTime),
		v.From.Format(time.DateTime), wordsOf(v.FromBy), v.FromTrust, until, wordsOf(v.UntilBy), v.UntilTrust, v.State, at.Format(time.DateTime))
	return err
}

// wordsOf has a kind of evidence in words.
func wordsOf(by change.Evidence) string {
	for _, e := range evidences {
		if e.by == by {
			return e.words
		}
	}
	return string(by)
}

// add counts a page, and lists it if it is not coherent.
func (l *coherence) add(v change.Validity, offset, limit int) {
	l.Add(&v)
	switch {
	case v.State == change.Coherent:
	case l.skipped[v.State] < offset:
		l.skipped[v.State]++
	case l.shown[v.State] < limit:
		l.shown[v.State]++
		l.Pages = append(l.Pages, v)
	}
}

// evidences has in words what is known, for the states that it stands with, the surest first.
var evidences = []struct {
	by    change.Evidence
	words string
}{
	{change.ByDigest, "the same bytes at the second visit"},
	{change.ByServer, "not modified, says the server"},
	{change.ByContent, "nothing but noise differs"},
	{change.ByHTTPDate, "changed, when its Last-Modified says"},
	{change.ByPageDate, "changed, when a date in the page says"},
	{change.NoDate, "changed, nobody says when"},
	{change.NoPage, "gone at the second visit"},
	{change.NoAnswer, "not asked for again, or left out by --keep"},
	{change.NotRead, "changed, and a version cannot be read"},
	{change.Disbelief, "not modified, says a server that is not believed"},
	{change.BySight, "seen then"},
}

// print prints it for people.
func (l *coherence) print(out io.Writer, older, newer *archive.Visit) error {
	w := bufio.NewWriter(out)
	all := l.Coherent + l.Incoherent + l.Unknown
	fmt.Fprintf(w, "crawl %s, visited again by crawl %s: could its pages be seen together at %s?\n", older, newer, l.At.Format(time.DateTime))
	fmt.Fprintf(w, "  %s coherent, %s incoherent, %s unknown", count(l.Coherent), count(l.Incoherent), count(l.Unknown))
	if all > 0 {
		least, most := 100*float64(l.Coherent)/float64(all), 100*float64(l.Coherent+l.Unknown)/float64(all)
		if fmt.Fprintf(w, ": %.1f %%", least); l.Unknown > 0 {
			fmt.Fprintf(w, " to %.1f %%", most)
		}
		fmt.Fprintf(w, " of %s", plural(all, "page"))
	}
	w.WriteByte('\n')
	fmt.Fprintf(w, "  unchanged at the second visit: %s\n", plural(l.Unchanged, "page"))
	for _, state := range [...]change.State{change.Coherent, change.Incoherent, change.Unknown} {
		var parts []string
		for _, e := range evidences {
			if n := l.Why[string(state)+" "+string(e.by)]; n > 0 {
				parts = append(parts, count(n)+" "+e.words)
			}
		}
		if len(parts) > 0 {
			fmt.Fprintf(w, "  %s: %s\n", state, strings.Join(parts, "; "))
		}
	}
	if l.Checked > 0 {
		fmt.Fprintf(w, "  checked: %s of servers that nothing was modified, by asking for the whole page; %s not true\n", plural(l.Checked, "answer"), count(l.Lied))
	}
	for _, state := range [...]change.State{change.Incoherent, change.Unknown} {
		if l.shown[state] > 0 {
			fmt.Fprintf(w, "\n%s\n", state)
		}
		for _, v := range l.Pages {
			if v.State != state {
				continue
			}
			words := wordsOf(v.UntilBy)
			if v.Until.After(v.Visited) {
				words += ": " + v.Until.Format(time.DateTime)
			}
			fmt.Fprintf(w, "  %s\n      visited %s; %s\n", v.URL, v.Visited.Format(time.DateTime), words)
		}
	}
	return w.Flush()
}
