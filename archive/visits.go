package archive

// This file says what a visit of an archive's pages is, and compares visits that follow each other.

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/nameset"
	"kavosh/lib/cdx"
	"kavosh/quality"
	"kavosh/record"
	"kavosh/schedule"
)

// Visit is one visit of the pages of an archive: the captures of a crawl, or of a part of it, or of a time.
type Visit struct {
	Crawl        string    // its ID; "" for all crawls but those of Without
	Without      []string  // IDs
	After, Until time.Time // zero for all
	Second       bool      // it is the second round of a crawl that visits its pages twice
	Noise        bool      // what it did not keep of pages that the archive had was noise alone (--keep changed)
}

// Has reports whether a capture belongs to v.
func (v *Visit) Has(e *cdx.Entry) bool {
	return (v.Crawl == "" || record.CrawlOf(e.Filename) == v.Crawl) && !slices.Contains(v.Without, record.CrawlOf(e.Filename)) && v.during(e.Time())
}

func (v *Visit) during(at time.Time) bool {
	return (v.After.IsZero() || at.After(v.After)) && (v.Until.IsZero() || !at.After(v.Until))
}

// String returns the ID of the crawl, and which part of it.
func (v *Visit) String() string {
	text := v.Crawl
	if !v.After.IsZero() {
		text += " after " + v.After.Format(time.DateTime)
	}
	if !v.Until.IsZero() {
		text += " until " + v.Until.Format(time.DateTime)
	}
	return text
}

// leftOut are addresses of which a visit has no capture by what it was told.
type leftOut struct {
	noise nameset.Set[string] // it asked for them, found nothing new but noise, and did not keep that (--keep changed)
	rest  nameset.Set[string] // it did not ask for them, or did not keep the answer
}

// add takes up a line of the log of a visit.
func (l *leftOut) add(v *Visit, line *Line) {
	switch {
	case line.Outcome == Dropped && line.Rule == Unkept && v.Noise:
		l.noise.Add(line.URL)
	case line.Outcome == Refused || line.Outcome == Dropped:
		l.rest.Add(line.URL)
	}
}

// readLeftOut reads what a visit left out. Of days, months and years nothing is known.
func readLeftOut(ctx context.Context, fs vfs.FS, dir string, v *Visit) (*leftOut, error) {
	var left leftOut
	if v.Crawl == "" {
		return &left, nil
	}
	for l, err := range ReadLog(fs, dir, v.Crawl) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		left.add(v, &l)
	}
	return &left, nil
}

// Comparers yields for each visit but the first what tells the defects of the one before it, by what the logs of crawls say. Its
// Reader, Links, Most, Done and Told are for the caller to fill in.
func Comparers(ctx context.Context, fs vfs.FS, dir string, visits []Visit) iter.Seq2[*quality.Comparer, error] {
	return func(yield func(*quality.Comparer, error) bool) {
		standIn, err := StandIns(fs, dir)
		if err != nil {
			yield(nil, err)
			return
		}
		var before *leftOut
		for i := range visits {
			left, err := readLeftOut(ctx, fs, dir, &visits[i])
			if err != nil {
				yield(nil, err)
				return
			}
			if i > 0 && !yield(&quality.Comparer{
				NotAsked: left.rest.Has, Noise: left.noise.Has, Had: before.noise.Has, Rounds: visits[i].Second, Rate: ChangeRate,
				StandsIn: func(e *cdx.Entry) bool {
					return standIn(&kavosh.Capture{File: e.Filename, Offset: e.Offset}) != kavosh.NoStandIn
				},
			}, nil) {
				return
			}
			before = left
		}
	}
}

// ChangeRate returns how often a page changes, in changes an hour, of which so many visits within so many hours found changes: drawn
// towards what is usual, so that two visits within a second do not say that it changes each second.
func ChangeRate(visits, changed int, hours float64) float64 {
	return schedule.Drawn(schedule.Counted(visits, changed, hours), schedule.Known{}, schedule.Known{}, schedule.Known{})
}
