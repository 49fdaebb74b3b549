package extract

import (
	"bytes"

	"kavosh"
	"kavosh/lib/sitemap"
)

// readSitemap reads a sitemap or a sitemap index, compressed or not.
func readSitemap(r *reading, payload []byte) {
	s, err := sitemap.Parse(bytes.NewReader(payload), r.doc.URL, sitemap.Limits{Bytes: int64(r.opts.MaxBytes) * 4, URLs: r.opts.MaxLinks})
	if err != nil {
		r.note("sitemap: " + err.Error())
	}
	for _, n := range s.Notes {
		r.note("sitemap: " + n)
	}
	for _, loc := range s.Sitemaps {
		r.addKey([]byte(loc), kavosh.Link{Kind: kavosh.Sitemap, Element: "sitemap", Attr: "sitemap"})
	}
	for i := range s.URLs {
		u := &s.URLs[i]
		r.addKey([]byte(u.Loc), kavosh.Link{Kind: kavosh.Sitemap, Element: "sitemap", Attr: "loc",
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
