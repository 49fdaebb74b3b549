package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/quality"
)

// brokenSite is a web of several hosts whose pages have parts that it does not answer for at first.
type brokenSite struct {
	pages, hosts int

	mu      sync.Mutex
	mended  bool
	asked   map[string]int // requests since it is mended, by URL
	stopAt  int            // the request since then from which on all wait for the crawl to be killed
	total   int            // requests since then
	stopped chan struct{}  // closed when that request has come
	killed  chan struct{}  // closed when the crawl is
}

// Each page lacks so many pictures at first, and a style, a script and a frame, of which the style needs a picture and a font, and the
// frame a picture.
const (
	lostPictures = 18
	lostParts    = lostPictures + 6
)

func (s *brokenSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, number, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "-")
	n, _ := strconv.Atoi(number)
	page := kind == "page" || kind == ""
	if s.stops(r) {
		<-s.killed
	}
	s.mu.Lock()
	mended := s.mended
	s.mu.Unlock()
	if kind == "robots.txt" || !mended && !page && kind != "held" {
		http.NotFound(w, r)
		return
	}
	switch kind {
	case "":
		w.Header().Set("Content-Type", "text/html")
		for i := range s.pages {
			fmt.Fprintf(w, "<a href=//h%d.example/page-%d>page</a>", i%s.hosts, i)
		}
	case "page":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%d</title><img src=held-1.png><link rel=stylesheet href=style-%d><script src=script-%d></script><iframe src=frame-%d></iframe>", n, n, n, n)
		for i := range lostPictures {
			fmt.Fprintf(w, "<img src=picture-%d-%d>", n, i)
		}
	case "style":
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprintf(w, "body { background: url(back-%d) } p { background: url(held-1.png) } @font-face { src: url(font-%d.woff2), url(font-%d.woff) }", n, n, n)
	case "frame":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>frame</title><img src=inner-%d><img src=held-1.png><a href=link-%d>on</a>", n, n)
	case "script":
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, "var n = %d", n)
	default:
		w.Header().Set("Content-Type", "image/png")
		fmt.Fprintf(w, "%s %s", r.Host, r.URL.Path)
	}
}

// mend makes the site answer for all its parts from now on, up to request stopAt, which waits for the crawl to be killed.
func (s *brokenSite) mend(stopAt int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mended, s.stopAt = true, stopAt
}

// requests returns how many requests came since the site is mended, in all and by URL.
func (s *brokenSite) requests() (int, map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total, maps.Clone(s.asked)
}

// stops counts a request since the site is mended, and reports whether it has to wait for the crawl to be killed.
func (s *brokenSite) stops(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.mended {
		return false
	}
	s.asked[r.Host+r.URL.Path]++
	if s.total++; s.total == s.stopAt {
		close(s.stopped)
	}
	return s.total >= s.stopAt
}

// logged returns how many answers the log of the newest crawl tells of, robots.txt too.
func logged(t *testing.T, dir string) (n int) {
	t.Helper()
	crawls, err := archive.Crawls(vfs.Default, dir)
	if err != nil {
		t.Fatal(err)
	}
	for l, err := range archive.ReadLog(vfs.Default, dir, crawls[len(crawls)-1].ID) {
		if err == nil && l.Outcome == archive.Recorded {
			n++
		}
	}
	return n
}

