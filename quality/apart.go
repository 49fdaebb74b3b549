package quality

// This file finds the pages that a second visit could show to have been there together with the others.

import (
	"context"
	"math"
	"time"

	"kavosh/lib/cdx"
)

// Apart is a page whose newest version was last seen before the moment at which most pages were there.
type Apart struct {
	URL  string
	Seen time.Time // the last time
	Rate float64   // how often it changes, an hour
}

// Rejoin is what second visits of pages could show.
type Rejoin struct {
	At    time.Time // the moment at which most pages can be known to have been there
	Pages []Apart   // those to visit again
	Late  int64     // pages whose newest version began later, which no visit helps
}

// worthVisit is how many pages a visit has to bring to that moment, on average, to be worth its request.
const worthVisit = 0.1

// Rejoin finds the pages to visit again by the captures for which of is true, of which the newest of each page up to now counts. At the moment
// that it chooses, the pages that were there, and those that a visit now would most likely find unchanged, are most, where each visit is held
// against what it costs (worthVisit). Memory is some 200 bytes a page.
func (w *View) Rejoin(ctx context.Context, of func(*cdx.Entry) bool, now time.Time) (*Rejoin, error) {
	var all []Apart
	var known, spans []Span
	for h, err := range histories(ctx, w.Reader.Records.Index, of, now) {
		if err != nil {
			return nil, err
		}
		shown := h.before
		if shown == nil {
			continue
		}
		if refused, err := mayHave(ctx, w.Reader.Records, &shown.capture); err != nil {
			return nil, err
		} else if refused != nil {
			continue
		}
		span, _, err := w.span(ctx, h, shown)
		if err != nil {
			return nil, err
		}
		a := Apart{URL: shown.capture.URL, Seen: shown.last.Time(), Rate: w.Rate(h.visits, h.changed, h.last.Time().Sub(h.began).Hours())}
		if old := a.Seen.Sub(time.Unix(span.From, 0)).Hours(); h.visits < 2 && old > 0 {
			a.Rate = w.Rate(2, 0, old) // it says itself how long it is as it is
		}
		span.Weight = 1
		all, known = append(all, a), append(known, span)
		same := math.Exp(-a.Rate * now.Sub(a.Seen).Hours())
		spans = append(spans, span, Span{From: span.Until, Until: forever, Weight: max(0, same-worthVisit)})
		if w.Done != nil {
			w.Done(int64(len(all)))
		}
	}
	at := Sweep(spans).From
	r := &Rejoin{At: time.Unix(at, 0).UTC()}
	for i, span := range known {
		switch {
		case span.From > at:
			r.Late++
		case span.Until <= at:
			r.Pages = append(r.Pages, all[i])
		}
	}
	return r, nil
}
