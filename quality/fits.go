package quality

// This file tells whether a part, or where a link leads, can have been seen with the page that shows it, as Ainsworth, Nelson and Van de Sompel do for
// pages put together of captures ("Only One Out of Five Archived Web Pages Existed as Presented", 2015).

import (
	"context"
	"slices"
	"strings"

	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/weburl"
)

// Fit says whether a part and its page were there at the same time.
type Fit string

// The ways a part fits.
const (
	Fits     Fit = "fits"     // it was as it is shown when the page was captured
	Violates Fit = "violates" // it was another one then
	Unsure   Fit = "unsure"   // nothing tells
)

// fit tells it of a part that is held, for the page of a capture.
func (r *Reader) fit(ctx context.Context, h *held, page *cdx.Entry) Fit {
	if h.shown.Timestamp == page.Timestamp || sameDigest(h.before, h.after) { // the same before and after, so most likely also between
		return Fits
	}
	later := h.payload // the first answer after the page
	switch {
	case h.after == nil:
		return Unsure
	case h.shown != h.after:
		var err error
		if later, err = r.Records.Open(ctx, h.after); err != nil {
			return Unsure
		}
		defer later.Close()
	}
	changed, ok := httpwire.LastModified(later.Header)
	if !ok {
		return Unsure
	}
	switch was := !changed.After(page.Time()); { // the later one was there when the page was captured
	case h.shown == h.after && was:
		return Fits
	case h.shown == h.after, was && h.before.Time().Before(changed): // it is newer than the page, or older than the one that was there
		return Violates
	}
	return Unsure
}

// Linked tells what the archive has of the addresses to which a page links, as replay shows them beside a capture of it: whether each is
// held, and whether it was there as it is shown when the page was captured. They are looked up in the order of the index.
func (r *Reader) Linked(ctx context.Context, page *cdx.Entry, urls []string) ([]Part, error) {
	all, order := make([]Part, len(urls)), make([]int, len(urls))
	keys := make([]string, len(urls))
	for i, url := range urls {
		all[i].URL, order[i], keys[i] = url, i, weburl.SURT(url)
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(keys[a], keys[b]) })
	for _, i := range order {
		h, err := r.find(ctx, &all[i], urls[i], page.Timestamp, 0)
		if err != nil {
			return nil, err
		}
		if h != nil {
			all[i].Fit = r.fit(ctx, h, page)
			h.payload.Close()
		}
	}
	return all, nil
}
