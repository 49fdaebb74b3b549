package main

// This file is the command kavosh search. Package search answers; this file prints the answer.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/internal/clock"
	"kavosh/lib/dates"
	"kavosh/search"
)

type searchCmd struct {
	target
	Args   []string `arg:"" optional:"" name:"archive-query" help:"The archive's folder, or a WARC, ARC or WACZ file or a folder of such; then the words to look for."`
	Kind   string   `choice:"page,image" default:"page" help:"What is looked for: page or image."`
	From   string   `placeholder:"DATE" help:"Only captures from then on, UTC: 2024, 2024-03 or 2024-03-05, or of the Jalali calendar: 1402, 1402/12 or 1402/12/15."`
	To     string   `placeholder:"DATE" help:"Only captures up to then."`
	At     string   `placeholder:"DATE" help:"Only what each URL showed then: its nearest capture before."`
	Newest bool     `help:"The newest captures first, not the most relevant."`
	Offset int      `placeholder:"N" help:"Results to leave out at the beginning."`
	Limit  int      `default:"10" least:"1" most:"100" placeholder:"N" help:"Results to print, at most 100."`
	Months bool     `help:"Count the captures found by month, too."`
	JSON   bool     `name:"json" help:"Print the answer as one JSON object."`
}

// Help returns the text above the flags in the help.
func (searchCmd) Help() string {
	return `Examples:

    kavosh search national.kavosh کتابخانه ملی
    kavosh search docs.kavosh '"garbage collector"' -java host:go.dev lang:en
    kavosh search docs.kavosh title:install type:pdf year:2024
    kavosh search news.kavosh انتخابات --from ۱۳۹۶/۲ --to ۱۳۹۶/۳
    kavosh search news.kavosh election --months
    kavosh search news.kavosh --kind image sunset
    kavosh search news.kavosh like:https://example.org/photo.jpg

All words must be on a page. "…" is a phrase, -word must not be on it, word* is
the beginning of a word. host: site: lang: type: year: status: narrow the
search; title: and url: search only there. All spellings of letters, digits and
half-spaces are equal. New captures are indexed first, into derived/search@1.
Exit status 1: nothing was found in the whole archive. While another kavosh
indexes it, the answer says that it is not complete.`
}

// Run searches and prints the answer.
func (c *searchCmd) Run(p *program) error {
	path, words, err := c.split(c.Args)
	if err != nil {
		return err
	}
	for i := range words {
		if word, ok := strings.CutPrefix(words[i], minus); ok {
			words[i] = "-" + word
		}
	}
	q := kavosh.Search{Text: strings.Join(words, " "), Offset: c.Offset, Limit: c.Limit, Months: c.Months}
	if c.Kind == "image" {
		q.Kind = kavosh.SearchPictures
	}
	if c.Newest {
		q.Sort = kavosh.ByNewest
	}
	for _, d := range []struct {
		flag, text string
		end        bool
		to         *time.Time
	}{{"--from", c.From, false, &q.From}, {"--to", c.To, true, &q.To}, {"--at", c.At, true, &q.At}} {
		if d.text == "" {
			continue
		}
		span, err := dates.Parse(d.text, time.UTC)
		if err != nil {
			return usage("%s: %v", d.flag, err)
		}
		if *d.to = span.First; d.end {
			*d.to = span.Last
		}
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	found, err := c.search(ctx, p, path, q)
	if err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(p.out).Encode(found)
	} else {
		err = printFound(p.out, found)
	}
	if err == nil && found.Total == 0 && !found.Incomplete {
		return exitStatus(exitFailed)
	}
	return err
}

// search brings the index of path up to date and searches it.
func (c *searchCmd) search(ctx context.Context, p *program, path string, q kavosh.Search) (found *kavosh.SearchResult, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", path, cause(err))
	}
	source, err := archive.OpenSource(path)
	if err != nil {
		return nil, err
	}
	line := newProgress(p.err)
	source.Trouble = func(text string) { line.say("%s", text) }
	source.Broken = func(path string, err error) error {
		line.say("%s: %s", path, oneLine(err))
		return nil
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	_, whole, err := source.Update(ctx, searching(), archive.Following{Clock: clock.Real{}, Added: line.count("read for searching")})
	line.stop()
	if err != nil {
		return nil, err
	}
	x, err := search.Open(vfs.Default, source.Folder(search.Name), search.Hidden{})
	if err != nil {
		return nil, err
	}
	defer x.Close()
	found, err = x.Search(ctx, q)
	if err == nil {
		found.Incomplete = !whole
	}
	return found, err
}

// printFound prints an answer for people.
func printFound(out io.Writer, found *kavosh.SearchResult) error {
	w := bufio.NewWriter(out)
	switch {
	case found.Total == 0 && found.Incomplete:
		fmt.Fprintln(w, "Nothing was found so far.")
	case found.Total == 0:
		fmt.Fprintln(w, "Nothing was found.")
	case found.Relaxed:
		fmt.Fprintf(w, "No page has all words; %s with some of them.\n", plural(found.Total, "URL"))
	default:
		fmt.Fprintf(w, "%s.\n", plural(found.Total, "URL"))
	}
	if found.Incomplete {
		fmt.Fprintln(w, "Another kavosh is still indexing the archive for search, so there may be more. Search again later.")
	}
	if found.DidYouMean != "" {
		fmt.Fprintf(w, "Did you mean: %s\n", found.DidYouMean)
	}
	for _, note := range found.Notes {
		fmt.Fprintf(w, "Note: %s.\n", note)
	}
	for i := range found.Groups {
		g := &found.Groups[i]
		fmt.Fprintf(w, "\n%s\n", oneLineOf(g.URL))
		if g.Title.Text != "" {
			fmt.Fprintf(w, "    %s\n", marked(g.Title))
		}
		when := g.Newest.Format(time.DateOnly)
		if first := g.First.Format(time.DateOnly); g.Captures > 1 && first != when {
			when = first + " to " + when
		}
		fmt.Fprintf(w, "    %s, %s", plural(g.Captures, "capture"), when)
		if g.Likeness > 0 {
			fmt.Fprintf(w, ", %d of 64 bits alike", g.Likeness)
		}
		fmt.Fprintln(w)
		if g.Snippet.Text != "" {
			fmt.Fprintf(w, "    %s\n", marked(g.Snippet))
		}
	}
	if found.Total > 0 {
		fmt.Fprintln(w)
		for _, f := range found.Facets {
			var values []string
			for _, v := range f.Values[:min(len(f.Values), 8)] {
				values = append(values, fmt.Sprintf("%s %d", v.Value, v.Count))
			}
			fmt.Fprintf(w, "%-7s %s\n", f.Field, strings.Join(values, " · "))
		}
	}
	for _, m := range found.Months {
		fmt.Fprintf(w, "%s  %d of %d\n", m.Month, m.Found, m.All)
	}
	return w.Flush()
}

// marked returns a snippet with « and » around the words that were found.
func marked(s kavosh.Snippet) string {
	var b strings.Builder
	at := 0
	for _, m := range s.Marks {
		b.WriteString(s.Text[at:m.Start] + "«" + s.Text[m.Start:m.End] + "»")
		at = m.End
	}
	b.WriteString(s.Text[at:])
	return oneLineOf(b.String())
}

// oneLineOf returns text without characters that move a terminal's cursor.
func oneLineOf(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == ' ' || 0x80 <= r && r < 0xa0 }), " ")
}
