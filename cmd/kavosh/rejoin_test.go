package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kavosh/archive"
)

// movingSite is a site of pages with entity tags, two of which are answered in a later second than they are asked for.
type movingSite struct {
	mu      sync.Mutex
	version map[string]int
	asked   []string // in their order, without robots.txt
	with    int      // of them, conditional ones
	forbids string   // a path that robots.txt forbids
	stopAt  int      // the request that waits for the crawl to be killed
	stopped chan struct{}
	killed  chan struct{}
}

const movingPages = 12

func (s *movingSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if r.URL.Path == "/robots.txt" {
		fmt.Fprintf(w, "User-agent: *\nDisallow: %s\n", s.forbids)
		s.mu.Unlock()
		return
	}
	s.asked = append(s.asked, r.URL.Path)
	had := r.Header.Get("If-None-Match")
	if had != "" {
		s.with++
	}
	stops, tag := len(s.asked) == s.stopAt, fmt.Sprintf(`"%d"`, s.version[r.URL.Path])
	s.mu.Unlock()
	if stops {
		close(s.stopped)
		<-s.killed
		return
	}
	if (r.URL.Path == "/gate" || r.URL.Path == "/p5") && had == "" {
		for began := time.Now().Truncate(time.Second); time.Now().Truncate(time.Second).Equal(began); {
			<-time.After(5 * time.Millisecond)
		}
	}
	w.Header().Set("ETag", tag)
	if had == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<title>%s</title><main><p>%s</main>", r.URL.Path, strings.Repeat("The words of version "+tag+". ", 20))
	if r.URL.Path == "/" {
		for i := range movingPages {
			fmt.Fprintf(w, "<a href=/p%d>page</a>", i)
		}
		fmt.Fprint(w, "<a href=/gate>gate</a><a href=/last>last</a>")
	}
}

// begin makes the site note requests anew.
func (s *movingSite) begin(stopAt int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.with, s.stopAt, s.stopped, s.killed = nil, 0, stopAt, make(chan struct{}), make(chan struct{})
}

// change makes pages other ones.
func (s *movingSite) change(paths ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range paths {
		s.version[p]++
	}
}

// A crawl that mends how far pages fit together visits those that do not, likely changed ones first, each once by a conditional request, also
// if it is killed; not what is closed or forbidden. Of what has not changed the archive then knows that it was there.
func TestPatchIncoherent(t *testing.T) {
	t.Parallel()
	s := &movingSite{version: map[string]int{}, forbids: "/none"}
	s.begin(0)
	far := httptest.NewServer(s)
	defer far.Close()
	dir := filepath.Join(t.TempDir(), "a")
	way := []string{"--archive", dir, "--delay", "0", "--workers", "1", "--browser", "never", "--connect-to", "::" + far.Listener.Addr().String()}
	const site = "http://h.example"
	command(t, append([]string{"crawl", "--scope", "page", site + "/p8", site + "/p9"}, way...)...)
	s.change("/p8", "/p9") // which are known to change
	command(t, append([]string{"crawl", site + "/"}, way...)...)
	command(t, "access", dir, "add", "takedown", site+"/p3", "--why", "the owner asked")
	s.change("/p5")
	s.forbids = "/p4"
	s.begin(6)

	first := exec.Command("kavosh", append([]string{"crawl", "--patch", "incoherent"}, way...)...)
	var out strings.Builder
	first.Stdout, first.Stderr = &out, &out
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.stopped:
	case <-time.After(60 * time.Second):
		t.Fatal("no page is visited again: ", out.String())
	}
	for began := time.Now(); logged(t, dir) < 5 && time.Since(began) < time.Minute; {
		<-time.After(20 * time.Millisecond)
	}
	if err := first.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	close(s.killed)
	s.mu.Lock()
	begun := slices.Clone(s.asked)
	s.mu.Unlock()
	if slices.Sort(begun[:2]); !slices.Equal(begun[:2], []string{"/p8", "/p9"}) {
		t.Errorf("what changes most does not come first: %v", begun)
	}

	var r archive.Report
	if err := json.Unmarshal([]byte(command(t, "crawl", "--archive", dir, "--resume", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	const apart = movingPages + 2 - 1 // with / and /gate, without /p3
	p := r.Patch
	if r.End != "done" || p == nil || p.Together == nil || p.Of != "incoherent" || p.Robots != 1 || p.Together.Pages != apart || p.Together.Late != 0 || p.Together.After == nil {
		t.Fatalf("%+v", p)
	}
	// Before, half were there at most; after, all but /p4, and /p5 if it was visited again in a later second.
	before, after := p.Together.Before.Then.Least, p.Together.After.Then.Least
	if want := float64(apart-1) / (apart + 1); before > 0.5 || after < want || r.Changes.Changed != 1 || r.Changes.Unchanged != apart-2 {
		t.Errorf("%v → %v, want %v; %+v", before, after, want, r.Changes)
	}
	s.mu.Lock()
	times := map[string]int{}
	for _, path := range s.asked {
		times[path]++
	}
	conditional, all := s.with, len(s.asked)
	s.mu.Unlock()
	for path, n := range times {
		if path == "/p3" || path == "/p4" || path == "/last" || n > 2 {
			t.Errorf("%s was asked for %d times", path, n)
		}
	}
	if len(times) != apart-1 || all > apart || conditional != all {
		t.Errorf("%d requests, %d of them conditional: %v", all, conditional, times)
	}
	command(t, "check", dir)

	s.mu.Lock()
	s.forbids = "/none"
	s.mu.Unlock()
	told := command(t, append([]string{"crawl", "--patch", "incoherent"}, way...)...)
	if !strings.Contains(told, "patch ") || !strings.Contains(told, "before ") || strings.Contains(told, "/p3") {
		t.Error(told)
	}
	if text := command(t, "log", dir, "--crawls"); strings.Count(text, "patch, done") != 2 {
		t.Error(text)
	}
	file := filepath.Join(t.TempDir(), "a.sqlite")
	command(t, "export", "tables", dir, "-o", file)
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	visits := 0
	if err := db.QueryRow("select count(*) from t_crawls").Scan(&visits); err != nil || visits != 2 {
		t.Errorf("%d crawls are numbered, %v", visits, err)
	}
}
