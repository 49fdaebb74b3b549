package pages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

func set(t testing.TB) *Set {
	t.Helper()
	s, err := New(Options{Home: "http://home.test", Replay: "http://replay.test", Version: "1.0"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var when = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)

// everyPage draws each page in one language, with all of its parts.
func everyPage(t *testing.T, lang Lang) map[string]string {
	s := set(t)
	out := map[string]string{}
	draw := func(name string, f func(w http.ResponseWriter, r *http.Request)) {
		w := httptest.NewRecorder()
		f(w, httptest.NewRequest("GET", "/?lang="+string(lang), nil))
		out[name] = w.Body.String()
		if got := w.Header().Get("Content-Language"); got != string(lang) {
			t.Errorf("%s: Content-Language %q, want %q", name, got, lang)
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; style-src 'self'; script-src 'self';") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", name, csp)
		}
	}
	sum := Summary{Name: "one", Title: "One", Known: true, Captures: 12345, First: when, Last: when.AddDate(1, 0, 0)}
	draw("home", func(w http.ResponseWriter, r *http.Request) {
		s.Home(w, r, Home{Collections: []Summary{{Name: "web", All: true}, sum, {Name: "two", Title: "Two", Known: true}}})
	})
	draw("home, bad address", func(w http.ResponseWriter, r *http.Request) {
		s.Home(w, r, Home{Collections: []Summary{sum}, URL: "<b>", Collection: "one"})
	})
	draw("collection", func(w http.ResponseWriter, r *http.Request) {
		s.Collection(w, r, Collection{Summary: sum, Prefix: "a.test/", Page: 2, More: true, URLs: []Address{{URL: "http://a.test/", Captures: 3, Last: when, Path: "/x", MIME: "text/html", Status: 404}}})
	})
	draw("collection, nothing found", func(w http.ResponseWriter, r *http.Request) { s.Collection(w, r, Collection{Summary: sum, Page: 1}) })
	draw("calendar", func(w http.ResponseWriter, r *http.Request) {
		c := NewCalendar(lang, sum, "http://a.test/", "/one/*")
		for i := range maxListed + 5 {
			c.Add(Row{Time: when.AddDate(0, 0, 3*i), Path: "/one/x/http://a.test/", Details: "/d", Status: 200 + i, MIME: "text/html", Length: 1234, Same: i%2 == 0})
		}
		c.Approximate = true
		s.Calendar(w, r, c)
	})
	draw("capture", func(w http.ResponseWriter, r *http.Request) {
		s.Capture(w, r, Capture{Collection: sum, URL: "http://a.test/", Time: when, Path: "/p", Raw: "/r", Calendar: "/c", Status: 200, MIME: "text/html", Digest: "sha1:X",
			Filename: "f", Offset: 5, Length: 6, Original: when, Truncated: true, Headers: [][2]string{{"Server", "<x>"}}, Cause: "broken"})
	})
	for key := range phrases {
		kind, ok := strings.CutPrefix(key, "problem.")
		if _, explained := phrases[key+".do"]; !ok || !explained {
			continue
		}
		draw(key, func(w http.ResponseWriter, r *http.Request) {
			s.Problem(w, r, lang, Problem{Status: 404, Kind: kind, URL: "http://a.test/<x>", Cause: "cause", Calendar: "/c", List: "/l"})
		})
	}
	return out
}

// Every page in every language has all of its words, names its language and direction, labels its fields, and loads
// nothing from elsewhere and no script of its own.
func TestEveryPage(t *testing.T) {
	for _, lang := range Langs() {
		for name, page := range everyPage(t, lang) {
			if i := strings.Index(page, "⟦"); i >= 0 {
				t.Errorf("%s %s: no words for %s", lang, name, page[i:min(len(page), i+60)])
			}
			if strings.Contains(page, "%!") {
				t.Errorf("%s %s: a phrase with the wrong arguments", lang, name)
			}
			doc, err := html.Parse(strings.NewReader(page))
			if err != nil {
				t.Fatal(err)
			}
			labelled := map[string]bool{}
			seen := map[string]int{}
			walk(doc, func(n *html.Node) {
				if n.Data == "label" {
					labelled[attr(n, "for")] = true
				}
			})
			walk(doc, func(n *html.Node) {
				seen[n.Data]++
				for _, a := range n.Attr {
					if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
						t.Errorf("%s %s: attribute %s", lang, name, a.Key)
					}
					if (a.Key == "src" || n.Data == "link" && a.Key == "href") && !strings.HasPrefix(a.Val, "/-/static/") {
						t.Errorf("%s %s: loads %s", lang, name, a.Val)
					}
				}
				switch n.Data {
				case "html":
					if attr(n, "lang") != string(lang) || attr(n, "dir") != lang.Dir() {
						t.Errorf("%s %s: lang %q dir %q", lang, name, attr(n, "lang"), attr(n, "dir"))
					}
				case "script":
					if n.FirstChild != nil {
						t.Errorf("%s %s: an inline script", lang, name)
					}
				case "input", "select":
					if attr(n, "type") != "hidden" && !labelled[attr(n, "id")] && attr(n, "aria-label") == "" {
						t.Errorf("%s %s: %s without label", lang, name, n.Data)
					}
				}
			})
			for _, once := range []string{"main", "h1", "title", "header", "footer"} {
				if seen[once] != 1 {
					t.Errorf("%s %s: %d %s elements", lang, name, seen[once], once)
				}
			}
		}
	}
}

