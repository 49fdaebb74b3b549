package draw

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

	"kavosh"
	"kavosh/pages"
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
func everyPage(t *testing.T, lang pages.Lang) map[string]string {
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
	full := sum
	full.URLs, full.HostCount, full.Crawls, full.Search = 6789, 1200, true, true
	full.Days = pages.Days{}
	for i := range 40 {
		full.Days.Add(when.AddDate(0, i, 0), i%3 == 0)
	}
	full.Kinds, full.Status = map[string]int64{}, map[string]int64{"200": 5000, "404": 70, "999": 1}
	for i, kind := range Kinds() {
		full.Kinds[kind] = int64(i)
	}
	full.Hosts = []HostCount{{Host: "a.test", URLs: 3, Captures: 5000, Bad: 2, Last: when}, {Host: "xn--mgbgz72d.test", URLs: 1, Captures: 1, Last: when}}
	full.Pages, full.Languages = 1234, []Count{{"fa", 30}, {"en", 20}, {"und", 3}, {"ckb", 2}, {"ar", 1}}
	newest := []Address{{URL: "http://a.test/<new>", Calendar: "/c", Last: when, Path: "/x", MIME: "text/html", Status: 200, Face: Face{"<b>New</b>", "/picture"}}}
	draw("collection", func(w http.ResponseWriter, r *http.Request) {
		s.Collection(w, r, Collection{Summary: full, Newest: newest})
	})
	draw("collection, not counted", func(w http.ResponseWriter, r *http.Request) {
		s.Collection(w, r, Collection{Summary: Summary{Name: "one"}})
	})
	draw("collection, empty", func(w http.ResponseWriter, r *http.Request) {
		s.Collection(w, r, Collection{Summary: Summary{Name: "one", Known: true}})
	})
	draw("hosts", func(w http.ResponseWriter, r *http.Request) { s.Hosts(w, r, Hosts{full}) })
	addresses := []Address{{URL: "http://a.test/", Captures: 3, Last: when, Path: "/x", MIME: "text/html", Status: 404}}
	draw("list", func(w http.ResponseWriter, r *http.Request) {
		s.Listing(w, r, Listing{Summary: full, Filter: Filter{Prefix: "a.test/", Kind: "page", Status: "418", From: "2020"}, URLs: addresses, More: "/c/one/pages?after=x", Back: "/c/one/pages"})
	})
	draw("list, nothing found", func(w http.ResponseWriter, r *http.Request) { s.Listing(w, r, Listing{Summary: sum}) })
	draw("host", func(w http.ResponseWriter, r *http.Request) {
		s.Host(w, r, Host{Summary: full, Host: "a.test", Path: "/b/c/", Others: 7, Captures: 200000, URLs: 4, Cut: true, Days: full.Days, Kinds: full.Kinds, Status: full.Status, Errors: addresses,
			Branches: []Branch{{Name: "d/", Path: "/c/one/host?path=x", URLs: 2, Captures: 3, Bad: 1}, {Name: "e", Query: true, Path: "/c/one/pages?prefix=y", URLs: 1, Captures: 1}}})
	})
	draw("host, nothing there", func(w http.ResponseWriter, r *http.Request) {
		s.Host(w, r, Host{Summary: full, Host: "b.test", Path: "/"})
	})
	crawl := Crawl{ID: "20240102030405", Started: when, Ended: when.Add(time.Hour), Seconds: 200000, End: "done", Fetched: 100, Recorded: 90, Bytes: 1e9, Revisits: 3, Hosts: 4, Known: 200,
		Queued: 5, Dropped: 6, Relevant: 7, SeedsFailed: 1, Failed: map[string]int64{"dns": 3, "robots": 1}, Status: map[string]int64{"200": 80, "500": 2}, MIME: map[string]int64{"text/html": 70},
		Config: []Setting{{Name: "scope", Value: "<host>"}, {Name: "exclude", Untold: 2}}, Slots: []Slot{{when, 50, 0, 1}, {when.Add(time.Minute), 30, 20, 2}}, Slot: time.Minute, Top: full.Hosts, Refused: []Count{{"scope", 20}, {"odd", 1}}, Cut: true}
	draw("crawls", func(w http.ResponseWriter, r *http.Request) {
		s.Crawls(w, r, Crawls{full, []Crawl{crawl, {ID: "20250102030405", Started: when}}, nil})
	})
	draw("crawls, none", func(w http.ResponseWriter, r *http.Request) { s.Crawls(w, r, Crawls{Summary: sum}) })
	draw("crawl", func(w http.ResponseWriter, r *http.Request) { s.Crawl(w, r, full, crawl) })
	draw("crawl, nothing yet", func(w http.ResponseWriter, r *http.Request) {
		s.Crawl(w, r, full, Crawl{ID: "20250102030405", Started: when})
	})
	path := func(url string, _ time.Time) string { return "/r/" + url }
	question := Search{Summary: full, Asked: true, Path: path, Raw: path, Details: path, Calendar: func(url string) string { return "/c/" + url },
		Query: kavosh.Search{Text: "<words>", Filters: []kavosh.SearchFilter{{Field: "host", Value: "a.test"}}, Limit: 10, Offset: 10},
		Result: kavosh.SearchResult{Total: 40, Relaxed: true, DidYouMean: "<sword>", Notes: []string{"a <note>"},
			Groups: []kavosh.SearchGroup{
				{URL: "http://a.test/?q=<x>", Title: kavosh.Snippet{Text: "A <b>title</b>", Marks: []kavosh.Span{{Start: 2, End: 5}, {Start: 1, End: 3}, {Start: 6, End: 99}}},
					Snippet: kavosh.Snippet{Text: "says words", Marks: []kavosh.Span{{Start: 5, End: 10}}}, Time: when, First: when, Newest: when, Captures: 3, Lang: "fa", Type: "text/html", Status: 404, Page: "http://a.test/p"},
				{URL: "http://b.test/", Time: when, Captures: 1, Lang: "und", Status: 200}},
			Facets: []kavosh.SearchFacet{{Field: "host", Values: []kavosh.FacetValue{{Value: "a.test", Count: 9}}, More: 4}, {Field: "lang", Values: []kavosh.FacetValue{{Value: "fa", Count: 9}}},
				{Field: "year", Values: []kavosh.FacetValue{{Value: "2024", Count: 9}}}},
			Months: []kavosh.SearchMonth{{Month: "2023-11", Found: 3, All: 9}, {Month: "2024-02", Found: 1, All: 2}}}}
	ask := func(target string, p Search) func(w http.ResponseWriter, r *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			s.Search(w, httptest.NewRequest("GET", "/c/one/search?lang="+string(lang)+target, nil), p)
		}
	}
	draw("search", ask("&q=words&f=host:a.test&from=2023-01-01", question))
	pictures := question
	pictures.Query.Kind, pictures.Query.Limit = kavosh.SearchPictures, 30
	draw("search, pictures", ask("&q=words&kind=image", pictures))
	draw("search, nothing asked", ask("", Search{Summary: full}))
	draw("search, nothing found", ask("&q=x", Search{Summary: full, Asked: true}))
	draw("calendar", func(w http.ResponseWriter, r *http.Request) {
		c := NewCalendar(lang, sum, "http://a.test/", "/one/")
		for i := range maxListed + 5 {
			c.Add(Row{Time: when.AddDate(0, 0, 3*i), Stamp: "20240102030405", Picture: "http://home.test/t", Path: "/one/x/http://a.test/", Details: "/d", Status: 200 + i%7/6*204, MIME: "text/html", Length: 1234, Same: i%2 == 0})
		}
		c.Approximate, c.Compare = true, "http://home.test/c/one/compare"
		s.Calendar(w, r, c)
	})
	capture := Capture{Collection: full, URL: "http://a.test/", Time: when, Path: "/p", Raw: "/r", Calendar: "/c", Thumbnail: "/t", Compare: "/x", Status: 404, Title: "T", MIME: "text/html", Digest: "sha1:X",
		Filename: "f", Offset: 5, Length: 6, Original: when, OriginalPath: "/o", Truncated: "length", Location: "http://b.test/", LocationPath: "/l", Robots: "noindex", Headers: [][2]string{{"Server", "<x>"}},
		Came:    Origin{Via: "http://a.test/<via>", ViaPath: "/v", Seed: "http://a.test/", Hops: "LLE", Duration: 12},
		Request: "GET / HTTP/1.1", Record: [][2]string{{"WARC-Type", "response"}}, Near: []Row{{Time: when, Details: "/d"}, {Time: when, Same: true}},
		Links: []LinkOut{{URL: "http://a.test/<b>", Path: "/b", Anchor: "<i>", Kind: "navigation"}, {URL: "http://a.test/c", Path: "/c", Kind: "prerequisite"}}, MoreLinks: 3}
	draw("capture", func(w http.ResponseWriter, r *http.Request) { s.Capture(w, r, capture) })
	draw("capture, broken", func(w http.ResponseWriter, r *http.Request) {
		s.Capture(w, r, Capture{Collection: sum, URL: "http://a.test/", Time: when, Cause: "broken <x>"})
	})
	compare := func(old, new string) func(w http.ResponseWriter, r *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			c := &Comparison{Collection: full, URL: "http://a.test/", Calendar: "/c", Switch: func(l pages.Lang) string { return "/s" + string(l) },
				Old: Side{Time: when, Frame: "/f", Path: "/p", Details: "/d", Status: 200, MIME: "text/html", Size: 5, Title: "<t>", Blocks: strings.FieldsFunc(old, func(r rune) bool { return r == '|' })},
				New: Side{Time: when.AddDate(0, 1, 0), Frame: "/f", Path: "/p", Details: "/d", Status: 200, MIME: "text/html", Size: 5, Blocks: strings.FieldsFunc(new, func(r rune) bool { return r == '|' })}}
			c.Compare()
			s.Comparison(w, r, lang, c)
		}
	}
	draw("compare", compare("a|b|c|d|e|f|the <old> hall|z", "a|b|c|d|e|f|the <new> hall|y|z"))
	draw("compare, the same", compare("a|b", "a|b"))
	draw("compare, no text", compare("", "a|b"))
	for key := range words {
		kind, ok := strings.CutPrefix(key, "problem.")
		if _, explained := words[key+".do"]; !ok || !explained {
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
	for _, lang := range pages.Langs() {
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
				if n.Namespace == "" {
					seen[n.Data]++
				}
				for _, a := range n.Attr {
					if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
						t.Errorf("%s %s: attribute %s", lang, name, a.Key)
					}
					if n.Data == "img" || n.Data == "iframe" {
						continue // what is archived
					}
					if (a.Key == "src" || n.Data == "link" && a.Key == "href" && attr(n, "rel") != "alternate") && !strings.HasPrefix(a.Val, "/-/static/") {
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
	for key, p := range words {
		if strings.TrimSpace(p[0]) == "" || strings.TrimSpace(p[1]) == "" {
			t.Errorf("%s: not in both languages", key)
		}
		one, many, counted := strings.Cut(p[0], "|")
		if n := strings.Count(p[1], "%s"); n != strings.Count(one, "%s") || counted && n != strings.Count(many, "%s") {
			t.Errorf("%s: the languages differ in arguments: %q, %q", key, p[0], p[1])
		}
		whole := strings.Contains(used.String(), strconv.Quote(key))
		group, _, _ := strings.Cut(key, ".")
		if !whole && !strings.Contains(used.String(), strconv.Quote(group+".")) && group != "unit" {
			t.Errorf("%s: used nowhere", key)
		}
		plain := strings.NewReplacer("robots.txt", "", "nofollow", "", "title:", "", "url: host: lang: type: year: status:", "",
			"Accept-Datetime", "", "service worker", "", "example.com/page", "", "TimeMap", "").Replace(p[1])
		if !strings.HasPrefix(key, "language") && regexp.MustCompile(`[a-z]{4,}`).MatchString(plain) {
			t.Errorf("%s: pages.English words in the pages.Persian text: %q", key, p[1])
		}
	}
}

// Whatever error the code may answer with has its words.
func TestKindsOfProblem(t *testing.T) {
	kinds := map[string]bool{}
	fset := token.NewFileSet()
	shown, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	replayed, err := filepath.Glob("../../replay/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(shown, replayed...) {
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
			if !ok || sel.Sel.Name != "problem" && sel.Sel.Name != "answer" {
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
		if words["problem."+kind][0] == "" || words["problem."+kind+".do"][0] == "" {
			t.Errorf("problem %q: say what it is and what to do", kind)
		}
	}
	if len(kinds) < 8 {
		t.Errorf("found only %d kinds of problem in the code", len(kinds))
	}
}

func TestCalendar(t *testing.T) {
	for _, c := range []struct {
		lang  pages.Lang
		month string
		day   int
		week  int // of the month, from 0
		place int // in the week, from 0
		days  int
		year  int
	}{
		{pages.English, "January", 2, 0, 1, 31, 2024}, // a Tuesday; weeks begin on Monday
		{pages.Persian, "دی", 12, 2, 3, 30, 1402},     // weeks begin on Saturday; the first holds a Friday alone
	} {
		cal := NewCalendar(c.lang, Summary{}, "http://a.test/", "/one/")
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
					if d.Count > 0 && (m.Name != c.month || d.Day != c.day || w != c.week || p != c.place || d.Count != 2 || d.Path != "/one/20240102*"+string(c.lang)+"/http://a.test/") {
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

// What is put into a page survives any ASCII-compatible encoding and cannot end its own attribute.
func TestScriptIsSafeMarkup(t *testing.T) {
	s := set(t)
	out := s.Script(&Banner{Lang: pages.Persian, URL: `http://a.test/'"><script>alert(1)</script>&amp;é`, Time: when, Count: 3, Truncated: true, Original: when, Status: 404,
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

// A page of results is small, with all that it loads: it has to come over a phone's network.
func TestSize(t *testing.T) {
	s := set(t)
	for _, lang := range pages.Langs() {
		size := len(everyPage(t, lang)["search"])
		for _, name := range []string{"style.css", "page.js", "icon.svg"} {
			w := httptest.NewRecorder()
			s.ServeStatic(w, httptest.NewRequest("GET", s.Asset(name), nil))
			size += w.Body.Len()
		}
		if size > 60_000 {
			t.Errorf("%s: %d bytes", lang, size)
		}
	}
}
