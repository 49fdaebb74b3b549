// Package changing is the lab of time: webs that change, visited by one schedule after another under a driven clock, and
// measures of what the archive then holds.
//
// web.go says what such a web is; synthetic.go makes one of numbers, history.go reads one that was
// recorded. run.go lets a
// schedule visit a web, beside an oracle that knows all changes; twice.go visits all pages twice. quality.go measures what came of it.
package changing

import (
	"slices"
	"time"

	"kavosh/schedule/pattern"
)

// Web is pages with all their changes. Times are seconds since 1970.
type Web struct {
	Name       string
	Begin      int64 // schedules may learn from here on
	Start, End int64 // what is measured
	Pages      []Page
	Listings   []bool // by site: whether it has a sitemap that tells of its pages what they tell of themselves
	Calendar   *pattern.Calendar
}

// Page is a page that changes.
type Page struct {
	Worth   float64
	Site    uint32
	Changes []Change // by time
	Tells   Tells
}

// Change is a moment at which a page became another.
type Change struct {
	At int64
	E  float64 // importance of the difference to what was before, from 0 to 1
}

// Tells is what a page says of the time of its last change.
type Tells uint8

// What pages say.
const (
	Nothing Tells = iota
	Truth
	JustNow // whenever it is asked
)

// version returns how many changes came until a time.
func (p *Page) version(at int64) int {
	n, _ := slices.BinarySearchFunc(p.Changes, at+1, func(c Change, at int64) int { return int(c.At - at) })
	return n
}

// between returns the importance of all changes from one version to another together: what is left of a page after
// changes of importance e1, e2 … is (1−e1)·(1−e2)·….
func (p *Page) between(from, to int) float64 {
	left := 1.0
	for _, c := range p.Changes[from:to] {
		left *= 1 - c.E
	}
	return 1 - left
}

// weight returns how much a version counts: the worth of the page, times the importance of the change that made it. 0 is the
// version before all changes.
func (p *Page) weight(version int) float64 {
	if version == 0 {
		return p.Worth
	}
	return p.Worth * p.Changes[version-1].E
}

func instant(s int64) time.Time { return time.Unix(s, 0).UTC() }