func walk(n *html.Node, f func(*html.Node)) {
	if n.Type == html.ElementNode {
		f(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		walk(c, f)
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// Both languages are complete, take the same arguments, and no phrase is left over.
func TestPhrases(t *testing.T) {
	var used strings.Builder
	for _, pattern := range []string{"templates/*.html", "*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if name == "text.go" || strings.HasSuffix(name, "_test.go") {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			used.Write(data)
		}
	}
	for key, p := range phrases {
		if strings.TrimSpace(p.en) == "" || strings.TrimSpace(p.fa) == "" {
			t.Errorf("%s: not in both languages", key)
		}
		one, many, counted := strings.Cut(p.en, "|")
		if n := strings.Count(p.fa, "%s"); n != strings.Count(one, "%s") || counted && n != strings.Count(many, "%s") {
			t.Errorf("%s: the languages differ in arguments: %q, %q", key, p.en, p.fa)
		}
		if !strings.Contains(used.String(), strconv.Quote(key)) && !strings.HasPrefix(key, "problem.") && !strings.HasPrefix(key, "unit.") {
			t.Errorf("%s: used nowhere", key)
		}
		plain := strings.NewReplacer("Accept-Datetime", "", "service worker", "", "example.com/page", "", "TimeMap", "").Replace(p.fa)
		if !strings.HasPrefix(key, "language") && regexp.MustCompile(`[a-z]{4,}`).MatchString(plain) {
			t.Errorf("%s: English words in the Persian text: %q", key, p.fa)
		}
	}
}

// Whatever error the code may answer with has its words.
func TestKindsOfProblem(t *testing.T) {
	kinds := map[string]bool{}
	fset := token.NewFileSet()
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "problem" && sel.Sel.Name != "homeProblem" {
				return true
			}
			for _, a := range call.Args {
				if lit, ok := a.(*ast.BasicLit); ok && lit.Kind == token.STRING && lit.Value != `""` {
					kind, _ := strconv.Unquote(lit.Value)
					kinds[kind] = true
				}
			}
			return true
		})
	}
	for kind := range kinds {
		if phrases["problem."+kind].en == "" || phrases["problem."+kind+".do"].en == "" {
			t.Errorf("problem %q: say what it is and what to do", kind)
		}
	}
	if len(kinds) < 8 {
		t.Errorf("found only %d kinds of problem in the code", len(kinds))
	}
}

