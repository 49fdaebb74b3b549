package scope

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"kavosh"
)

// judged is a parent task and a link, written short: "nav", "embed" … and the URL.
func task(url, path string, kind kavosh.Kind, hops int) *kavosh.Task {
	return &kavosh.Task{URL: url, Kind: kind, Path: path, Hops: hops, Seed: "https://www.example.org/docs/index.html"}
}

func TestModes(t *testing.T) {
	const seed = "https://www.example.org/docs/index.html"
	page := task(seed, "", kavosh.Seed, 0)
	tests := []struct {
		url string
		in  string // modes in which it is in scope, as a link that a reader would click
	}{
		{seed, "page prefix host domain any"},
		{"http://www.example.org/docs/index.html", "prefix host domain any"},
		{"https://www.example.org/docs/guide/a.html", "prefix host domain any"},
		{"https://www.example.org/docs", "host domain any"},
		{"https://www.example.org/docsearch", "host domain any"},
		{"https://www.example.org/", "host domain any"},
		{"https://www.example.org:8443/docs/", "domain any"},
		{"https://example.org/docs/", "domain any"},
		{"https://deep.static.example.org/x", "domain any"},
		{"https://example.com/", "any"},
		{"https://notexample.org/", "any"},
		{"https://www.example.org.evil.test/", "any"},
		{"ftp://www.example.org/docs/", ""},
		{"mailto:a@example.org", ""},
	}
	for _, m := range Modes() {
		s, err := New(Options{Mode: m, MaxHops: -1})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.AddSeed(seed); err != nil {
			t.Fatal(err)
		}
		for _, test := range tests {
			d := s.Judge(&kavosh.Link{URL: test.url, Kind: kavosh.Navigation}, page)
			want := strings.Contains(" "+test.in+" ", " "+string(m)+" ")
			if d.In != want || d.Rule == "" {
				t.Errorf("--scope %s: %s: %v, want %v", m, test.url, d, want)
			}
		}
	}
}

func TestDomainOfPublicSuffixes(t *testing.T) {
	s, _ := New(Options{Mode: Domain, MaxHops: -1})
	s.AddSeed("http://blog.site.co.uk/")
	s.AddSeed("http://me.github.io/")
	s.AddSeed("http://192.0.2.7/")
	for url, want := range map[string]bool{
		"http://shop.site.co.uk/":  true,
		"http://other.co.uk/":      false,
		"http://you.github.io/":    false,
		"http://me.github.io/x":    true,
		"http://192.0.2.7:81/":     true,
		"http://198.51.192.0.2.7/": false,
	} {
		if d := s.Judge(&kavosh.Link{URL: url, Kind: kavosh.Navigation}, nil); d.In != want {
			t.Errorf("%s: %+v, want in scope %v", url, d, want)
		}
	}
}

