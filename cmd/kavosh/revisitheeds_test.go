package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// visited counts requests by host and path.
type visited struct {
	mu   sync.Mutex
	more *sync.Cond
	n    map[string]int
}

func newVisited() *visited {
	v := &visited{n: map[string]int{}}
	v.more = sync.NewCond(&v.mu)
	return v
}

// ServeHTTP answers with a page that is another one at each visit.
func (v *visited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	v.mu.Lock()
	v.n[r.Host+r.URL.Path]++
	n := v.n[r.Host+r.URL.Path]
	v.more.Broadcast()
	v.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<title>News</title><main><h1>Treasure of %s</h1><p>%s</main><a href=/x>x</a>", r.Host, strings.Repeat("What was found there. ", n))
}

func (v *visited) count(page string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n[page]
}

// wait waits until a page was asked for n times.
func (v *visited) wait(page string, n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for v.n[page] < n {
		v.more.Wait()
	}
}

// A crawl that goes on heeds what people decide meanwhile: a host that is held is not visited, and is after its release; of a page
// that is taken down nothing is told, though it is visited.
func TestRevisitHeeds(t *testing.T) {
	v := newVisited()
	far := httptest.NewServer(v)
	defer far.Close()
	dir := filepath.Join(t.TempDir(), "a")
	var out, told bytes.Buffer
	ended := make(chan int)
	go func() {
		ended <- run([]string{"crawl", "--browser", "never", "--archive", dir, "--scope", "host", "--delay", "0", "--connect-to", "::" + far.Listener.Addr().String(),
			"--revisit", "round-robin,budget=20,period=1s", "http://a.test/", "http://b.test/"}, program{in: strings.NewReader(""), out: &out, err: &told})
	}()
	v.wait("a.test/x", 2)
	command(t, "control", dir, "host", "hold", "a.test", "--why", "its owner called")
	held := v.count("a.test/x")
	v.wait("b.test/x", v.count("b.test/x")+4)
	if n := v.count("a.test/x"); n > held+1 { // one request may have been on its way
		t.Errorf("while its host is held, a page is visited %d times", n-held)
	}
	if why := command(t, "why", dir, "http://a.test/x"); !strings.Contains(why, "its owner called") && !strings.Contains(why, "not among the") && !strings.Contains(why, "; due at ") {
		t.Errorf("why it is not visited: %s", why)
	}
	command(t, "control", dir, "host", "release", "a.test")
	v.wait("a.test/x", held+3)

	command(t, "access", dir, "add", "takedown", "http://b.test/x", "--why", "its owner asked")
	v.wait("b.test/x", v.count("b.test/x")+2)
	if text := command(t, "change", dir); strings.Contains(text, "b.test/x") || !strings.Contains(text, "a.test/x") {
		t.Errorf("what changed: %s", text)
	}
	command(t, "control", dir, "stop")
	if status := <-ended; status != 0 && status != exitInterrupted {
		t.Fatalf("status %d: %s", status, told.String())
	}
	command(t, "check", dir)
}
