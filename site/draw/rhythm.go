package draw

import (
	"net/http"
	"strings"
	"time"

	"kavosh/pages"
	"kavosh/schedule/pattern"
)

// Rhythm shows when in the week the pages of a host change. Often and Matters have a number for each bin of package pattern.
type Rhythm struct {
	Collection     Summary
	Host           string
	Calendar       *pattern.Calendar
	From, To       time.Time
	Pages, Visits  int
	Changes, Exact int
	Few            bool // too few changes were found to tell hours apart
	Cut            bool
	Often          []float64
	Matters        []float64
}

// Rhythm writes the page.
func (s *Set) Rhythm(w http.ResponseWriter, r *http.Request, p Rhythm) {
	lang := s.LangOf(r)
	v := struct {
		Rhythm
		HostPath      string
		Kind          string // the name of the calendar
		Choices       []string
		Holidays      bool
		Often         pages.Heat
		Matters       pages.Heat
		Strong, Heavy string // in words; "" if nothing stands out
	}{Rhythm: p, HostPath: HostPath(s.home+"/c/"+p.Collection.Name, p.Host, "/"), Kind: p.Calendar.Name(), Choices: pattern.Names(), Holidays: p.Calendar.Holidays()}
	v.Often = heat(lang, "rhythm.often", p.Calendar, p.Often)
	v.Matters = heat(lang, "rhythm.matters", p.Calendar, p.Matters)
	if !v.Few {
		v.Strong, v.Heavy = strongest(lang, p.Often), strongest(lang, p.Matters)
	}
	s.Write(w, r, http.StatusOK, lang, "rhythm", pages.View{Title: text(lang, "rhythm.title") + ": " + p.Host, Switch: pages.InLang(r), Section: &p.Collection, Tab: "hosts", Page: v})
}

// heat draws a number of each bin.
func heat(lang pages.Lang, title string, c *pattern.Calendar, bins []float64) pages.Heat {
	h := pages.Heat{Title: text(lang, title), Scale: text(lang, "rhythm.scale")}
	for k := range pattern.Kind(len(bins) / 24) {
		strip := pages.Strip{Label: text(lang, "rhythm."+k.String()) + ": " + dayNames(lang, c.Days(k))}
		if k == pattern.Rest && c.Holidays() {
			strip.Label += text(lang, "rhythm.and") + text(lang, "rhythm.holidays")
		}
		copy(strip.Hours[:], bins[int(k)*24:])
		h.Strips = append(h.Strips, strip)
	}
	return h.Draw(lang)
}

// dayNames names days of the week, three and more in a row by the first and the last.
func dayNames(lang pages.Lang, days []time.Weekday) string {
	name := func(d time.Weekday) string { return text(lang, "day."+strings.ToLower(d.String())) }
	if n := len(days); n > 2 && (days[0]+time.Weekday(n)-1)%7 == days[n-1] {
		return text(lang, "rhythm.days", name(days[0]), name(days[n-1]))
	}
	var names []string
	for _, d := range days {
		names = append(names, name(d))
	}
	return strings.Join(names, text(lang, "rhythm.and"))
}

// strongest names the bins with the greatest numbers; "" if none stands out.
func strongest(lang pages.Lang, bins []float64) string {
	var names []string
	for _, b := range pattern.Strongest(bins) {
		names = append(names, text(lang, "rhythm.hour."+pattern.Kind(b/24).String(), lang.Hour(b%24), lang.Decimal(bins[b], 1)))
	}
	return strings.Join(names, text(lang, "rhythm.comma"))
}
