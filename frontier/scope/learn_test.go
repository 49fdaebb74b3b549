package scope

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"kavosh"
	"kavosh/lib/simhash"
)

// site answers a URL with a text and the links of the page; a nil answer is a 404.
type site func(url string) (text string, links []kavosh.Link)

// crawl follows a site from its seed, in the order in which links are found, as the engine does: each answer is learned
// from, then its links are judged, and each task is judged again when its turn comes. It stops after most requests.
func crawl(t *testing.T, s *Scope, seed string, most int, answer site) (requested []string, rules map[string]int) {
	t.Helper()
	if err := s.AddSeed(seed); err != nil {
		t.Fatal(err)
	}
	queue := []kavosh.Task{{URL: seed, Kind: kavosh.Seed, Seed: seed}}
	seen := map[string]bool{seed: true}
	rules = map[string]int{}
	for len(queue) > 0 && len(requested) < most {
		task := queue[0]
		queue = queue[1:]
		if d := s.Late(&task); !d.In {
			rules[d.Rule]++
			continue
		}
		requested = append(requested, task.URL)
		text, links := answer(task.URL)
		a := Answer{Task: &task, Status: 200, Page: true}
		if text == "" {
			a.Status, a.Page = 404, false
		}
		digest := fnv.New64a() // of the page as it is written: links are relative
		fmt.Fprint(digest, text, strings.ReplaceAll(fmt.Sprint(links), task.URL[:strings.LastIndexByte(task.URL, '/')+1], ""))
		a.Digest = fmt.Sprintf("fnv:%x", digest.Sum64())
		if a.Page && s.WantsPrint(&task) {
			a.Print = Print([]byte(pageOf(text, links)), task.URL)
		}
		s.Learn(&a)
		for i := range links {
			if seen[links[i].URL] {
				continue
			}
			seen[links[i].URL] = true
			if d := s.Judge(&links[i], &task); d.In {
				queue = append(queue, Follow(&task, &links[i]))
			} else {
				rules[d.Rule]++
			}
		}
	}
	return requested, rules
}

// pageOf is the HTML of a page.
func pageOf(text string, links []kavosh.Link) string {
	for _, link := range links {
		if link.Kind == kavosh.Embed {
			text += "<img src='" + link.URL + "'>"
		} else {
			text += "<a href='" + link.URL + "'>more</a>"
		}
	}
	return text
}

