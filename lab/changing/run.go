package changing

// This file lets a schedule visit a web.

import (
	"cmp"
	"slices"
	"time"

	"kavosh/schedule"
)

// Capture is a page as it was at a time.
type Capture struct {
	Page    int // -1 is a listing
	At      int64
	Version int // how many changes had come
}

// Setting is what all schedules of a comparison have in common.
type Setting struct {
	Period time.Duration // 0 is an hour
	Budget int           // visits a period
	Learn  int           // … before the time that is measured: all pages in turn, for every schedule the same
	Seed   uint64
}

// Run lets a schedule visit a web, and returns its captures by time: the last of the time to learn in for each page, then those
// of the time that is measured. The error says what is wrong with the schedule.
func Run(w *Web, spec string, o Setting) ([]Capture, error) {
	chosen, err := schedule.Parse(spec)
	if err != nil {
		return nil, err
	}
	learning, err := schedule.Parse("round-robin")
	if err != nil {
		return nil, err
	}
	learning.Spread = chosen.Spread
	s := schedule.New(learning, schedule.Options{Start: instant(w.Begin), Period: o.Period, Budget: o.Learn, Calendar: w.Calendar, Seed: o.Seed})
	for i := range w.Pages {
		s.Add(schedule.Page{Worth: float32(w.Pages[i].Worth), Site: w.Pages[i].Site})
	}
	listings := map[schedule.ID]uint32{} // the sites that they are of
	for site, told := range w.Listings {
		if told && chosen.Signals {
			listings[s.Add(schedule.Page{Site: uint32(site), Listing: true})] = uint32(site)
		}
	}
	last := make([]Capture, len(w.Pages))
	for i := range last {
		last[i] = Capture{i, 0, 0}
	}
	var captures []Capture
	started := false
	for {
		v, ok := s.Next()
		if ok && !started && v.At.Unix() >= w.Start {
			started = true
			captures = append(captures, last...)
			s.Follow(chosen, o.Budget)
			continue
		}
		if !ok || v.At.Unix() >= w.End {
			slices.SortStableFunc(captures[:min(len(last), len(captures))], func(a, b Capture) int { return cmp.Compare(a.At, b.At) })
			return captures, nil
		}
		if site, ok := listings[v.Page]; ok {
			for i := range w.Pages {
				if p := &w.Pages[i]; p.Site == site {
					s.Signal(schedule.ID(i), v.At, p.tell(Capture{i, v.At.Unix(), p.version(v.At.Unix())}))
				}
			}
			s.Observe(v.Page, schedule.Observation{At: v.At})
			if started {
				captures = append(captures, Capture{Page: -1, At: v.At.Unix()})
			}
			continue
		}
		p := &w.Pages[v.Page]
		c := Capture{int(v.Page), v.At.Unix(), p.version(v.At.Unix())}
		before := last[v.Page].Version
		s.Observe(v.Page, schedule.Observation{At: v.At, Changed: c.Version > before, E: p.between(before, c.Version), Modified: p.tell(c)})
		last[v.Page] = c
		if started {
			captures = append(captures, c)
		}
	}
}

// tell returns what a page says of its last change.
func (p *Page) tell(c Capture) time.Time {
	switch {
	case p.Tells == JustNow:
		return instant(c.At - 60)
	case p.Tells == Truth && c.Version > 0:
		return instant(p.Changes[c.Version-1].At)
	}
	return time.Time{}
}

// Oracle returns the captures of one who knows all changes, with the same budget: at each visit it takes the page whose version is
// worth the most and not yet captured.
func Oracle(w *Web, o Setting) []Capture {
	captured := make([]int, len(w.Pages))
	var captures []Capture
	for i := range w.Pages {
		captured[i] = w.Pages[i].version(w.Start - 1)
		captures = append(captures, Capture{i, w.Start - 1, captured[i]})
	}
	period := int64(cmp.Or(o.Period, time.Hour) / time.Second)
	for start := w.Start; start < w.End; start += period {
		for k := range o.Budget {
			at := start + period*int64(k)/int64(o.Budget)
			best, most := -1, 0.0
			for i := range w.Pages {
				p := &w.Pages[i]
				v := captured[i]
				for v < len(p.Changes) && p.Changes[v].At <= at {
					v++
				}
				if v > captured[i] && p.weight(v) > most {
					best, most = i, p.weight(v)
				}
			}
			if best >= 0 {
				captured[best] = w.Pages[best].version(at)
				captures = append(captures, Capture{best, at, captured[best]})
			}
		}
	}
	return captures
}
