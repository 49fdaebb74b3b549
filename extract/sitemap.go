package extract

import (
	"bytes"
	"time"

	"kavosh"
	"kavosh/lib/sitemap"
)

// every is how often a page changes, by the words of sitemaps; negative for never.
var every = map[string]time.Duration{
	"always": time.Minute, "hourly": time.Hour, "daily": day, "weekly": 7 * day, "monthly": 30 * day, "yearly": 365 * day, "never": -1,
}

const day = 24 * time.Hour

// readSitemap reads a sitemap or a sitemap index, compressed or not.
func readSitemap(r *reading, payload []byte) {
	s, err := sitemap.Parse(bytes.NewReader(payload), r.doc.URL, sitemap.Limits{Bytes: int64(r.opts.MaxBytes) * 4, URLs: r.opts.MaxLinks})
	if err != nil {
		r.note("sitemap: " + err.Error())
	}
	for _, n := range s.Notes {
		r.note("sitemap: " + n)
	}
	for _, part := range s.Sitemaps {
		r.addKey([]byte(part.Loc), kavosh.Link{Kind: kavosh.Sitemap, Element: "sitemap", Attr: "sitemap", Listed: &kavosh.Listed{Changed: part.LastMod, Priority: 0.5}})
	}
	for i := range s.URLs {
		u := &s.URLs[i]
		r.addKey([]byte(u.Loc), kavosh.Link{Kind: kavosh.Sitemap, Element: "sitemap", Attr: "loc",
			Listed: &kavosh.Listed{Changed: u.LastMod, Every: every[u.ChangeFreq], Priority: u.Priority},
			Anchor: string(cut([]byte(u.Title), maxAnchor))})
		for _, l := range u.Links {
			kind := kavosh.Embed
			switch l.Kind {
			case sitemap.Alternate, sitemap.Player, sitemap.Gallery, sitemap.Data:
				kind = kavosh.Sitemap
			}
			r.addKey([]byte(l.URL), kavosh.Link{Kind: kind, Element: "sitemap", Attr: string(l.Kind), Hreflang: l.Hreflang,
				Anchor: string(cut([]byte(l.Title), maxAnchor))})
		}
	}
}
