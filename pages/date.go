package pages

// This file writes dates for readers of pages, in their calendar.

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"kavosh/lib/dates"
)

// Dates are of UTC throughout: an archive's times are.

var (
	weekEN = [...]string{"M", "T", "W", "T", "F", "S", "S"}
	weekFA = [...]string{"ش", "ی", "د", "س", "چ", "پ", "ج"}
)

// Calendar returns the calendar that l uses.
func (l Lang) Calendar() dates.Calendar {
	if l == English {
		return dates.Gregorian
	}
	return dates.Jalali
}

// YMD returns the day of t in the calendar of l: year, month from 1, day from 1.
func (l Lang) YMD(t time.Time) (year, month, day int) { return l.Calendar().YMD(t.UTC()) }

// Start returns midnight of a day in the calendar of l.
func (l Lang) Start(year, month, day int) time.Time {
	return l.Calendar().Start(year, month, day, time.UTC)
}

// Weekday returns the day of the week, counted from 0 for the first day of l's week: Monday, or Saturday.
func (l Lang) Weekday(t time.Time) int {
	if l == Persian {
		return int(t.UTC().Weekday()+1) % 7
	}
	return int(t.UTC().Weekday()+6) % 7
}

// Month returns the name of a month, counted from 1, in the calendar of l.
func (l Lang) Month(month int) string { return l.Calendar().Name(month, l == Persian) }

// Week returns the initials of the days of a week.
func (l Lang) Week() []string {
	if l == Persian {
		return weekFA[:]
	}
	return weekEN[:]
}

// MonthOf returns the name of a month with its year.
func (l Lang) MonthOf(year, month int) string {
	return l.Month(month) + " " + l.Digits(strconv.Itoa(year))
}

// Date returns the day of t in the calendar of l: "2 January 2024", "۱۲ دی ۱۴۰۲".
func (l Lang) Date(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	y, m, d := l.YMD(t)
	return l.Digits(fmt.Sprintf("%d %s %d", d, l.Month(m), y))
}

// OtherDate returns the day of t in the Gregorian calendar and in the language of l, such as "۲ ژانویه ۲۰۲۴". It
// returns "" if Date is already Gregorian.
func (l Lang) OtherDate(t time.Time) string {
	if t.IsZero() || l.Calendar() == dates.Gregorian {
		return ""
	}
	y, m, d := dates.Gregorian.YMD(t.UTC())
	return l.Digits(fmt.Sprintf("%d %s %d", d, dates.Gregorian.Name(m, l == Persian), y))
}

// Moment parses a date that a person typed, in either calendar. It returns the zero Span for "". The caller shows an
// error beside the field.
func Moment(typed string) (dates.Span, error) {
	if strings.TrimSpace(typed) == "" {
		return dates.Span{}, nil
	}
	return dates.Parse(typed, time.UTC)
}

// Field is a form field for a date: what was typed, and the same date as l writes it. A date that cannot be read stays
// as typed.
type Field struct {
	Name, Value string
	Wrong       bool
}

// Dates are the date fields of a form.
type Dates []Field

// Wrong reports whether one of the dates cannot be read. Then the page does not search.
func (d Dates) Wrong() bool { return slices.ContainsFunc(d, func(f Field) bool { return f.Wrong }) }

// Status returns the HTTP status of a page with these fields.
func (d Dates) Status() int {
	if d.Wrong() {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// Field returns the field with the given name. If last is true, the date means the time up to its end.
func (l Lang) Field(name, typed string, last bool) Field {
	s, err := Moment(typed)
	switch {
	case err != nil:
		return Field{name, typed, true}
	case s.First.IsZero():
		return Field{Name: name}
	}
	return Field{Name: name, Value: l.Digits(l.Calendar().Text(s, last))}
}

// fromTo writes the time between two days, or one day if they are equal.
func fromTo(first, last string) string {
	if first == last {
		return first
	}
	return first + " – " + last
}

// Clock returns the time of day of t: "03:04:05".
func (l Lang) Clock(t time.Time) string { return l.Digits(t.UTC().Format("15:04:05")) }

// Digits writes the digits of s as l does.
func (l Lang) Digits(s string) string {
	if l != Persian {
		return s
	}
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '۰' + r - '0'
		}
		return r
	}, s)
}

// Language returns the name in l of the language with the given code. It adds the script if that is the less usual one.
func (l Lang) Language(code string) string {
	if _, ok := common["lang."+code]; ok { // CLDR has no name for it, or the same name for several languages
		return l.Say(nil, "lang."+code)
	}
	tag, err := language.Parse(code)
	if err != nil {
		return l.Say(nil, "lang.und")
	}
	if name := display.Tags(language.Make(string(l))).Name(tag); name != "" {
		return name
	}
	return code
}

// Duration writes a number of seconds for people: "3 min 20 s", "2 h".
func (l Lang) Duration(seconds float64) string {
	n := int64(seconds + 0.5)
	unit := func(n int64, key string) string { return l.Number(n) + "\u00a0" + l.Say(nil, key) }
	both := func(large, small int64, key, smaller string) string {
		if small == 0 {
			return unit(large, key)
		}
		return l.Say(nil, "unit.both", unit(large, key), unit(small, smaller))
	}
	switch {
	case n < 60:
		return unit(n, "unit.s")
	case n < 3600:
		return both(n/60, n%60, "unit.min", "unit.s")
	case n < 48*3600:
		return both(n/3600, n%3600/60, "unit.h", "unit.min")
	}
	return both(n/86400, n%86400/3600, "unit.d", "unit.h")
}

// Decimal writes v with some digits after the point: "2.5", "۲٫۵".
func (l Lang) Decimal(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if l == Persian {
		text = strings.Replace(text, ".", "٫", 1)
	}
	return l.Digits(text)
}

// Number writes n in groups of three digits: "12,345", "۱۲٬۳۴۵".
func (l Lang) Number(n any) string {
	s := fmt.Sprint(n)
	separator := ","
	if l == Persian {
		separator = "٬"
	}
	var b strings.Builder
	for i := range len(s) {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteString(separator)
		}
		b.WriteByte(s[i])
	}
	return l.Digits(b.String())
}

// Size writes a number of bytes for people: "3.4 KB".
func (l Lang) Size(n int64) string {
	units := []string{"unit.b", "unit.kb", "unit.mb", "unit.gb", "unit.tb"}
	v, u := float64(n), 0
	for v >= 1000 && u < len(units)-1 {
		v /= 1000
		u++
	}
	return l.Decimal(v, min(u, 1)) + "\u00a0" + l.Say(nil, units[u])
}
