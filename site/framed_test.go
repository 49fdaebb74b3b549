package site

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/replay"
	"kavosh/replay/replaytest"
)

// closes is a gate that closes addresses that tell it, and a version of one.
type closes struct{ refuseOld }

func (closes) Refused(ctx context.Context, e *cdx.Entry) (*kavosh.Refused, error) {
	if strings.HasSuffix(e.URL, "/mixed") && e.Timestamp == "20200101000000" {
		return &kavosh.Refused{}, nil
	}
	return refuseOld{}.Refused(ctx, e)
}

func (closes) Withheld(_ context.Context, url string) (*kavosh.Refused, error) {
	if strings.Contains(url, "/old/") {
		return &kavosh.Refused{}, nil
	}
	return nil, nil
}

// framedRow finds a row of the list of links, without its address.
var framedRow = regexp.MustCompile(`(?s)<li class="([a-z]+)" data-kind="target" data-new-address="http://a\.test/([a-z/]*)">\s*<a [^>]*>.*?</a> <small>(.*?)</small></li>`)

// A page with its links in frames tells what the archive has of each beside the page; what is closed is told exactly as what was never
// captured, and neither a script nor another page is given any of it.
func TestFramedLinks(t *testing.T) {
	a := replaytest.New(t)
	const before, then, after = "20200101000000", "20200201000000", "20200301000000"
	dated := func(changed string) string { return "200 Content-Type: text/html\nLast-Modified: " + changed }
	a.Page("http://a.test/", then, "200 text/html", `<p><a href="/same">Same</a> <a href="/same#end">Same</a> <a href="/says">Says</a> <a href="/later">Later</a> <a href="/perhaps">Perhaps</a>
		<a href="/lost">Lost</a> <a href="/never">Never</a> <a href="/old/shut">Shut</a> <a href="/old/half">Half</a> <a href="/moved">Moved</a> <a href="/mixed">Mixed</a> <a href="#here">Here</a> <a href="/">Home</a>`)
	a.Page("http://a.test/same", before, "200 text/html", "the same")
	a.Page("http://a.test/same", after, "200 text/html", "the same")
	a.Page("http://a.test/says", after, dated("Fri, 03 Jan 2020 00:00:00 GMT"), "as it was")
	a.Page("http://a.test/later", after, dated("Sat, 15 Feb 2020 00:00:00 GMT"), "changed since")
	a.Page("http://a.test/perhaps", after, "200 text/html", "nobody knows")
	a.Page("http://a.test/lost", after, "404 text/html", "not here")
	a.Page("http://a.test/old/shut", before, "200 text/html", "closed")
	a.Page("http://a.test/old/half", before, "404 text/html", "closed")
	a.Page("http://a.test/mixed", before, "200 text/html", "one is closed")
	a.Page("http://a.test/mixed", after, "200 text/html", "one is closed")
	a.Page("http://a.test/moved", then, "302 Location: http://a.test/old/shut", "")
	open := func(gate records.Gate) func(path, dest string) (int, string) {
		s, err := New(Options{HomeAddr: "http://home.test", ReplayAddr: "http://replay.test", Collections: []Collection{{Collection: &replay.Collection{Name: "one", Records: &records.Records{Index: a, Files: a, Gate: gate}}}}})
		if err != nil {
			t.Fatal(err)
		}
		return func(path, dest string) (int, string) {
			q := httptest.NewRequest("GET", "http://replay.test"+path, nil)
			q.Header.Set("Sec-Fetch-Dest", dest)
			q.Header.Set("Accept", "text/html")
			w := httptest.NewRecorder()
			s.ReplayHandler().ServeHTTP(w, q)
			return w.Code, w.Body.String()
		}
	}
	get := open(closes{})
	status, page := get("/one/"+then+"linksen/http://a.test/", "document")
	rows := map[string]string{}
	for _, m := range framedRow.FindAllStringSubmatch(page, -1) {
		rows[m[2]] = m[1]
		if closed := strings.HasPrefix(m[2], "old/") || m[2] == "moved"; closed && m[3] != "never captured" {
			t.Errorf("%s: %q", m[2], m[3])
		}
	}
	want := map[string]string{"same": "fits", "says": "fits", "later": "violates", "perhaps": "unsure", "lost": "failed", "never": "absent", "old/shut": "absent", "old/half": "absent", "mixed": "unsure", "moved": "absent"}
	for name, state := range want {
		if rows[name] != state {
			t.Errorf("%s is %q, want %q", name, rows[name], state)
		}
	}
	if status != 200 || len(rows) != len(want) || strings.Index(page, "/later") > strings.Index(page, "/lost") {
		t.Errorf("%d %v\n%s", status, rows, page)
	}
	for _, part := range []string{`sandbox="allow-same-origin"`, `class="frame violates"`, "another version was there then", "/compare.js", "404"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	_, free := open(nil)("/one/"+then+"linksen/http://a.test/", "document")
	for _, row := range []string{`class="unsure" data-kind="target" data-new-address="http://a.test/old/shut"`, `class="fits" data-kind="target" data-new-address="http://a.test/mixed"`} {
		if !strings.Contains(free, row) {
			t.Errorf("without a rule, %s is not in %s", row, free)
		}
	}
	if _, page := get("/one/"+then+"linksfa/http://a.test/", "document"); !strings.Contains(page, "هرگز ثبت نشده است") || strings.Contains(page, "never") && !strings.Contains(page, "/never") || strings.Contains(page, "captured") {
		t.Errorf("%s", page)
	}
	if status, page := get("/one/"+then+"links/http://a.test/", "empty"); status != http.StatusForbidden || strings.Contains(page, "data-kind") {
		t.Errorf("a script is given the page: %d", status)
	}
	if status, _ := get("/one/"+then+"links/http://a.test/none", "document"); status != http.StatusNotFound {
		t.Errorf("of nothing: %d", status)
	}
	if _, page := get("/one/"+then+"/http://a.test/", "document"); !strings.Contains(page, `"framed":"/one/`+then+`links"`) || strings.Contains(page, `class="marks"`) {
		t.Errorf("the banner does not lead there: %s", page)
	}
}

// A page with very many links has some of them looked up, and says how many are left out.
func TestManyFramedLinks(t *testing.T) {
	a := replaytest.New(t)
	var links strings.Builder
	for i := range maxFramed + 7 {
		links.WriteString(`<a href="/p` + strings.Repeat("x", i) + `">x</a> `)
	}
	a.Page("http://a.test/", "20200201000000", "200 text/html", links.String())
	asked := 0
	s, err := New(Options{HomeAddr: "http://home.test", ReplayAddr: "http://replay.test", Collections: []Collection{{Collection: &replay.Collection{Name: "one", Records: &records.Records{Index: counting{a, &asked}, Files: a}}}}})
	if err != nil {
		t.Fatal(err)
	}
	w := replaytest.Send(s.ReplayHandler(), "GET", "http://replay.test", "/one/20200201000000linksen/http://a.test/", replaytest.Browser()...)
	if page := w.Body.String(); strings.Count(page, `data-kind="target"`) != maxFramed || !strings.Contains(page, "7 more links were not looked up") {
		t.Errorf("%d %.3000s", w.Code, page)
	}
	if asked > maxFramed+10 {
		t.Errorf("%d look-ups", asked)
	}
}

// counting counts queries.
type counting struct {
	*replaytest.Archive
	asked *int
}

func (c counting) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	*c.asked++
	return c.Archive.Query(ctx, q)
}
