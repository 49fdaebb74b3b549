package main

// This file prints which pages of a crawl can have been seen together, for kavosh change --coherence.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"kavosh/change"
)

// coherence is what a pair of crawls says of the first.
type coherence struct {
	From       string               `json:"from"` // IDs of the crawls
	To         string               `json:"to"`
	At         time.Time            `json:"at"` // the time at which its pages are seen together: when the first crawl ended
	Coherent   int64                `json:"coherent"`
	Incoherent int64                `json:"incoherent"`
	Unknown    int64                `json:"unknown"`
	Why        map[string]int64     `json:"why"`   // counts by state and evidence, such as "coherent digest"
	Pages      []change.Validity    `json:"pages"` // incoherent and unknown ones, --offset and --limit take a part
	skipped    map[change.State]int // for --offset
	shown      map[change.State]int // for --limit
}

// coherence prints it.
func (c *changeCmd) coherence(ctx context.Context, p *program, dir string, r *change.Reader) error {
	older, newer, err := c.sides(dir)
	if err != nil {
		return err
	}
	list := coherence{From: older.String(), To: newer.String(), Why: map[string]int64{}, Pages: []change.Validity{}, skipped: map[change.State]int{}, shown: map[change.State]int{}}
	if list.At, err = r.Ends(ctx, older.has, newer.has); err != nil {
		return err
	}
	for v, err := range r.Validities(ctx, older.has, newer.has, list.At) {
		if err != nil {
			return err
		}
		list.add(v, c.Offset, c.Limit)
	}
	if c.JSON {
		return printJSON(p.out, list)
	}
	return list.print(p.out, older, newer)
}

// add counts a page, and lists it if it is not coherent.
func (l *coherence) add(v change.Validity, offset, limit int) {
	l.Why[string(v.State)+" "+string(v.UntilBy)]++
	switch v.State {
	case change.Coherent:
		l.Coherent++
		return
	case change.Incoherent:
		l.Incoherent++
	case change.Unknown:
		l.Unknown++
	}
	switch {
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
}

// print prints it for people.
func (l *coherence) print(out io.Writer, older, newer *side) error {
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
	for _, state := range [...]change.State{change.Incoherent, change.Unknown} {
		if l.shown[state] > 0 {
			fmt.Fprintf(w, "\n%s\n", state)
		}
		for _, v := range l.Pages {
			if v.State != state {
				continue
			}
			words := ""
			for _, e := range evidences {
				if e.by == v.UntilBy {
					words = e.words
				}
			}
			if v.Until.After(v.Visited) {
				words += ": " + v.Until.Format(time.DateTime)
			}
			fmt.Fprintf(w, "  %s\n      visited %s; %s\n", v.URL, v.Visited.Format(time.DateTime), words)
		}
	}
	return w.Flush()
}
