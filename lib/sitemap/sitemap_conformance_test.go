//go:build conformance

package sitemap

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/internal/testdata"
)

// commons says what each of crawler-commons' sitemap and feed resources holds: the facts that its own tests assert, as
// far as they concern locations, dates and links. docs/formats/sitemaps.md argues where we are laxer than its strict mode.
var commons = []struct {
	file   string
	base   string
	format Format
	n      int               // entries, sitemaps of an index included
	first  string            // location of the first
	last   string            // and of the last
	links  map[LinkKind]int  // over all entries
	facts  map[string]string // of an entry by its location: "lastmod", "title" …, joined by blanks
}{
	{file: "sitemaps/sitemap.txt", base: "http://www.domain.com/sitemap.txt", format: Text, n: 2, first: "http://www.domain.com/page1.html", last: "http://www.domain.com/page2.html"},
	{file: "sitemaps/sitemap-with-bom.txt", base: "http://www.domain.com/sitemap.txt", format: Text, n: 2, first: "http://www.domain.com/page1.html", last: "http://www.domain.com/page2.html"},
	{file: "sitemaps/sitemap.txt.gz", base: "http://www.example.com/sitemap.txt.gz", format: Text, n: 5, first: "http://www.example.com/", last: "http://www.example.com/catalog?item=83&desc=vacation_usa"},
	{file: "sitemaps/do-not-visit.txt", base: "http://www.example.com/do-not-visit.txt", format: Text, n: 1, first: "http://www.example.com/do-not-visit-here", last: "http://www.example.com/do-not-visit-here"},
	{file: "sitemaps/xmlSitemap.gz", base: "http://www.example.com/sitemap.xml.gz", format: XML, n: 5, first: "http://www.example.com/", last: "http://www.example.com/catalog?item=83&desc=vacation_usa",
		facts: map[string]string{
			"http://www.example.com/": "2005-01-01T00:00:00Z monthly 0.8",
			"http://www.example.com/catalog?item=74&desc=vacation_newfoundland": "2004-12-23T18:00:15Z  0.3",
		}},
	{file: "sitemaps/sitemap.ns.xml", base: "http://www.example.com/sitemap.ns.xml", format: XML, n: 2, first: "http://www.example.com/1", last: "http://www.example.com/2",
		facts: map[string]string{"http://www.example.com/1": "- daily 0.5"}},
	{file: "sitemaps/sitemap.badns.xml", base: "http://www.example.com/sitemap.badns.xml", format: XML, n: 2, first: "http://www.example.com/1", last: "http://www.example.com/2",
		facts: map[string]string{"http://www.example.com/2": "- daily 0.5"}},
	{file: "sitemaps/sitemap.index.xml", base: "http://www.example.com/sitemap.index.xml", format: XML, n: 15, first: "https://example.com/sitemap.jss?portalCode=10260&lang=en", last: "https://example.com/sitemap.jss?portalCode=10570&lang=en"},
	{file: "sitemaps/atom.xml", base: "http://example.org/atom.xml", format: Atom, n: 1, first: "http://example.org/2003/12/13/atom03", last: "http://example.org/2003/12/13/atom03", links: map[LinkKind]int{Alternate: 1},
		facts: map[string]string{"http://example.org/2003/12/13/atom03": "2003-12-13T18:30:02Z  0.5 Atom-Powered Robots Run Amok"}},
	{file: "rss/feed.rss", base: "https://www.example.com/index.php?feed/rss", format: RSS, n: 4, first: "https://www.example.com/blog/post/1", last: "https://www.example.com/foo?q=a&l=fr",
		facts: map[string]string{
			"https://www.example.com/blog/post/1":  "2009-09-06T16:20:00Z  0.5 Example entry",
			"https://www.example.com/guid.html":    "-  0.5 &guid& element instead of &link&",
			"https://www.example.com/foo?q=a&l=en": "-  0.5 XML entity in link content",
			"https://www.example.com/foo?q=a&l=fr": "-  0.5 CDATA",
		}},
	{file: "rss/xmlRss_pubDate.xml", base: "http://www.example.com/rss.xml", format: RSS, n: 7, first: "http://www.example.com/article_1", last: "http://www.example.com/article_7",
		facts: map[string]string{
			"http://www.example.com/article_1": "2017-01-05T12:34:51Z  0.5 News number 1",
			"http://www.example.com/article_2": "2017-01-05T12:34:52Z  0.5 News number 2",
			"http://www.example.com/article_3": "2017-01-05T12:34:53Z  0.5 News number 3",
			"http://www.example.com/article_4": "2017-01-05T12:34:54Z  0.5 News number 4",
			"http://www.example.com/article_5": "-  0.5 News number 5 incomplete pub date",
			"http://www.example.com/article_6": "-  0.5 News number 6 empty pub date",
			"http://www.example.com/article_7": "-  0.5 News number 7 missing pub date",
		}},
	{file: "sitemaps/extension/hebdenbridgetimes-articles-sitemap.xml", base: "http://www.hebdenbridgetimes.co.uk/sitemap-article-2015-18.xml", format: XML, n: 74,
		first: "http://www.hebdenbridgetimes.co.uk/news/local/video-tour-de-yorkshire-in-calderdale-1-7242580",
		last:  "http://www.hebdenbridgetimes.co.uk/news/local/now-you-see-it-now-you-don-t-it-s-off-the-wall-1-7229940"},
	{file: "sitemaps/extension/pagemaps-sitemap.xml", base: "http://www.example.com/pagemaps-sitemap.xml", format: XML, n: 2, first: "http://www.example.com/foo", last: "http://www.example.com/bar"},
	{file: "sitemaps/extension/shinpaideshou-news-sitemap.xml", base: "https://shinpaideshou.wordpress.com/news-sitemap.xml", format: XML, n: 3,
		first: "https://shinpaideshou.wordpress.com/2017/04/25/job-opening-reischauer-policy-research-fellow/",
		last:  "https://shinpaideshou.wordpress.com/2017/04/24/job-opening-lecturer-in-japanese-studies-university-of-leeds/",
		facts: map[string]string{"https://shinpaideshou.wordpress.com/2017/04/25/job-opening-reischauer-policy-research-fellow/": "-  0.5 Job Opening: Reischauer Policy Research Fellow 2017-04-25T10:00:36Z en"}},
	{file: "sitemaps/extension/sitemap-images.xml", base: "http://www.example.com/sitemap-images.xml", format: XML, n: 1, first: "http://www.example.com/images/some_image_landing_page.html", last: "http://www.example.com/images/some_image_landing_page.html", links: map[LinkKind]int{Image: 2}},
	{file: "sitemaps/extension/sitemap-links.xml", base: "http://www.example.com/sitemap-links.xml", format: XML, n: 3, first: "http://www.example.com/english/", last: "http://www.example.com/schweiz-deutsch/", links: map[LinkKind]int{Alternate: 9}},
	{file: "sitemaps/extension/sitemap-mobile.xml", base: "http://www.example.org/sitemap-mobile.xml", format: XML, n: 3, first: "http://www.example.com/mobile-friendly-1/", last: "http://www.example.com/no-mobile/"},
	{file: "sitemaps/extension/sitemap-news.xml", base: "http://www.example.org/sitemap-news.xml", format: XML, n: 2, first: "http://www.example.org/business/article55.html", last: "http://www.example.org/empty_news_name.html",
		facts: map[string]string{
			"http://www.example.org/business/article55.html": "-  0.5 Companies A, B in Merger Talks 2008-12-23T00:00:00Z en",
			"http://www.example.org/empty_news_name.html":    "-  0.5 Test empty news attributes 2025-05-27T00:00:00Z en",
		}},
	{file: "sitemaps/extension/sitemap-videos-tvshow.xml", base: "https://example.org/sitemap.xml", format: XML, n: 1, first: "https://example.org/my-tv-show/23/13/", last: "https://example.org/my-tv-show/23/13/", links: map[LinkKind]int{Video: 3, Player: 1, Thumbnail: 1}},
	{file: "sitemaps/extension/sitemap-videos.xml", base: "http://www.example.com/sitemap-videos.xml", format: XML, n: 3, first: "http://www.example.com/videos/some_video_landing_page.html", last: "http://www.example.com/videos/some_video_landing_page-3.html",
		links: map[LinkKind]int{Video: 3, Player: 1, Thumbnail: 3, Gallery: 1}},
}

