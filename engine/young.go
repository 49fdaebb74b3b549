package engine

// This file leaves out URLs of which the archive has a young capture (--skip-younger).

import (
	"fmt"
	"strings"
	"time"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/lib/cdx"
)

// tooYoung is the class of refusing a URL of which the archive has a young capture.
const tooYoung scope.Reason = "young"

// young returns what comes of a URL that is not requested since the archive has it and visited it since Options.SkipYounger, be it that
// the visit left only a note (--keep); its links are those of that capture. is is false for all others, and for what tells of new pages:
// seeds, sitemaps and feeds.
func (c *crawl) young(lease *frontier.Lease) (it item, is bool) {
	t := &lease.Task
	if c.opt.SkipYounger.IsZero() && !c.opt.SkipTold || c.first || c.opt.Revisits != nil || t.Kind == kavosh.Seed || t.Kind == kavosh.Prerequisite || t.Variant || t.Partial != nil {
		return it, false
	}
	stored, at, ok := c.archive.Originals.Newest(t.URL)
	if !ok || !at.Before(c.began) || lists(stored.MIME) {
		return it, false
	}
	why, rule := fmt.Sprintf("visited on %s, and --skip-younger leaves out what was visited since %s", at.UTC().Format(time.DateTime), c.opt.SkipYounger.UTC().Format(time.DateTime)), tooYoung
	if c.opt.SkipYounger.IsZero() || at.Before(c.opt.SkipYounger) {
		if why, rule = c.unchanged(t.URL, at), toldUnchanged; why == "" {
			return it, false
		}
	}
	x, err := c.stored(c.hard, &cdx.Entry{Filename: stored.File, Offset: stored.Offset}, 2*maxRead)
	if err != nil {
		return it, false
	}
	x.Task = t
	o := c.reading(x, nil)
	defer o.close()
	page := c.read(o)
	verdict, _ := c.purpose.weigh(x, page)
	lease.Refuse(frontier.Refusal{Text: why, Scope: rule})
	l := taskLine(t, c.clock.Now())
	l.Outcome, l.Reason, l.Rule = archive.Refused, why, string(rule)
	it = c.linksOf(t, page.Links)
	it.line, it.size = &l, it.size+512
	it.update.Task, it.update.Parent = *t, nil
	it.update.Visit = &order.Visit{Task: t, Status: x.Status, Page: page, Verdict: verdict}
	return it, true
}

// lists reports whether documents of a media type may list new pages: sitemaps and feeds are XML.
func lists(mime string) bool {
	return strings.HasSuffix(mime, "xml") && mime != "application/xhtml+xml" && mime != "image/svg+xml" || strings.HasSuffix(mime, "feed+json")
}
