package main

// This file has the types of flags that several commands share, and writes numbers and times for people.

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/alecthomas/kong"

	"kavosh/internal/journal"
	"kavosh/lib/dates"
	"kavosh/plan"
)

// resume is a flag that may have a crawl's id as its value, or none.
type resume struct {
	Set bool
	ID  string
}

// IsBool allows the flag to have no value.
func (*resume) IsBool() bool { return true }

// Decode reads the value, if there is one after =.
func (r *resume) Decode(ctx *kong.DecodeContext) error {
	r.Set = true
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		return ctx.Scan.PopValueInto("crawl id", &r.ID)
	}
	return nil
}

// patchFlag reads --patch, which may stand without a value. The value may follow as a word of its own.
type patchFlag struct{}

// IsBool allows the flag to have no value.
func (patchFlag) IsBool() bool { return true }

// Decode reads the value, if there is one.
func (patchFlag) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	mends, next := plan.Missing, ctx.Scan.Peek()
	if word, _ := next.Value.(string); next.Type == kong.FlagValueToken || isPatch(word) {
		ctx.Scan.Pop()
		if err := mends.UnmarshalText([]byte(word)); err != nil {
			return err
		}
	}
	target.SetString(string(mends))
	return nil
}

// isPatch reports whether a word says what --patch mends.
func isPatch(word string) bool {
	var mends plan.Patch
	return word != "" && mends.UnmarshalText([]byte(word)) == nil
}

// count returns n with commas between thousands.
func count[T ~int | ~int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// elapsed returns a length of time for people: "8.2 s", "3 min 5 s", "2 h 14 min".
func elapsed(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// plural returns a number with its noun: "1 file", "2 files".
func plural[T ~int | ~int64](n T, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

func none(n int, noun string) string {
	if n == 0 {
		return "no " + noun + "s"
	}
	return plural(n, noun)
}

// moment is a time that a person wrote: a day, which means its beginning, or another time. It is in this machine's zone
// unless it names one.
type moment struct{ time.Time }

// UnmarshalText parses what a person wrote.
func (m *moment) UnmarshalText(text []byte) error {
	span, err := dates.Parse(string(text), time.Local)
	m.Time = span.First.UTC()
	return err
}

// mostListed is the largest number of a rule or a token.
const mostListed = 1_000_000_000

// mended says what became of damaged decisions, each of them a what, that a person has accepted: what is lost with lines that
// could not be read, and by which command what is left is listed.
func (p *program) mended(m *journal.Mended, what, lost, command string) error {
	for _, line := range m.Changed {
		fmt.Fprintf(p.err, "kavosh: this %s was changed, or one before it is missing: %s\n", what, line)
	}
	if m.Dropped > 0 {
		fmt.Fprintf(p.err, "kavosh: %s could not be read: %s\n", plural(m.Dropped, "line"), lost)
	}
	if m.Aside != "" {
		fmt.Fprintf(p.err, "kavosh: the damaged file is kept as %s: compare it, and add again what is missing\n", m.Aside)
	}
	_, err := fmt.Fprintf(p.out, "%s in force from now on; kavosh %s list shows them.\n", plural(m.Kept, "line"), command)
	return err
}

// listed parses the number that a command shows for something. what and command name both in the error.
func listed(text, what, command string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostListed {
		return 0, usage("%q is no number of %s: write one from 1 to %d that kavosh %s list shows", text, what, mostListed, command)
	}
	return n, nil
}
