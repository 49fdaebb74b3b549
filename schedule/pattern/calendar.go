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
	zone     *time.Location
	week     [7]Kind
	holidays map[holiday]bool
}

// holiday is a day that comes every year.
type holiday struct {
	by         string // the calendar it goes by: gregorian, jalali or hijri
	month, day int
}

// Named returns the calendar called name, such as "iran", in a zone. The error lists all.
func Named(name string, zone *time.Location) (*Calendar, error) {
	c := &Calendar{zone: zone, holidays: map[holiday]bool{}}
	var names []string
	for line := range strings.Lines(calendars) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) < 4 || strings.HasPrefix(line, "#") {
			continue
		}
		if !slices.Contains(names, f[0]) {
			names = append(names, f[0])
		}
		if f[0] != name {
			continue
		}
		if f[1] == "week" {
			for d := time.Sunday; d <= time.Saturday; d++ {
				switch strings.ToLower(d.String()) {
				case f[2]:
					c.week[d] = Half
				case f[3]:
					c.week[d] = Rest
				}
			}
			continue
		}
		month, _ := strconv.Atoi(f[2])
		day, _ := strconv.Atoi(f[3])
		c.holidays[holiday{f[1], month, day}] = true
	}
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("there is no calendar %q; use one of %s", name, strings.Join(names, ", "))
	}
	return c, nil
}

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
