// Package dates parses and computes dates in two calendars: the Gregorian and the Jalali, which Iran and Afghanistan
// use.
//
// People write dates in many ways and should not need to name the calendar: [Parse] knows it from the year, or from the
// name of a month. The result is a [Span], because "1396" is a year and "1396/5" a month.
package dates

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	ptime "github.com/yaa110/go-persian-calendar"
)

// Calendar is a way to count days.
type Calendar uint8

const (
	Gregorian Calendar = iota
	Jalali
)

// A year from firstJalali to lastJalali is taken as Jalali. The two calendars never overlap for the web, which began in
// 1369, that is 1990.
const firstJalali, lastJalali = 1200, 1500

// Of returns the calendar that a year belongs to if nothing else tells it; false for an implausible year.
func Of(year int) (c Calendar, ok bool) {
	if year <= lastJalali {
		return Jalali, year >= firstJalali
	}
	return Gregorian, year <= 9999
}

// YMD returns the day of t in t's own zone: year, month from 1, day from 1.
func (c Calendar) YMD(t time.Time) (year, month, day int) {
	if c == Jalali {
		p := ptime.New(t)
		return p.Year(), int(p.Month()), p.Day()
	}
	return t.Year(), int(t.Month()), t.Day()
}

// Start returns midnight at the beginning of a day.
func (c Calendar) Start(year, month, day int, zone *time.Location) time.Time {
	if c == Jalali {
		t := ptime.Date(year, ptime.Month(month), day, 12, 0, 0, 0, time.UTC).Time()
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, zone)
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, zone)
}

// Hijri returns the day of t in the calendar of the moon that Islam uses, by the arithmetic of its civil form (a cycle of
// 30 years, of which 11 have a day more). Where months begin by sight of the moon, it may be a day off.
func Hijri(t time.Time) (year, month, day int) {
	noon := time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, time.UTC)
	days := int(noon.Unix()/86400) + 492148 // since the first day of the first year, 16 July 622
	year = (30*days + 10646) / 10631
	first := func(year, month int) int { return 29*(month-1) + month/2 + (year-1)*354 + (3+11*year)/30 }
	month = 1
	for month < 12 && first(year, month+1) <= days {
		month++
	}
	return year, month, days - first(year, month) + 1
}

// Next returns the month after a month.
func Next(year, month int) (int, int) { return year + month/12, month%12 + 1 }

// Year returns a year of c, from its first to its last second.
func (c Calendar) Year(year int, zone *time.Location) Span {
	return until(c.Start(year, 1, 1, zone), c.Start(year+1, 1, 1, zone))
}

// Month returns a month of c, from its first to its last second.
func (c Calendar) Month(year, month int, zone *time.Location) Span {
	y, m := Next(year, month)
	return until(c.Start(year, month, 1, zone), c.Start(y, m, 1, zone))
}

// Span is a time from its first to its last second.
type Span struct{ First, Last time.Time }

func until(first, next time.Time) Span { return Span{first, next.Add(-time.Second)} }

// Text writes the first day of s, or the last, as [Parse] reads it: "1396/05/03" or "2017-07-25". A whole year or month
// of c is written as such; a time other than the start or end of a day gets a time of day.
func (c Calendar) Text(s Span, last bool) string {
	year, month, _ := c.YMD(s.First)
	mark := "-"
	if c == Jalali {
		mark = "/"
	}
	zone := s.First.Location()
	text := fmt.Sprintf("%04d", year)
	if s == c.Year(year, zone) {
		return text
	}
	if text += mark + fmt.Sprintf("%02d", month); s == c.Month(year, month, zone) {
		return text
	}
	at, edge := s.First, "00:00:00"
	if last {
		at, edge = s.Last, "23:59:59"
	}
	year, month, day := c.YMD(at)
	text = fmt.Sprintf("%04d%s%02d%s%02d", year, mark, month, mark, day)
	if clock := at.Format(time.TimeOnly); clock != edge {
		text += " " + clock
	}
	return text
}

