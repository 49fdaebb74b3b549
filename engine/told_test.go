package engine

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
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
			o.SkipTold, o.Delay, o.AddressDelay = true, 0, 0
			var told int
			for range 3 {
				r := crawlNow(t, o)
				told = 0
				for l, err := range archive.ReadLog(fs, "archive", r.ID) {
					if err != nil {
						t.Fatal(err)
					}
					if l.Rule == string(toldUnchanged) {
						told++
					}
				}
				<-time.After(time.Hour)
			}
			if told != want {
				t.Errorf("honest is %t, and %d pages are believed to be as they were, want %d", honest, told, want)
			}
		})
	}
}
