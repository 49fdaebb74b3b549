package main

import (
	"strings"
	"testing"

	"kavosh/archive"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/quality"
	"kavosh/replay/replaytest"
)

// toldOf returns what is told of the page http://a.test/ of an archive.
func toldOf(t *testing.T, a *replaytest.Archive) *quality.Page {
	t.Helper()
	r := &quality.Reader{Records: &records.Records{Index: a, Files: a}, Links: archive.ExtractedLinks()}
	for p, err := range r.Pages(t.Context(), cdx.Query{URL: "*"}, func(*cdx.Entry) bool { return true }) {
		if err != nil {
			t.Fatal(err)
		}
		if p.URL == "http://a.test/" {
			return p
		}
	}
	t.Fatal("the page is not told of")
	return nil
}

// TestPartsOfTime captures a page at noon and a picture at other times, and wants to be told whether they fit.
func TestPartsOfTime(t *testing.T) {
	const noon, before, after = "20260301120000", "20260301110000", "20260301130000"
	dated := func(hour string) string {
		return "200 Content-Type: image/png\nLast-Modified: Sun, 01 Mar 2026 " + hour + ":00 GMT\nDate: Sun, 01 Mar 2026 13:00:00 GMT"
	}
	type capture struct{ stamp, head, body string }
	for _, test := range []struct {
		name     string
		captures []capture
		want     quality.Fit
	}{
		{"at the same time", []capture{{noon, "200 image/png", "one"}}, quality.Fits},
		{"the same before and after", []capture{{before, "200 image/png", "one"}, {after, "200 image/png", "one"}}, quality.Fits},
		{"changed last before the page", []capture{{after, dated("10:00"), "one"}}, quality.Fits},
		{"changed after the page", []capture{{after, dated("12:30"), "two"}}, quality.Violates},
		{"changed before the page, and shown as it was before", []capture{{"20260301114500", "200 image/png", "one"}, {after, dated("11:50"), "two"}}, quality.Violates},
		{"changed last after the page, and shown as it was before", []capture{{"20260301114500", "200 image/png", "one"}, {after, dated("12:30"), "two"}}, quality.Unsure},
		{"another one, and not changed since that before", []capture{{"20260301114500", "200 image/png", "one"}, {after, dated("10:00"), "two"}}, quality.Unsure},
		{"the moment of the answer says nothing", []capture{{after, dated("13:00"), "one"}}, quality.Unsure},
		{"only before", []capture{{before, "200 image/png", "one"}}, quality.Unsure},
		{"only after, without a date", []capture{{after, "200 image/png", "one"}}, quality.Unsure},
	} {
		a := replaytest.New(t)
		a.Page("http://a.test/", noon, "200 text/html", "<img src=/p.png>")
		for _, c := range test.captures {
			a.Page("http://a.test/p.png", c.stamp, c.head, c.body)
		}
		p := toldOf(t, a)
		got := quality.Fits
		if len(p.Unfit) > 0 {
			got = quality.Violates
		} else if p.Unsure > 0 {
			got = quality.Unsure
		}
		if p.Parts != 1 || len(p.Lacks) > 0 || got != test.want {
			t.Errorf("%s: %q, want %q: %+v", test.name, got, test.want, p)
		}
	}
}

// TestUnchangedPage wants a page that the server called unchanged to count in the crawl that asked for it, and its parts to be the
// same then.
func TestUnchangedPage(t *testing.T) {
	const first, second, third = "20260301110000", "20260301120000", "20260301130000"
	a := replaytest.New(t)
	unchanged := func(url, stamp string) {
		a.Put("revisit", url, stamp, "application/http; msgtype=response", "HTTP/1.1 304 Not Modified\r\n\r\n", cdx.Entry{Status: 304, MIME: cdx.Revisit},
			"WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified", "WARC-Refers-To-Target-URI", url, "WARC-Refers-To-Date", "2026-03-01T11:00:00Z")
	}
	a.Page("http://a.test/", first, "200 text/html", "<img src=/p.png>")
	a.Page("http://a.test/p.png", first, "200 image/png", "one")
	unchanged("http://a.test/", second)
	unchanged("http://a.test/p.png", "20260301115000")
	a.Page("http://a.test/p.png", third, "200 image/png", "one")
	if p := toldOf(t, a); p.Time.Hour() != 12 || p.Parts != 1 || p.Unsure > 0 || p.Damage > 0 {
		t.Errorf("%+v", p)
	}
}

// TestTwins wants parts to be found that the archive has by another scheme, with "www." or by other capitals, as replay finds
// them, and where these lead on to each other.
func TestTwins(t *testing.T) {
	a := replaytest.New(t)
	const at = "20260301120000"
	a.Page("http://a.test/", at, "200 text/html", "<img src=/secure.png><img src=/www.png><img src=/Capital.png><img src=/moved.png><img src=/error.png>")
	a.Page("https://a.test/secure.png", at, "200 image/png", "1")
	a.Page("http://www.a.test/www.png", at, "200 image/png", "2")
	a.Page("http://a.test/capital.png", at, "200 image/png", "3")
	a.Page("http://a.test/moved.png", at, "301 Location: https://a.test/moved.png", "")
	a.Page("https://a.test/moved.png", "20260301120001", "200 image/png", "4")
	a.Page("http://a.test/error.png", at, "503 text/html", "no")
	a.Page("https://a.test/error.png", at, "200 image/png", "5")
	if p := toldOf(t, a); p.Parts != 5 || len(p.Lacks) > 0 {
		t.Errorf("%+v", p)
	}
}

// TestPartsOfPages wants the parts of parts, where they were redirected to, and one of several sizes to count.
func TestPartsOfPages(t *testing.T) {
	a := replaytest.New(t)
	const at = "20260301120000"
	a.Page("http://a.test/", at, "200 text/html", `<link rel=stylesheet href=/a.css><iframe src=/f></iframe><iframe src=/></iframe><img src=/moved><img src=/loop>
		<picture><source srcset="/p.avif, /q.avif 2x"><img src=/p.png></picture><img srcset="/x1.png, /x2.png 2x">
		<video><source src=/v.webm><source src=/v.mp4></video><video><source src=/w.mp4></video>`)
	a.Page("http://a.test/a.css", at, "200 text/css", "@import url(b.css); @font-face { src: url(f.eot); src: url(f.woff), url(f.svg#f) }")
	a.Page("http://a.test/f.woff", at, "200 font/woff", "font")
	a.Page("http://a.test/b.css", at, "200 text/css", "@import url(a.css); p { background: url(lost.png) }")
	a.Page("http://a.test/v.mp4", at, "200 video/mp4", "film")
	a.Page("http://a.test/f", at, "200 text/html", "<img src=/in-frame.png>")
	a.Page("http://a.test/moved", at, "302 Location: /there.png", "")
	a.Page("http://a.test/there.png", at, "200 image/png", "png")
	a.Page("http://a.test/loop", at, "302 Location: /loop", "")
	a.Page("http://a.test/p.png", at, "200 image/png", "png")
	a.Page("http://a.test/x2.png", at, "503 text/html", "no")
	p := toldOf(t, a)
	var lacks []string
	for _, part := range p.Lacks {
		lacks = append(lacks, string(part.As)+" "+strings.TrimPrefix(part.URL, "http://a.test"))
	}
	if got, want := strings.Join(lacks, ", "), "decor /lost.png, image /in-frame.png, image /loop, image /x1.png, media /w.mp4"; got != want || p.Parts != 13 {
		t.Errorf("of %d parts it lacks %s; want %s of 13", p.Parts, got, want)
	}
}
