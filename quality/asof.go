package quality

// This file tells what an archive shows of a time, and whether what it shows was there together.

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"kavosh/change"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
)

// AsOf is what an archive shows of a time: one version of each page.
type AsOf struct {
	Pages    int64    `json:"pages"`
	Lacks    int64    `json:"lacks"` // pages that have no capture up to then, where the latest counts
	Together Together `json:"together"`
	Then     Bounds   `json:"then"` // of pages whose version was there at that time itself
	Blur     float64  `json:"blur"` // expected changes of a page between its version and that time, noise included: the mean of those visited more than once
	Worst    []Off    `json:"worst"`

	most  int
	life  lives
	blurs float64
	again int64 // pages that were visited more than once
}

// Off is a page of which most likely another version was there at the time.
type Off struct {
	URL     string    `json:"url"`
	Shown   time.Time `json:"shown"`   // when what is shown was captured
	Changes float64   `json:"changes"` // that are expected between that and the time
	Weight  float64   `json:"weight"`  // of the page: 1 + ln(1 + pages that link to it)
}

// View tells what an archive shows of times.
type View struct {
	Reader *change.Reader
	Links  records.Index // as in Comparer
	Rate   func(visits, changed int, hours float64) float64
	Most   int           // pages that are listed
	Done   func(n int64) // is called after each page
}

// At returns what the archive shows of a time by the captures for which of is true: by the nearest capture of each page, as
// replay does, and by the latest that is not after the time. Memory is some 200 bytes a page.
func (w *View) At(ctx context.Context, of func(*cdx.Entry) bool, at time.Time) (nearest, before *AsOf, err error) {
	links, err := openLinked(ctx, w.Links)
	if err != nil {
		return nil, nil, err
	}
	defer links.stop()
	nearest, before = &AsOf{Worst: []Off{}, most: w.Most}, &AsOf{Worst: []Off{}, most: w.Most}
	n := int64(0)
	for h, err := range histories(ctx, w.Reader.Records.Index, of, at) {
		if err != nil {
			return nil, nil, err
		}
		weight, err := links.weigh(h.key)
		if err == nil {
			err = w.add(ctx, nearest, h, h.nearest, at, weight)
		}
		if err == nil {
			err = w.add(ctx, before, h, h.before, at, weight)
		}
		if err != nil {
			return nil, nil, err
		}
		if n++; w.Done != nil {
			w.Done(n)
		}
	}
	for _, a := range [...]*AsOf{nearest, before} {
		a.Together = a.life.together()
		a.Then = a.life.at(at.Unix())
		a.Blur = a.blurs / float64(max(1, a.again))
		a.life = lives{}
	}
	return nearest, before, nil
}

// add adds the version of a page that shows a time.
func (w *View) add(ctx context.Context, a *AsOf, h *history, shown *chosen, at time.Time, weight float64) error {
	if shown == nil {
		a.Lacks++
		return nil
	}
	if refused, err := mayHave(ctx, w.Reader.Records, &shown.capture); refused != nil || err != nil {
		return err
	}
	known, possible, err := w.span(ctx, h, shown)
	if err != nil {
		return err
	}
	a.Pages++
	a.life.add(known, possible, weight)
	if h.visits < 2 {
		return nil // nothing tells how often it changes
	}
	a.again++
	taken := shown.capture.Time()
	off := Off{URL: shown.capture.URL, Shown: taken, Weight: weight,
		Changes: w.Rate(h.visits, h.changed, h.last.Time().Sub(h.began).Hours()) * taken.Sub(at).Abs().Hours()}
	if a.blurs += off.Changes; off.Changes == 0 {
		return nil
	}
	if i, _ := slices.BinarySearchFunc(a.Worst, off, worseOff); i < a.most {
		a.Worst = slices.Insert(a.Worst, i, off)
		a.Worst = a.Worst[:min(len(a.Worst), a.most)]
	}
	return nil
}

// worseOff orders pages by the changes that are expected, weighed.
func worseOff(a, b Off) int {
	return cmp.Or(cmp.Compare(b.Changes*b.Weight, a.Changes*a.Weight), strings.Compare(a.URL, b.URL))
}

// span returns the time in which the version that is shown was there.
func (w *View) span(ctx context.Context, h *history, c *chosen) (known, possible Span, err error) {
	known = Span{From: c.first.Time().Unix(), Until: c.last.Time().Unix() + 1}
	possible = Span{From: always, Until: forever}
	if c.previous != "" {
		possible.From = stampTime(c.previous).Unix()
	}
	if began, ok, err := h.dated(ctx, w.Reader, &c.first, stampTime(c.previous)); err != nil {
		return known, possible, err
	} else if ok {
		known.From, possible.From = began, began
	}
	if c.next == nil {
		return known, possible, nil
	}
	possible.Until = c.next.Time().Unix() + 1
	if ended, ok, err := h.dated(ctx, w.Reader, c.next, c.last.Time()); err != nil {
		return known, possible, err
	} else if ok {
		known.Until = max(ended, known.Until)
		possible.Until = known.Until
	}
	return known, possible, nil
}
