package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kavosh/lib/warc"
	"kavosh/quality"
)

// defectsOf is what kavosh quality --between --json prints.
type defectsOf struct {
	Visits []struct {
		From, To string
		quality.Defects
	}
}

// scriptedSite is a site that changes by a script of chance: each of its pages gets another fate at its second visit.
type scriptedSite struct {
	fates map[string]string // by path of a page
	lists [][]string        // the pages that each section links to at first
	later [][]string        // and at last

	mu    sync.Mutex
	asked map[string]int
}

// newScriptedSite returns a site of so many sections with so many pages each.
func newScriptedSite(seed uint64, sections, pages int) *scriptedSite {
	s := &scriptedSite{fates: map[string]string{}, asked: map[string]int{}, lists: make([][]string, sections), later: make([][]string, sections)}
	rng := rand.New(rand.NewPCG(seed, 21))
	fates := []string{"same", "same", "same", "tagged", "tagged", "noise", "content", "content", "came", "went", "other", "both", "404", "410", "moved", "says", "deleted", "added"}
	for i := range sections {
		for j := range pages {
			path := fmt.Sprintf("/s%d/p%d", i, j)
			fate := fates[rng.IntN(len(fates))]
			if i%3 == 0 && (fate == "deleted" || fate == "added") { // this section stays as it is
				fate = "same"
			}
			s.fates[path] = fate
			if fate != "added" {
				s.lists[i] = append(s.lists[i], path)
			}
			if fate != "deleted" {
				s.later[i] = append(s.later[i], path)
			}
		}
	}
	return s
}