func TestCrawlerCommonsFiles(t *testing.T) {
	root := testdata.Path(t, "robots-sitemaps/crawler-commons")
	left := map[string]bool{}
	for _, dir := range []string{"sitemaps", "rss"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(root, path)
				left[filepath.ToSlash(rel)] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range commons {
		delete(left, c.file)
		t.Run(c.file, func(t *testing.T) {
			doc, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.file)))
			if err != nil {
				t.Fatal(err)
			}
			m, err := Parse(bytes.NewReader(doc), c.base, Limits{})
			if err != nil || len(m.Notes) > 0 || m.Format != c.format {
				t.Errorf("format %q, notes %q, error %v", m.Format, m.Notes, err)
			}
			all := strings.Fields(locs(m))
			if len(all) != c.n || all[0] != c.first || all[len(all)-1] != c.last {
				t.Errorf("%d entries from %s to %s", len(all), all[0], all[len(all)-1])
			}
			links := map[LinkKind]int{}
			got := map[string]string{}
			for _, u := range m.URLs {
				for _, l := range u.Links {
					links[l.Kind]++
				}
				got[u.Loc] = facts(u)
			}
			if c.links != nil && fmt.Sprint(links) != fmt.Sprint(c.links) {
				t.Errorf("links %v, want %v", links, c.links)
			}
			for loc, want := range c.facts {
				if got[loc] != want {
					t.Errorf("%s: %q, want %q", loc, got[loc], want)
				}
			}
		})
	}
	for name := range left {
		t.Errorf("%s has no row in the table", name)
	}
}

// facts writes what is said of an entry on one line: lastmod (or "-"), changefreq, priority, and what else there is.
func facts(u URL) string {
	const layout = "2006-01-02T15:04:05Z07:00"
	mod := "-"
	if !u.LastMod.IsZero() {
		mod = u.LastMod.Format(layout)
	}
	published := ""
	if !u.Published.IsZero() {
		published = u.Published.Format(layout)
	}
	return strings.TrimRight(fmt.Sprintf("%s %s %v %s %s %s", mod, u.ChangeFreq, u.Priority, u.Title, published, u.Language), " ")
}
