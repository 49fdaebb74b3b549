package engine

// This file is what a crawl does that mends how far the pages of its archive fit together (--patch incoherent): it visits those again that are
// not known to have been there at the moment at which most were. One that has not changed since was there, too. What would be lost most
// likely by waiting comes first, as in a second round (secondround.go).

import (
	"cmp"
	"context"
	"slices"
	"time"

	"kavosh/archive"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
	"kavosh/quality"
	"kavosh/schedule"
)

// view returns what tells how far what everybody may see of the archive was there together.
func (c *crawl) view() *quality.View {
	v := archive.ViewOf(c.fs, c.opt.Archive, c.clock)
	v.Done = c.measuring
	v.Rate = func(visits, changed int, hours float64) float64 {
		return schedule.Drawn(schedule.Counted(visits, changed, hours), schedule.Known{}, schedule.Known{}, schedule.Known{})
	}
	return v
}

// measuring tells the observer how many pages were looked at.
func (c *crawl) measuring(pages int64) {
	if c.opt.Events.Measuring != nil {
		c.opt.Events.Measuring(pages)
	}
}

func anyCapture(*cdx.Entry) bool { return true }

// findApart finds the pages that the crawl visits again.
func (c *crawl) findApart(ctx context.Context, p *patch) error {
	now := c.clock.Now()
	r, err := c.view().Rejoin(ctx, anyCapture, now)
	if err != nil {
		return err
	}
	before, _, err := c.view().At(ctx, anyCapture, r.At)
	if err != nil {
		return err
	}
	p.fromBegin = archive.Patch{Of: string(c.opt.Patch), Together: &archive.Rejoined{At: r.At, Pages: len(r.Pages), Late: r.Late, Before: before}}
	p.apart = c.byLoss(r.Pages, now)
	return nil
}

// byLoss orders pages by what waiting to the end would lose of each, the greatest loss first. It takes as long as their hosts let it.
func (c *crawl) byLoss(pages []quality.Apart, now time.Time) []quality.Apart {
	ofHost := map[string]int{}
	for i := range pages {
		ofHost[weburl.Host(pages[i].URL)]++
	}
	each := max(c.opt.Delay+c.opt.Spread/2, time.Millisecond)
	loss := func(a quality.Apart) float64 {
		seen := schedule.Seen{Rate: a.Rate, Since: now.Sub(a.Seen).Hours()}
		return seen.Loss(float64(ofHost[weburl.Host(a.URL)]) * each.Hours())
	}
	slices.SortStableFunc(pages, func(a, b quality.Apart) int { return cmp.Compare(loss(b), loss(a)) })
	return pages
}

// rejoined says how far the pages fit together now.
func (c *crawl) rejoined(ctx context.Context, p *archive.Rejoined) error {
	after, _, err := c.view().At(ctx, anyCapture, p.At)
	if err == nil {
		p.After = after
	}
	return err
}
