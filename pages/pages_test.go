package pages

import (
	"html/template"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

var when = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)

// set has one page of one word.
func set(t testing.TB) *Set {
	t.Helper()
	s, err := New(Options{Home: "http://home.test", Origins: []string{"http://other.test"}, Words: Words{"home": {"Start", "آغاز"}, "hello": {"Hello", "سلام"}},
		Files: fstest.MapFS{"templates/parts.html": {}, "templates/hello.html": {Data: []byte(`{{define "body"}}<h1>{{t "hello"}}</h1>{{end}}`)}, "static/more.js": {Data: []byte("1")}},
		Funcs: func(Lang) template.FuncMap { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A page has the layout and the words of its language, and may load nothing from elsewhere.
func TestPage(t *testing.T) {
	for lang, parts := range map[Lang][]string{English: {`<html lang="en" dir="ltr">`, "<h1>Hello</h1>", "Start"}, Persian: {`<html lang="fa" dir="rtl">`, "<h1>سلام</h1>", "آغاز"}} {
		w := httptest.NewRecorder()
		set(t).Write(w, httptest.NewRequest("GET", "/", nil), 200, lang, "hello", View{Title: "<t>", Script: "more.js"})
		for _, part := range append(parts, "&lt;t&gt;", `/more.js" defer`) {
			if !strings.Contains(w.Body.String(), part) || strings.Contains(w.Body.String(), "⟦") {
				t.Errorf("%s lacks %q:\n%s", lang, part, w.Body)
			}
		}
		if p := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'; style-src 'self'; script-src 'self'; font-src 'self'; img-src data: 'self' http://home.test http://other.test;") {
			t.Errorf("policy %q", p)
		}
	}
}

// The words that all pages share are in both languages, take the same arguments, and none is left over.
func TestWords(t *testing.T) {
	used := ""
	for _, pattern := range []string{"templates/*.html", "date.go", "graph.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			used += string(data)
		}
	}
	for key, p := range common {
		group, _, _ := strings.Cut(key, ".")
		if strings.TrimSpace(p[0]) == "" || strings.TrimSpace(p[1]) == "" || strings.Count(p[0], "%s") != strings.Count(p[1], "%s") {
			t.Errorf("%s: %q", key, p)
		}
		if !strings.Contains(used, `"`+key+`"`) && !strings.Contains(used, `"`+group+`."`) {
			t.Errorf("%s: used nowhere", key)
		}
	}
}

func TestDates(t *testing.T) {
	kept := Words{"kept": {"%s page|%s pages", "%s صفحه"}}
	for _, c := range []struct{ got, want string }{
		{English.Date(when), "2 January 2024"}, {English.OtherDate(when), ""}, {EnglishJalali.Date(when), "12 Dey 1402"}, {EnglishJalali.OtherDate(when), "2 January 2024"}, {English.Clock(when), "03:04:05"},
		{Persian.Date(when), "۱۲ دی ۱۴۰۲"}, {Persian.OtherDate(when), "۲ ژانویه ۲۰۲۴"}, {Persian.Clock(when), "۰۳:۰۴:۰۵"},
		{Persian.Date(time.Date(2021, 3, 20, 23, 59, 59, 0, time.UTC)), "۳۰ اسفند ۱۳۹۹"}, // a leap day
		{Persian.Date(time.Date(2021, 3, 21, 0, 0, 0, 0, time.UTC)), "۱ فروردین ۱۴۰۰"},
		{English.Number(1234567), "1,234,567"}, {Persian.Number(1234567), "۱٬۲۳۴٬۵۶۷"}, {English.Number(12), "12"}, {English.Number(-1234), "-1,234"},
		{English.Size(999), "999\u00a0B"}, {Persian.Size(1500), "۱٫۵\u00a0کیلوبایت"},
		{English.Say(kept, "kept", 1), "1 page"}, {English.Say(kept, "kept", 2), "2 pages"}, {Persian.Say(kept, "kept", 12), "۱۲ صفحه"}, {Persian.Say(kept, "nav"), "سایت"},
		{English.Date(time.Time{}), "–"}, {English.Duration(125), "2\u00a0min 5\u00a0s"}, {English.Duration(7200), "2\u00a0h"}, {Persian.Duration(125), "۲\u00a0دقیقه و ۵\u00a0ثانیه"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestLanguageOfReader(t *testing.T) {
	s := set(t)
	for _, c := range []struct {
		query, cookie, accept string
		want                  Lang
	}{
		{"", "", "", English}, {"", "", "fa-IR,fa;q=0.9,en;q=0.8", Persian}, {"", "", "en;q=0.5, fa;q=0.7", Persian}, {"", "", "de, fr", English},
		{"?lang=fa", "en", "en", Persian}, {"", "fa", "en", Persian}, {"?lang=xx", "yy", "fa", Persian},
	} {
		r := httptest.NewRequest("GET", "/"+c.query, nil)
		r.Header.Set("Accept-Language", c.accept)
		if c.cookie != "" {
			r.AddCookie(&http.Cookie{Name: "lang", Value: c.cookie})
		}
		if got := s.LangOf(r); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestStatic(t *testing.T) {
	s := set(t)
	for name, f := range s.assets {
		w := httptest.NewRecorder()
		s.ServeStatic(w, httptest.NewRequest("GET", f.path, nil))
		if w.Code != 200 || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") || w.Header().Get("Content-Type") == "" {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
	}
	for _, path := range []string{"/-/static/", "/-/static/style.css", "/-/static/0000/style.css", "/-/static/../pages.go"} {
		w := httptest.NewRecorder()
		s.ServeStatic(w, &http.Request{Method: "GET", URL: httptest.NewRequest("GET", "/", nil).URL.JoinPath(path)})
		if w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestIRI(t *testing.T) {
	for in, want := range map[string]string{
		"http://a.test/%D8%A8%D8%A7%D8%BA/x?q=%D9%81%DB%8C%D9%86%20y": "http://a.test/باغ/x?q=فین%20y",
		"http://a.test/%C3%A9t%C3%A9%2F%41":                           "http://a.test/été%2F%41",
		"http://a.test/%E2%80%AEx%D8":                                 "http://a.test/%E2%80%AEx%D8", // a change of direction; half a letter
		"http://a.test/%D8%A8%FF%D8%A7%8":                             "http://a.test/ب%FFا%8",
		"%EF%BF%BD%F0%9F%98%80":                                       "%EF%BF%BD%F0%9F%98%80",
		"%EF%BF%BD%D8%A8%FF%D8%A8":                                    "%EF%BF%BDب%FFب",
		"/%D8%AF%D9%88%D9%84%D8%AA%E2%80%8C%D8%A2%D8%A8%D8%A7%D8%AF":  "/دولت\u200cآباد",
		"/%D8%AF%E2%80%8Cx/%E2%80%8C%D8%AF":                           "/د%E2%80%8Cx/%E2%80%8Cد", // seen by nobody
		"":                                                            "",
	} {
		if got := IRI(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzIRI(f *testing.F) {
	f.Add("http://a.test/%D8%A8%ff%zz%")
	f.Fuzz(func(t *testing.T, s string) {
		got := IRI(s)
		a, errA := url.PathUnescape(s)
		b, errB := url.PathUnescape(got)
		if (errA == nil) != (errB == nil) || a != b {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func TestLanguagesHaveNamesOfTheirOwn(t *testing.T) {
	names := map[string]string{}
	for _, code := range strings.Fields("fa fa-Latn azb az ckb ku-Arab sdh hac sr sr-Latn glk mzn und") {
		for _, l := range []Lang{English, Persian} {
			name := l.Language(code)
			if other := names[string(l)+name]; other != "" || name == code {
				t.Errorf("%s and %s are both %q in %s", code, other, name, l)
			}
			names[string(l)+name] = code
		}
	}
}

// A graph of one bar, or of none that has anything, says nothing that its numbers do not say.
func TestGraphsThatTell(t *testing.T) {
	for _, c := range []struct {
		bars  []Bar
		tells bool
	}{{nil, false}, {[]Bar{{Count: 5}}, false}, {[]Bar{{}, {}}, false}, {[]Bar{{}, {Count: 1}}, true}} {
		if got := (Graph{Bars: c.bars}).Tells(); got != c.tells {
			t.Errorf("%v: %v", c.bars, got)
		}
	}
}

// A bar of one is seen beside one of ten thousand, and the errors' part of a bar is their part of the count.
func TestBarsBySquareRoots(t *testing.T) {
	g := Graph{Bars: []Bar{{Count: 10000}, {Count: 100, Bad: 40}}}.Draw(English)
	if g.Bars[0].Height != "100.0" || g.Bars[1].Height != "10.0" || g.Bars[1].BadHeight != "4.0" {
		t.Errorf("%+v", g.Bars)
	}
	if s := Persian.Shares([]Share{{Count: 10000}, {Count: 400}}); s[1].Width != "20.0%" || s[1].X != "80.0%" {
		t.Errorf("%+v", s)
	}
}
