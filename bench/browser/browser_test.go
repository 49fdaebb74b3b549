package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A site of three pages in a row, with a piece that scripts put into them, is served as a static host does.
func TestServedSite(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"index.html":      `<!doctype html><a href="a/">a</a>`,
		"a/index.html":    `<!doctype html><a href="/docs/b">b</a><script src="../x.js"></script>`,
		"b.html":          `<!doctype html>`,
		"c.html":          `<!doctype html>`,
		"404.html":        `<!doctype html>nothing`,
		"navigation.html": `<div>menu</div>`,
		"x.js":            `1`,
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := &site{name: "three", at: "/docs/", start: "index.html"}
	pages, err := s.trim(root, 3)
	if err != nil {
		t.Fatal(err)
	}
	web := &server{site: s, root: root, pages: pages}
	for path, want := range map[string]int{
		"/docs/": 200, "/docs/index.html": 200, "/docs/a": 301, "/docs/a/": 200, "/docs/b": 200, "/docs/b.html": 200, "/docs/c.html": 404,
		"/docs/navigation.html": 200, "/docs/x.js": 200, "/": 404,
	} {
		got := httptest.NewRecorder()
		web.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "http://three.test"+path, nil))
		if got.Code != want {
			t.Errorf("%s: status %d, want %d", path, got.Code, want)
		}
	}
}

// Two requests at once are followed by 410 ms, one by 200 ms.
func TestRest(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	log := []served{{"a", at(10), at(60)}, {"a", at(0), at(100)}, {"b", at(110), at(120)}, {"a", at(510), at(520)}, {"a", at(720), at(730)}}
	if most, least := rest(log, 200*time.Millisecond); most != 2 || least != 200*time.Millisecond {
		t.Errorf("%d requests in a turn, %v of rest; want 2, 200ms", most, least)
	}
}

func TestRecall(t *testing.T) {
	always := &run{Met: map[string]role{"page": link, "elsewhere": link, "nothing": guess, "style": resource, "picture": resource, "random1": resource}}
	again := &run{Met: map[string]role{"page": link, "elsewhere": untried, "style": resource, "picture": resource, "random2": resource}}
	never := &run{Met: map[string]role{"page": link, "elsewhere": untried, "style": guess, "picture": untried}}
	if got := recall(never, always, again); got != (found{links: share{2, 2}, resources: share{1, 2}}) {
		t.Errorf("recall %+v", got)
	}
}