func TestDates(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{English.Date(when), "2 January 2024"}, {English.OtherDate(when), "12 Dey 1402"}, {English.Clock(when), "03:04:05"},
		{Persian.Date(when), "۱۲ دی ۱۴۰۲"}, {Persian.OtherDate(when), "۲ ژانویه ۲۰۲۴"}, {Persian.Clock(when), "۰۳:۰۴:۰۵"},
		{Persian.Date(time.Date(2021, 3, 20, 23, 59, 59, 0, time.UTC)), "۳۰ اسفند ۱۳۹۹"}, // a leap day
		{Persian.Date(time.Date(2021, 3, 21, 0, 0, 0, 0, time.UTC)), "۱ فروردین ۱۴۰۰"},
		{English.number(1234567), "1,234,567"}, {Persian.number(1234567), "۱٬۲۳۴٬۵۶۷"}, {English.number(12), "12"}, {English.number(-1234), "-1,234"},
		{English.size(999), "999\u00a0B"}, {Persian.size(1500), "۱٫۵\u00a0کیلوبایت"},
		{English.text("captures", 1), "1 capture"}, {English.text("captures", 2), "2 captures"}, {Persian.text("captures", 12), "۱۲ نسخه"},
		{English.Date(time.Time{}), "–"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestCalendar(t *testing.T) {
	for _, c := range []struct {
		lang  Lang
		month string
		day   int
		week  int // of the month, from 0
		place int // in the week, from 0
		days  int
		year  int
	}{
		{English, "January", 2, 0, 1, 31, 2024}, // a Tuesday; weeks begin on Monday
		{Persian, "دی", 12, 2, 3, 30, 1402},     // weeks begin on Saturday; the first holds a Friday alone
	} {
		cal := NewCalendar(c.lang, Summary{}, "http://a.test/", "/one/*")
		cal.Add(Row{Time: when, Path: "/first"})
		cal.Add(Row{Time: when.Add(time.Hour), Path: "/second"})
		cal.Add(Row{Time: when.AddDate(2, 0, 0), Path: "/later"})
		years := cal.Years()
		if len(years) != 2 || years[1].Year != c.year || years[1].Count != 2 || years[0].Count != 1 {
			t.Fatalf("%s: %+v", c.lang, years)
		}
		for _, m := range years[1].Months {
			n := 0
			for w, week := range m.Weeks {
				if len(week) != 7 {
					t.Errorf("%s: a week of %d days", m.Name, len(week))
				}
				for p, d := range week {
					if d.Day > 0 {
						n++
					}
					if d.Count > 0 && (m.Name != c.month || d.Day != c.day || w != c.week || p != c.place || d.Count != 2 || d.Path != "/first") {
						t.Errorf("%s: %s, week %d, place %d: %+v", c.lang, m.Name, w, p, d)
					}
				}
			}
			if m.Name == c.month && n != c.days {
				t.Errorf("%s has %d days", m.Name, n)
			}
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

// What is put into a page survives any ASCII-compatible encoding and cannot end its own attribute.
func TestScriptIsSafeMarkup(t *testing.T) {
	s := set(t)
	out := s.Script(&Banner{Lang: Persian, URL: `http://a.test/'"><script>alert(1)</script>&amp;é`, Time: when, Count: 3, Truncated: true, Original: when, Status: 404,
		Collection: Summary{Title: "عنوان '<b>"}, Prev: "/p", PrevTime: when, Next: "/n", NextTime: when, Calendar: "/one/*"})
	for i := range len(out) {
		if out[i] >= 0x80 {
			t.Fatalf("not ASCII: %q", out[i:min(len(out), i+20)])
		}
	}
	z := html.NewTokenizer(strings.NewReader(out))
	if z.Next() != html.StartTagToken || z.Next() != html.EndTagToken || z.Next() != html.ErrorToken {
		t.Errorf("more than one empty element: %s", out)
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
