package site

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/replay"
	"kavosh/replay/replaytest"
)

// jalaliArchive has captures at the ends of 1396, which is 2017-03-21 to 2018-03-20, and just outside.
func jalaliArchive(t *testing.T) *replaytest.Archive {
	a := replaytest.New(t)
	for _, stamp := range []string{"20170320235959", "20170321000000", "20180320235959", "20180321000000"} {
		a.Page("http://a.test/", stamp, "200 text/html", "at "+stamp)
	}
	return a
}

// home asks the home pages.
func home(s *Site, target string) *httptest.ResponseRecorder {
	return replaytest.Send(s.HomeHandler(), "GET", "http://any.test", target, "Accept-Language: en", "Accept: text/html")
}

// Every field and parameter for a date takes both calendars and all digits, and what cannot be read is told.
func TestDatesOfBothCalendars(t *testing.T) {
	s := server(t, jalaliArchive(t))
	for _, year := range []string{"1396", "۱۳۹۶", "١٣٩٦"} {
		wants(t, s, "/c/one/pages?"+url.Values{"from": {year}, "to": {year}}.Encode(), `value="2017-03-21"`, `value="2018-03-20"`, ">2 captures<")
		wants(t, s, "/c/one/pages?lang=fa&"+url.Values{"from": {year}, "to": {year}}.Encode(), `placeholder="۱۳۹۶/۵/۳"`, `value="۱۳۹۶"`, "۲ نسخه", "!2017")
	}
	wants(t, s, "/c/one/pages?from=1397/1/1", ">1 capture<")
	wants(t, s, "/c/one/pages?to=1395-12-30", ">1 capture<")
	wants(t, s, "/c/one/pages?lang=fa&from=2017-03-21&to=2018", `value="۱۳۹۶/۰۱/۰۱"`, `value="۱۳۹۷/۱۰/۱۰"`)
	for _, bad := range []string{"soon", "96", "1396/13", "1396/12/30", "2017-02-29", "<b>"} {
		for lang, names := range map[string]string{"en": "This is not a date. Write a year, month or day, such as 2017", "fa": "۱۳۹۶/۵ یا ۱۳۹۶/۵/۳"} {
			for _, page := range []string{"pages", "search"} {
				w := home(searching(t), "/c/one/"+page+"?q=word&lang="+lang+"&to="+url.QueryEscape(bad))
				body := w.Body.String()
				if w.Code != 400 || !strings.Contains(body, names) || !strings.Contains(body, `aria-describedby="to-wrong"`) || strings.Contains(body, "http://a.test/") {
					t.Errorf("%s of %s, %s: %d, the message at the field is missing", page, bad, lang, w.Code)
				}
			}
		}
	}
	at := "/c/one/capture?url=http://a.test/&time="
	wants(t, s, at+url.QueryEscape("۱۳۹۶/۱۲/۲۹"), "/one/20180320235959/")
	wants(t, s, at+"20180321000000", "/one/20180321000000/")
	if w := home(s, at+"soon"); w.Code != 400 || !strings.Contains(w.Body.String(), "1396/5/3") {
		t.Errorf("a capture at no time: %d", w.Code)
	}
	compare := "/c/one/compare?url=http://a.test/"
	if w := home(s, compare+"&a=1397/1/1&b="+url.QueryEscape("۱۳۹۶/۱/۱")); w.Header().Get("Location") != "http://replay.test/one/20170321235959-20180321235959/http://a.test/" {
		t.Errorf("a comparison leads to %q", w.Header().Get("Location"))
	}
	if w := home(s, compare+"&a=1397&b=x"); w.Code != 400 || !strings.Contains(w.Body.String(), "1396/5/3") {
		t.Errorf("a comparison with no time: %d", w.Code)
	}
	for _, year := range []string{"1396", "%DB%B1%DB%B3%DB%B9%DB%B6"} {
		if w := ask(s, "/one/"+year+"/http://a.test/", replaytest.Browser()...); w.Header().Get("Location") != "/one/20180320235959/http://a.test/" {
			t.Errorf("%s: replay leads to %q", year, w.Header().Get("Location"))
		}
	}
	if w := ask(s, "/one/cdx?url=a.test&from=1396&to=1396"); strings.Count(w.Body.String(), "\n") != 2 {
		t.Errorf("the CDX API answers %q", w.Body)
	}
	if w := ask(s, "/one/cdx?url=a.test&from=1396/13"); w.Code != 400 || !strings.Contains(w.Body.String(), "from: ") {
		t.Errorf("the CDX API answers %d %q", w.Code, w.Body)
	}
}

// searching is a server whose search finds one page.
func searching(t *testing.T) *Site {
	s := server(t, jalaliArchive(t))
	s.collections[0].Searcher = &dateFinder{}
	return s
}

// dateFinder finds one page, and keeps what it was asked.
type dateFinder struct{ last kavosh.Search }

func (f *dateFinder) Search(_ context.Context, q kavosh.Search) (*kavosh.SearchResult, error) {
	f.last = q
	r := &kavosh.SearchResult{Total: 1, Groups: []kavosh.SearchGroup{{URL: "http://a.test/", Time: replay.Moment("20180320235959"), Captures: 1}}}
	year := kavosh.FacetValue{Value: "2018", Count: 1}
	r.Months = []kavosh.SearchMonth{{Month: "2018-03", Found: 1, All: 1}, {Month: "2018-04", All: 1}}
	if q.Jalali {
		year.Value, r.Months[0].Month, r.Months[1].Month = "1396", "1396-12", "1397-01"
	}
	r.Facets = []kavosh.SearchFacet{{Field: kavosh.FieldYear, Values: []kavosh.FacetValue{year}}}
	return r, nil
}

