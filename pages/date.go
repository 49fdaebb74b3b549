package pages

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

// Calendar is the one that l counts days in.
func (l Lang) Calendar() dates.Calendar {
	if l == English {
		return dates.Gregorian
	}
	return dates.Jalali
}

// YMD is a day in the calendar of l: year, month from 1, day from 1.
func (l Lang) YMD(t time.Time) (year, month, day int) { return l.Calendar().YMD(t.UTC()) }

// Start is midnight of a day in the calendar of l.
func (l Lang) Start(year, month, day int) time.Time {
	return l.Calendar().Start(year, month, day, time.UTC)
}

// Weekday counts from the first day of l's week: Monday, or Saturday.
func (l Lang) Weekday(t time.Time) int {
	if l == Persian {
		return int(t.UTC().Weekday()+1) % 7
	}
	return int(t.UTC().Weekday()+6) % 7
}

// Month is the name of a month, counted from 1, in the calendar of l.
func (l Lang) Month(month int) string { return l.Calendar().Name(month, l == Persian) }

// Week are the initials of the days of a week.
func (l Lang) Week() []string {
	if l == Persian {
		return weekFA[:]
	}
	return weekEN[:]
}

// MonthOf names a month of a year.
func (l Lang) MonthOf(year, month int) string {
	return l.Month(month) + " " + l.Digits(strconv.Itoa(year))
}

// Date is the day of t in the calendar of l: "2 January 2024", "۱۲ دی ۱۴۰۲".
func (l Lang) Date(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	y, m, d := l.YMD(t)
	return l.Digits(fmt.Sprintf("%d %s %d", d, l.Month(m), y))
}

// OtherDate is the day of t in the Gregorian calendar, in the words of l, where Date is of another: "۲ ژانویه ۲۰۲۴"; "" elsewhere.
func (l Lang) OtherDate(t time.Time) string {
	if t.IsZero() || l.Calendar() == dates.Gregorian {
		return ""
	}
	y, m, d := dates.Gregorian.YMD(t.UTC())
	return l.Digits(fmt.Sprintf("%d %s %d", d, dates.Gregorian.Name(m, l == Persian), y))
}

// Moment reads what a person typed as a date, which may be of either calendar; the zero Span for nothing. An error is
// told at the field.
func Moment(typed string) (dates.Span, error) {
	if strings.TrimSpace(typed) == "" {
		return dates.Span{}, nil
	}
	return dates.Parse(typed, time.UTC)
}

// Field is a field for a date: what was typed, and as l writes it; what cannot be read stands as it was typed.
type Field struct {
	Name, Value string
	Wrong       bool
}

// Dates are the fields for dates of a form.
type Dates []Field

// Wrong reports whether one of them cannot be read: nothing is looked for then.
func (d Dates) Wrong() bool { return slices.ContainsFunc(d, func(f Field) bool { return f.Wrong }) }

// Status is that of a page with these fields.
func (d Dates) Status() int {
	if d.Wrong() {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// Field is the field of that name; last tells that the time up to the end of the date is meant.
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

// fromTo is a time between two days, or the one day.
func fromTo(first, last string) string {
	if first == last {
		return first
	}
	return first + " – " + last
}

// Clock is the time of day of t: "03:04:05".
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

// Language is the name of a language in l, by its code, and of its script where that is the rarer one.
func (l Lang) Language(code string) string {
	if _, ok := common["lang."+code]; ok { // CLDR has no name for it, or one for several
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

// Duration is a number of seconds for people: "3 min 20 s".
func (l Lang) Duration(seconds float64) string {
	n := int64(seconds + 0.5)
	unit := func(n int64, key string) string { return l.Number(n) + "\u00a0" + l.Say(nil, key) }
	switch {
	case n < 60:
		return unit(n, "unit.s")
	case n < 3600:
		return unit(n/60, "unit.min") + " " + unit(n%60, "unit.s")
	case n < 48*3600:
		return unit(n/3600, "unit.h") + " " + unit(n%3600/60, "unit.min")
	}
	return unit(n/86400, "unit.d") + " " + unit(n%86400/3600, "unit.h")
}

// Number is n in groups of three digits: "12,345", "۱۲٬۳۴۵".
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

// Size is a number of bytes for people: "3.4 KB".
func (l Lang) Size(n int64) string {
	units := []string{"unit.b", "unit.kb", "unit.mb", "unit.gb", "unit.tb"}
	v, u := float64(n), 0
	for v >= 1000 && u < len(units)-1 {
		v /= 1000
		u++
	}
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if u > 0 {
		text = strconv.FormatFloat(v, 'f', 1, 64)
	}
	if l == Persian {
		text = strings.Replace(text, ".", "٫", 1)
	}
	return l.Digits(text) + "\u00a0" + l.Say(nil, units[u])
}