// An archive whose pages lack a thousand parts is made whole by as many requests, and robots.txt, also if the crawl is killed.
func TestPatch(t *testing.T) {
	t.Parallel()
	const most = 16 // requests in flight
	s := &brokenSite{pages: 42, hosts: 4, asked: map[string]int{}, stopped: make(chan struct{}), killed: make(chan struct{})}
	far := httptest.NewServer(s)
	defer far.Close()
	dir := filepath.Join(t.TempDir(), "a")
	way := []string{"--archive", dir, "--delay", "0", "--connect-to", "::" + far.Listener.Addr().String()}
	command(t, append([]string{"crawl", "--browser", "never", "--scope", "any", "http://h0.example/"}, way...)...)
	command(t, "access", dir, "add", "takedown", "http://h1.example/picture-1-3", "--why", "the owner asked")
	removed := s.pages * lostParts
	s.mend(removed / 2)

	first := exec.Command("kavosh", append([]string{"crawl", "--patch"}, way...)...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.stopped:
	case <-time.After(60 * time.Second):
		t.Fatal("the parts are not asked for")
	}
	for began := time.Now(); logged(t, dir) < removed/2-most && time.Since(began) < time.Minute; { // what came is made durable once a second
		<-time.After(20 * time.Millisecond)
	}
	if err := first.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	close(s.killed)

	var r archive.Report
	if err := json.Unmarshal([]byte(command(t, "crawl", "--archive", dir, "--resume", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	if p := r.Patch; r.End != "done" || p == nil || p.Of != "missing" || p.Closed != 1 || p.Robots != 0 || p.LeftOut != 0 || p.Before.Whole != 1 || p.After == nil || p.After.Pages != p.Before.Pages || p.After.Lacking != 1 || p.After.Unread != 0 {
		t.Errorf("%+v", r.Patch)
	}
	if q := r.Quality; q.Pages != 0 || q.Parts < int64(removed-1) || q.Missing != 0 || q.NotAsked == 0 {
		t.Errorf("the report counts %+v", q)
	}
	got, twice := 0, 0
	total, asked := s.requests()
	for url, n := range asked {
		if strings.Contains(url, "robots.txt") {
			continue
		}
		got++
		if twice += n - 1; n > 2 || strings.Contains(url, "page-") || strings.Contains(url, "held-") || strings.Contains(url, "link-") || strings.Contains(url, ".woff") && !strings.Contains(url, ".woff2") {
			t.Errorf("%s was asked for %d times", url, n)
		}
	}
	if got != removed-1 || twice > most || asked["h1.example/picture-1-3"] > 0 {
		t.Errorf("%d parts were asked for, %d of them twice, of %d that lack", got, twice, removed-1)
	}
	if requests := float64(total) / float64(removed-1); requests > 1.05 {
		t.Errorf("%.3f requests a part", requests)
	}
	command(t, "check", dir)

	told := command(t, append([]string{"crawl", "--patch"}, way...)...)
	if again, _ := s.requests(); again != total || !strings.Contains(told, "recorded   0 of 0 URLs") {
		t.Errorf("a second patch made %d requests:\n%s", again-total, told)
	}
	var q quality.Summary
	if err := json.Unmarshal([]byte(command(t, "quality", dir, "--json")), &q); err != nil {
		t.Fatal(err)
	}
	if q.Lacking != 1 || q.Missing[0].State != quality.Closed {
		t.Errorf("after the patch: %+v", q)
	}
}

// A patch gives what pages lack to the crawl that runs on their archive, and that asks for it also if it is killed at once.
func TestPatchJoins(t *testing.T) {
	s := &brokenSite{pages: 3, hosts: 2, asked: map[string]int{}, stopped: make(chan struct{}), killed: make(chan struct{})}
	far := httptest.NewServer(s)
	defer far.Close()
	dir := filepath.Join(t.TempDir(), "a")
	way := []string{"--archive", dir, "--delay", "0", "--connect-to", "::" + far.Listener.Addr().String()}
	command(t, append([]string{"crawl", "--browser", "never", "--scope", "any", "http://h0.example/"}, way...)...)
	command(t, "access", dir, "add", "takedown", "http://h1.example/picture-1-3", "--why", "the owner asked")
	s.mend(1)
	runs := exec.Command("kavosh", append([]string{"crawl", "--browser", "never", "--scope", "page", "http://h9.example/held-9.png"}, way...)...)
	if err := runs.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.stopped:
	case <-time.After(60 * time.Second):
		t.Fatal("no crawl runs")
	}
	removed := s.pages * (lostParts - 3) // the rest is what these need
	if told := command(t, append([]string{"crawl", "--patch"}, way...)...); !strings.Contains(told, fmt.Sprintf("asks for %d parts", removed-1)) {
		t.Error(told)
	}
	if err := runs.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = runs.Wait()
	close(s.killed)
	command(t, "crawl", "--archive", dir, "--resume")
	if _, asked := s.requests(); asked["h1.example/picture-1-3"] > 0 {
		t.Error("what a rule of access closes was asked for")
	}
	var q quality.Summary
	if err := json.Unmarshal([]byte(command(t, "quality", dir, "--json")), &q); err != nil {
		t.Fatal(err)
	}
	if q.Lacking != 1 || q.Missing[0].State != quality.Closed {
		t.Errorf("after the crawl: %+v", q)
	}
	command(t, "check", dir)
}