// ServeHTTP answers the first request for a page as it was at first, and later ones as it is at last.
func (s *scriptedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked[r.URL.Path]++
	times := s.asked[r.URL.Path]
	s.mu.Unlock()
	again := times > 1
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fate := s.fates[r.URL.Path]
	var section int
	_, err := fmt.Sscanf(r.URL.Path, "/s%d", &section)
	switch {
	case r.URL.Path == "/":
		fmt.Fprint(w, "<title>The site</title><main><h1>All sections</h1>")
		for i := range s.lists {
			fmt.Fprintf(w, "<p><a href=/s%d>Section %[1]d</a></p>", i)
		}
		return
	case err == nil && section < len(s.lists) && fate == "":
		list := s.lists[section]
		if again {
			list = s.later[section]
		}
		fmt.Fprintf(w, "<title>Section %d</title><main><h1>The pages of section %[1]d</h1>", section)
		for _, path := range list {
			fmt.Fprintf(w, "<p><a href=%s>The page at %[1]s</a></p>", path)
		}
		return
	case fate == "":
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, "<title>Not found</title><p>There is no such page.</p>")
		return
	case fate == "tagged":
		w.Header().Set("ETag", `"one"`)
		if r.Header.Get("If-None-Match") == `"one"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	case again:
		switch fate {
		case "404", "410":
			code := http.StatusNotFound
			if fate == "410" {
				code = http.StatusGone
			}
			w.WriteHeader(code)
			fmt.Fprint(w, "<title>Gone</title><p>This page is not here.</p>")
			return
		case "moved":
			http.Redirect(w, r, "/", http.StatusMovedPermanently)
			return
		case "says":
			fmt.Fprint(w, "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1><p>The page that you are looking for was not found.</p></body></html>")
			return
		}
	}
	fmt.Fprintf(w, "<title>%s</title><main><h1>The page at %[1]s</h1>", r.URL.Path)
	word, links := "first", []string{"/s0", "/s1"}
	if again {
		switch fate {
		case "content":
			word = "second"
		case "came":
			links = append(links, "/s2")
		case "went":
			links = links[:1]
		case "other":
			links[1] = "/s2"
		case "both":
			word, links = "second", links[:1]
		}
	}
	for i := range 4 {
		fmt.Fprintf(w, "<p>Paragraph %d of the %s version, which tells of %s at some length.</p>", i, word, r.URL.Path)
	}
	for _, to := range links {
		fmt.Fprintf(w, `<p>See also <a href="%s">section %[1]s</a>.</p>`, to)
	}
	fmt.Fprint(w, "</main>")
	if fate == "noise" {
		fmt.Fprintf(w, "<footer><p>%d readers online</p></footer>", 100+times)
	}
}

// truth returns the class of each page with a defect, by its URL, and how many pages the first visit found, and how many of
// them stay. rounds tells that both visits are of one crawl.
func (s *scriptedSite) truth(base string, rounds bool) (classes map[string]quality.Class, pages, same int64) {
	classes, pages, same = map[string]quality.Class{}, 1, 1 // the home page
	for i := range s.lists {
		if pages++; !slices.Equal(s.lists[i], s.later[i]) {
			classes[fmt.Sprintf("%s/s%d", base, i)] = quality.DefectStructure
		} else {
			same++
		}
	}
	of := map[string]quality.Class{"content": quality.DefectContent, "came": quality.DefectStructure, "went": quality.DefectStructure, "other": quality.DefectStructure, "both": quality.DefectStructure,
		"404": quality.DefectMissing, "410": quality.DefectMissing, "moved": quality.DefectMissing, "says": quality.DefectMissing,
		"deleted": quality.DefectDeleted, "added": quality.DefectAdded}
	for path, fate := range s.fates {
		class := of[fate]
		if rounds && (fate == "deleted" || fate == "added") { // it is asked for again whoever links to it, and nobody asks for new ones
			class = ""
		}
		if class != "" {
			classes[base+path] = class
		}
		if fate != "added" {
			if pages++; class == "" {
				same++
			}
		}
	}
	return classes, pages, same
}

// crawl serves the site, and visits it twice: by two crawls, or by the two rounds of one.
func (s *scriptedSite) crawl(t *testing.T, rounds bool, delay string) (base, dir string) {
	t.Helper()
	far := httptest.NewServer(s)
	t.Cleanup(far.Close)
	base, dir = "http://"+far.Listener.Addr().String(), filepath.Join(t.TempDir(), "a")
	crawl := []string{"crawl", "--browser", "never", "--archive", dir, "--delay", delay, "--address-delay", "0", "--allow-private", "127.0.0.0/8", base + "/"}
	if rounds {
		command(t, append(crawl, "--revisit", "once")...)
		return base, dir
	}
	command(t, crawl...)
	command(t, crawl...)
	return base, dir
}

// TestDefectsOfAScript crawls sites that change by a script between two crawls, or between the two rounds of one, and wants all that
// the script did to be found, as what it was.
func TestDefectsOfAScript(t *testing.T) {
	t.Parallel()
	for seed, rounds := range []bool{false, true, false} {
		site := newScriptedSite(uint64(seed), 12, 30)
		base, dir := site.crawl(t, rounds, "0")
		const between = "all"
		want, pages, same := site.truth(base, rounds)
		var told defectsOf
		text := command(t, "quality", dir, "--between", between, "--limit", "10000", "--json")
		if err := json.Unmarshal([]byte(text), &told); err != nil || len(told.Visits) != 1 {
			t.Fatal(err, text)
		}
		d := &told.Visits[0]
		got := map[string]quality.Class{}
		for _, p := range d.Worst {
			got[p.URL] = p.Class
		}
		if !maps.Equal(got, want) {
			for url := range maps.Keys(want) {
				if got[url] != want[url] {
					t.Errorf("seed %d: %s (%s) is told as %q, want %q", seed, url, site.fates[strings.TrimPrefix(url, base)], got[url], want[url])
				}
				delete(got, url)
			}
			for url, class := range got {
				if want[url] == "" {
					t.Errorf("seed %d: %s (%s) is told as %q, and has no defect", seed, url, site.fates[strings.TrimPrefix(url, base)], class)
				}
			}
		}
		counts := map[quality.Class]int64{}
		for _, class := range want {
			counts[class]++
		}
		for class, n := range counts {
			if d.Classes[class] != n {
				t.Errorf("seed %d: %d pages are %s, want %d", seed, d.Classes[class], class, n)
			}
		}
		if share := float64(same) / float64(pages); d.Pages != pages || d.Unchanged+d.Noise != same || math.Abs(d.Coherence-share) > 1e-9 || d.Noise == 0 {
			t.Errorf("seed %d: %d of %d pages unchanged, %d of them but for noise, coherence %.4f; want %d of %d", seed, d.Unchanged+d.Noise, d.Pages, d.Noise, d.Coherence, same, pages)
		}
		if d.Together.Pages.Least < d.Coherence || d.Together.Pages.Most != 1 { // nothing changed before all had been visited
			t.Errorf("seed %d: %+v", seed, d.Together)
		}
		told.Visits = nil
		if text := command(t, "quality", dir, "--between", between); !strings.Contains(text, fmt.Sprintf("%s of the pages were the same at both", percent(float64(same)/float64(pages)))) {
			t.Error(text)
		}
	}
}

// datedWeb is a web of pages that change at known seconds, and of visits at known seconds, written as WARC files.
type datedWeb struct {
	t       *testing.T
	pages   []datedPage
	digests bool // records have digests
}

// datedPage is a page whose version k is there from begins[k] until begins[k+1].
type datedPage struct {
	url    string
	begins []time.Time
	links  []int // pages to which it leads
	tells  bool  // its answers have Last-Modified
}

// version returns which version is there at a time, and from when until when.
func (p *datedPage) version(at time.Time) (k int, from, until int64) {
	for k+1 < len(p.begins) && !at.Before(p.begins[k+1]) {
		k++
	}
	if until = math.MaxInt64; k+1 < len(p.begins) {
		until = p.begins[k+1].Unix()
	}
	return k, p.begins[k].Unix(), until
}

// write writes one visit of each page, at the time that visits has for it.
func (w *datedWeb) write(file string, visits []time.Time) {
	w.t.Helper()
	f, err := os.Create(file)
	if err != nil {
		w.t.Fatal(err)
	}
	out := warc.NewWriter(f, warc.Compression{Format: warc.Gzip})
	for i := range w.pages {
		p := &w.pages[i]
		k, from, _ := p.version(visits[i])
		head := ""
		if p.tells {
			head = "Last-Modified: " + time.Unix(from, 0).UTC().Format(http.TimeFormat) + "\r\n"
		}
		body := fmt.Sprintf("<!doctype html><title>%s</title><main><p>What version %d of page %d says, in words of its own.</p>", p.url, k, i)
		for _, to := range p.links {
			body += fmt.Sprintf("<p><a href=%s>Page %d</a></p>", w.pages[to].url, to)
		}
		block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nDate: %s\r\n%s\r\n%s", visits[i].UTC().Format(http.TimeFormat), head, body)
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Target-URI", Value: p.url},
			{Name: "WARC-Date", Value: warc.FormatDate(visits[i])}, {Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if w.digests {
			sum := sha256.Sum256([]byte(body))
			h.Add("WARC-Payload-Digest", warc.FormatDigest("sha256", sum[:]))
		}
		if _, err := out.WriteRecord(h, strings.NewReader(block)); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// together returns the greatest share of intervals that have a second in common, plain and by weights: by trying every second at
// which one begins.
func together(from, until []int64, weights []float64) (plain, weighted float64) {
	all := 0.0
	for _, weight := range weights {
		all += weight
	}
	for _, at := range from {
		n, sum := 0.0, 0.0
		for i := range from {
			if from[i] <= at && at < until[i] {
				n++
				sum += weights[i]
			}
		}
		plain, weighted = max(plain, n/float64(len(from))), max(weighted, sum/all)
	}
	return plain, weighted
}

// TestCoherenceByIntersection writes archives of pages that change at random seconds, and wants the share of versions that were there
// together to be the truth, or to have the truth between its bounds where pages do not tell when they changed.
func TestCoherenceByIntersection(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	moment := func(rng *rand.Rand, from, hours int) time.Time {
		return day.Add(time.Duration(from)*time.Hour + time.Duration(rng.IntN(hours*3600))*time.Second)
	}
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		const pages = 300
		rng := rand.New(rand.NewPCG(seed, 8))
		web := &datedWeb{t: t, digests: seed != 5}
		visits := [2][]time.Time{}
		for i := range pages {
			p := datedPage{url: fmt.Sprintf("http://a.test/p%d", i), begins: []time.Time{moment(rng, -1000, 900)}, tells: seed%2 == 0 || rng.IntN(3) > 0}
			for range rng.IntN(6) {
				if to := rng.IntN(1 + i/2); to != i && !slices.Contains(p.links, to) {
					p.links = append(p.links, to)
				}
			}
			visits[0], visits[1] = append(visits[0], moment(rng, 0, 20)), append(visits[1], moment(rng, 24, 20))
			switch at := moment(rng, -90, 130); rng.IntN(3) {
			case 0: // one change, not within the seconds in which programs give dates that are those of the answer
				if near := at.Sub(visits[0][i]); near < -3*time.Second || near > 0 && visits[1][i].Sub(at) > 3*time.Second || at.After(visits[1][i]) {
					p.begins = append(p.begins, at)
				}
			}
			web.pages = append(web.pages, p)
		}
		dir, folder := filepath.Join(t.TempDir(), "a"), t.TempDir()
		for k := range visits {
			web.write(filepath.Join(folder, fmt.Sprintf("%d.warc.gz", k)), visits[k])
		}
		command(t, "import", folder, dir)
		command(t, "export", "tables", dir, "-o", filepath.Join(folder, "tables")) // which makes the index of links
		weights := slices.Repeat([]float64{1}, pages)
		linked := make([]int, pages)
		for i := range web.pages {
			for _, to := range web.pages[i].links {
				linked[to]++
			}
		}
		for i := range weights {
			weights[i] += math.Log(1 + float64(linked[i]))
		}
		holds := func(of string, got *quality.Together, from, until []int64, tight bool) {
			t.Helper()
			plain, weighted := together(from, until, weights)
			const near = 1e-9
			if got.Pages.Least > plain+near || got.Pages.Most < plain-near || got.Weighted.Least > weighted+near || got.Weighted.Most < weighted-near {
				t.Errorf("seed %d: %s: %+v, and the truth is %.6f and %.6f", seed, of, *got, plain, weighted)
			}
			if exact := got.Pages.Most-got.Pages.Least < near && got.Weighted.Most-got.Weighted.Least < near; tight && exact != (seed%2 == 0) {
				t.Errorf("seed %d: %s: %+v", seed, of, *got)
			}
			if plain == 1 {
				t.Errorf("seed %d: %s: everything fits, which proves nothing", seed, of)
			}
		}
		var told defectsOf
		if err := json.Unmarshal([]byte(command(t, "quality", dir, "--between", "2026-03-01,2026-03-02", "--json")), &told); err != nil {
			t.Fatal(err)
		}
		var from, until []int64
		same := 0.0
		for i := range web.pages {
			k, a, b := web.pages[i].version(visits[0][i])
			from, until = append(from, a), append(until, b)
			if again, _, _ := web.pages[i].version(visits[1][i]); again == k {
				same++
			}
		}
		d := &told.Visits[0]
		holds("between", &d.Together, from, until, true)
		if math.Abs(d.Coherence-same/pages) > 1e-9 || d.Pages != pages || d.Classes[quality.DefectContent] != pages-int64(same) {
			t.Errorf("seed %d: coherence %.4f of %d pages, %v, and %v are the same", seed, d.Coherence, d.Pages, d.Classes, same)
		}
		var shown struct{ Nearest, Before quality.AsOf }
		at := day.Add(22 * time.Hour)
		if err := json.Unmarshal([]byte(command(t, "quality", dir, "--at", at.Format(time.RFC3339), "--json")), &shown); err != nil {
			t.Fatal(err)
		}
		holds("before", &shown.Before.Together, from, until, true)
		from, until = nil, nil
		then := 0.0
		for i := range web.pages {
			visit := visits[0][i]
			if visits[1][i].Sub(at) < at.Sub(visit) {
				visit = visits[1][i]
			}
			_, a, b := web.pages[i].version(visit)
			if from, until = append(from, a), append(until, b); a <= at.Unix() && at.Unix() < b {
				then++
			}
		}
		holds("nearest", &shown.Nearest.Together, from, until, false) // nobody knows what stays after the last visits
		if s := shown.Nearest.Then; s.Least > then/pages || s.Most < then/pages {
			t.Errorf("seed %d: %+v were there at that time, and the truth is %.4f", seed, s, then/pages)
		}
	}
}