// Digits replaces Persian and Arabic digits by ASCII digits.
func Digits(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '۰' <= r && r <= '۹':
			return '0' + r - '۰'
		case '٠' <= r && r <= '٩':
			return '0' + r - '٠'
		}
		return r
	}, text)
}

// maxText is the longest date, in bytes.
const maxText = 100

// Accepted lists what [Parse] accepts, for messages.
const Accepted = "2017, 2017-07, 2017-07-25, 1396, 1396/5 or 1396/5/3"

var (
	compact = regexp.MustCompile(`^(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d))?)?)?)?)?$`)
	marked  = regexp.MustCompile(`^(\d{4})(?: ?[-/.٫–−⁄، ] ?(\d{1,2})(?: ?[-/.٫–−⁄، ] ?(\d{1,2}))?)?$`)
	ending  = regexp.MustCompile(`^(\d{1,2}) ?[-/.٫–−⁄، ] ?(\d{1,2}) ?[-/.٫–−⁄، ] ?(\d{4})$`)
	named   = regexp.MustCompile(`^(?:(\d{1,2})(?:ام|م)?[ ,،]{1,2})?(\pL+)(?: ماه)?[ ,،]{1,2}(\d{4})$`)
	clock   = regexp.MustCompile(`^(\d\d?)(?::?(\d\d)(?::?(\d\d)(?:\.\d+)?)?)? ?([zZ]|[-+]\d\d(?::?\d\d)?)?$`)
)

// Parse parses a date, with or without a time of day: "2017", "201707", "2017-07-25T06:00:00+03:30", "1396/5/3",
// "3/5/1396", "مرداد ۱۳۹۶". A date without a zone is in zone. Years up to 1500 are Jalali. The error says what is
// accepted.
func Parse(text string, zone *time.Location) (Span, error) {
	bad := fmt.Errorf("%.100q is no date: write one such as %s", text, Accepted)
	if len(text) > maxText {
		return Span{}, bad
	}
	plain := strings.Join(strings.Fields(strings.Map(unmarked, Digits(text))), " ")
	if parts := compact.FindStringSubmatch(plain); parts != nil {
		s, ok := read(parts[1:], zone)
		return checked(s, ok, bad)
	}
	day, rest := plain, ""
	if i := strings.IndexAny(plain, ":Tt"); i >= 0 {
		// The time of day begins after the last space or T before its colon, unless the word is the name of a month.
		at := strings.LastIndexAny(plain[:min(len(plain), i+1)], " Tt")
		if at > 0 && at+1 < len(plain) && '0' <= plain[at-1] && plain[at-1] <= '9' && '0' <= plain[at+1] && plain[at+1] <= '9' {
			day, rest = plain[:at], plain[at+1:]
		}
	}
	var parts []string
	if m := marked.FindStringSubmatch(day); m != nil {
		parts = m[1:]
	} else if m := ending.FindStringSubmatch(day); m != nil {
		if day, month := inOrder(m[1], m[2], m[3]); month == "" {
			return Span{}, fmt.Errorf("%.100q may be of two days: write the year first, %s-%02s-%02s or %s-%02s-%02s", text,
				m[3], m[2], m[1], m[3], m[1], m[2])
		} else {
			parts = []string{m[3], month, day}
		}
	} else if m := named.FindStringSubmatch(day); m != nil {
		year, _ := strconv.Atoi(m[3])
		calendar, known := Of(year)
		month := monthNamed(m[2], calendar)
		if !known || month == 0 {
			return Span{}, bad
		}
		parts = []string{m[3], strconv.Itoa(month), m[1]}
	} else {
		return Span{}, bad
	}
	if rest != "" {
		m := clock.FindStringSubmatch(rest)
		if m == nil || parts[2] == "" {
			return Span{}, bad
		}
		parts = append(parts, m[1:4]...)
		switch {
		case m[4] == "Z" || m[4] == "z":
			zone = time.UTC
		case m[4] != "":
			digits := strings.ReplaceAll(m[4][1:], ":", "") + "00"
			h, _ := strconv.Atoi(digits[:2])
			min, _ := strconv.Atoi(digits[2:4])
			if h > 23 || min > 59 {
				return Span{}, bad
			}
			offset := h*3600 + min*60
			if m[4][0] == '-' {
				offset = -offset
			}
			zone = time.FixedZone("", offset)
		}
	}
	s, ok := read(parts, zone)
	return checked(s, ok, bad)
}

