//go:build conformance && suites

package browser

import (
	"bytes"
	"context"
	"mime"
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

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"kavosh"
	"kavosh/fetch/behaviours"
	"kavosh/internal/chromium"
	"kavosh/internal/clock"
)

// packages is the folder in which tools/conformance-tools.sh unpacks npm packages.
func packages(t *testing.T) string {
	dir := os.Getenv("KAVOSH_APPLICATIONS")
	if _, err := os.Stat(filepath.Join(dir, "swiper")); dir == "" || err != nil {
		t.Fatal("the libraries are not there: make conformance-tools, with KAVOSH_APPLICATIONS=.cache/applications")
	}
	return dir
}

// shelf answers for pages of testdata/applications and the packages that they use, and notes what else is asked for.
type shelf struct {
	dir string

	mu struct {
		sync.Mutex
		asked []string
	}
}

func (s *shelf) ask(_ context.Context, r *Request, answer func(*kavosh.Exchange)) {
	u, _ := url.Parse(r.URL)
	file := filepath.Join(s.dir, filepath.FromSlash(strings.TrimPrefix(u.Path, "/npm/")))
	kind, text := mime.TypeByExtension(filepath.Ext(u.Path)), []byte("<p>x")
	switch {
	case strings.HasPrefix(u.Path, "/npm/"):
		text, _ = os.ReadFile(file)
	case strings.HasPrefix(u.Path, "/page/"):
		kind, text = "text/html", []byte(`<article class=post style="height: 1500px"><a href=/of`+u.Path+`>x</a></article>`)
	case strings.HasSuffix(u.Path, ".html"):
		text, _ = os.ReadFile("testdata/applications" + u.Path)
	default:
		if filepath.Ext(u.Path) == ".png" {
			kind, text = "image/svg+xml", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"/>`)
		}
		s.mu.Lock()
		s.mu.asked = append(s.mu.asked, strings.TrimPrefix(r.Ask.Method+" ", "GET ")+u.RequestURI())
		s.mu.Unlock()
	}
	answer(&kavosh.Exchange{Status: 200, Header: kavosh.Header{{Name: "Content-Type", Value: kind}}, Payload: body{bytes.NewReader(text)}})
}

// shown returns what was asked for and what the documents link to.
func (s *shelf) shown(documents ...string) map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]bool{}
	for _, a := range s.mu.asked {
		all[a] = true
	}
	for _, d := range documents {
		for _, m := range links.FindAllStringSubmatch(d, -1) {
			all[m[1]] = true
		}
	}
	return all
}

// links matches the links of a page to others.
var links = regexp.MustCompile(`<a\b[^>]* href="(/[^"]+)"`)

// person matches the clicks that a page says a person makes.
var person = regexp.MustCompile(`<!-- person (.*?) -->`)

// byHand loads a page, makes a person's clicks, and returns what these bring.
func byHand(t *testing.T, b *chromium.Browser, dir, name string, clicks []string) []string {
	s := &shelf{dir: dir}
	p, err := newProxy(t.Context(), clock.Real{}, nil, s.ask)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	tab, cancel, err := b.Tab(p.address())
	if err != nil {
		t.Fatal(err)
	}
	defer cancel()
	if _, err := chromedp.Call(tab, page.Navigate, page.NavigateParams{URL: "http://page.test/" + name}); err != nil {
		t.Fatal(err)
	}
	document := func(script string) string {
		text, err := chromedp.Run(tab, chromedp.Evaluate[string](script+`; document.documentElement.outerHTML`))
		if err != nil {
			t.Fatalf("%s: %s: %v", name, script, err)
		}
		<-time.After(300 * time.Millisecond) // for what the click begins
		for p.quiet() < 200*time.Millisecond {
			<-time.After(50 * time.Millisecond)
		}
		return text
	}
	<-time.After(2 * time.Second) // for the scripts of the page to set it up
	before, documents := s.shown(document("0")), []string{}
	for _, c := range clicks {
		selector, times, _ := strings.Cut(c, "*")
		n, _ := strconv.Atoi(times)
		for range max(n, 1) {
			script := "{ const e = document.querySelector(" + strconv.Quote(selector) + "); if (e?.offsetWidth) e.click() }"
			if c == "scroll" {
				script = "scrollTo(0, document.body.scrollHeight)"
			}
			document(script)
			documents = append(documents, document("0"))
		}
	}
	var brought []string
	for what := range s.shown(documents...) {
		if !before[what] {
			brought = append(brought, what)
		}
	}
	slices.Sort(brought)
	return brought
}

// In pages made with widely used libraries, behaviours find what a person's clicks bring, and accept no cookies.
func TestApplications(t *testing.T) {
	dir := packages(t)
	hand, err := chromium.Start(t.Context(), chromium.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer hand.Close()
	b, err := New(Options{Behaviours: behaviours.NewSet(behaviours.BuiltIn())})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	files, _ := filepath.Glob("testdata/applications/*.html")
	wanted, found := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		want := byHand(t, hand, dir, name, strings.Fields(string(person.FindSubmatch(text)[1])))
		if len(want) == 0 {
			t.Errorf("%s: a person's clicks bring nothing", name)
		}
		s := &shelf{dir: dir}
		loaded, err := b.Load(t.Context(), "http://page.test/"+name, 0, s.ask)
		if err != nil {
			t.Fatal(err)
		}
		shown := s.shown(loaded.HTML)
		for _, seen := range loaded.Seen {
			shown[strings.TrimPrefix(seen.URL, "http://page.test")] = true
		}
		lacking := slices.DeleteFunc(slices.Clone(want), func(what string) bool { return shown[what] })
		wanted, found = wanted+len(want), found+len(want)-len(lacking)
		t.Logf("%s: %d of %d; lacking %q; %q", name, len(want)-len(lacking), len(want), lacking, loaded.Notes)
		for what := range shown {
			if strings.HasPrefix(what, "POST") || strings.HasPrefix(what, "/consent/true") || strings.HasPrefix(what, "/consent/necessary-ads") {
				t.Errorf("%s: %s", name, what)
			}
		}
	}
	if t.Logf("recall %d of %d", found, wanted); float64(found) < 0.95*float64(wanted) {
		t.Errorf("%d of %d addresses are found that a person's clicks bring", found, wanted)
	}
}
