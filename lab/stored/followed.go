package stored

// This file reads from crawl logs which links crawls followed.

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
)

// followed is a link that a crawl followed, from crawl.log.
type followed struct{ url, anchor string }

// followedLinks returns the links by which the crawls of the archive in dir reached what they recorded, by the page
// with the link. What came from robots.txt or from nowhere belongs to its seed. Embedded resources are left out.
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

// follow adds the links that a crawl followed from a page, if the page does not have them as links for readers.
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
		page.Links = append(page.Links,
			kavosh.Link{URL: f.url, Kind: kavosh.Navigation, Element: "crawl.log", Anchor: f.anchor, Position: len(page.Links)})
		at[f.url] = len(page.Links)
	}
}