// inOrder returns day and month of a date whose year comes last. Jalali dates have the day first, but some people write
// Gregorian ones with the month first: month is "" if both are possible.
func inOrder(a, b, year string) (day, month string) {
	first, _ := strconv.Atoi(a)
	second, _ := strconv.Atoi(b)
	last, _ := strconv.Atoi(year)
	switch c, _ := Of(last); {
	case c == Jalali || first > 12 || first == second:
		return a, b
	case second > 12:
		return b, a
	}
	return "", ""
}

func checked(s Span, ok bool, bad error) (Span, error) {
	if !ok {
		return Span{}, bad
	}
	return s, nil
}

// unmarked drops direction marks, which come along when a date is copied.
func unmarked(r rune) rune {
	switch {
	case r >= '\u200e' && r <= '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\ufeff':
		return -1
	case r == '\u200c', r == '\u00a0', r == '\u202f':
		return ' '
	}
	return r
}

// read returns the span for year, month, day, hour, minute and second; the last of these may be "".
func read(parts []string, zone *time.Location) (s Span, ok bool) {
	n := [6]int{0, 1, 1, 0, 0, 0}
	given := 0
	for i, part := range parts {
		if part == "" {
			break
		}
		n[i], _ = strconv.Atoi(part)
		given++
	}
	c, ok := Of(n[0])
	if !ok || n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31 || n[3] > 23 || n[4] > 59 || n[5] > 59 {
		return s, false
	}
	noon := c.Start(n[0], n[1], n[2], time.UTC)
	if y, m, d := c.YMD(noon); y != n[0] || m != n[1] || d != n[2] {
		return s, false // the month does not have this day
	}
	switch given {
	case 1:
		return c.Year(n[0], zone), true
	case 2:
		return c.Month(n[0], n[1], zone), true
	case 3:
		return until(c.Start(n[0], n[1], n[2], zone), c.Start(n[0], n[1], n[2]+1, zone)), true
	}
	y, m, d := noon.Date()
	first := time.Date(y, m, d, n[3], n[4], n[5], 0, zone)
	return until(first, first.Add([]time.Duration{time.Hour, time.Minute, time.Second}[given-4])), true
}

// months are the names of months in English and Persian, by calendar.
var months = [2][2][12]string{
	Gregorian: {
		{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		{"ژانویه", "فوریه", "مارس", "آوریل", "مه", "ژوئن", "ژوئیه", "اوت", "سپتامبر", "اکتبر", "نوامبر", "دسامبر"},
	},
	Jalali: {
		{"Farvardin", "Ordibehesht", "Khordad", "Tir", "Mordad", "Shahrivar", "Mehr", "Aban", "Azar", "Dey", "Bahman", "Esfand"},
		{"فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن", "اسفند"},
	},
}

// Name returns the name of a month (from 1) in English or Persian.
func (c Calendar) Name(month int, persian bool) string {
	if persian {
		return months[c][1][month-1]
	}
	return months[c][0][month-1]
}

// monthNamed returns the month with this name, or with these first three English letters; 0 if none.
func monthNamed(name string, c Calendar) int {
	name = strings.NewReplacer("ي", "ی", "ك", "ک", "امرداد", "مرداد").Replace(name)
	for i := range 12 {
		english := months[c][0][i]
		if name == months[c][1][i] || strings.EqualFold(name, english) || len(name) == 3 && strings.EqualFold(name, english[:3]) {
			return i + 1
		}
	}
	return 0
}