func TestRules(t *testing.T) {
	const seed = "http://a.test/x/"
	seedTask := task(seed, "", kavosh.Seed, 0)
	nav := task("http://a.test/x/p", "LL", kavosh.Navigation, 2)
	link := func(k kavosh.Kind, url string) *kavosh.Link { return &kavosh.Link{URL: url, Kind: k} }
	tests := []struct {
		name    string
		options Options
		link    *kavosh.Link
		parent  *kavosh.Task
		in      bool
		reason  Reason
	}{
		{"seed", Options{}, link(kavosh.Seed, seed), nil, true, InScope},
		{"excluded seed", Options{Exclude: []string{`/x/$`}}, link(kavosh.Seed, seed), nil, false, Excluded},
		{"exclude beats include", Options{Include: []string{"b.test"}, Exclude: []string{"secret"}}, link(kavosh.Navigation, "http://b.test/secret"), nav, false, Excluded},
		{"include widens", Options{Include: []string{"^http://b\\.test/"}}, link(kavosh.Navigation, "http://b.test/y"), nav, true, InScope},
		{"include leaves the mode", Options{Include: []string{"^http://b\\.test/"}}, link(kavosh.Navigation, "http://a.test/y"), nav, true, InScope},
		{"other host", Options{}, link(kavosh.Navigation, "http://b.test/"), nav, false, OutOfScope},
		{"embed of a page in scope", Options{}, link(kavosh.Embed, "http://cdn.test/i.png"), nav, true, InScope},
		{"embed in scope page", Options{Mode: Page}, link(kavosh.Embed, "http://a.test/i.png"), seedTask, true, InScope},
		{"redirect of an embed", Options{}, link(kavosh.Redirect, "http://cdn2.test/i.png"), task("http://cdn.test/i.png", "LE", kavosh.Embed, 1), true, InScope},
		{"redirect of a redirected embed", Options{}, link(kavosh.Redirect, "http://cdn3.test/i.png"), task("http://cdn2.test/i.png", "LER", kavosh.Redirect, 1), true, InScope},
		{"page of an embedded frame", Options{}, link(kavosh.Navigation, "http://cdn.test/about"), task("http://cdn.test/frame", "LE", kavosh.Embed, 1), false, OutOfScope},
		{"fifth embed", Options{}, link(kavosh.Embed, "http://c.test/5"), task("http://c.test/4", "LEERREE", kavosh.Embed, 1), true, InScope},
		{"sixth embed", Options{}, link(kavosh.Embed, "http://c.test/6"), task("http://c.test/5", "LEERREEE", kavosh.Embed, 1), false, Chain},
		{"embed after redirects", Options{}, link(kavosh.Embed, "http://c.test/i"), task("http://a.test/x/1", "LRRRRRRR", kavosh.Redirect, 1), true, InScope},
		{"tenth redirect", Options{}, link(kavosh.Redirect, "http://a.test/x/t"), task("http://a.test/x/s", "LRRRRRRRRR", kavosh.Redirect, 1), true, InScope},
		{"eleventh redirect", Options{}, link(kavosh.Redirect, "http://a.test/x/t"), task("http://a.test/x/s", "LRRRRRRRRRR", kavosh.Redirect, 1), false, Chain},
		{"redirect of a page out of scope", Options{}, link(kavosh.Redirect, "http://b.test/"), nav, false, OutOfScope},
		{"guess", Options{}, link(kavosh.Speculative, "http://a.test/x/g"), nav, true, InScope},
		{"guess out of scope", Options{}, link(kavosh.Speculative, "http://b.test/g"), nav, false, OutOfScope},
		{"guess of a guess", Options{}, link(kavosh.Speculative, "http://a.test/x/h"), &kavosh.Task{URL: "http://a.test/x/g", Kind: kavosh.Speculative, Path: "X", Guessed: true}, false, Guess},
		{"link of a guess", Options{}, link(kavosh.Navigation, "http://a.test/x/h"), &kavosh.Task{URL: "http://a.test/x/g", Kind: kavosh.Speculative, Path: "X", Guessed: true}, true, InScope},
		{"hops", Options{MaxHops: 2}, link(kavosh.Navigation, "http://a.test/x/far"), nav, false, TooManyHops},
		{"embeds are no hops", Options{MaxHops: 2}, link(kavosh.Embed, "http://a.test/x/far.png"), nav, true, InScope},
		{"no hops", Options{MaxHops: 0}, link(kavosh.Navigation, "http://a.test/x/y"), seedTask, false, TooManyHops},
		{"nofollow obeyed", Options{ObeyNoFollow: true}, &kavosh.Link{URL: "http://a.test/x/n", Kind: kavosh.Navigation, NoFollow: true}, nav, false, NoFollow},
		{"nofollow ignored", Options{}, &kavosh.Link{URL: "http://a.test/x/n", Kind: kavosh.Navigation, NoFollow: true}, nav, true, InScope},
		{"nofollow and embeds", Options{ObeyNoFollow: true}, &kavosh.Link{URL: "http://a.test/x/n.css", Kind: kavosh.Embed, NoFollow: true}, nav, true, InScope},
		{"sitemap at the root", Options{Mode: Prefix}, &kavosh.Link{URL: "http://a.test/sitemap.xml", Kind: kavosh.Sitemap, Element: "robots.txt"}, nav, true, InScope},
		{"sitemap of another host", Options{Mode: Prefix}, &kavosh.Link{URL: "http://b.test/sitemap.xml", Kind: kavosh.Sitemap, Element: "robots.txt"}, nav, false, OutOfScope},
		{"entry of a sitemap", Options{Mode: Prefix}, &kavosh.Link{URL: "http://a.test/y/", Kind: kavosh.Sitemap, Element: "sitemap"}, nav, false, OutOfScope},
		{"page of the seventh index", Options{}, link(kavosh.Sitemap, "http://a.test/x/p"), task("http://a.test/x/7.xml", "PMMMMMMM", kavosh.Sitemap, 0), true, InScope},
		{"sitemaps without end", Options{}, link(kavosh.Sitemap, "http://a.test/x/9.xml"), task("http://a.test/x/8.xml", "PMMMMMMMM", kavosh.Sitemap, 0), false, Chain},
		{"trap", Options{}, link(kavosh.Navigation, "http://a.test/x/y/y/y/y/"), nav, false, Trap},
		{"trap switched off", Options{NoTraps: true}, link(kavosh.Navigation, "http://a.test/x/y/y/y/y/"), nav, true, InScope},
		{"seed that looks like a trap", Options{}, link(kavosh.Seed, "http://a.test/y/y/y/y/"), nil, true, InScope},
	}
	for _, test := range tests {
		if test.options.MaxHops == 0 && test.name != "no hops" {
			test.options.MaxHops = -1
		}
		s, err := New(test.options)
		if err != nil {
			t.Fatal(err)
		}
		s.AddSeed(seed)
		if d := s.Judge(test.link, test.parent); d.In != test.in || d.Reason != test.reason {
			t.Errorf("%s: %+v, want %v (%s)", test.name, d, test.in, test.reason)
		}
	}
}

