package archive

// This file tells the two rounds of a crawl apart that visits its pages twice (--revisit once), and how far they fit together.

import (
	"context"
	"errors"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/change"
	"kavosh/lib/cdx"
	"kavosh/record"
)

// ErrOneRound means that the second round of a crawl has not begun.
var ErrOneRound = errors.New("the second round of the crawl has not begun")

// FirstRound returns the second in which the first round of a crawl made its last request. The second round makes its first
// in a later one. The error may be ErrOneRound.
func FirstRound(fs vfs.FS, dir, id string) (last time.Time, err error) {
	second := false
	for l, err := range ReadLog(fs, dir, id) {
		switch {
		case err != nil:
			return last, err
		case l.Round > 1:
			second = true
		case l.Began.After(last):
			last = l.Began
		}
	}
	if !second {
		return last, ErrOneRound
	}
	return last.Truncate(time.Second), nil
}

// CoherenceOf tells how far the first round of a crawl is a picture of one moment, as the second shows.
func CoherenceOf(ctx context.Context, fs vfs.FS, dir, id string) (*change.Coherence, error) {
	last, err := FirstRound(fs, dir, id)
	if err != nil {
		return nil, err
	}
	r := &change.Reader{Records: RecordsOf(fs, dir)}
	of := func(e *cdx.Entry, second bool) bool {
		return record.CrawlOf(e.Filename) == id && e.Time().After(last) == second
	}
	c, err := r.Coherence(ctx, func(e *cdx.Entry) bool { return of(e, false) }, func(e *cdx.Entry) bool { return of(e, true) }, true)
	if err != nil {
		return nil, err
	}
	return &c, nil
}
