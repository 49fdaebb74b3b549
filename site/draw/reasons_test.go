package draw

import (
	"strings"
	"testing"
	"time"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/pages"
)

// Whatever scope says of a link that it leaves out, but for what was learned of traps, has its Persian.
func TestReasonsOfScopeArePersian(t *testing.T) {
	parent := &kavosh.Task{URL: "http://a.test/x/", Seed: "http://a.test/x/"}
	deep := &kavosh.Task{URL: "http://a.test/x/", Seed: "http://a.test/x/", Hops: 9, Extra: 1, Path: strings.Repeat("R", 10), Guessed: true}
	embedded := &kavosh.Task{URL: "http://a.test/x/", Path: strings.Repeat("E", 5)}
	listed := &kavosh.Task{URL: "http://a.test/x/", Path: strings.Repeat("M", 8)}
	rule, err := scope.ParseRule("leave host=left.test")
	if err != nil {
		t.Fatal(err)
	}
	links := []kavosh.Link{
		{URL: "ftp://a.test/"}, {URL: "http://out.test/", Kind: kavosh.Navigation}, {URL: "http://ex.test/", Kind: kavosh.Navigation}, {URL: "http://left.test/", Kind: kavosh.Navigation},
		{URL: "http://a.test/r", Kind: kavosh.Redirect}, {URL: "http://a.test/e", Kind: kavosh.Embed}, {URL: "http://a.test/m", Kind: kavosh.Sitemap}, {URL: "http://a.test/g", Kind: kavosh.Speculative},
		{URL: "http://a.test/x/n", Kind: kavosh.Navigation, NoFollow: true}, {URL: "http://a.test/x/h", Kind: kavosh.Navigation},
		{URL: "http://a.test/x/" + strings.Repeat("y", 5000), Kind: kavosh.Navigation}, {URL: "http://a.test/x/" + strings.Repeat("y/", 50), Kind: kavosh.Navigation}, {URL: "http://a.test/x/y/y/y/y/y", Kind: kavosh.Navigation}, {URL: "http://a.test/x/a/b/c/a/c/b/a/b/c/a/c/b/", Kind: kavosh.Navigation},
		{URL: "http://a.test/x/?" + strings.Repeat("a=b&", 5), Kind: kavosh.Navigation}, {URL: "http://a.test/x/?" + strings.Repeat("a&", 101), Kind: kavosh.Navigation}, {URL: "http://a.test/x/calendar/2999/", Kind: kavosh.Navigation},
		{URL: "http://a.test/x/old", Kind: kavosh.Sitemap, Listed: &kavosh.Listed{Changed: time.Unix(1, 0)}}, {URL: "http://a.test/x/never", Kind: kavosh.Sitemap, Listed: &kavosh.Listed{Every: -1}},
	}
	met := map[string]bool{}
	for _, mode := range scope.Modes() {
		for _, pagesOnly := range []bool{false, true} {
			s, err := scope.New(scope.Options{Mode: mode, Exclude: []string{"ex.test"}, Rules: []scope.Rule{rule}, MaxHops: 3, ObeyNoFollow: true, PagesOnly: pagesOnly, Since: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
			s.AddSeed("http://a.test/x/")
			for i := range links {
				for _, p := range []*kavosh.Task{parent, deep, embedded, listed} {
					d := s.Judge(&links[i], p)
					if d.In || met[d.Rule] {
						continue
					}
					met[d.Rule] = true
					if text := Reason(pages.Persian, d.Rule); text == "" || strings.ContainsAny(text, "{}") {
						t.Errorf("%s: %q", d.Rule, text)
					}
				}
			}
		}
	}
	if len(met) < 20 {
		t.Errorf("only %d reasons: %v", len(met), met)
	}
	if text := Reason(pages.Persian, "rule 12 of its seed: leave host=left.test"); text != "قاعدهٔ ۱۲ از قاعده‌های نشانی آغازین آن: \u2066leave host=left.test\u2069" {
		t.Error(text)
	}
	if text := Reason(pages.Persian, "robots.txt line 2: Disallow: /a"); text != "سطر ۲ از robots.txt: \u2066Disallow: /a\u2069" {
		t.Error(text)
	}
	if text := Reason(pages.English, "rule 1: leave host=left.test") + Reason(pages.Persian, "what nobody has translated"); text != "" {
		t.Error(text)
	}
}

// Each class of refusing that a crawl has, beside those of scope, has its words, as have the sentences that it says then.
func TestClassesOfRefusingAreNamed(t *testing.T) {
	for class, sentence := range map[string]string{
		"young":        "visited on 2026-01-01 10:00:00, and --skip-younger leaves out what was visited since 2026-01-01 00:00:00",
		"told":         "visited on 2026-01-01 10:00:00, and last changed on 2026-01-01 09:00:00 by the word of its site, whose trust is 0.90 (--skip-younger lastmod)",
		"second-round": "found in the second round, which visits the pages of the first and their parts",
		"logout":       "it logs out, and the crawl is logged in there by the profile wiki",
		"only":         "part of a page that --only keeps out of the archive",
	} {
		for _, lang := range pages.Langs() {
			if name := known(lang, "rule.", class); name == class {
				t.Errorf("%s has no name", class)
			}
		}
		if text := Reason(pages.Persian, sentence); text == "" || strings.ContainsAny(text, "{}") {
			t.Errorf("%s: %q", sentence, text)
		}
	}
}
