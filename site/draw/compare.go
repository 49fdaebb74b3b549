package draw

// This file draws two captures side by side.

import (
	"net/http"
	"strings"
	"time"
	"unicode"

	"kavosh/change"
	"kavosh/lib/diff"
	"kavosh/pages"
)

// Comparison shows two captures of one URL side by side.
type Comparison struct {
	Collection  Summary
	URL         string
	Calendar    string                  // path of the calendar
	Switch      func(pages.Lang) string // path of this page in a language
	Old, New    Side
	Changes     *change.Report // what a reader sees changed; nil if one is no page
	Feed        string         // URL of the feed of the page's changes; "" for none
	Rows        []diffRow
	Added, Gone int  // number of words
	Same        bool // all words are equal
	Cut         bool // the texts are too long: only their beginning is compared
	Unread      bool // one of them has no text
}

// Side is one of two captures that are compared.
type Side struct {
	Time    time.Time
	Frame   string // replay path for a frame
	Path    string // replay path
	Details string // URL of the capture's page
	Status  int
	MIME    string
	Size    int64  // size of the record in bytes
	Title   string // title of the page
	Blocks  []string
}

// diffRow is one row of the two texts side by side.
type diffRow struct {
	Same     int // if above 0: the row stands for this many equal blocks, which are not shown
	Kept     string
	Old, New []piece
}

// piece is a part of a block.
type piece struct {
	Text    string
	Changed bool
}

// Bounds of a comparison.
const (
	maxBlocks      = 4000 // blocks of a text that are compared
	maxDifferences = 600  // with more, all from the first to the last is shown as one difference
	context        = 2    // equal blocks shown before and after a difference
	maxRows        = 1000
)

// Compare finds the differences between the texts of the two captures.
func (c *Comparison) Compare() {
	old, new := c.Old.Blocks, c.New.Blocks
	c.Cut = len(old) > maxBlocks || len(new) > maxBlocks
	old, new = old[:min(len(old), maxBlocks)], new[:min(len(new), maxBlocks)]
	c.Unread = len(old) == 0 || len(new) == 0
	c.Same = true
	runs := diff.Runs(old, new, maxDifferences)
	for i, r := range runs {
		if len(c.Rows) >= maxRows {
			c.Cut = true
			break
		}
		if r.Same {
			c.keep(r.A, i > 0, i < len(runs)-1)
			continue
		}
		c.Same = false
		for n := range max(len(r.A), len(r.B)) {
			var row diffRow
			switch {
			case n >= len(r.A):
				row.New = []piece{{r.B[n], true}}
			case n >= len(r.B):
				row.Old = []piece{{r.A[n], true}}
			default:
				row.Old, row.New = pair(r.A[n], r.B[n])
			}
			c.Gone += changed(row.Old)
			c.Added += changed(row.New)
			c.Rows = append(c.Rows, row)
		}
	}
}

// keep adds rows for equal blocks. Of many, it shows only those next to a difference.
func (c *Comparison) keep(blocks []string, before, after bool) {
	head, tail := 0, 0
	if before {
		head = min(context, len(blocks))
	}
	if after {
		tail = min(context, len(blocks)-head)
	}
	for _, b := range blocks[:head] {
		c.Rows = append(c.Rows, diffRow{Kept: b})
	}
	if left := len(blocks) - head - tail; left > 0 {
		c.Rows = append(c.Rows, diffRow{Same: left})
	}
	for _, b := range blocks[len(blocks)-tail:] {
		c.Rows = append(c.Rows, diffRow{Kept: b})
	}
}

// pair cuts two blocks into pieces that are in both and pieces that are in one only.
func pair(a, b string) (old, new []piece) {
	for _, r := range diff.Runs(pieces(a), pieces(b), maxDifferences) {
		if len(r.A) > 0 {
			old = append(old, piece{join(r.A), !r.Same})
		}
		if len(r.B) > 0 {
			new = append(new, piece{join(r.B), !r.Same})
		}
	}
	return old, new
}

// pieces cuts a text after each white space.
func pieces(s string) []string {
	var list []string
	start, space := 0, false
	for i, r := range s {
		if now := unicode.IsSpace(r); space && !now {
			list = append(list, s[start:i])
			start, space = i, false
		} else {
			space = now
		}
	}
	return append(list, s[start:])
}

func join(words []string) string { return strings.Join(words, "") }

// changed counts the words in the pieces that differ.
func changed(list []piece) int {
	n := 0
	for _, p := range list {
		if p.Changed {
			n += len(strings.Fields(p.Text))
		}
	}
	return n
}

// Comparison writes the page.
func (s *Set) Comparison(w http.ResponseWriter, r *http.Request, lang pages.Lang, c *Comparison) {
	s.Write(w, r, http.StatusOK, lang, "compare", pages.View{Title: text(lang, "compare.title", pages.InTitle(c.URL)), Switch: c.Switch, Script: "compare.js", Feed: c.Feed, Section: &c.Collection, Page: c})
}
