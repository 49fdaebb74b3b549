package site

import (
	"net/http/httptest"
	"strings"
	"testing"

	"kavosh/internal/records"
	"kavosh/replay"
	"kavosh/replay/replaytest"
)

// The parts of a page are listed without a script, too; the command to watch one can be pasted into a shell whatever the URL; what is no
// page, or not in a window of its own, is refused.
func TestParts(t *testing.T) {
	a := replaytest.New(t)
	a.Page("http://a.test/?';reboot;'", "20200101000000", "200 text/html", `<main><h1>Flood</h1><p>It rained all day.</p></main><img src="/p.png">`)
	a.Page("http://a.test/pic", "20200101000000", "200 image/png", "PNG")
	s, err := New(Options{HomeAddr: "http://home.test", ReplayAddr: "http://replay.test", Collections: []Collection{{Collection: &replay.Collection{Name: "one", Records: &records.Records{Index: a, Files: a}}}}})
	if err != nil {
		t.Fatal(err)
	}
	get := func(path, dest string) (int, string) {
		q := httptest.NewRequest("GET", "http://replay.test"+path, nil)
		q.Header.Set("Sec-Fetch-Dest", dest)
		w := httptest.NewRecorder()
		s.ReplayHandler().ServeHTTP(w, q)
		return w.Code, w.Body.String()
	}
	for _, lang := range []string{"", "en", "fa"} {
		status, page := get("/one/2020parts"+lang+"/http://a.test/?';reboot;'", "document")
		if status != 200 || !strings.Contains(page, "It rained all day.") || !strings.Contains(page, "--block 20200101000000/") || !strings.Contains(page, "http://home.test/c/one/changes?block=20200101000000%2F") {
			t.Errorf("%q: %d %s", lang, status, page)
		}
		if want := `kavosh watch &#39;ARCHIVE&#39; add &#39;http://a.test/?&#39;\&#39;&#39;;reboot;&#39;\&#39;&#39;&#39; --block`; !strings.Contains(page, want) {
			t.Errorf("%q: the command is not %s: %s", lang, want, page)
		}
	}
	for path, want := range map[string]int{"/one/2020parts/http://a.test/pic": 404, "/one/2020parts/http://a.test/none": 404} {
		if status, _ := get(path, "document"); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
	if status, _ := get("/one/2020parts/http://a.test/", "empty"); status != 403 {
		t.Error("a script is given the page:", status)
	}
}
