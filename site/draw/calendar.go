package draw

// This file draws the calendar of a URL's captures.

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"kavosh/pages"
)

// maxListed is how many captures the list below a calendar has; the calendar itself counts all.
const maxListed = 300

// Calendar shows the captures of one URL. They are added in order of time.
type Calendar struct {
	Collection  Summary
	URL         string
	Timemap     string // path of the TimeMap
	Changes     string // address of the collection on the archive's own pages, which have the feed of changes; "" for none
	Compare     string // address that takes url, a and b to the comparison of two captures; "" for none
	Within      string // digits that the captures' times begin with; "" for all captures
	Approximate bool   // the captures are of other URLs that have the same key in the index
	Count       int
	First, Last time.Time
	Alike       func(a, b *Row) bool // whether their pictures are known to look alike; nil if there are no pictures

	lang  pages.Lang
	path  string // of this page, up to the time: "/web/"
	days  map[int64]*day
	list  []Row         // the newest, in order of time
	looks map[int64]Row // for each month since 1970, the first capture that may be shown as a picture
}

// Feed returns the URL of the feed of changes of the page; "" for none.
func (c *Calendar) Feed() string {
	if c.Changes == "" || c.Count < 2 {
		return ""
	}
	return FeedPath(c.lang, c.Changes, "url", c.URL)
}

// Row is one capture in a list.
type Row struct {
	Time    time.Time
	Path    string // replay path
	Stamp   string // the 14 digits of Time
	Picture string // address of its thumbnail; "" for none
	Shot    string // path of the page that the picture shows
	Kept    string // folder with the picture
	Details string // address of the capture's own page; "" for none
	Status  int
	MIME    string
	Length  int64
	Same    bool // has the digest of the capture before
}

type day struct {
	count int
	path  string // of its capture, or of the list if there are several
}

// NewCalendar returns an empty calendar in lang for the captures of url in a collection. path is the page's path up to
// its time, such as "/web/".
func NewCalendar(lang pages.Lang, c Summary, url, path string) *Calendar {
	return &Calendar{Collection: c, URL: url, lang: lang, path: path, days: map[int64]*day{}, looks: map[int64]Row{}}
}

// Add adds the next capture.
func (c *Calendar) Add(r Row) {
	if c.Count == 0 {
		c.First = r.Time
	}
	c.Last = r.Time
	c.Count++
	at := r.Time.Unix() / 86400
	if c.days[at] == nil {
		c.days[at] = &day{path: r.Path}
	}
	if c.days[at].count++; c.days[at].count == 2 {
		c.days[at].path = c.at(r.Time.UTC().Format("20060102"), c.lang)
	}
	month := int64(r.Time.UTC().Year()*12 + int(r.Time.UTC().Month()))
	if _, ok := c.looks[month]; !ok && !r.Same && r.Picture != "" && r.Status == http.StatusOK && KindOf(r.MIME) == "page" {
		c.looks[month] = r
	}
	if len(c.list) == maxListed {
		c.list = slices.Delete(c.list, 0, 1)
	}
	c.list = append(c.list, r)
}

// Rows returns the newest captures, the newest first.
func (c *Calendar) Rows() []Row {
	rows := slices.Clone(c.list)
	slices.Reverse(rows)
	return rows
}

// at returns the path of the calendar of captures whose times begin with digits.
func (c *Calendar) at(digits string, lang pages.Lang) string {
	return c.path + digits + "*" + string(lang) + "/" + c.URL
}

// All returns the path of the calendar of all captures.
func (c *Calendar) All() string { return c.at("", c.lang) }

// maxPictures is how many captures of a calendar are shown as pictures.
const maxPictures = 12

