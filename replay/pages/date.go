package pages

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	ptime "github.com/yaa110/go-persian-calendar"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// Dates are of UTC throughout: an archive's times are.

var (
	gregorianEN = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	gregorianFA = [...]string{"ژانویه", "فوریه", "مارس", "آوریل", "مه", "ژوئن", "ژوئیه", "اوت", "سپتامبر", "اکتبر", "نوامبر", "دسامبر"}
	jalaliEN    = [...]string{"Farvardin", "Ordibehesht", "Khordad", "Tir", "Mordad", "Shahrivar", "Mehr", "Aban", "Azar", "Dey", "Bahman", "Esfand"}
	jalaliFA    = [...]string{"فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن", "اسفند"}
	weekEN      = [...]string{"M", "T", "W", "T", "F", "S", "S"}
	weekFA      = [...]string{"ش", "ی", "د", "س", "چ", "پ", "ج"}
)

// ymd is a day in the calendar of l: year, month from 1, day from 1.
func (l Lang) ymd(t time.Time) (year, month, day int) {
	t = t.UTC()
	if l == Persian {
		p := ptime.New(t)
		return p.Year(), int(p.Month()), p.Day()
	}
	return t.Year(), int(t.Month()), t.Day()
}

// start is midnight of a day in the calendar of l.
func (l Lang) start(year, month, day int) time.Time {
	if l == Persian {
		return ptime.Date(year, ptime.Month(month), day, 0, 0, 0, 0, time.UTC).Time()
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// weekday counts from the first day of l's week: Monday, or Saturday.
func (l Lang) weekday(t time.Time) int {
	if l == Persian {
		return int(t.UTC().Weekday()+1) % 7
	}
	return int(t.UTC().Weekday()+6) % 7
}

func (l Lang) month(month int) string {
	if l == Persian {
		return jalaliFA[month-1]
	}
	return gregorianEN[month-1]
}

func (l Lang) week() []string {
	if l == Persian {
		return weekFA[:]
	}
	return weekEN[:]
}

// gregorianMonth names the Gregorian month of t: in Persian by the two Jalali months that it lies in.
func (l Lang) gregorianMonth(t time.Time) string {
	if l != Persian {
		return l.month(int(t.Month())) + " " + strconv.Itoa(t.Year())
	}
	y, m, _ := l.ymd(t)
	y2, m2, _ := l.ymd(t.AddDate(0, 1, -1))
	name := l.month(m)
	if y != y2 {
		name += " " + strconv.Itoa(y)
	}
	return l.digits(name + " – " + l.month(m2) + " " + strconv.Itoa(y2))
}

// Date is the day of t in the calendar of l: "2 January 2024", "۱۲ دی ۱۴۰۲".
func (l Lang) Date(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	y, m, d := l.ymd(t)
	return l.digits(fmt.Sprintf("%d %s %d", d, l.month(m), y))
}

// OtherDate is the day of t in the other calendar, in the words of l: "12 Dey 1402", "۲ ژانویه ۲۰۲۴".
func (l Lang) OtherDate(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	y, m, d := l.Other().ymd(t)
	name := jalaliEN[m-1]
	if l == Persian {
		name = gregorianFA[m-1]
	}
	return l.digits(fmt.Sprintf("%d %s %d", d, name, y))
}

// fromTo is a time between two days, or the one day.
func fromTo(first, last string) string {
	if first == last {
		return first
	}
	return first + " – " + last
}

// Clock is the time of day of t: "03:04:05".
func (l Lang) Clock(t time.Time) string { return l.digits(t.UTC().Format("15:04:05")) }

// digits writes the digits of s as l does.
func (l Lang) digits(s string) string {
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

// language is the name of a language in l, by its code, and of its script where that is the rarer one.
func (l Lang) language(code string) string {
	if _, ok := phrases["lang."+code]; ok { // CLDR has no name for it, or one for several
		return l.text("lang." + code)
	}
	tag, err := language.Parse(code)
	if err != nil {
		return l.text("lang.und")
	}
	if name := display.Tags(language.Make(string(l))).Name(tag); name != "" {
		return name
	}
	return code
}

// duration is a number of seconds for people: "3 min 20 s".
func (l Lang) duration(seconds float64) string {
	n := int64(seconds + 0.5)
	unit := func(n int64, key string) string { return l.number(n) + "\u00a0" + l.text(key) }
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

// number is n in groups of three digits: "12,345", "۱۲٬۳۴۵".
func (l Lang) number(n any) string {
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
	return l.digits(b.String())
}

// size is a number of bytes for people: "3.4 KB".
func (l Lang) size(n int64) string {
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
	return l.digits(text) + "\u00a0" + l.text(units[u])
}
