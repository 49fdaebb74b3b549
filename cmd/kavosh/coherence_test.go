package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestCoherenceIsTheTruth crawls a site that changes by a known script, during the crawl and after it, crawls it again, and
// wants that what is told of each page is what happened.
func TestCoherenceIsTheTruth(t *testing.T) {
	var mu sync.Mutex
	news, changed, counter := map[string]string{}, map[string]time.Time{}, 0
	gone := false
	change := func(page string) {
		mu.Lock()
		defer mu.Unlock()
		news[page], changed[page] = "news of "+page, time.Now()
	}
	begun := time.Now().Add(-time.Hour)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := strings.TrimPrefix(r.URL.Path, "/")
		if page == "last" { // all pages have been visited, but this one and the next
			mu.Lock()
			again := changed["during"] != time.Time{}
			mu.Unlock()
			if !again {
				time.Sleep(1100 * time.Millisecond)
				change("during")
				change("dated-during")
				time.Sleep(1100 * time.Millisecond)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		at := changed[page]
		if at.IsZero() {
			at = begun
		}
		w.Header().Set("Content-Type", "text/html")
		head, foot := "", ""
		switch page {
		case "", "last", "later", "same", "undated", "counter":
		case "gone":
			if gone {
				http.NotFound(w, r)
				return
			}
		case "dated-during":
			head = fmt.Sprintf("<meta property=article:modified_time content=%s>", at.UTC().Format(time.RFC3339))
		case "asked":
			if w.Header().Set("ETag", `"1"`); r.Header.Get("If-None-Match") == `"1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		case "lies": // it was changed long ago, it says
			w.Header().Set("Last-Modified", begun.UTC().Format(http.TimeFormat))
		case "during", "after":
			w.Header().Set("Last-Modified", at.UTC().Format(http.TimeFormat))
		default:
			http.NotFound(w, r)
			return
		}
		if page == "counter" {
			counter++
			foot = fmt.Sprintf("<footer><p>%d readers online</p></footer>", counter)
		}
		links := ""
		if page == "" {
			for _, to := range []string{"same", "undated", "counter", "gone", "asked", "lies", "during", "dated-during", "after", "last", "later"} {
				links += fmt.Sprintf("<a href=/%s>%[1]s</a> ", to)
			}
		}
		fmt.Fprintf(w, "<!doctype html><head>%s</head><main><h1>%s</h1><p>The page called %[2]s, of which nothing more is told here: %s</p>%s</main>%s", head, page, news[page], links, foot)
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "a")
	crawl := func() {
		command(t, "crawl", "--archive", dir, "--browser", "never", "--delay", "0", "--workers", "1", "--allow-private", "127.0.0.0/8", "--allow-private", "::1/128", server.URL+"/")
	}
	crawl()
	time.Sleep(1100 * time.Millisecond)
	for _, page := range []string{"after", "undated", "lies"} {
		change(page)
	}
	gone = true
	time.Sleep(3200 * time.Millisecond) // a date within two seconds of the answer is not believed
	crawl()

	var got struct {
		Coherent, Incoherent, Unknown int64
		Why                           map[string]int64
		Pages                         []struct{ URL, State string }
	}
	if err := json.Unmarshal([]byte(command(t, "change", dir, "--coherence", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, p := range got.Pages {
		states[strings.TrimPrefix(p.URL, server.URL+"/")] = p.State
	}
	for page, want := range map[string]string{
		"": "", "last": "", "later": "", "same": "", "counter": "", "asked": "", "after": "", // the truth: they could be seen together
		"during": "incoherent", "dated-during": "incoherent", // they had changed
		"undated": "unknown", "lies": "unknown", "gone": "unknown", // they changed, and nothing plausible says when
	} {
		if states[page] != want {
			t.Errorf("/%s: %q, want %q", page, states[page], want)
		}
	}
	if got.Coherent != 7 || got.Incoherent != 2 || got.Unknown != 3 {
		t.Errorf("%+v", got)
	}
	for why, n := range map[string]int64{
		"coherent not-modified": 1, "coherent insignificant": 1, "coherent http-date": 1, "incoherent http-date": 1, "incoherent content-date": 1,
		"unknown undated": 2, "unknown gone": 1, "coherent digest": 4,
	} {
		if got.Why[why] != n {
			t.Errorf("%s: %d, want %d (%v)", why, got.Why[why], n, got.Why)
		}
	}
	text := command(t, "change", dir, "--coherence")
	for _, want := range []string{"7 coherent, 2 incoherent, 3 unknown: 58.3 % to 83.3 % of 12 pages", "incoherent: 1 changed, when its Last-Modified says; 1 changed, when a date in the page says"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not told:\n%s", want, text)
		}
	}
	command(t, "access", dir, "add", "takedown", server.URL+"/during")
	if text := command(t, "change", dir, "--coherence"); strings.Contains(text, "/during") || !strings.Contains(text, "1 incoherent") {
		t.Errorf("what is closed is told:\n%s", text)
	}
}
