package site

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/replay"
	"kavosh/replay/replaytest"
	"kavosh/site/draw"
)

// crawlList is crawls of which the list alone is known.
type crawlList []draw.Crawl

func (l crawlList) List(context.Context) ([]draw.Crawl, error)            { return l, nil }
func (l crawlList) Imports(context.Context) ([]draw.Import, error)        { return nil, nil }
func (l crawlList) Crawl(context.Context, string) (*draw.Crawl, error)    { return nil, nil }
func (l crawlList) Why(context.Context, string) (why draw.Why, err error) { return why, nil }

// seriesSite serves 60 daily crawls of a site with pages that never change, that change on Fridays, at each visit, now and then, and
// some that are gone; the site is redesigned at the 31st, and half of the pages are errors at the 51st.
func seriesSite(t testing.TB, gate records.Gate) *Site {
	a := replaytest.New(t)
	r := rand.New(rand.NewPCG(1, 1))
	version := map[string]int{}
	var crawls crawlList
	for k := range 60 {
		at := time.Date(2024, 1, 1+k, 3, 0, 0, 0, time.UTC)
		crawl := draw.Crawl{ID: at.Format("20060102150405"), Started: at, Seconds: 600 + 60*r.Float64(), End: "done"}
		if k == 50 {
			crawl.Seconds = 280
		}
		crawls = slices.Insert(crawls, 0, crawl)
		for _, of := range []struct {
			name    string
			pages   int
			changes func() bool
		}{
			{"about/%d", 30, func() bool { return false }},
			{"menu/%d", 20, func() bool { return at.Weekday() == time.Friday }},
			{"news/%d", 12, func() bool { return true }},
			{"articles/%d", 40, func() bool { return false }},
			{"talk/%d", 15, func() bool { return r.IntN(3) == 0 }},
			{"old/%d", 20, func() bool { return false }},
		} {
			for i := range of.pages {
				name := of.name
				url := "http://a.test/" + fmt.Sprintf(name, i)
				if of.changes() || k == 30 || strings.Contains(name, "articles") && i == 7 && k%9 == 0 {
					version[url]++
				}
				e := cdx.Entry{Key: "test,a)/" + strings.TrimPrefix(url, "http://a.test/"), URL: url, Timestamp: crawl.ID, MIME: "text/html", Status: 200, Length: int64(500 + 37*i*i),
					Digest: fmt.Sprintf("sha1:%d", version[url]), Filename: "KAVOSH-" + crawl.ID + "-20240101000000000-00000-a.warc.gz"}
				if k >= 30 { // the design is another
					e.Length += e.Length / 5
				}
				switch {
				case strings.HasPrefix(name, "old") && k >= 40 || strings.HasPrefix(name, "articles") && i >= 25 && k < 15:
					continue
				case k == 50 && i%2 == 0:
					e.Status, e.Digest = 503, "sha1:error"
				}
				a.Lines = append(a.Lines, string(e.AppendLine(nil)))
			}
		}
	}
	s, err := New(Options{HomeAddr: "http://home.test", ReplayAddr: "http://replay.test", Collections: []Collection{
		{Collection: &replay.Collection{Name: "one", Records: &records.Records{Index: a, Files: a, Gate: gate}}, Crawls: crawls}}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The page of a series finds the groups of its pages, the redesign, and the crawl that failed in part, and says so in words.
func TestSeriesPage(t *testing.T) {
	s := seriesSite(t, nil)
	wants(t, s, "/c/one/series", "137 pages in 60 crawls", `data-seen="`, "never changes", "Block", "changes every Friday", "gone since 10 February 2024", "The ten pages that are most unlike", "articles/7", "The pages that change least", "1 change in 60 visits",
		"download time", "31 January 2024", "the site seems redesigned", "20 February 2024", "pages seem to be missing", "Pages by folder and size", "http://home.test/c/one/series.svg?lang=en&amp;picture=cube")
	wants(t, s, "/c/one/series?lang=fa&host=a.test", `dir="rtl"`, "۶۰ خزش", "هر جمعه تغییر می‌کند", "۱ تغییر در ۶۰ بازدید", "۱۱ بهمن ۱۴۰۲", "گویا سایت بازطراحی شده است")
	wants(t, s, "/c/one/series", "What would help the next crawl", "12 of 137 pages changed more often than they were visited, most on a.test", `pattern=^https?://a\.test/news/[^/]*$ most=4h`, "!--dry-run", "!--delay") // what was odd is over
	wants(t, s, "/c/one/series?lang=fa", "آنچه به خزش بعدی کمک می‌کند", "۱۲ صفحه از ۱۳۷ صفحه بیش از آنکه دیده شود تغییر کرده است")
	wants(t, s, "/c/one/series?host=none.test", "There are no two crawls")
	wants(t, s, "/c/one/series?host=a/b", "a/b")
	for _, name := range []string{draw.Behaviour, draw.Areas, draw.Scatter, draw.Cube} {
		for _, lang := range []string{"en", "fa"} {
			w := askHome(s, "/c/one/series.svg?picture="+name+"&lang="+lang)
			if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Disposition"), "attachment") || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("%s: %d %v", name, w.Code, w.Header())
			}
			for d := xml.NewDecoder(w.Body); ; {
				_, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
	}
	for _, none := range []string{"", "?picture=none", "?picture=cube&host=none.test"} {
		if w := askHome(s, "/c/one/series.svg"+none); w.Code != http.StatusNotFound {
			t.Errorf("%q: %d", none, w.Code)
		}
	}
}

// refuseOld closes pages below /old/.
type refuseOld struct{}

func (refuseOld) Refused(_ context.Context, e *cdx.Entry) (*kavosh.Refused, error) {
	if strings.Contains(e.URL, "/old/") {
		return &kavosh.Refused{}, nil
	}
	return nil, nil
}
func (refuseOld) Edition() string                                              { return "" }
func (refuseOld) Withheld(context.Context, string) (*kavosh.Refused, error)    { return nil, nil }
func (refuseOld) Revisiting(ctx context.Context, _ *cdx.Entry) context.Context { return ctx }

// Nothing is told of a page whose content the reader may not see.
func TestSeriesOfClosedPages(t *testing.T) {
	wants(t, seriesSite(t, refuseOld{}), "/c/one/series", "117 pages", "!/old/", "!gone since")
}

// Where nothing tells of crawls, days count as such.
func TestSeriesByTime(t *testing.T) {
	wants(t, mixed(t), "/c/one/series?host=a.test", "pages at ", "1 January 2020")
}
