package plan

// This file has when whole crawls begin by themselves.

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/dates"
)

// Starts says when crawls of an archive begin, such as "weekly fri 03:00 until 2027-06-18, monthly 1 04:30". The phases
// follow each other: each but the last has an end. Times are those of this machine, or of the zone that the first phase
// names, as in "daily 03:00 in Asia/Tehran". None means one crawl, now.
type Starts struct {
	phases []phase
	zone   *time.Location // nil for this machine's
	text   string         // as it was written
}

// phase is one rhythm, for as long as it holds.
type phase struct {
	every        string // hourly, daily, weekly, monthly
	day          int    // of the week from Sunday = 0, or of the month from 1; a month that is shorter has its last day instead
	calendar     dates.Calendar
	hour, minute int
	until        time.Time // zero for ever
}

// startsHelp is what is told of a text that is none.
const startsHelp = "write hourly :15, daily 03:00, weekly fri 03:00, monthly 1 03:00 or monthly 1 jalali 03:00; then until 2027-06-18 and a comma before the next, and in Asia/Tehran at the end for its time"

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// UnmarshalText parses what a person wrote.
func (s *Starts) UnmarshalText(text []byte) error {
	all, zone, named := strings.Cut(string(text), " in ")
	made := Starts{text: strings.Join(strings.Fields(string(text)), " ")}
	place := time.Local
	if named {
		var z Zone
		if err := z.UnmarshalText([]byte(strings.TrimSpace(zone))); err != nil {
			return err
		}
		place, _ = time.LoadLocation(string(z)) // which is there: Zone looked
		made.zone = place
	}
	list := strings.Split(all, ",")
	for i, one := range list {
		p, err := parsePhase(strings.Fields(one), place)
		switch {
		case err != nil:
			return fmt.Errorf("%q: %w", strings.TrimSpace(one), err)
		case p.until.IsZero() && i < len(list)-1:
			return fmt.Errorf("%q never ends, so that nothing can follow it: give it an end, such as until 2027-06-18", strings.TrimSpace(one))
		case i > 0 && !p.until.IsZero() && !p.until.After(made.phases[i-1].until):
			return fmt.Errorf("%q ends before it begins: write the phases in their order", strings.TrimSpace(one))
		}
		made.phases = append(made.phases, p)
	}
	*s = made
	return nil
}

// parsePhase reads the words of a phase.
func parsePhase(words []string, zone *time.Location) (p phase, err error) {
	wrong := fmt.Errorf("it does not say when a crawl begins: %s", startsHelp)
	if len(words) == 0 {
		return p, wrong
	}
	p.every, words = words[0], words[1:]
	if n := len(words); n >= 2 && words[n-2] == "until" {
		day, err := dates.Parse(words[n-1], zone)
		if err != nil {
			return p, err
		}
		p.until, words = day.First, words[:n-2]
	}
	switch p.every {
	case "hourly", "daily":
	case "weekly":
		p.day = 1
		if len(words) > 0 && !strings.Contains(words[0], ":") {
			if p.day = weekday(words[0]); p.day < 0 {
				return p, wrong
			}
			words = words[1:]
		}
	case "monthly":
		p.day = 1
		if len(words) > 0 && !strings.Contains(words[0], ":") {
			if p.day, err = strconv.Atoi(words[0]); err != nil || p.day < 1 || p.day > 31 {
				return p, wrong
			}
			words = words[1:]
		}
		if len(words) > 0 && words[0] == "jalali" {
			p.calendar, words = dates.Jalali, words[1:]
		}
	default:
		return p, wrong
	}
	if len(words) == 0 {
		return p, nil
	}
	hour, minute, ok := strings.Cut(words[0], ":")
	if p.every == "hourly" && hour == "" {
		hour = "0"
	}
	h, herr := strconv.Atoi(hour)
	m, merr := strconv.Atoi(minute)
	if !ok || len(words) > 1 || herr != nil || merr != nil || h < 0 || h > 23 || m < 0 || m > 59 || p.every == "hourly" && h > 0 {
		return p, wrong
	}
	p.hour, p.minute = h, m
	return p, nil
}

// weekday returns the day of the week that a word names, by three letters or more; -1 if it names none.
func weekday(word string) int {
	word = strings.ToLower(word)
	for i, short := range weekdays {
		if strings.HasPrefix(word, short) && strings.HasPrefix(strings.ToLower(time.Weekday(i).String()), word) {
			return i
		}
	}
	return -1
}

// MarshalText writes a text that UnmarshalText parses.
func (s Starts) MarshalText() ([]byte, error) { return []byte(s.text), nil }

// None reports whether there is one crawl, now.
func (s Starts) None() bool { return len(s.phases) == 0 }

// Next returns the first time after another one at which a crawl begins; false if none does any more.
func (s Starts) Next(after time.Time) (time.Time, bool) {
	place := time.Local
	if s.zone != nil {
		place = s.zone
	}
	after = after.In(place)
	for _, p := range s.phases {
		t := p.next(after)
		if p.until.IsZero() || t.Before(p.until) {
			return t, true
		}
		if p.until.After(after) {
			after = p.until.Add(-1) // the next phase begins then
		}
	}
	return time.Time{}, false
}

// next returns the first time of the rhythm after another one, in its zone.
func (p *phase) next(after time.Time) time.Time {
	year, month, day := after.Date()
	y, m, _ := p.calendar.YMD(after)
	for i := 0; ; i++ { // the clock may be turned where a time would be, so the second or third is it
		var t time.Time
		switch p.every {
		case "hourly":
			t = time.Date(year, month, day, after.Hour()+i, p.minute, 0, 0, after.Location())
		case "daily":
			t = time.Date(year, month, day+i, p.hour, p.minute, 0, 0, after.Location())
		case "weekly":
			ahead := (p.day - int(after.Weekday()) + 7) % 7
			t = time.Date(year, month, day+ahead+7*i, p.hour, p.minute, 0, 0, after.Location())
		case "monthly":
			_, _, last := p.calendar.YMD(p.calendar.Month(y, m, after.Location()).Last)
			first := p.calendar.Start(y, m, min(p.day, last), after.Location())
			t = time.Date(first.Year(), first.Month(), first.Day(), p.hour, p.minute, 0, 0, after.Location())
			y, m = dates.Next(y, m)
		}
		if t.After(after) {
			return t
		}
	}
}
