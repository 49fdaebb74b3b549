package main

// This file draws when pages were as a visit has them, for kavosh quality --timeline.

import (
	"fmt"
	"io"
	"time"

	"kavosh/change"
	"kavosh/quality"
	"kavosh/site"
)

// toldBars is how many pages are told in words.
const toldBars = 10

// drawTimelines writes a picture of each pair of visits that has one.
func (c *qualityCmd) drawTimelines(pairs []compared) error {
	for i := range pairs {
		found := pairs[i].Defects
		if found == nil || found.Timeline == nil {
			continue
		}
		err := writeTo(stepFile(c.Timeline, i, len(pairs)), func(w io.Writer) error {
			_, err := w.Write(site.TimelineFile("en", found))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// stateWords has in words whether a page was there at the moment.
var stateWords = map[change.State]string{change.Coherent: "there", change.Unknown: "perhaps there", change.Incoherent: "not there"}

// printBars prints the pages of a timeline that tell most.
func printBars(w io.Writer, t *quality.Timeline) {
	if t == nil {
		return
	}
	fmt.Fprintf(w, "\nAt that moment %s there, %s perhaps, %s not. The most telling:\n",
		plural(t.States[change.Coherent], "page"), count(t.States[change.Unknown]), count(t.States[change.Incoherent]))
	for _, b := range t.Bars[:min(len(t.Bars), toldBars)] {
		until := b.Until.Format(time.DateTime)
		if b.Latest.IsZero() || b.Latest.After(b.Until) {
			until += " at least"
		}
		fmt.Fprintf(w, "  %-13s  %s: from %s until %s\n", stateWords[b.State], b.URL, b.From.Format(time.DateTime), until)
	}
}
