package pattern

// This file tells the kind of a day where a site is: calendars are data, in calendars.tsv.

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/dates"
)

// Kind is a kind of day.
type Kind uint8

// The kinds of days.
const (
	Workday Kind = iota
	Half         // the lesser half of a weekend: Saturday in Europe, Thursday in Iran
	Rest         // the day of rest, and holidays
	kinds
)

// String returns "workday", "half" or "rest".
func (k Kind) String() string { return [...]string{"workday", "half", "rest"}[k] }

//go:embed calendars.tsv
var calendars string

// Calendar tells the kinds of days at one place. Holidays that go by the moon are computed, and may be a day off.
type Calendar struct {
	name     string
	zone     *time.Location
	week     [7]Kind
	holidays map[holiday]bool
}

// holiday is a day that comes every year.
type holiday struct {
	by         string // the calendar it goes by: gregorian, jalali or hijri
	month, day int
}

// rows yields the lines of calendars.tsv, cut into fields.
func rows(yield func(f []string) bool) {
	for line := range strings.Lines(calendars) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) >= 4 && !strings.HasPrefix(line, "#") && !yield(f) {
			return
		}
	}
}

// Names returns the names of all calendars.
func Names() (names []string) {
	for f := range rows {
		if !slices.Contains(names, f[0]) {
			names = append(names, f[0])
		}
	}
	return names
}

// Named returns the calendar called name, such as "iran", in a zone. The error lists all.
func Named(name string, zone *time.Location) (*Calendar, error) {
	if names := Names(); !slices.Contains(names, name) {
		return nil, fmt.Errorf("there is no calendar %q; use one of %s", name, strings.Join(names, ", "))
	}
	c := &Calendar{name: name, zone: zone, holidays: map[holiday]bool{}}
	for f := range rows {
		switch {
		case f[0] != name || f[1] == "of":
		case f[1] == "week":
			for d := time.Sunday; d <= time.Saturday; d++ {
				switch strings.ToLower(d.String()) {
				case f[2]:
					c.week[d] = Half
				case f[3]:
					c.week[d] = Rest
				}
			}
		default:
			month, _ := strconv.Atoi(f[2])
			day, _ := strconv.Atoi(f[3])
			c.holidays[holiday{f[1], month, day}] = true
		}
	}
	return c, nil
}

// At returns the calendar that text names: "iran" in the time zone of its place, "world,zone=America/New_York" in another.
func At(text string) (*Calendar, error) {
	name, rest, given := strings.Cut(text, ",")
	place := "UTC"
	for f := range rows {
		if f[0] == name && f[1] == "of" {
			place = f[2]
		}
	}
	if given {
		var is bool
		if place, is = strings.CutPrefix(rest, "zone="); !is || place == "" {
			return nil, fmt.Errorf("%q is no calendar with a time zone; write it as world,zone=America/New_York", text)
		}
	}
	zone, err := time.LoadLocation(place)
	if err != nil {
		return nil, fmt.Errorf("there is no time zone %q; write one such as Asia/Tehran", place)
	}
	return Named(name, zone)
}

// For returns the name of the calendar that the sites of a host likely go by: that of the country whose top-level domain it
// has, or "world".
func For(host string) string {
	host, _, _ = strings.Cut(host, ":")
	top := host[strings.LastIndexByte(host, '.')+1:]
	for f := range rows {
		if f[1] == "of" && slices.Contains(strings.Split(f[3], " "), top) {
			return f[0]
		}
	}
	return "world"
}

// Name returns the name of the calendar.
func (c *Calendar) Name() string { return c.name }

// Zone returns the time zone of the place.
func (c *Calendar) Zone() *time.Location { return c.zone }

// Days returns the days of the week that are of a kind if they are no holidays, the first of the week first: Saturday where
// Friday is a day of rest, or else Monday.
func (c *Calendar) Days(k Kind) (days []time.Weekday) {
	first := time.Monday
	if c.week[time.Friday] == Rest {
		first = time.Saturday
	}
	for i := range time.Weekday(7) {
		if d := (first + i) % 7; c.week[d] == k {
			days = append(days, d)
		}
	}
	return days
}

// Holidays reports whether the calendar has days of rest apart from those of the week.
func (c *Calendar) Holidays() bool { return len(c.holidays) > 0 }

// Kind returns the kind of the day of t.
func (c *Calendar) Kind(t time.Time) Kind {
	t = t.In(c.zone)
	if len(c.holidays) > 0 {
		_, month, day := dates.Jalali.YMD(t)
		_, moon, moonDay := dates.Hijri(t)
		for _, h := range [...]holiday{{"gregorian", int(t.Month()), t.Day()}, {"jalali", month, day}, {"hijri", moon, moonDay}} {
			if c.holidays[h] {
				return Rest
			}
		}
	}
	return c.week[t.Weekday()]
}

// Bin returns the bin of t.
func (c *Calendar) Bin(t time.Time) uint8 {
	return uint8(c.Kind(t))*24 + uint8(t.In(c.zone).Hour())
}
