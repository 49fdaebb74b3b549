package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMain lets the test's program be the server and the ceiling, as the program itself is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "serve" || os.Args[1] == "ceiling") {
		main()
		return
	}
	os.Exit(m.Run())
}

var hrefs = regexp.MustCompile(`href="([^"]+)"`)

// TestSynthetic holds the made-up site to what the comparison says of it: pages of one size with 50 links, all
// reachable from the first, the same ones at each run.
func TestSynthetic(t *testing.T) {
	const n = 200
	origin := func(h int) string { return "http://" + hostAddress(h) + ":8000" }
	for _, easy := range []bool{false, true} {
		s, again := synthetic(n, easy, 7, origin), synthetic(n, easy, 7, origin)
		index := map[string]int{}
		for i, p := range s.pages {
			index[origin(p.host)+p.path] = i
			if string(p.answer) != string(again.pages[i].answer) {
				t.Fatalf("page %d differs at the second run", i)
			}
			if size := len(p.answer) - p.head; size < 19_000 || size > 23_000 {
				t.Errorf("page %d has %d bytes", i, size)
			}
			if a, b := tokenized(p.answer[p.head:]), scanned(p.answer[p.head:]); a != linksAPage || b != linksAPage {
				t.Errorf("page %d has %d links by the tokenizer and %d by the scan", i, a, b)
			}
		}
		seen, queue := map[int]bool{0: true}, []int{0}
		for len(queue) > 0 {
			p := s.pages[queue[0]]
			queue = queue[1:]
			base, err := url.Parse(origin(p.host) + p.path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range hrefs.FindAllStringSubmatch(string(p.answer), -1) {
				to, err := base.Parse(m[1])
				if err != nil {
					t.Fatal(err)
				}
				i, ok := index[to.String()]
				if !ok {
					t.Fatalf("%s leads to %s, which is not there", base, to)
				}
				if !seen[i] {
					seen[i] = true
					queue = append(queue, i)
				}
			}
		}
		if len(seen) != n {
			t.Errorf("%d of %d pages can be reached", len(seen), n)
		}
	}
}

// TestCeiling lets the bare loop fetch a site from the server's process, plain and over TLS.
func TestCeiling(t *testing.T) {
	docs := t.TempDir()
	for i := range 10 {
		name := "index.html"
		if i > 0 {
			name = fmt.Sprint(i, ".html")
		}
		if err := os.WriteFile(filepath.Join(docs, name), []byte("<p><a href=index.html>x</a><img src='p.png'>"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []siteFlags{{kind: "hard", pages: 70}, {kind: "easy", pages: 70, tls: true}, {kind: docs, pages: 30}} {
		s, err := startServer(f)
		if err != nil {
			t.Fatal(err)
		}
		var w ceilingWork
		if err := s.ask("urls", &w.URLs); err != nil {
			t.Fatal(err)
		}
		w.CA = s.CA
		dir := t.TempDir()
		text, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+"/work", text, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, lean := range []bool{true, false} {
			cmd, err := ceilingAt("", 1, lean).command(&job{ctx: t.Context(), dir: dir, bare: dir + "/work"})
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var got ceilingResult
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			want := int64(len(w.URLs) * linksAPage)
			if f.kind == docs {
				want = 2*30 + 3 // and the links to the three mirrors
			}
			var n counts
			if err := s.ask("counts", &n); err != nil {
				t.Fatal(err)
			}
			if got.Pages != int64(s.Pages) || n.Pages != got.Pages || n.Errors > 0 || got.Links != want || got.Bytes == 0 {
				t.Errorf("%s: the loop has %+v, the server %+v of %d pages; want %d links", f.kind, got, n, s.Pages, want)
			}
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRatios tells apart what is wanted at least and at most.
func TestRatios(t *testing.T) {
	r := &result{Level: 1, Sites: []siteRun{{Name: "hard text", Runs: []run{
		{Crawler: "kavosh", CPURate: 3000, WallRate: 3000, Pages: 10, WARC: 130, used: used{RSS: 100e6}},
		{Crawler: "wget", CPURate: 1000, WallRate: 1000, Pages: 10, WARC: 100},
		{Crawler: "ceiling", CPURate: 4000},
		{Crawler: "kavosh --compression gzip:6", CPURate: 1000, Pages: 10, WARC: 100},
		{Crawler: "ceiling, level 6", CPURate: 2000},
	}}}}
	r.Ratios = ratios(r)
	var b strings.Builder
	r.print(&b)
	for _, want := range []string{
		`CPU-second, kavosh / wget +3 +≥ 3 +met`,
		`a second, kavosh / wget +3 +≥ 4 +NOT MET`,
		`bytes of WARC a page, kavosh / wget +1\.3 +≤ 1\.25 +NOT MET`,
		`kavosh / ceiling +0\.75 +≥ 0\.6 +met`,
		`in MB +100 +≤ 200 +met`,
		`level 6, kavosh / ceiling +0\.5 +–`,
	} {
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("%s is not in\n%s", want, &b)
		}
	}
}

// TestMeasure counts a process that does something and one that fails.
func TestMeasure(t *testing.T) {
	u, status, err := measure(exec.Command("sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 3"))
	if err != nil || status != 3 || u.cpu() <= 0 || u.Wall <= 0 || u.RSS <= 0 {
		t.Errorf("%+v, status %d, %v", u, status, err)
	}
	if _, _, err := measure(exec.Command("/nonexistent")); err == nil {
		t.Error("a program that is not there has a measure")
	}
}
