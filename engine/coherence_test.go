package engine

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	pages "kavosh/change"
	"kavosh/lib/cdx"
	"kavosh/record"
)

// TestCoherenceIsTheTruth crawls a site that changes by a known script, during the crawl and after it, crawls it again an hour
// later, and wants that what is told of each page is what happened.
func TestCoherenceIsTheTruth(t *testing.T) {
	const during, after, long = `Last-Modified="Sat, 01 Jan 2000 00:00:13 GMT"`, `Last-Modified="Sat, 01 Jan 2000 00:30:00 GMT"`, `Last-Modified="Fri, 31 Dec 1999 09:00:00 GMT"`
	want := []struct{ page, first, second, state string }{
		{"same", "times=9 --\nsame", "--\n", "coherent digest"},
		{"asked", "ETag=\"\\\"v\\\"\" --\nasked", "--\n", "coherent not-modified"},
		{"counter", "times=1 --\n<main><p>A page.</p></main><footer><p>12 readers online</p></footer>", "--\n<main><p>A page.</p></main><footer><p>13 readers online</p></footer>", "coherent insignificant"},
		{"after", "times=1 --\nold", after + " --\nnew", "coherent http-date"},
		{"during", "times=1 --\nold", during + " --\nnew", "incoherent http-date"},
		{"dated", "times=1 --\nold", "--\n<meta property=article:modified_time content=2000-01-01T00:00:13Z><p>new", "incoherent content-date"},
		{"undated", "times=1 --\nold", "--\nnew", "unknown undated"},
		{"lies", "times=1 --\nold", long + " --\nnew", "unknown undated"},
		{"gone", "times=1 --\nold", "status=404 --\ngone", "unknown gone"},
		{"late1", "times=9 --\nlate", "--\n", "coherent digest"}, {"late2", "times=9 --\nlate", "--\n", "coherent digest"},
		{"late3", "times=9 --\nlate", "--\n", "coherent digest"}, {"late4", "times=9 --\nlate", "--\n", "coherent digest"},
		{"late5", "times=9 --\nlate", "--\n", "coherent digest"}, {"late6", "times=9 --\nlate", "--\n", "coherent digest"},
	}
	web, links := "", ""
	for _, w := range want {
		web += fmt.Sprintf("-- a.test/%s Content-Type=text/html %s\n-- a.test/%[1]s Content-Type=text/html %[3]s\n", w.page, w.first, w.second)
		links += fmt.Sprintf("<a href=/%s>%[1]s</a> ", w.page)
	}
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		o := options(serve(t, "-- a.test/ --\n"+links+"\n"+web), fs, "http://a.test/")
		o.Workers = 1
		ids := [2]string{}
		for i := range ids {
			o.Seeds = SeedURLs("http://a.test/")
			ids[i] = crawlNow(t, o).ID
			<-time.After(time.Hour)
		}
		of := func(crawl string) func(*cdx.Entry) bool {
			return func(e *cdx.Entry) bool { return record.CrawlOf(e.Filename) == crawl }
		}
		r := &pages.Reader{Records: archive.RecordsOf(fs, "archive")}
		moment, err := r.Moment(t.Context(), of(ids[0]), of(ids[1]), false)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for v, err := range r.Validities(t.Context(), of(ids[0]), of(ids[1]), moment) {
			if err != nil {
				t.Fatal(err)
			}
			got[strings.TrimPrefix(v.URL, "http://a.test/")] = fmt.Sprint(v.State, " ", v.UntilBy)
		}
		for _, w := range want {
			if got[w.page] != w.state {
				t.Errorf("/%s: %s, want %s (the crawl ended at %s)", w.page, got[w.page], w.state, moment.At)
			}
		}
	})
}
