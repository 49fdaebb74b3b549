package archive

// This file finds pages that change more often than they are visited, and says how often to visit them.

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"kavosh/lib/units"
	"kavosh/quality"
	"kavosh/schedule"
)

// Often is pages that changed more often than they were visited.
type Often struct {
	Pattern string     `json:"pattern"` // a regular expression that is found in their addresses
	Pages   []string   `json:"pages"`   // those that changed most often first
	Visited units.Span `json:"visited"` // between two visits of such a page, on average
	Most    units.Span `json:"most"`    // that should be between them at most
}

// Rule returns the setting that has them visited so, for --revisit-rule.
func (o *Often) Rule() string {
	return fmt.Sprintf("pattern=%s most=%s", o.Pattern, short(time.Duration(o.Most)))
}

// Bounds of what is said of pages.
const (
	fewestVisits = 6   // of a page
	fewestFolder = 3   // pages of a folder that are told by the folder
	mostFolder   = 0.8 // of the pages of a folder have to be so
	mostOften    = 50
)

// intervals are those that are proposed.
var intervals = []time.Duration{
	15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour, 6 * time.Hour, 8 * time.Hour, 12 * time.Hour,
	day, 2 * day, 3 * day, 4 * day, 7 * day, 14 * day, 30 * day, 90 * day,
}

const day = 24 * time.Hour

// OftenOf returns the pages of a series that are expected to change more than once between two visits, by the estimator of Cho and
// Garcia-Molina (schedule.Page.Cho): those of a folder together, if nearly all of its pages are so. At most mostOften, those with most pages
// first.
func OftenOf(g *quality.Grid) (all []Often) {
	folders := map[string]*folder{}
	for i := range g.Pages {
		b := &g.Pages[i]
		if strings.ContainsFunc(b.URL, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			continue // no rule can name it
		}
		p := visited(b, g.Visits)
		if p.Visits < fewestVisits {
			continue
		}
		apart := time.Duration(p.Last-p.First) * time.Second / time.Duration(p.Visits-1)
		name := b.URL[:strings.LastIndexByte(cutQuery(b.URL), '/')+1]
		if folders[name] == nil {
			folders[name] = &folder{}
		}
		f := folders[name]
		f.all++
		if rate := p.Cho(); rate*apart.Hours() > 1 {
			f.often = append(f.often, changing{b.URL, apart, time.Duration(float64(time.Hour) / rate)})
		}
	}
	for name, f := range folders {
		all = append(all, f.told(name)...)
	}
	slices.SortFunc(all, func(a, b Often) int {
		return cmp.Or(cmp.Compare(len(b.Pages), len(a.Pages)), strings.Compare(a.Pattern, b.Pattern))
	})
	return all[:min(len(all), mostOften)]
}

// folder is the pages of a series below one path.
type folder struct {
	all   int
	often []changing
}

// changing is a page that changes more often than it was visited.
type changing struct {
	url             string
	visited, should time.Duration // between two visits
}

// told returns the pages of a folder that change so: all together, or each.
func (f *folder) told(name string) (all []Often) {
	slices.SortFunc(f.often, func(a, b changing) int { return cmp.Or(cmp.Compare(a.should, b.should), strings.Compare(a.url, b.url)) })
	if len(f.often) >= fewestFolder && float64(len(f.often)) >= mostFolder*float64(f.all) {
		middle := f.often[len(f.often)/2]
		o := Often{Pattern: patternOf(name) + "[^/]*$", Visited: units.Span(middle.visited.Round(time.Minute)), Most: rounded(middle.should)}
		for i := range f.often {
			o.Pages = append(o.Pages, f.often[i].url)
		}
		return []Often{o}
	}
	for _, p := range f.often {
		all = append(all, Often{Pattern: patternOf(p.url) + "$", Pages: []string{p.url}, Visited: units.Span(p.visited.Round(time.Minute)), Most: rounded(p.should)})
	}
	return all
}

// visited returns what a schedule knows of a page after these visits. Those that are odd tell of themselves.
func visited(b *quality.Behaved, visits []quality.Visit) (p schedule.Page) {
	for k, seen := range b.Seen {
		if seen <= quality.Failing || visits[k].Odd != quality.Usual {
			continue
		}
		at := uint32(visits[k].Started.Unix())
		if p.Visits == 0 {
			p.First = at
		} else if seen == quality.Changed {
			p.Changed++
		}
		p.Last = at
		p.Visits++
	}
	return p
}

// patternOf is the beginning of an expression for addresses that begin with a URL, by http and https.
func patternOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	return "^https?://" + regexp.QuoteMeta(rest)
}

func cutQuery(url string) string {
	path, _, _ := strings.Cut(url, "?")
	return path
}

// rounded returns the greatest usual interval that is no longer.
func rounded(d time.Duration) units.Span {
	i, found := slices.BinarySearch(intervals, d)
	if !found {
		i = max(0, i-1)
	}
	return units.Span(intervals[i])
}

// short writes a length of time in whole days, hours or minutes.
func short(d time.Duration) string {
	switch {
	case d%day == 0:
		return fmt.Sprintf("%dd", d/day)
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dm", d/time.Minute)
}
