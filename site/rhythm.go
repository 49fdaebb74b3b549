package site

// This file tells when in the week the pages of a host change, and how much it matters then.

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/change"
	"kavosh/lib/cdx"
	"kavosh/lib/segment"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
	"kavosh/schedule"
	"kavosh/schedule/pattern"
	"kavosh/site/draw"
)

// Bounds of a rhythm.
const (
	maxBeats      = 200_000                     // visits of which it is made
	maxDiffering  = 400                         // pairs of versions that the page of a rhythm compares
	maxNotesBytes = 256 << 20                   // of the end of the capture log, in which visits that left no copy are looked for
	exact         = 2*time.Hour + 5*time.Minute // visits so close tell the hour of a change well
)

// Rhythm says when in the week the pages of a host change. It is also what kavosh change --rhythm --json prints.
type Rhythm struct {
	Host     string            `json:"host"`
	Calendar *pattern.Calendar `json:"-"`
	Days     string            `json:"calendar"`
	Zone     string            `json:"zone"`
	From     time.Time         `json:"from"` // the first visit that it rests on
	To       time.Time         `json:"to"`   // and the last
	Pages    int               `json:"pages"`
	Visits   int               `json:"visits"`
	Changes  int               `json:"changes"`       // visits that found one
	Exact    int               `json:"exact"`         // those of them with another visit some two hours before, which tells the hour
	Cut      bool              `json:"cut,omitempty"` // there are too many visits: older ones are left out, or some pages
	Hours    []Hour            `json:"hours"`
}

// Hour is what is believed of an hour of a kind of day; 1 is the mean over a week.
type Hour struct {
	Day        string  `json:"day"` // workday, half (of a weekend), rest
	Hour       int     `json:"hour"`
	Changes    float64 `json:"changes"`    // how often pages change in it
	Importance float64 `json:"importance"` // how much what changes in it matters, all together
	Seen       float64 `json:"seen"`       // changes that were found; one whose hour is unknown is shared out
}

// Few reports whether too few changes were found to tell hours apart.
func (r *Rhythm) Few() bool { return r.Changes < 10 }

// beat is a visit of a page.
type beat struct {
	page     schedule.ID
	at       time.Time
	old, new *change.Version // if it found other bytes
}

// RhythmOf learns the rhythm of a host from captures of its pages in the order of the index, and notes of visits that left no
// copy. At most the newest most pairs of versions are compared; older visits are left out. What cannot be read is passed over.
func RhythmOf(ctx context.Context, host string, c *pattern.Calendar, captures iter.Seq2[change.Version, error], notes []kavosh.Capture, most int) (*Rhythm, error) {
	beats, pages, cut, err := beatsOf(captures, notes)
	if err != nil {
		return nil, err
	}
	r := &Rhythm{Host: host, Calendar: c, Days: c.Name(), Zone: c.Zone().String(), Cut: cut}
	differing := 0
	for i := range slices.Backward(beats) {
		if beats[i].new == nil {
			continue
		}
		if differing++; differing > most {
			beats, r.Cut = beats[i+1:], true
			break
		}
	}
	found, err := compareBeats(ctx, beats)
	if err != nil {
		return nil, err
	}
	last := make([]time.Time, pages)
	made := make([]schedule.Made, 0, len(beats))
	for i := range beats {
		b, m := &beats[i], schedule.Made{Page: beats[i].page, Observation: found[i]}
		switch {
		case last[b.page].IsZero():
			r.Pages++
			m.Changed = false
		case m.Changed:
			if r.Changes++; b.at.Sub(last[b.page]) <= exact {
				r.Exact++
			}
		}
		last[b.page] = b.at
		made = append(made, m)
	}
	if r.Visits = len(beats); r.Visits > 0 {
		r.From, r.To = beats[0].at, beats[len(beats)-1].at
	}
	seen, shape := schedule.Past(c, made)
	for b := range pattern.Bins {
		r.Hours = append(r.Hours, Hour{pattern.Kind(b / 24).String(), b % 24, float64(shape.Changes[b]), float64(shape.Changes[b] * shape.Importance[b]), float64(seen.Seen[b])})
	}
	return r, nil
}

// beatsOf returns the visits of pages in the order of their times, and the number of pages. cut reports whether there were more.
func beatsOf(captures iter.Seq2[change.Version, error], notes []kavosh.Capture) (beats []beat, pages int, cut bool, err error) {
	ids := map[string]schedule.ID{}
	var of []change.Version // all of one key
	settle := func() {
		slices.SortStableFunc(of, func(a, b change.Version) int {
			return cmp.Or(strings.Compare(a.Entry.URL, b.Entry.URL), strings.Compare(a.Entry.Timestamp, b.Entry.Timestamp))
		})
		var last *change.Version // of the same page, with content that is known
		for i := range of {
			e := &of[i].Entry
			if last == nil || last.Entry.URL != e.URL {
				last = nil
				if _, known := ids[e.URL]; !known { // an index that others made may have it under two keys
					ids[e.URL] = schedule.ID(len(ids))
				}
			}
			b := beat{page: ids[e.URL], at: e.Time()}
			if e.MIME != cdx.Revisit || e.Digest != "" {
				if last != nil && (e.Digest == "" || !warc.SameDigest(last.Entry.Digest, e.Digest)) {
					b.old, b.new = last, &of[i]
				}
				last = &of[i]
			}
			beats = append(beats, b)
		}
		of = nil // beats may point into it
	}
	for v, err := range captures {
		if err != nil {
			return nil, 0, false, err
		}
		if cut = len(beats)+len(of) == maxBeats; cut {
			break
		}
		if len(of) > 0 && of[0].Entry.Key != v.Entry.Key {
			settle()
		}
		if change.IsPage(&v.Entry) && v.Entry.Get("method") == "" && v.Entry.Get("variant") == "" && !v.Entry.Time().IsZero() {
			of = append(of, v)
		}
	}
	settle()
	for i := range notes {
		if id, known := ids[notes[i].URL]; known {
			beats = append(beats, beat{page: id, at: notes[i].Time})
		}
	}
	slices.SortStableFunc(beats, func(a, b beat) int { return a.at.Compare(b.at) })
	return beats, len(ids), cut, nil
}

