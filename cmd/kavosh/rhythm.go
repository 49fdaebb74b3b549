package main

// This file is kavosh change --rhythm: it says at which hours the pages of a host change.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"kavosh/change"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
	"kavosh/schedule/pattern"
	"kavosh/site"
)

// maxRhythm is how many pairs of versions are compared for a rhythm.
const maxRhythm = 10_000

// rhythm prints when in the week the pages of a host change.
func (c *changeCmd) rhythm(ctx context.Context, p *program, dir string, r *change.Reader) error {
	u, err := weburl.Parse("http://" + c.Rhythm + "/")
	if err != nil {
		return usage("--rhythm %s: this is no host; write it as example.org", c.Rhythm)
	}
	calendar, err := site.CalendarOf(c.Calendar, dir, u.Host())
	if err != nil {
		return usageError{"--calendar: " + err.Error()}
	}
	notes, err := site.HostNotes(ctx, dir, u.Host())
	if err != nil {
		return err
	}
	made, err := site.RhythmOf(ctx, u.Host(), calendar, readable(ctx, r, cdx.Query{URL: u.String(), MatchType: cdx.Host}), notes, maxRhythm)
	switch {
	case err != nil:
		return err
	case made.Visits == 0:
		return fmt.Errorf("%s has no page of %s: kavosh change %s --rhythm takes a host such as example.org", dir, made.Host, quoted(dir))
	case c.JSON:
		return printJSON(p.out, made)
	}
	_, err = io.WriteString(p.out, rhythmText(made))
	return err
}

// readable yields the captures that a query finds, with their reader.
func readable(ctx context.Context, r *change.Reader, q cdx.Query) iter.Seq2[change.Version, error] {
	return func(yield func(change.Version, error) bool) {
		for e, err := range r.Records.Index.Query(ctx, q) {
			if !yield(change.Version{Entry: e, Reader: r}, err) || err != nil {
				return
			}
		}
	}
}

// shades draw a share of the most, from none on.
var shades = []string{"·", "░", "▒", "▓", "█"}

// dayWords name the kinds of days.
var dayWords = map[string]string{"workday": "workdays", "half": "half days", "rest": "rest days"}

// rhythmText says a rhythm in words, and draws it.
func rhythmText(r *site.Rhythm) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: when its pages change\n%s, found by %s of %s, %s to %s UTC\n", r.Host, plural(int64(r.Changes), "change"), plural(int64(r.Visits), "visit"), plural(int64(r.Pages), "page"),
		r.From.Format(time.DateTime), r.To.Format(time.DateTime))
	if r.Cut {
		b.WriteString("there are too many visits to count all\n")
	}
	fmt.Fprintf(&b, "days of the calendar %s, hours of %s; of all changes, %d are known to some two hours\n", r.Days, r.Zone, r.Exact)
	for _, of := range []struct {
		title string
		get   func(*site.Hour) float64
	}{{"how often", func(h *site.Hour) float64 { return h.Changes }}, {"how much changes that matters", func(h *site.Hour) float64 { return h.Importance }}} {
		most := slices.MaxFunc(r.Hours, func(x, y site.Hour) int { return cmp.Compare(of.get(&x), of.get(&y)) })
		fmt.Fprintf(&b, "\n%s\n            0     6     12    18    24\n", of.title)
		for i := range r.Hours {
			h := &r.Hours[i]
			if h.Hour == 0 {
				fmt.Fprintf(&b, "  %-9s ", dayWords[h.Day])
			}
			b.WriteString(shades[int(of.get(h)/max(of.get(&most), 1e-9)*float64(len(shades)-1)+0.5)])
			if h.Hour == 23 {
				b.WriteByte('\n')
			}
		}
		b.WriteString(strongestText(r, of.get))
	}
	return b.String()
}

// strongestText names the strongest hours.
func strongestText(r *site.Rhythm, get func(*site.Hour) float64) string {
	var numbers []float64
	for i := range r.Hours {
		numbers = append(numbers, get(&r.Hours[i]))
	}
	var words []string
	for _, b := range pattern.Strongest(numbers) {
		words = append(words, fmt.Sprintf("%s %d to %d (%.1f times the mean)", dayWords[r.Hours[b].Day], r.Hours[b].Hour, r.Hours[b].Hour+1, numbers[b]))
	}
	switch {
	case r.Few():
		return "  too few changes to tell hours apart\n"
	case len(words) == 0:
		return "  no hour stands out\n"
	}
	return "  most: " + strings.Join(words, ", ") + "\n"
}
