package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kavosh/archive"
)

// A crawl that goes on follows a page that changes, says why, and goes on after --resume with what it learned.
func TestRevisit(t *testing.T) {
	var news, conditional atomic.Int64
	fourth := make(chan struct{})
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		version := int64(0)
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
			return
		case "/news":
			if version = news.Add(1); version == 4 {
				close(fourth)
			}
		}
		tag := fmt.Sprintf(`"%d"`, version)
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") != "" {
			conditional.Add(1)
		}
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><main><h1>Version %d</h1><p>What came in the hour before number %d of this page.</main><a href=/news>news</a> <a href=/old>old</a>", r.URL.Path, version, version)
	}))
	defer far.Close()
	_, port, _ := net.SplitHostPort(far.Listener.Addr().String())
	dir, seed := filepath.Join(t.TempDir(), "a"), "http://127.0.0.1:"+port+"/"
	var out, told bytes.Buffer
	ended := make(chan int)
	go func() {
		ended <- run([]string{"crawl", "--browser", "never", "--json", "--archive", dir, "--delay", "0", "--allow-private", "127.0.0.0/8", "--revisit", "gain,budget=4,period=1s", "--max-time", "8s", seed},
			program{in: strings.NewReader(""), out: &out, err: &told})
	}()
	select {
	case <-fourth:
	case <-time.After(30 * time.Second):
		t.Fatal("the page was not visited again")
	}
	if why := command(t, "why", dir, seed+"old"); !strings.Contains(why, "visited again by gain,budget=4,period=1s: ") || !strings.Contains(why, "visits, 0 of them found a change") {
		t.Errorf("why: %s", why)
	}
	if status := <-ended; status != 0 {
		t.Fatalf("status %d: %s", status, told.String())
	}
	var r archive.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if s := r.Schedule; s.Pages != 3 || s.Visits < 6 || s.Changed < 3 || s.Changed >= s.Visits || conditional.Load() < s.Visits || r.End != "time" {
		t.Errorf("%+v, and %d conditional requests: %+v", s, conditional.Load(), r)
	}
	if !strings.Contains(told.String(), "rounds of 1s with 4 visits each") {
		t.Errorf("it began with %s", told.String())
	}
	if why := command(t, "why", dir, seed+"old"); !strings.Contains(why, "when --resume goes on, visited again by gain,budget=4,period=1s: ") || !strings.Contains(why, "; due at ") && !strings.Contains(why, "weighed again for the next") && !strings.Contains(why, "; it is asked for in this round") {
		t.Errorf("why after it: %s", why)
	}
	before := news.Load()
	text := command(t, "crawl", "--archive", dir, "--resume", "--max-time", "2s", "--allow-private", "127.0.0.0/8", "--revisit", "round-robin,budget=3,period=1s")
	if !strings.Contains(text, "visits by round-robin,budget=3,period=1s in ") || news.Load() == before {
		t.Errorf("after going on: %s", text)
	}
	if text := command(t, "change", dir); !strings.Contains(text, " until 20") || !strings.Contains(text, "0 new, 1 changed, ") || !strings.Contains(text, seed+"news") {
		t.Errorf("what the crawl found since its first round: %s", text)
	}
	command(t, "check", dir)
	var wrong bytes.Buffer
	if status := run([]string{"crawl", "--archive", dir, "--revisit", "gian", seed}, program{in: strings.NewReader(""), out: &out, err: &wrong}); status != exitUsage || !strings.Contains(wrong.String(), "did you mean gain?") {
		t.Errorf("a schedule that is not there: status %d, %s", status, wrong.String())
	}
}