// compareBeats says of each visit what it found. One page after the other is compared, so that each version is read once.
func compareBeats(ctx context.Context, beats []beat) ([]schedule.Observation, error) {
	found := make([]schedule.Observation, len(beats))
	var differing []int
	for i := range beats {
		if found[i].At = beats[i].at; beats[i].new != nil {
			differing = append(differing, i)
		}
	}
	slices.SortStableFunc(differing, func(a, b int) int { return cmp.Compare(beats[a].page, beats[b].page) })
	var v versionsRead
	for _, i := range differing {
		report, err := v.compare(ctx, beats[i].old, beats[i].new)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			found[i].Lost = true
		case len(report.News()) > 0:
			found[i].Changed, found[i].E = true, report.Importance.Weighed
		}
	}
	return found, nil
}

// versionsRead compares versions, and remembers the one that was read last.
type versionsRead struct {
	of   *change.Version
	page *segment.Page
}

func (v *versionsRead) compare(ctx context.Context, old, new *change.Version) (*change.Report, error) {
	if old.Reader.Kept != nil && old.Reader == new.Reader {
		return old.Reader.Compare(ctx, &old.Entry, &new.Entry)
	}
	was, err := v.read(ctx, old)
	if err != nil {
		return nil, err
	}
	is, err := v.read(ctx, new)
	if err != nil {
		return nil, err
	}
	return change.Compare(new.Entry.URL, was, is)
}

func (v *versionsRead) read(ctx context.Context, version *change.Version) (p *segment.Page, err error) {
	if v.of == version {
		return v.page, nil
	}
	p, err = version.Reader.Page(ctx, &version.Entry)
	if err == nil {
		v.of, v.page = version, p
	}
	return p, err
}

// HostNotes returns the notes on visits of a host that left no copy (--keep), as far as the end of the capture log of the archive in
// dir has them.
func HostNotes(ctx context.Context, dir, host string) (notes []kavosh.Capture, err error) {
	log, err := archive.OpenLog(vfs.Default, dir)
	if err != nil {
		return nil, err
	}
	for c, err := range log.Notes(maxNotesBytes) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if len(notes) < maxBeats && weburl.Host(c.URL) == host {
			notes = append(notes, *c)
		}
	}
	return notes, nil
}

// CalendarOf returns the calendar by which the days of a host are told: what text names, else what the newest crawl of the archive
// in dir that goes on was told, else that of its country. dir may be "".
func CalendarOf(text, dir, host string) (*pattern.Calendar, error) {
	if text != "" {
		return pattern.At(text)
	}
	if dir != "" {
		crawls, err := archive.Crawls(vfs.Default, dir)
		if err != nil {
			return nil, err
		}
		for i := range slices.Backward(crawls) {
			if text := schedule.CalendarIn(crawls[i].Config["revisit"]); text != "" {
				return pattern.At(text)
			}
		}
	}
	return pattern.At(pattern.For(host))
}

// rhythmPage shows when in the week the pages of a host change.
func (s *Site) rhythmPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	u, err := weburl.Parse("http://" + strings.TrimSpace(r.FormValue("host")) + "/")
	if err != nil || r.FormValue("host") == "" {
		s.problem(w, r, http.StatusBadRequest, "bad-request", "")
		return
	}
	host := u.Host()
	calendar, err := CalendarOf(r.FormValue("calendar"), c.Dir, host)
	if err != nil {
		s.problem(w, r, http.StatusBadRequest, "bad-request", err.Error())
		return
	}
	select { // one after the other: each takes a processor, and memory, for a while
	case s.learning <- struct{}{}:
		defer func() { <-s.learning }()
	case <-r.Context().Done():
		panic(http.ErrAbortHandler) // the client is gone
	}
	var notes []kavosh.Capture
	for _, m := range c.members {
		if m.Dir == "" {
			continue
		}
		some, err := HostNotes(r.Context(), m.Dir, host)
		if err != nil {
			s.broken(w, r, "captures", err)
			return
		}
		notes = append(notes, some...)
	}
	made, err := RhythmOf(r.Context(), host, calendar, c.readable(r.Context(), cdx.Query{URL: u.String(), MatchType: cdx.Host}), notes, maxDiffering)
	if err != nil {
		s.broken(w, r, "index", err)
		return
	}
	p := draw.Rhythm{Collection: c.summary(), Host: host, Calendar: calendar, From: made.From, To: made.To, Pages: made.Pages, Visits: made.Visits, Changes: made.Changes, Exact: made.Exact, Few: made.Few(), Cut: made.Cut}
	for _, h := range made.Hours {
		p.Often, p.Matters = append(p.Often, h.Changes), append(p.Matters, h.Importance)
	}
	s.draw.Rhythm(w, r, p)
}
