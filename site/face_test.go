package site

// This file tests that lists show titles and pictures of pages, and none of what the reader may not see.

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
	"kavosh/replay/replaytest"
	"kavosh/search"
)

// closed is a Gate at which pages with a word in their URLs are refused.
type closed struct {
	decisions
	word  string
	until time.Time // they are embargoed until then, if it is not zero
}

// Refused refuses them.
func (c *closed) Refused(_ context.Context, e *cdx.Entry) (*kavosh.Refused, error) {
	if strings.Contains(e.URL, c.word) {
		if !c.until.IsZero() {
			return &kavosh.Refused{Access: kavosh.Embargo, Until: c.until}, nil
		}
		return &kavosh.Refused{Access: kavosh.MetadataOnly}, nil
	}
	return nil, nil
}

// titled serves a page that is open, one that is closed, an error and a picture, of which all titles are known.
func titled(t *testing.T) *Site {
	a := replaytest.New(t)
	a.Page("http://a.test/", "20200101000000", "200 text/html", "x")
	a.Page("http://a.test/secret", "20200101000000", "200 text/html", "y")
	a.Page("http://a.test/none", "20200101000000", "404 text/html", "z")
	a.Page("http://secret.test/", "20200101000000", "200 text/html", "v")
	a.Page("http://a.test/p.png", "20200101000000", "200 image/png", "w")
	s := server(t, a)
	s.camera, s.collections[0].Gate = studio{}, &closed{word: "secret"}
	s.collections[0].Titles = func(of []search.Payload) []string {
		titles := make([]string, len(of))
		for i, p := range of {
			titles[i] = "<Title> of " + p.URL
		}
		return titles
	}
	return s
}

const pictureOf = "/c/one/thumbnail?time=20200101000000&amp;url=http%3A%2F%2Fa.test%2F"

// Pages are listed by their titles and pictures, each within what its reader may see.
func TestTitlesAndPicturesInLists(t *testing.T) {
	s := titled(t)
	for _, page := range []string{"/", "/c/one", "/c/one/pages", "/c/one/hosts", "/?lang=fa"} {
		wants(t, s, page, pictureOf+`"`, "&lt;Title&gt; of http://a.test/<", "!of http://a.test/secret", "!of http://secret.test", "!url=http%3A%2F%2Fa.test%2Fsecret", "!url=http%3A%2F%2Fsecret.test", "!of http://a.test/none", "!<Title>")
	}
	wants(t, s, "/c/one/pages", "of http://a.test/p.png", "http://a.test/secret", "!Fp.png\" width")
	s.camera = nil
	wants(t, s, "/c/one/pages", "&lt;Title&gt; of http://a.test/<", "!thumbnail")
}

// A closed capture says why it is not shown, in the reader's language and calendar, and offers nothing that would be refused.
func TestClosedCapture(t *testing.T) {
	s := titled(t)
	const page = "/c/one/capture?url=http://a.test/secret&time=20200101000000"
	wants(t, s, page, "All captures", "Archived, but not shown.", "!Open page", "!Bytes as archived", "!cannot be read", "!thumbnail?time=20200101000000&amp;url=http%3A%2F%2Fa.test%2Fsecret")
	s.collections[0].Gate = &closed{word: "secret", until: time.Date(2130, 3, 21, 0, 0, 0, 0, time.UTC)}
	wants(t, s, page, "Not shown yet.", "21 March 2130")
	wants(t, s, page+"&lang=fa", "هنوز نمایش داده نمی‌شود.", "۱ فروردین ۱۵۰۹", "(۲۱ مارس ۲۱۳۰)", "!the archive")
	wants(t, s, "http://replay.test/one/20200101000000/http://a.test/secret", "Not shown yet", "It is shown from:", "21 March 2130", "!Cause")
}

// Most hosts have no robots.txt, which is no error of theirs, and the latest pages are of different addresses.
func TestWhatIsCounted(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/", "20200101000000", "200 text/html", "x")
	a.Page("http://a.test/", "20210101000000", "200 text/html", "y")
	a.Page("http://a.test/robots.txt", "20200101000000", "404 text/html", "z")
	a.Page("http://a.test/%d8%ae%d8%a8%d8%b1/1", "20220101000000", "200 text/html", "w")
	s := server(t, a)
	wants(t, s, "/c/one", "2 pages of 1 host", "404 Not found", "Captured last", "1 January 2022", "1 January 2021", "!1 January 2020</time></a>")
	wants(t, s, "/c/one/hosts", "3 addresses", "!Errors: ")
	wants(t, s, "/c/one/host?host=a.test", "!Errors, the newest first")
	for _, path := range []string{"/%D8%AE%D8%A8%D8%B1/", "/خبر", "خبر/"} {
		wants(t, s, "/c/one/host?"+url.Values{"host": {"a.test"}, "path": {path}}.Encode(), "1 capture", `<bdi dir="ltr" class="url">1</bdi>`)
	}
}

// A page that links to another more than once, or in more than one of its captures, is listed once, with what the links
// say.
func TestLinksOfOnePage(t *testing.T) {
	s, links := titled(t), replaytest.New(t)
	for i, of := range [][3]string{{"http://a.test/", "20200101000000", "this way"}, {"http://b.test/", "20200102000000", "elsewhere"}, {"http://a.test/", "20200103000000", "that way"}, {"http://a.test/", "20200104000000", "this way"}} {
		e := cdx.Entry{Key: weburl.SURT("http://c.test/"), Timestamp: of[1], URL: "http://c.test/", MIME: "navigation", Filename: "f", Offset: int64(i),
			Extra: []cdx.Field{{Name: "anchor", Value: of[2]}, {Name: "source", Value: of[0]}}}
		links.Lines = append(links.Lines, string(e.AppendLine(nil)))
	}
	s.collections[0].Links = links
	body := askHome(s, "/c/one/links?url=http://c.test/").Body.String()
	if rows := strings.Count(body, `<ul class="says">`); rows != 2 || strings.Count(body, "<bdi>this way</bdi>") != 1 || strings.Count(body, "<bdi>that way</bdi>") != 1 {
		t.Errorf("%d pages link there:\n%s", rows, body)
	}
	wants(t, s, "/c/one/links?url=http://c.test/", "&lt;Title&gt; of http://a.test/<", "4 January 2020", "3 links in all", "!3 January 2020")
}

// The bars of a crawl lead to the list of what they count.
func TestBarsOfACrawlAreLinks(t *testing.T) {
	s := titled(t)
	wants(t, s, "/c/one/pages?from=20191231235959&to=20200101000000&status=404", "http://a.test/none", "!p.png")
	wants(t, s, "/c/one/pages?from=20200101000001&to=20200102000000", "No address matches")
}
