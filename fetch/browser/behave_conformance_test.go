//go:build conformance

package browser

import (
	"bytes"
	"context"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kavosh"
	"kavosh/fetch/behaviours"
)

// body is an answer's.
type body struct{ *bytes.Reader }

func (b body) Bytes() []byte { return nil }

// fixtures answers for pages of testdata/behaviours, and for all else that these ask for, and logs it.
type fixtures struct {
	mu struct {
		sync.Mutex
		asked map[string][]string // by page: method, if it is not GET, and path with query
	}
}

// ask is an Asker for one page.
func (f *fixtures) ask(page string) Asker {
	return func(_ context.Context, r *Request, answer func(*kavosh.Exchange)) {
		u, _ := url.Parse(r.URL)
		what := strings.TrimPrefix(r.Ask.Method+" ", "GET ") + u.RequestURI()
		f.mu.Lock()
		f.mu.asked[page] = append(f.mu.asked[page], what)
		f.mu.Unlock()
		kind, text := "text/html; charset=utf-8", []byte("<p>x")
		switch ext := filepath.Ext(u.Path); {
		case u.Path == "/"+page:
			text, _ = os.ReadFile(filepath.Join("testdata/behaviours", page))
		case strings.HasPrefix(u.Path, "/feed/"):
			kind, text = "application/json", []byte("[]")
			if n := strings.TrimPrefix(u.Path, "/feed/"); n != "" {
				text = []byte(`["/item/` + n + `-0", "/item/` + n + `-1", "/item/` + n + `-2"]`)
			}
		case ext == ".png":
			kind, text = "image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"/>`)
		case ext == ".json":
			kind, text = "application/json", []byte("{}")
		}
		answer(&kavosh.Exchange{Status: 200, Header: kavosh.Header{{Name: "Content-Type", Value: kind}}, Payload: body{bytes.NewReader(text)}})
	}
}

// lists matches what a fixture says of itself.
var lists = regexp.MustCompile(`<!-- (want|never|most) (.*?) -->`)

// hrefs matches addresses in a document, as Chromium writes it.
var hrefs = regexp.MustCompile(`(?:href|src)="([^"]+)"`)

// A page with behaviours shows what a person's clicks would bring, and nothing is done that must not be.
func TestBehaviours(t *testing.T) {
	b, err := New(Options{Behaviours: behaviours.NewSet(behaviours.BuiltIn())})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	files, _ := filepath.Glob("testdata/behaviours/*.html")
	var sums struct {
		sync.Mutex
		wanted, found int
	}
	f := new(fixtures)
	f.mu.asked = map[string][]string{}
	var all sync.WaitGroup
	for _, file := range files {
		page := filepath.Base(file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			loaded, err := b.Load(t.Context(), "http://page.test/"+page, 0, f.ask(page))
			if err != nil {
				t.Errorf("%s: %v", page, err)
				return
			}
			f.mu.Lock()
			asked := slices.Clone(f.mu.asked[page])
			f.mu.Unlock()
			shown := map[string]bool{}
			for _, a := range asked {
				shown[a] = true
			}
			for _, m := range hrefs.FindAllStringSubmatch(loaded.HTML, -1) {
				shown[m[1]] = true
			}
			for _, s := range loaded.Seen {
				shown[strings.TrimPrefix(s.URL, "http://page.test")] = true
			}
			sums.Lock()
			defer sums.Unlock()
			for _, m := range lists.FindAllSubmatch(text, -1) {
				paths := strings.Fields(string(m[2]))
				switch string(m[1]) {
				case "want":
					for _, p := range paths {
						if sums.wanted++; shown[p] {
							sums.found++
						} else {
							t.Errorf("%s: %s is not shown; %q", page, p, loaded.Notes)
						}
					}
				case "never":
					for _, p := range paths {
						if slices.Contains(asked, p) || slices.Contains(asked, "POST "+p) {
							t.Errorf("%s: %s was asked for", page, p)
						}
					}
				case "most":
					if n, _ := strconv.Atoi(paths[0]); len(asked) > n {
						t.Errorf("%s: %d requests", page, len(asked))
					}
				}
			}
			for _, a := range asked {
				if strings.Contains(a, " ") || strings.HasPrefix(a, "/get-form") {
					t.Errorf("%s: %s was asked for", page, a)
				}
			}
			t.Logf("%s: %d requests, %d seen, %v, %q", page, len(asked), len(loaded.Seen), slices.Sorted(maps.Keys(loaded.Acts)), loaded.Notes)
		})
	}
	all.Wait()
	t.Logf("recall %d of %d", sums.found, sums.wanted)
	if float64(sums.found) < 0.95*float64(sums.wanted) {
		t.Errorf("%d of %d addresses are shown that a person's clicks bring", sums.found, sums.wanted)
	}
}

