package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/frontier"
	"kavosh/internal/clock"
)

// tellingWeb has twenty pages, of which every other one changes between the first and the second crawl of 1 January 2000, and a
// sitemap that says so, or that says of all pages that they never change.
func tellingWeb(honest bool) string {
	const pages = 20
	listing := func(changed string) string {
		text := "<urlset>"
		for i := range pages {
			modified := "1999-12-01T12:00:00Z"
			if i%2 == 0 && honest {
				modified = changed
			}
			text += fmt.Sprintf("<url><loc>http://a.test/p%d</loc><lastmod>%s</lastmod></url>", i, modified)
		}
		return text + "</urlset>\n"
	}
	var web strings.Builder
	web.WriteString("-- a.test/robots.txt --\nSitemap: http://a.test/sitemap.xml\n")
	fmt.Fprintf(&web, "-- a.test/sitemap.xml times=1 Content-Type=application/xml --\n%s-- a.test/sitemap.xml Content-Type=application/xml --\n%s", listing("1999-12-01T12:00:00Z"), listing("2000-01-01T00:40:00Z"))
	for i := range pages {
		if i%2 == 0 {
			fmt.Fprintf(&web, "-- a.test/p%d times=1 --\n<p>The first version of page %[1]d.\n", i)
		}
		fmt.Fprintf(&web, "-- a.test/p%d ETag=\"\\\"v\\\"\" --\n<p>A page of the number %[1]d.\n", i)
	}
	return web.String()
}

// A site whose sitemaps told the truth is believed, one whose sitemaps did not is asked; where a page changed since, it is asked
// for, too.
func TestSkipTold(t *testing.T) {
	for honest, want := range map[bool]int{true: 20, false: 0} {
		synctest.Test(t, func(t *testing.T) {
			fs := vfs.NewMem()
			o := options(serve(t, "-- a.test/ --\n<p>Home.\n"+tellingWeb(honest)), fs, "http://a.test/")
			if told := toldInThird(t, o); len(told) != want {
				t.Errorf("honest is %t, and %v are believed to be as they were, want %d", honest, told, want)
			}
		})
	}
}

// toldInThird crawls three times, an hour apart, and returns the pages that the third crawl believes to be as they were.
func toldInThird(t *testing.T, o Options) (told []string) {
	t.Helper()
	o.SkipTold, o.Delay, o.AddressDelay = true, 0, 0
	for range 3 {
		r := crawlNow(t, o)
		told = nil
		for l, err := range archive.ReadLog(o.FS, "archive", r.ID) {
			if err != nil {
				t.Fatal(err)
			}
			if l.Rule == string(toldUnchanged) {
				told = append(told, l.URL)
			}
		}
		<-time.After(time.Hour)
	}
	return told
}

// A feed that says when a page was published is no word on whether it changed.
func TestSkipToldDoesNotGoByPublication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const robots, second, p0 = "Sitemap: http://a.test/sitemap.xml\n", "-- a.test/sitemap.xml Content-Type=application/xml --\n", "<url><loc>http://a.test/p0</loc><lastmod>2000-01-01T00:40:00Z</lastmod></url>"
		before, after, _ := strings.Cut(tellingWeb(true), second)
		listing, rest, _ := strings.Cut(after, "</urlset>\n")
		rest = strings.Replace(rest, "-- a.test/p0 ETag", "-- a.test/p0 times=1 --\n<p>The second version of page 0.\n-- a.test/p0 ETag", 1)
		web := "-- a.test/ --\n<p>Home.\n" + strings.Replace(before, robots, robots+"Sitemap: http://a.test/feed.xml\n", 1) +
			strings.Replace(second, " Content", " times=1 Content", 1) + listing + "</urlset>\n" + second + strings.Replace(listing, p0, "", 1) + "</urlset>\n" + rest +
			`-- a.test/feed.xml Content-Type=application/rss+xml --
<rss version="2.0"><channel><title>News</title><item><link>http://a.test/p0</link><pubDate>Wed, 01 Dec 1999 12:00:00 GMT</pubDate></item></channel></rss>
`
		if told := toldInThird(t, options(serve(t, web), vfs.NewMem(), "http://a.test/")); len(told) != 19 || slices.Contains(told, "http://a.test/p0") {
			t.Errorf("%d pages are believed to be as they were: %v", len(told), told)
		}
	})
}

// Of what several listings say of a page the newest time is kept, in whatever order they are read.
func TestNewestWordIsKept(t *testing.T) {
	f, err := frontier.Open(frontier.Options{FS: vfs.NewMem(), Dir: "frontier", Clock: clock.Real{}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := &crawl{frontier: f}
	const url = "http://a.test/p"
	day := func(n int) []told { return []told{{url, time.Date(2026, 1, n, 8, 0, 0, 0, time.UTC)}} }
	for i, group := range []struct {
		said [][]told // of one commit
		want int
	}{{[][]told{day(3), day(5), day(4)}, 5}, {[][]told{day(2)}, 5}, {[][]told{append(day(6), day(1)...)}, 6}} {
		var items []item
		for _, heard := range group.said {
			items = append(items, item{heard: heard})
		}
		if err := c.keepHeard(items); err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			for _, v := range it.update.Values {
				if err := f.Put(v.Name, v.Value); err != nil {
					t.Fatal(err)
				}
			}
		}
		if at, err := c.lastTold(toldName(url)); err != nil || !at.Equal(day(group.want)[0].modified) {
			t.Errorf("after commit %d it is %s, %v, want January %d", i, at, err, group.want)
		}
	}
}

// A listing that names days alone may mean those of any time zone.
func TestSaysChange(t *testing.T) {
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		modified, visited time.Time
		want              bool
	}{
		{day, day.Add(23 * time.Hour), true},
		{day, day.Add(26 * time.Hour), true}, // in San Francisco, March 1 has six hours left
		{day, day.Add(37 * time.Hour), false},
		{day.Add(time.Hour), day.Add(2 * time.Hour), false},
		{day.Add(2 * time.Hour), day.Add(time.Hour), true},
	} {
		if got := saysChange(c.modified, c.visited); got != c.want {
			t.Errorf("changed %s, visited %s: %t", c.modified, c.visited, got)
		}
	}
}
