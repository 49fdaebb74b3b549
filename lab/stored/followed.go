package stored

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
)

// followed is a link that a crawl followed, as its crawl.log tells.
type followed struct{ url, anchor string }

// followedLinks are the links by which the crawls of the archive in dir came to what they recorded, by the page that they
// stood on. What robots.txt or nothing led to hangs on its seed. Parts of pages are left out.
func followedLinks(dir string) (map[string][]followed, error) {
	crawls, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		return nil, err
	}
	links := map[string][]followed{}
	for _, crawl := range crawls {
		robots := map[string]bool{}
		for l, err := range archive.ReadLog(vfs.Default, dir, crawl.ID) {
			if err != nil {
				return nil, err
			}
			switch kind, _ := kavosh.ParseKind(l.Kind); {
			case l.Outcome != "recorded" || kind == kavosh.Embed || kind == kavosh.Seed:
			case kind == kavosh.Prerequisite:
				robots[l.URL] = true
			default:
				via := l.Via
				if via == "" || robots[via] {
					via = l.Seed
				}
				if via != "" {
					links[via] = append(links[via], followed{l.URL, l.Anchor})
				}
			}
		}
	}
	return links, nil
}

// follow gives page the links that a crawl followed from it, where it has none that a reader would click.
func follow(page *kavosh.Page, links []followed) {
	if len(links) == 0 {
		return
	}
	at := map[string]int{}
	for i := range page.Links {
		if l := &page.Links[i]; l.Kind == kavosh.Navigation || l.Kind == kavosh.Redirect || at[l.URL] == 0 {
			at[l.URL] = i + 1
		}
	}
	for _, f := range links {
		if i := at[f.url]; i > 0 {
			if l := &page.Links[i-1]; l.Kind != kavosh.Redirect {
				l.Kind, l.NoFollow = kavosh.Navigation, false
			}
			continue
		}
		page.Links = append(page.Links, kavosh.Link{URL: f.url, Kind: kavosh.Navigation, Element: "crawl.log", Anchor: f.anchor, Position: len(page.Links)})
		at[f.url] = len(page.Links)
	}
}