func newScope(t testing.TB) *Scope {
	s, err := New(Options{Mode: Host, MaxHops: -1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func leads(kind kavosh.Kind, urls ...string) (links []kavosh.Link) {
	for _, u := range urls {
		links = append(links, kavosh.Link{URL: u, Kind: kind})
	}
	return links
}

// prose is n words that depend on what they are about.
func prose(about string, n int) string {
	words := make([]string, n)
	for i := range words {
		h := fnv.New64a()
		fmt.Fprint(h, about, i)
		words[i] = fmt.Sprintf("%x", h.Sum64())[:3+h.Sum64()%8]
	}
	return strings.Join(words, " ")
}

const month = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 no events"

func TestTrapsThatAreLearned(t *testing.T) {
	menu := prose("menu", 200)
	for _, test := range []struct {
		name string
		most int    // requests
		rule string // in a rule that left links out
		site site
	}{
		{"a calendar without end", 300, "pages in a row", func(url string) (string, []kavosh.Link) {
			n := 0
			fmt.Sscanf(url, "http://a.test/cal?month=%d", &n)
			return fmt.Sprintf("%s Month %d %s", menu, n, month), leads(kavosh.Navigation, "http://a.test/", fmt.Sprintf("http://a.test/cal?month=%d", n+1))
		}},
		{"a login page for every tag", 700, "held the same", func(url string) (string, []kavosh.Link) {
			var links []kavosh.Link
			if url == "http://a.test/" {
				for i := range 5000 {
					links = append(links, leads(kavosh.Navigation, "http://a.test/tags/"+prose(fmt.Sprint(i), 1)+prose(fmt.Sprint("x", i), 1))...)
				}
				return menu, links
			}
			return "please log in", links
		}},
		{"a shop whose numbers all lead to one page", 200, "held the same", func(url string) (string, []kavosh.Link) {
			var links []kavosh.Link
			if url == "http://a.test/" {
				for i := range 5000 {
					links = append(links, leads(kavosh.Navigation, fmt.Sprintf("http://a.test/item/%d.html", i))...)
				}
				return menu, links
			}
			return "sold out", links
		}},
		{"relative links in a page that answers everywhere", 400, "repeats itself", func(url string) (string, []kavosh.Link) {
			folder := url[:strings.LastIndexByte(url, '/')+1]
			var links []kavosh.Link
			for _, name := range []string{"a", "b", "c"} {
				links = append(links, leads(kavosh.Navigation, folder+name+"/index.html")...)
			}
			return menu, links
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			requested, rules := crawl(t, newScope(t), "http://a.test/", 20_000, test.site)
			if len(requested) > test.most {
				t.Errorf("%d requests, want at most %d; left out: %v", len(requested), test.most, rules)
			}
			if test.rule != "" && !strings.Contains(fmt.Sprint(rules), test.rule) {
				t.Errorf("no rule says %q: %v", test.rule, rules)
			}
		})
	}
}

// Sites that look a little like traps and are none.
func TestWhatIsNoTrapIsFollowedToItsEnd(t *testing.T) {
	const pages = 400
	menu := prose("menu", 300)
	next := func(url, format string) (n int, to []kavosh.Link) {
		fmt.Sscanf(url, format, &n)
		if n < pages {
			to = leads(kavosh.Navigation, fmt.Sprintf(format, n+1))
		}
		return n, to
	}
	for name, answer := range map[string]site{
		"a list of many pages": func(url string) (string, []kavosh.Link) {
			n, links := next(url, "http://a.test/list?page=%d")
			return menu + prose(fmt.Sprint(n), 60), links
		},
		"a gallery that differs in its pictures alone": func(url string) (string, []kavosh.Link) {
			n, links := next(url, "http://a.test/photo/%d.html")
			return menu, append(links, leads(kavosh.Embed, fmt.Sprintf("http://a.test/photo/%d.jpg", n))...)
		},
		"a calendar with an event every month": func(url string) (string, []kavosh.Link) {
			if strings.Contains(url, "event") {
				return prose(url, 50), nil
			}
			n, links := next(url, "http://a.test/cal/%d")
			return fmt.Sprint(menu, n, month), append(links, leads(kavosh.Navigation, fmt.Sprintf("http://a.test/event/%s.html", prose(fmt.Sprint(n), 1)))...)
		},
		"a blog of which half the pages are empty": func(url string) (string, []kavosh.Link) {
			n, links := next(url, "http://a.test/post/%d")
			if n%2 == 0 {
				return menu, links
			}
			return menu + prose(fmt.Sprint(n), 100), links
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, rules := crawl(t, newScope(t), "http://a.test/", 20_000, answer)
			if len(rules) > 0 {
				t.Errorf("left out: %v", rules)
			}
		})
	}
}

// A shape that was taken for a trap is followed again when one of its pages, tried now and then, holds something new.
func TestATrapThatIsNoneAnyMore(t *testing.T) {
	s := newScope(t)
	all := func(url string) (string, []kavosh.Link) {
		n, links := 0, []kavosh.Link(nil)
		fmt.Sscanf(url, "http://a.test/item/%d", &n)
		if n == 0 {
			for i := range 3000 {
				links = append(links, leads(kavosh.Navigation, fmt.Sprintf("http://a.test/item/%d", i+1))...)
			}
		}
		if n < 100 {
			return "comes later", links
		}
		return prose(url, 50), links
	}
	requested, rules := crawl(t, s, "http://a.test/", 5000, all)
	if len(rules) == 0 {
		t.Error("a hundred empty pages in a row did not count")
	}
	if len(requested) < 2000 {
		t.Errorf("only %d of 3,000 pages were requested", len(requested))
	}
}

func TestGuessesOfAScript(t *testing.T) {
	script := &kavosh.Task{URL: "http://a.test/js/table.js", Kind: kavosh.Embed, Path: "E"}
	for name, test := range map[string]struct {
		exists  func(i int) bool
		folders int
		most    int // requests
		least   int
	}{
		"none exists, in one folder":       {func(int) bool { return false }, 1, missFolder, missFolder},
		"none exists, in a hundred":        {func(int) bool { return false }, 100, missScript, missScript},
		"one in ten exists, in one folder": {func(i int) bool { return i%10 == 3 }, 1, 1460, 1460},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScope(t)
			s.AddSeed("http://a.test/")
			requested := 0
			for i := range 1460 { // all are queued before the first is asked for
				link := &kavosh.Link{URL: fmt.Sprintf("http://a.test/%d/p%d.html", i%test.folders, i), Kind: kavosh.Speculative}
				if d := s.Judge(link, script); i == 0 && !d.In {
					t.Fatalf("the first guess is left out: %+v", d)
				}
				task := Follow(script, link)
				if d := s.Late(&task); !d.In {
					if d.Reason != Guess || !strings.Contains(d.Rule, script.URL) || !strings.Contains(d.Rule, "none of the first") {
						t.Fatalf("left out by %+v", d)
					}
					continue
				}
				requested++
				status := 404
				if test.exists(i) {
					status = 200
				}
				s.Learn(&Answer{Task: &task, Status: status, Page: true, Digest: link.URL})
			}
			if requested > test.most || requested < test.least {
				t.Errorf("%d of 1460 guesses were tried, want %d to %d", requested, test.least, test.most)
			}
		})
	}
}