// A search shows years and months of the reader's calendar, and its bounds follow that.
func TestSearchInTheReadersCalendar(t *testing.T) {
	s := searching(t)
	last := &s.collections[0].Searcher.(*dateFinder).last
	wants(t, s, "/c/one/search?q=word&lang=en", "March 2018", "from=2018-03", "f=year%3A2018", "!Esfand")
	wants(t, s, "/c/one/search?q=word&lang=fa", "اسفند ۱۳۹۶", "from=1396-12", "f=year%3A1396")
	wants(t, s, "/c/one/search?q=word&lang=en-u-ca-persian", `dir="ltr"`, "29 Esfand 1396", "Esfand 1396", "f=year%3A1396", "Gregorian dates")
	wants(t, s, "/c/one/search?q=word&lang=fa&from=1396-12&to=1396-12", `value="۱۳۹۶/۱۲"`)
	if first, end := last.From.Format(time.DateTime), last.To.Format(time.DateTime); first != "2018-02-20 00:00:00" || end != "2018-03-20 23:59:59" {
		t.Errorf("1396-12 was searched as %s to %s", first, end)
	}
	wants(t, s, "/c/one/search?q=word&at="+url.QueryEscape("۱۳۹۶"), "a.test")
	if last.At.Format(time.DateTime) != "2018-03-20 23:59:59" {
		t.Errorf("as on 1396 is %s", last.At)
	}
	wants(t, s, "/c/one/search?q=word&lang=en&f=year:1396", `class="on">1396 <span class="hidden">(chosen; remove)</span></a> <span class="quiet">1</span>`)
	wants(t, s, "/c/one/search?q=word&lang=fa", "<summary>سال</summary>", "!میلادی</summary>")
}

// English pages have Gregorian dates alone until somebody asks for others; Persian ones have both.
func TestReadersOwnCalendar(t *testing.T) {
	s := server(t, jalaliArchive(t))
	for target, want := range map[string][2]string{
		"/one/*en/http://a.test/":              {"20 March 2018", "Esfand"},
		"/one/*en-u-ca-persian/http://a.test/": {"29 Esfand 1396", "فروردین"},
		"/one/*fa/http://a.test/":              {"۲۹ اسفند ۱۳۹۶", "Esfand"},
	} {
		body := ask(s, target, replaytest.Browser()...).Body.String()
		if !strings.Contains(body, want[0]) || strings.Contains(body, want[1]) {
			t.Errorf("%s: has %q: %v, and %q: %v", target, want[0], strings.Contains(body, want[0]), want[1], strings.Contains(body, want[1]))
		}
	}
	wants(t, s, "/c/one?lang=en", "20 March 2017", "!Esfand", "lang=en-u-ca-persian", "Jalali dates")
	if w := home(s, "/c/one?lang=en-u-ca-persian"); !strings.Contains(w.Header().Get("Set-Cookie"), "lang=en-u-ca-persian") || !strings.Contains(w.Body.String(), "30 Esfand 1395") {
		t.Errorf("who asks for Jalali dates does not get or keep them: %q", w.Header())
	}
}

// What was captured last is told by host and day, and a crawl that found all as before is the last one.
func TestCapturedLast(t *testing.T) {
	a := replaytest.New(t)
	for _, page := range []string{"x", "y", "z"} {
		a.Page("http://a.test/"+page, "20200101000000", "200 text/html", page)
	}
	a.Page("http://b.test/only", "20190101000000", "200 text/html", "b")
	a.Put("revisit", "http://a.test/y", "20210101000000", "application/http; msgtype=response", "HTTP/1.1 200 X\r\n\r\n",
		cdx.Entry{MIME: replay.RevisitMIME, Status: 200, Digest: fmt.Sprintf("sha1:%08X", replaytest.CRC("y"))})
	sum := server(t, a)
	var got []string
	for _, n := range sum.counts.of(t.Context(), sum.collections[0]).newest {
		got = append(got, n.When().Format(time.DateOnly)+" "+n.URL+" "+n.mime)
	}
	want := "2021-01-01 http://a.test/y text/html, 2020-01-01 http://a.test/x text/html, 2019-01-01 http://b.test/only text/html"
	if strings.Join(got, ", ") != want {
		t.Errorf("captured last: %q, want %q", got, want)
	}
}

// A replayed page's banner, and the pages beside it, are in the language that the reader chose on the home pages where
// the browser sends that choice along, else in the browser's.
func TestBannerInTheChosenLanguage(t *testing.T) {
	s := server(t, jalaliArchive(t))
	headers := append(replaytest.Browser()[:len(replaytest.Browser()):len(replaytest.Browser())], "Cookie: lang=")
	for cookie, want := range map[string]string{"fa": "fa", "en-u-ca-persian": "en-u-ca-persian", "en": "en", "": "en", "xx": "en", "'><script>": "en"} {
		headers[len(headers)-1] = "Cookie: lang=" + cookie
		w := ask(s, "/one/20170321000000/http://a.test/", headers...)
		if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, `{"lang":"`+want+`"`) || !strings.Contains(body, `"`+want+`":{"dir"`) {
			t.Errorf("%q: the banner is not in %s: %d %s", cookie, want, w.Code, body)
		}
		if w := ask(s, "/one/*/http://a.test/", headers...); !strings.Contains(w.Body.String(), `lang="`+want[:2]) {
			t.Errorf("%q: the calendar is not in %s", cookie, want)
		}
	}
}