func TestSeedRedirect(t *testing.T) {
	s, _ := New(Options{Mode: Host, MaxHops: -1})
	s.AddSeed("http://example.org/")
	d := s.Judge(&kavosh.Link{URL: "https://www.example.org/fa/", Kind: kavosh.Redirect}, task("http://example.org/", "", kavosh.Seed, 0))
	if !d.In || !d.NewSeed {
		t.Fatalf("target of a seed's redirect: %+v", d)
	}
	again := &kavosh.Link{URL: "https://m.example.org/", Kind: kavosh.Redirect}
	if d := s.Judge(again, task("https://www.example.org/fa/", "R", kavosh.Redirect, 0)); !d.In {
		t.Errorf("second redirect in a row: %+v", d)
	}
	if d := s.Judge(&kavosh.Link{URL: "https://evil.test/", Kind: kavosh.Redirect}, task("http://example.org/a", "L", kavosh.Navigation, 1)); d.In {
		t.Errorf("redirect of a page that is no seed: %+v", d)
	}
	later, _ := New(Options{Mode: Host, MaxHops: -1})
	later.AddSeed("http://example.org/")
	moved, more := s.Moved(), s.Moved()
	if len(moved) != 2 || len(more) != 0 {
		t.Errorf("told are %q, then %q", moved, more)
	}
	for _, url := range moved {
		later.AddSeed(url)
	}
	for _, url := range []string{"https://www.example.org/en/", "https://m.example.org/x"} {
		if d := later.Judge(&kavosh.Link{URL: url, Kind: kavosh.Navigation}, nil); !d.In {
			t.Errorf("after a restart %s: %+v", url, d)
		}
	}
	older, _ := New(Options{Mode: Host, MaxHops: -1})
	if err := older.Restore([]byte(`{"seeds":["https://www.example.org/fa/"]}`)); err != nil {
		t.Fatal(err)
	}
	if d := older.Judge(&kavosh.Link{URL: "https://www.example.org/en/", Kind: kavosh.Navigation}, nil); !d.In || len(older.Moved()) != 1 || older.Snapshot() != nil {
		t.Errorf("seeds that an older program kept: %+v", d)
	}
	if err := later.Restore([]byte("{")); err == nil {
		t.Error("a damaged snapshot was taken")
	}
}

func TestOptionErrors(t *testing.T) {
	for _, test := range []struct {
		o    Options
		want string
	}{
		{Options{Mode: "site"}, `scope "site"`},
		{Options{Include: []string{"*.html"}}, `include "*.html"`},
		{Options{Exclude: []string{"("}}, `exclude "("`},
	} {
		_, err := New(test.o)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: error %v, want one line with %s", test.o, err, test.want)
		}
	}
	s, _ := New(Options{})
	if err := s.AddSeed("ftp://a.test/"); err == nil {
		t.Error("a seed that cannot be fetched was taken")
	}
}

