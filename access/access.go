// Package access decides who may see what of an archive. It wraps an index and the way to records, so that readers get
// nothing that is closed to them.
//
// People's decisions are in the archive's decisions/access.jsonl, one on each line; lines are only added
// (docs/formats/access.md). A request goes through these files:
//
//	reader.go     who sends the request: a reader at the archive's own addresses, or anybody
//	follow.go     reads the decisions, and new ones within a second
//	target.go     what a rule applies to, as keys of an index
//	rules.go      which rule decides about a capture, and how
//	sight.go      what one reader may see now: the one place that decides
//	guard.go      wraps the index and the records, and hides what is closed
//
// decisions.go writes decisions, and describes them in words. token.go keeps the tokens with which programs fetch WARC
// files. kept.go reads and writes the files of both.
package access

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh"
)

// Decision is what a person decided, as it is stored: a new rule, or the removal of one.
type Decision struct {
	ID     int           `json:"id"` // from 1; for a removal, the ID of the removed rule
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

// parseAfter parses a length of time in calendar years, months, weeks or days.
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

// inForce returns the rules that were added and not removed.
func inForce(decisions []Decision) []Decision {
	removed := map[int]bool{}
	for i := range decisions {
		if decisions[i].Do == "remove" {
			removed[decisions[i].ID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(decisions), func(d Decision) bool { return d.Do != "add" || removed[d.ID] })
}

// String describes the rule in words.
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

// day writes a time; if it is midnight, only the day.
func day(t time.Time) string {
	if t = t.UTC(); t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format("2006-01-02")
	}
	return t.Format("2006-01-02 15:04 UTC")
}