// What was learned holds after a restart, and what is kept changes only when that does.
func TestLearnedTrapsAreKept(t *testing.T) {
	s := newScope(t)
	answer := func(url string) (string, []kavosh.Link) {
		if url != "http://a.test/" {
			return "sold out", nil
		}
		var links []kavosh.Link
		for i := range 200 {
			links = append(links, leads(kavosh.Navigation, fmt.Sprintf("http://a.test/item/%d.html", i))...)
		}
		return "all", links
	}
	if s.Snapshot() != nil {
		t.Error("a new scope has something to keep")
	}
	crawl(t, s, "http://a.test/", 1000, answer)
	kept := s.Snapshot()
	link := &kavosh.Link{URL: "http://a.test/item/777.html", Kind: kavosh.Navigation}
	parent := &kavosh.Task{URL: "http://a.test/", Kind: kavosh.Seed}
	want := s.Judge(link, parent)
	if want.In || want.Reason != Trap {
		t.Fatalf("before the restart: %+v", want)
	}
	again := newScope(t)
	again.AddSeed("http://a.test/")
	if err := again.Restore(kept); err != nil {
		t.Fatal(err)
	}
	if got := again.Judge(link, parent); got != want {
		t.Errorf("after it: %+v, want %+v", got, want)
	}
	if !bytes.Equal(again.Snapshot(), kept) {
		t.Errorf("kept again: %s, before: %s", again.Snapshot(), kept)
	}
	for kind, in := range map[kavosh.Kind]bool{kavosh.Seed: true, kavosh.Sitemap: true, kavosh.Redirect: true, kavosh.Embed: true, kavosh.Navigation: false} {
		if d := again.Judge(&kavosh.Link{URL: link.URL, Kind: kind}, parent); d.In != in {
			t.Errorf("as %v: %+v", kind, d)
		}
	}
	for _, bad := range []string{"{", "[1]", `{"seeds":["mailto:x"]}`} {
		if err := newScope(t).Restore([]byte(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

// However many hosts and shapes there are, memory is bounded, and what recurs is not pushed out by what does not.
func TestWhatIsLearnedIsBounded(t *testing.T) {
	s := newScope(t)
	for i := range 3 * maxHosts {
		s.Learn(&Answer{Task: &kavosh.Task{URL: fmt.Sprintf("http://h%d.test/", i), Kind: kavosh.Navigation}, Status: 200, Page: true, Digest: "x"})
	}
	if n := len(s.learned.mu.hosts); n > maxHosts || n != len(s.learned.mu.ring) {
		t.Errorf("%d hosts are remembered, and %d in the ring", n, len(s.learned.mu.ring))
	}
	for i := range 4000 {
		// A trap, met once in ten pages of ever new shapes.
		url := "http://a.test/" + strings.Repeat("x", i%50+1) + "/" + prose(fmt.Sprint(i), 1) + "/"
		digest := url
		if i%10 == 0 {
			url, digest = fmt.Sprintf("http://a.test/item/%d", i), "the same"
		}
		s.Learn(&Answer{Task: &kavosh.Task{URL: url, Kind: kavosh.Navigation}, Status: 200, Page: true, Digest: digest})
	}
	if n := len(s.learned.mu.hosts["a.test"].patterns); n > maxPatterns {
		t.Errorf("%d shapes of a host are remembered", n)
	}
	s.AddSeed("http://a.test/")
	if d := s.Judge(&kavosh.Link{URL: "http://a.test/item/5", Kind: kavosh.Navigation}, &kavosh.Task{URL: "http://a.test/"}); d.In {
		t.Error("a trap among many shapes was not learned")
	}
}

// A page that says nearly what another says is told with that one's URL, whatever site it is on, and only where asked.
func TestNearDuplicates(t *testing.T) {
	print := func(text string) uint64 {
		var h simhash.Hasher
		h.Add([]byte(text))
		return h.Sum()
	}
	article := prose("article", 800)
	for _, asked := range []bool{true, false} {
		s, err := New(Options{Mode: Host, NearDuplicates: asked, NoTraps: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range []struct{ url, text, same string }{
			{"http://a.test/1", article, ""},
			{"http://a.test/2", prose("another", 800), ""},
			{"http://mirror.test/x", article + " printed on 2026-11-21", "http://a.test/1"},
			{"http://third.test/y", "Today: " + article, "http://a.test/1"},
			{"http://a.test/1", article, ""},
		} {
			task := &kavosh.Task{URL: page.url, Kind: kavosh.Navigation}
			if s.Wants(task) != asked {
				t.Errorf("asked for fingerprints %v, wanted for %s %v", asked, page.url, !asked)
			}
			want := page.same
			if !asked {
				want = ""
			}
			if got := s.Learn(&Answer{Task: task, Status: 200, Page: true, Digest: page.url, Simhash: print(page.text)}); got != want {
				t.Errorf("asked %v: %s is nearly the same as %q, want %q", asked, page.url, got, want)
			}
		}
	}
}

func TestShape(t *testing.T) {
	for _, test := range []struct{ url, narrow, wide string }{
		{"http://a.test/", "a.test/", "a.test/*"},
		{"https://a.test:8443/docs/v12/page-7.html", "a.test:8443/docs/v#/page-#.html", "a.test:8443/docs/v#/*"},
		{"http://a.test/%D8%A7%D9%8A/2026/03", "a.test/%D8%A7%D9%8A/#/#", "a.test/%D8%A7%D9%8A/#/*"},
		{"http://a.test/list?sort=up&page=12&a", "a.test/list?a&page=#&sort=up", "a.test/list?a&page=*&sort=*"},
		{"http://a.test/a/b/a/b/x", "a.test/a/b/…/x", "a.test/a/…"},
		{"http://a.test/0/0/0.png", "a.test/#/#/#.png", "a.test/#/#/*"},
		{"http://a.test/s/4f6b7e1c9d2a8f3b5e7c/x", "a.test/s/*/x", "a.test/s/*/*"},
	} {
		p, ok := Split(test.url)
		if !ok {
			t.Fatalf("%s does not split", test.url)
		}
		if got := string(appendShape(nil, &p, false)); got != test.narrow {
			t.Errorf("%s has the shape %q, want %q", test.url, got, test.narrow)
		}
		if got := string(appendShape(nil, &p, true)); got != test.wide {
			t.Errorf("%s has the wide shape %q, want %q", test.url, got, test.wide)
		}
	}
}

// Judging a link that is in scope costs no allocation, whatever was learned.
func TestJudgeAllocatesNothing(t *testing.T) {
	s := newScope(t)
	s.AddSeed("http://a.test/")
	for i := range 100 {
		s.Learn(&Answer{Task: &kavosh.Task{URL: fmt.Sprintf("http://a.test/item/%d", i), Kind: kavosh.Navigation}, Status: 200, Page: true, Digest: "the same"})
	}
	if s.learned.active.Load() == 0 {
		t.Fatal("nothing was learned")
	}
	parent := &kavosh.Task{URL: "http://a.test/", Kind: kavosh.Seed}
	for _, url := range []string{"http://a.test/docs/guide/install/page-12.html", "http://a.test/list?sort=up&page=3&date=2026-01-01", "http://a.test/events/2026/03/12/", "http://a.test/2026-abcd/room-2045.html?m=word-1"} {
		link := &kavosh.Link{URL: url, Kind: kavosh.Navigation}
		if d := s.Judge(link, parent); !d.In {
			t.Fatalf("%s: %+v", url, d)
		}
		if n := testing.AllocsPerRun(100, func() { s.Judge(link, parent) }); n > 0 {
			t.Errorf("%s: %v allocations", url, n)
		}
	}
}