// member is logged in everywhere.
type member struct{}

func (member) Login(string) ([]kavosh.Cookie, []kavosh.Stored) {
	return []kavosh.Cookie{{Name: "session", Value: "1", Domain: "page.test", Path: "/", HostOnly: true}}, nil
}

func (member) Store(string, []kavosh.Stored) {}

// TestLoggedIn wants nothing clicked that bears no sign where somebody is logged in, and all else as ever.
func TestLoggedIn(t *testing.T) {
	b := open(t, Options{Behaviours: behaviours.NewSet(behaviours.BuiltIn()), Logins: member{}})
	f := new(fixtures)
	f.mu.asked = map[string][]string{}
	for _, page := range []string{"hands.html", "unfold.html"} {
		if _, err := b.Load(t.Context(), "http://page.test/"+page, 0, f.ask(page)); err != nil {
			t.Fatal(err)
		}
	}
	if asked := f.mu.asked["hands.html"]; len(asked) != 1 && !slices.Equal(asked[1:], []string{"/favicon.ico"}) {
		t.Errorf("hands.html asks for %q", asked)
	}
	if asked := f.mu.asked["unfold.html"]; !slices.Contains(asked, "/details.json") {
		t.Errorf("unfold.html asks for %q", asked)
	}
}

// TestNothingToDo wants behaviours to cost little on a page where nothing is to be done, or only to scroll, and to ask for nothing
// there.
func TestNothingToDo(t *testing.T) {
	without, with := open(t, Options{}), open(t, Options{Behaviours: behaviours.NewSet(behaviours.BuiltIn())})
	line := "<p>Some words, and <a href=/there>a link</a> in each line. <img src=/one.png></p>"
	loads := 5
	if testing.Short() {
		loads = 2
	}
	for _, lines := range []int{5, 300} {
		page := "<!doctype html><title>static</title><link rel=icon href=data:,><h1>static</h1>" + strings.Repeat(line, lines)
		var took [2]time.Duration
		var asked [2]int
		for i := range 2 * (loads + 1) {
			b := []*Browser{without, with}[i%2]
			w := &web{pages: map[string]string{"http://a.test/": page}}
			began := time.Now()
			if _, err := b.Load(t.Context(), "http://a.test/", 0, w.ask); err != nil {
				t.Fatal(err)
			}
			if i >= 2 { // the first starts the browser
				took[i%2] += time.Since(began)
				slices.Sort(w.mu.asked) // Chromium may ask twice for a picture that failed
				asked[i%2] += len(slices.Compact(w.mu.asked))
			}
		}
		t.Logf("a page of %d lines: %v and %d requests without behaviours, %v and %d with", lines, took[0]/time.Duration(loads), asked[0]/loads, took[1]/time.Duration(loads), asked[1]/loads)
		if asked[0] != asked[1] {
			t.Errorf("%d requests without behaviours, %d with", asked[0], asked[1])
		}
		if more := (took[1] - took[0]) / time.Duration(loads); more > 10*time.Second {
			t.Errorf("behaviours take %v", more)
		}
	}
}