func TestFollow(t *testing.T) {
	seed := Follow(nil, &kavosh.Link{URL: "http://a.test/", Kind: kavosh.Seed})
	if seed.Seed != "http://a.test/" || seed.Path != "" || seed.Hops != 0 {
		t.Errorf("seed: %+v", seed)
	}
	page := Follow(&seed, &kavosh.Link{URL: "http://a.test/p", Kind: kavosh.Navigation})
	css := Follow(&page, &kavosh.Link{URL: "http://a.test/c", Kind: kavosh.Embed})
	font := Follow(&css, &kavosh.Link{URL: "http://a.test/f", Kind: kavosh.Embed})
	if font.Path != "LEE" || font.Hops != 1 || font.Embeds != 2 || font.Via != "http://a.test/c" || font.Seed != seed.Seed {
		t.Errorf("font: %+v", font)
	}
	deep := page
	for range 100 {
		deep = Follow(&deep, &kavosh.Link{URL: "http://a.test/q", Kind: kavosh.Navigation})
	}
	if len(deep.Path) != 64 || deep.Hops != 101 || deep.Embeds != 0 {
		t.Errorf("deep: %+v", deep)
	}
}

// Seeds of one host cost a scope nothing but that host.
func TestSeedsOfAHostTakeNoSpace(t *testing.T) {
	for _, mode := range []Mode{Host, Domain, Prefix, Any} {
		s, err := New(Options{Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range 20_000 {
			s.AddSeed("http://a.test/page/" + strconv.Itoa(i))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 100_000 {
			t.Errorf("--scope %s holds %d bytes more", mode, grown)
		}
		if mode != Any && !s.Judge(&kavosh.Link{URL: "http://a.test/page/7", Kind: kavosh.Navigation}, nil).In {
			t.Errorf("--scope %s: a seed is out", mode)
		}
	}
}

// Seeds of many hosts cost a scope some bytes each, however long their names are.
func TestSeedsOfManyHosts(t *testing.T) {
	const n = 100_000
	for mode, sets := range map[Mode]int64{Page: 1, Host: 1, Prefix: 2, Domain: 2, Any: 0} {
		s, err := New(Options{Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range n {
			s.AddSeed("http://www.a-host-with-a-long-name-" + strconv.Itoa(i) + ".example/")
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > sets*17*n+100_000 {
			t.Errorf("--scope %s holds %d bytes a seed", mode, grown/n)
		}
		for i := range n {
			host := "http://www.a-host-with-a-long-name-" + strconv.Itoa(i)
			if !s.Judge(&kavosh.Link{URL: host + ".example/", Kind: kavosh.Navigation}, nil).In || mode != Any && s.Judge(&kavosh.Link{URL: host + "x.example/", Kind: kavosh.Navigation}, nil).In {
				t.Fatalf("--scope %s: %s is taken for another", mode, host)
			}
		}
	}
}

// Below a seed's path is what begins with it, whatever other seeds there are.
func TestFolders(t *testing.T) {
	seeds := []string{"http://a.test/x/", "http://a.test/y/z/page", "http://a.test/y/zz/q/?a=/b/", "http://b.test/1/2/3/4/5/", "http://c.test//d/", "https://e.test:8443/only/"}
	links := append([]string{
		"http://a.test/", "http://a.test/x", "http://a.test/xx/", "http://a.test/y/", "http://a.test/y/z/a/b/c/", "http://a.test/y/zz/", "http://a.test/y/zz/q/r",
		"http://a.test/y/z?x/", "http://b.test/1/2/3/4/", "http://b.test/x/", "http://b.test/1/2/3/4/5/6/7/8/", "http://c.test/", "http://c.test//", "http://c.test/d/",
		"http://c.test//d/e", "http://e.test/only/", "http://e.test:8443/only/a", "http://d.test/x/", "http://a.test/" + strings.Repeat("/", 9999),
	}, seeds...)
	s, _ := New(Options{Mode: Prefix, MaxHops: -1})
	for _, seed := range seeds {
		s.AddSeed(seed)
	}
	for _, url := range links {
		link, want := must(Split(url)), false
		for _, seed := range seeds {
			p := must(Split(seed))
			want = want || p.Host == link.Host && strings.HasPrefix(link.Path, p.Path[:strings.LastIndexByte(p.Path, '/')+1])
		}
		if got := s.inMode(&kavosh.Link{URL: url}, &link); got != want {
			t.Errorf("%.80s: in scope %v, want %v", url, got, want)
		}
	}
}

func must(p Parts, ok bool) Parts {
	if !ok {
		panic("no URL")
	}
	return p
}
