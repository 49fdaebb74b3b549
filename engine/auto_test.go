package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/fetch/browser"
)

// autoWeb links to 40 pages whose scripts find nothing, 40 whose scripts ask for data that follows from their URL, and 40 of
// which the last ones need the browser.
func autoWeb() string {
	var links strings.Builder
	for i := range 40 {
		fmt.Fprintf(&links, "<a href=/plain/%d>p</a> <a href=/app/%d>a</a> <a href=/news/%d>n</a> ", i, i, i)
	}
	return `
-- a.test/ --
<title>a</title>` + links.String() + `
-- a.test/plain/** expand --
<title>plain {rest}</title><script src=/menu.js></script>Page {rest}.
-- a.test/app/** --
<title>app</title><script src=/app.js></script>
-- a.test/news/** expand --
<title>news {rest}</title><script src=/news.js></script>News {rest}.
-- a.test/data/** expand --
data of {rest}
-- a.test/more/** expand --
more of {rest}
-- a.test/** --
x
`
}

// Of pages that are alike few are loaded, and all that their scripts find is had.
func TestAuto(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, autoWeb())
		o := options(s, fs, "http://a.test/")
		number := func(url string) (n int) {
			fmt.Sscanf(url[strings.LastIndexByte(url, '/')+1:], "%d", &n)
			return n
		}
		o.Browser = newFakeBrowser(func(url string) script {
			switch n := number(url); {
			case strings.Contains(url, "/app/"):
				return script{{fmt.Sprintf("http://a.test/data/%d", n)}}
			case strings.Contains(url, "/news/") && n >= 30:
				return script{{fmt.Sprintf("http://a.test/more/%d", n*7919%1000)}}
			}
			return nil
		})
		o.BrowserAuto = true
		r := crawlNow(t, o)
		if r.End != "done" || r.Loads.Scripted != 120 || r.Loads.Loaded > 60 {
			t.Errorf("end %q, loads %+v", r.End, r.Loads)
		}
		recorded := map[string]bool{}
		for l, err := range archive.ReadLog(fs, "archive", "") {
			if err != nil {
				t.Fatal(err)
			}
			if recorded[l.URL] = recorded[l.URL] || l.Outcome == archive.Recorded; strings.Contains(l.URL, "/plain/") && !strings.Contains(strings.Join(l.Notes, " "), "read without the browser") {
				t.Errorf("%s: the notes %q do not say how it was read", l.URL, l.Notes)
			}
		}
		for i := range 40 {
			if url := fmt.Sprintf("http://a.test/data/%d", i); !recorded[url] {
				t.Errorf("%s is not recorded", url)
			}
			if url := fmt.Sprintf("http://a.test/more/%d", i*7919%1000); i >= 30 && !recorded[url] {
				t.Errorf("%s is not recorded", url)
			}
		}
		recordedOnce(t, fs)
		loads := int64(0)
		for _, err := range archive.ReadLoads(fs, "archive", r.ID) {
			if loads++; err != nil {
				t.Fatal(err)
			}
		}
		if loads != r.Loads.Loaded {
			t.Errorf("%d lines in browser.log, %d loads in the report", loads, r.Loads.Loaded)
		}
	})
}

// brokenBrowser does not start.
type brokenBrowser struct{}

func (brokenBrowser) Load(context.Context, string, int, browser.Asker) (*browser.Loaded, error) {
	return nil, errors.New("it does not start")
}

// A crawl goes on without a browser that does not work, and says so.
func TestAutoWithoutBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		o := options(serve(t, autoWeb()), fs, "http://a.test/")
		o.Browser, o.BrowserAuto = brokenBrowser{}, true
		var told []string
		o.Events.Trouble = func(text string) { told = append(told, text) }
		if r := crawlNow(t, o); r.End != "done" || r.Pages < 121 {
			t.Errorf("end %q after %d pages", r.End, r.Pages)
		}
		if len(told) != 1 || !strings.Contains(told[0], "it does not start") {
			t.Errorf("it said %q", told)
		}
	})
}
