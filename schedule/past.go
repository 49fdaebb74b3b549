package schedule

// This file learns from visits that were made before, such as the captures of an archive.

import (
	"time"

	"kavosh/schedule/pattern"
)

// Made is a visit that was made.
type Made struct {
	Page ID // from 0
	Observation
}

// Past learns from visits of the pages of one site, in the order of their times, as a crawl that goes on does; nothing fades.
// It returns what was seen of the site's rhythm, and what is believed of it.
func Past(c *pattern.Calendar, visits []Made) (seen pattern.Pattern, shape pattern.Shape) {
	if len(visits) == 0 {
		return seen, *pattern.Flat()
	}
	s := New(Chosen{Spread: true}, Options{Start: visits[0].At, Period: time.Hour, Budget: 1, Calendar: c})
	s.grouped = s.start
	for i := range visits {
		v := &visits[i]
		for int(v.Page) >= len(s.pages) {
			s.Add(Page{})
		}
		if at := second(v.At); at >= s.grouped+regroupedIn {
			s.regroup()
			s.start, s.grouped = at, at
			s.roll(at)
			s.begin()
			s.now = s.look
		}
		s.Observe(v.Page, v.Observation)
	}
	s.regroup()
	return s.sites[0].seen, s.clusters[0].shape
}
