// Package access says who may see what of an archive, and wraps an index and a store so that nobody sees more.
//
// People's decisions stand in the archive's decisions/access.jsonl, one a line, only ever added to (docs/formats/access.md).
// A request goes through these files:
//
//	reader.go     who asks: somebody at the archive's own addresses, or anybody
//	follow.go     reads the decisions, and within a second those that came since
//	target.go     what a rule is about, as keys of an index
//	rules.go      which rule counts for a capture, and what it says
//	guard.go      the index and the store that show only what passes
//
// decisions.go writes decisions and says them in words. token.go keeps the tokens by which programs fetch WARC files, kept.go the
// files of both.
package access

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh"
)

// Decision is what a person decided, as it is stored: a rule, or that one no longer holds.
type Decision struct {
	ID     int           `json:"id"` // from 1; of a removal that of the rule removed
	Time   time.Time     `json:"time"`
	Who    string        `json:"who"`
	Do     string        `json:"do"` // "add" or "remove"
	Access kavosh.Access `json:"access,omitempty"`
	Target Target        `json:"target,omitzero"`
	Until  time.Time     `json:"until,omitzero"`  // end of an embargo
	After  string        `json:"after,omitempty"` // or: this long after each capture, such as "2y", "6m", "90d"
	Why    string        `json:"why,omitempty"`
}

// Check says what is wrong with a decision, and how to mend it.
func (d *Decision) Check() error {
	switch {
	case d.Do == "remove" && d.ID > 0:
		return nil
	case d.Do != "add":
		return fmt.Errorf("%q is neither add nor remove", d.Do)
	case strictness(d.Access) < 0:
		return fmt.Errorf("access %q: use open, metadata, on-site, embargo or takedown", d.Access)
	case d.Target.Kind == Digest && d.Access == kavosh.Open:
		return fmt.Errorf("content can be closed, not opened: open the URL, or remove the rule that closes it")
	}
	if err := d.Target.check(); err != nil {
		return err
	}
	switch timed := d.After != "" || !d.Until.IsZero(); {
	case d.Access == kavosh.Embargo && !timed:
		return fmt.Errorf("an embargo has an end: say until when, or how long after each capture")
	case d.Access != kavosh.Embargo && timed:
		return fmt.Errorf("only an embargo has an end")
	case d.After != "" && !d.Until.IsZero():
		return fmt.Errorf("an embargo has one end: a date, or a time after each capture")
	}
	if d.After != "" {
		_, _, _, err := parseAfter(d.After)
		return err
	}
	return nil
}

// parseAfter reads a length of time in years, months, weeks or days, of the calendar.
func parseAfter(text string) (years, months, days int, err error) {
	if text != "" {
		n, bad := strconv.Atoi(text[:len(text)-1])
		if bad == nil && n > 0 && n <= 100_000 {
			switch text[len(text)-1] {
			case 'y':
				return min(n, 1000), 0, 0, nil
			case 'm':
				return 0, n, 0, nil
			case 'w':
				return 0, 0, 7 * n, nil
			case 'd':
				return 0, 0, n, nil
			}
		}
	}
	return 0, 0, 0, fmt.Errorf("%q is no length of time: write one such as 2y, 6m (months), 8w or 90d", text)
}

// inForce are the rules that were added and not removed.
func inForce(decisions []Decision) []Decision {
	removed := map[int]bool{}
	for i := range decisions {
		if decisions[i].Do == "remove" {
			removed[decisions[i].ID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(decisions), func(d Decision) bool { return d.Do != "add" || removed[d.ID] })
}

// String is what the rule says, in words.
func (d *Decision) String() string {
	var b strings.Builder
	b.WriteString(d.Target.String() + ": ")
	switch d.Access {
	case kavosh.Open:
		b.WriteString("open to everybody")
	case kavosh.MetadataOnly:
		b.WriteString("metadata only; what it holds is shown to nobody")
	case kavosh.OnSite:
		b.WriteString("shown at on-site addresses only; elsewhere metadata")
	case kavosh.Embargo:
		b.WriteString("metadata only until ")
		if d.After != "" {
			units := map[byte]string{'y': "year", 'm': "month", 'w': "week", 'd': "day"}
			n, unit := d.After[:len(d.After)-1], units[d.After[len(d.After)-1]]
			if n != "1" {
				unit += "s"
			}
			b.WriteString(n + " " + unit + " after each capture")
		} else {
			b.WriteString(day(d.Until))
		}
	case kavosh.Takedown:
		b.WriteString("taken down; shown and listed to nobody")
	}
	return b.String()
}

// day is a time in words: the day alone when it is the beginning of one.
func day(t time.Time) string {
	if t = t.UTC(); t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format("2006-01-02")
	}
	return t.Format("2006-01-02 15:04 UTC")
}
