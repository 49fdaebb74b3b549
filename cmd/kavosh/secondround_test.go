package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kavosh/archive"
)

// A crawl that visits its pages twice is killed in its second round, goes on, and tells which pages fit together.
func TestSecondRound(t *testing.T) {
	t.Parallel()
	const pages = 30
	var mu sync.Mutex
	asked, conditional := map[string]int{}, 0
	killed, blocked := make(chan struct{}), make(chan struct{})
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		asked[r.URL.Path]++
		visit := asked[r.URL.Path]
		had := r.Header.Get("If-None-Match")
		if had != "" {
			conditional++
		}
		stops := had != "" && conditional == 10
		mu.Unlock()
		if stops {
			close(blocked)
			<-killed
			return
		}
		tag := `"1"`
		switch {
		case r.URL.Path == "/p7" && visit > 1:
			http.NotFound(w, r)
			return
		case r.URL.Path == "/p5" && visit > 1:
			tag = `"2"`
		}
		w.Header().Set("ETag", tag)
		if had == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><main><p>%s</main>", r.URL.Path, strings.Repeat("The words of version "+tag+" of this page. ", 20))
		for i := 1; i < pages && r.URL.Path == "/"; i++ {
			fmt.Fprintf(w, "<a href=/p%d>%d</a>", i, i)
		}
	}))
	defer far.Close()
	_, port, _ := net.SplitHostPort(far.Listener.Addr().String())
	dir, seed := filepath.Join(t.TempDir(), "a"), "http://127.0.0.1:"+port+"/"
	first := exec.Command("kavosh", "crawl", "--browser", "never", "--archive", dir, "--delay", "0", "--allow-private", "127.0.0.0/8", "--revisit", "once", seed)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-blocked:
	case <-time.After(60 * time.Second):
		t.Fatal("no page was visited twice")
	}
	if err := first.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	close(killed)
	var r archive.Report
	if err := json.Unmarshal([]byte(command(t, "crawl", "--archive", dir, "--resume", "--json", "--allow-private", "127.0.0.0/8")), &r); err != nil {
		t.Fatal(err)
	}
	if c := r.Coherence; r.End != "done" || c == nil || c.Coherent != pages-2 || c.Unchanged != pages-2 || c.Incoherent != 0 || c.Unknown != 2 || c.Checked == 0 || c.Lied != 0 {
		t.Errorf("%+v, %+v", r, c)
	}
	for i := 1; i < pages; i++ {
		if n := asked[fmt.Sprintf("/p%d", i)]; n < 2 || n > 4 { // the kill may lose one visit, and a 304 may be checked
			t.Errorf("/p%d was asked for %d times", i, n)
		}
	}
	for _, is := range []struct {
		args []string
		want string
	}{
		{[]string{"change", dir, "--coherence"}, fmt.Sprintf("28 coherent, 0 incoherent, 2 unknown: 93.3 %% to 100.0 %% of %d pages", pages)},
		{[]string{"change", dir, "--coherence"}, "by asking for the whole page; 0 not true"},
		{[]string{"change", dir, "--coherence", seed + "p5"}, "until nobody knows when (changed, nobody says when, none)"},
		{[]string{"change", dir, "--coherence", seed + "p9"}, "coherent at 20"},
		{[]string{"change", dir, "--coherence", "--json", seed + "p9"}, `"until_trust":"`},
		{[]string{"change", dir}, "1 changed"},
		{[]string{"why", dir, seed + "p9"}, "why then  second visit: as it was with "},
		{[]string{"check", dir}, ""},
	} {
		if text := command(t, is.args...); !strings.Contains(text, is.want) {
			t.Errorf("kavosh %v: %s\nwant %q", is.args, text, is.want)
		}
	}
	var out, told bytes.Buffer
	for _, wrong := range [][]string{{"--revisit", "once,budget=3"}, {"--revisit", "once", "--revisit-rule", "least=1h"}} {
		if status := run(append([]string{"crawl", "--archive", dir, seed}, wrong...), program{in: strings.NewReader(""), out: &out, err: &told}); status != exitUsage {
			t.Errorf("%v: status %d", wrong, status)
		}
	}
}