// Pictures returns captures for a strip of thumbnails: in order of time, spread over the whole time, each with other
// content than the one before. It leaves out captures that are known to look like the one before. Pictures are taken
// when somebody opens the page, so the strip shows more different looks each time.
func (c *Calendar) Pictures() []Row {
	all := make([]Row, 0, len(c.looks))
	for _, month := range slices.Sorted(maps.Keys(c.looks)) {
		look := c.looks[month]
		if c.Alike == nil || len(all) == 0 || !c.Alike(&all[len(all)-1], &look) {
			all = append(all, look)
		}
	}
	if len(all) <= maxPictures {
		return all
	}
	first, last := all[0].Time, all[len(all)-1].Time
	rows, from := all[:0:0], 0
	for i := range maxPictures { // for each of maxPictures moments, the nearest capture that is left
		wanted, left := first.Add(last.Sub(first)/(maxPictures-1)*time.Duration(i)), maxPictures-1-i
		at := from
		for at+1 < len(all)-left && all[at+1].Time.Sub(wanted).Abs() <= all[at].Time.Sub(wanted).Abs() {
			at++
		}
		rows, from = append(rows, all[at]), at+1
	}
	return rows
}

// Cut reports whether the list leaves out some.
func (c *Calendar) Cut() bool { return c.Count > len(c.list) }

// Year is a year of a calendar, with counts for its months.
type Year struct {
	Year   int
	Count  int
	Months []Month
}

// Month is a month of a calendar.
type Month struct {
	Name  string
	Count int
	Level int // 0 to 4: its captures compared with the month that has the most
	Weeks [][]Day
}

// Day is a day of a month; the zero Day fills a week before the first or after the last day.
type Day struct {
	Day   int
	Count int
	Path  string
	Level int // 0 to 4
}

// Years returns the years with captures, the newest first.
func (c *Calendar) Years() []Year {
	if c.Count == 0 {
		return nil
	}
	var years []Year
	fullestDay, fullestMonth := 1, 1
	first, _, _ := c.lang.YMD(c.First)
	last, _, _ := c.lang.YMD(c.Last)
	for y := last; y >= first; y-- {
		year := Year{Year: y}
		for m := 1; m <= 12; m++ {
			month := c.month(y, m)
			year.Count += month.Count
			fullestMonth = max(fullestMonth, month.Count)
			for _, w := range month.Weeks {
				for _, d := range w {
					fullestDay = max(fullestDay, d.Count)
				}
			}
			year.Months = append(year.Months, month)
		}
		if year.Count > 0 {
			years = append(years, year)
		}
	}
	for _, y := range years {
		for m := range y.Months {
			y.Months[m].Level = level(y.Months[m].Count, fullestMonth)
			for _, w := range y.Months[m].Weeks {
				for d := range w {
					w[d].Level = level(w[d].Count, fullestDay)
				}
			}
		}
	}
	return years
}

// level returns 0 for n = 0, and else 1 to 4 by its share of most.
func level(n, most int) int {
	if n == 0 {
		return 0
	}
	return 1 + min(3, 4*(n-1)/max(1, most))
}

func (c *Calendar) month(year, month int) Month {
	m := Month{Name: c.lang.Month(month)}
	start := c.lang.Start(year, month, 1)
	week := make([]Day, c.lang.Weekday(start), 7)
	for t := start; ; t = t.AddDate(0, 0, 1) {
		if _, at, n := c.lang.YMD(t); at == month {
			d := Day{Day: n}
			if k := c.days[t.Unix()/86400]; k != nil {
				d.Count, d.Path = k.count, k.path
				m.Count += k.count
			}
			week = append(week, d)
			if len(week) == 7 {
				m.Weeks = append(m.Weeks, week)
				week = make([]Day, 0, 7)
			}
			continue
		}
		break
	}
	if len(week) > 0 {
		m.Weeks = append(m.Weeks, append(week, make([]Day, 7-len(week))...))
	}
	return m
}

// Week returns the initials of the days of a week.
func (c *Calendar) Week() []string { return c.lang.Week() }

// Calendar writes the page.
func (s *Set) Calendar(w http.ResponseWriter, r *http.Request, c *Calendar) {
	s.Write(w, r, http.StatusOK, c.lang, "calendar", pages.View{
		Title: text(c.lang, "calendar.title", pages.InTitle(c.URL)), Switch: func(l pages.Lang) string { return c.at(c.Within, l) }, Section: &c.Collection, Feed: c.Feed(), Page: c})
}
