//go:build conformance

package robots

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kavosh/internal/testdata"
)

const noDelay time.Duration = -1

// commons says what crawler-commons expects of each robots.txt among its test resources: for an agent, what is allowed,
// what is forbidden, and the Crawl-delay. docs/formats/robots.md lists the few expectations outside these files that we
// do not share.
var commons = []struct {
	file     string
	agent    string
	allow    string // paths, separated by blanks
	forbid   string
	delay    time.Duration
	sitemaps int
}{
	{"astore.amazon.com-robots.txt", "anybot", "/ /x", "", 5 * time.Second, 0},
	{"crawl-delay-group-merging.txt", "mybot", "/ /login/", "/private/", 10 * time.Second, 0},
	{"crawl-delay-group-merging.txt", "yourbot", "/", "/private/ /login/", noDelay, 0},
	{"crawl-delay-group-merging.txt", "anyotherbot", "/ /private/ /login/", "", 30 * time.Second, 0},
	{"directive-typos-robots.txt", "bot1", "/", "/desallow/ /dissalow/", noDelay, 0},
	{"directive-typos-robots.txt", "bot2", "/", "/useragent/", noDelay, 0},
	{"directive-typos-robots.txt", "bot3", "/", "/useg-agent/", noDelay, 0},
	{"directive-typos-robots.txt", "bot4", "/", "/useragent-no-colon/", noDelay, 0},
	{"dos-line-endings.txt", "bot1", "/", "", time.Second, 0},
	{"extended-standard-robots.txt", "bot1", "/x", "", noDelay, 0},
	{"extended-standard-robots.txt", "foobot", "/x", "", noDelay, 0},
	{"extension-robots.txt", "mybot", "/public/page.html /secret/", "/private/page.html", noDelay, 1},
	{"extension-robots.txt", "otherbot", "/private/", "/admin/", noDelay, 1},
	{"extension-robots.txt", "anybot", "/admin/ /private/", "", noDelay, 1},
	{"extensions-group-merging.txt", "mybot", "/", "/private/ /login/", noDelay, 0},
	{"extensions-group-merging.txt", "yourbot", "/", "/private/ /login/", noDelay, 0},
	{"extensions-group-merging.txt", "anyotherbot", "/llms.txt", "/ /private/ /login/", noDelay, 0},
	{"format-errors-robots.txt", "bot1", "/", "/whitespace-before-colon/ /no-colon/", noDelay, 1},
	{"format-errors-robots.txt", "bot2", "/", "/no-colon-useragent/", noDelay, 1},
	{"format-errors-robots.txt", "bot3", "/whitespace-before-colon/", "/", noDelay, 1},
	{"malformed-path.txt", "bot1", "/wiki/", "/wiki/Wikipedia_talk:Mediation_Committee/ /wiki/Wikipedia_talk%3Mediation_Committee/", noDelay, 0},
	{"many-user-agents.txt", "wget", "", "/", noDelay, 0},
	{"many-user-agents.txt", "mysuperlongbotnamethatmatchesnothing", "/", "/bot-trap/", noDelay, 0},
	{"merge-rules.txt", "wget", "/foo/bar/bar.txt /chk/bar/bar.txt", "/tmp/bar/bar.txt", noDelay, 0},
	{"merge-rules.txt", "testy", "", "/", noDelay, 0},
	{"precedence-of-rules.txt", "wget", "/ /foo/bar", "/bar/foo", noDelay, 0},
	{"precedence-of-rules.txt", "testy", "/ /foo/bar", "/foo/blue /foo/ /foo/tar", noDelay, 0},
	{"relative-sitemap-robots.txt", "bot1", "/", "/cache/x /files/", noDelay, 1},
	{"rfc9309-example-simple-robots.txt", "foobot", "/example/page.html /example/allowed.gif", "/ /path/index.html", noDelay, 0},
	{"rfc9309-example-simple-robots.txt", "barbot", "/", "/example/page.html", noDelay, 0},
	{"rfc9309-example-simple-robots.txt", "bazbot", "/", "/example/page.html", noDelay, 0},
	{"rfc9309-example-simple-robots.txt", "quxbot", "/ /example/page.html", "", noDelay, 0},
	{"rfc9309-example-simple-robots.txt", "anyotherbot", "/ /publications/doc1.html", "/example/page.html /example.gif", noDelay, 0},
	{"rfc9309-example-longest-match-robots.txt", "foobot", "/ /example/page/ /example/page/index.html", "/example/page/disallowed.gif", noDelay, 0},
	{"rfc9309-example-rule-group-merging.txt", "examplebot", "/", "/foo /bar /baz", noDelay, 0},
	{"rfc9309-example-rule-group-merging.txt", "bazbot", "/ /foo /bar", "/baz", noDelay, 0},
	{"rfc9309-example-rule-group-merging.txt", "anyotherbot", "/ /baz", "/foo /bar", noDelay, 0},
	{"robots-with-utf8-bom.txt", "foobot", "/", "/profile", noDelay, 1},
	{"robots-with-utf16le-bom.txt", "foobot", "/", "/profile", noDelay, 1},
	{"robots-with-utf16be-bom.txt", "foobot", "/", "/profile", noDelay, 1},
	{"sitemap-robots-dedup.txt", "bot1", "/", "", noDelay, 1},
	{"sitemap-robots.txt", "bot1", "/", "", noDelay, 3},
	{"twitter.com-robots.txt", "slurp", "/", "/x?y /a/with_friends", time.Second, 0},
	{"twitter.com-robots.txt", "msnbot", "/", "/x?y", 10 * time.Second, 0},
	{"twitter.com-robots.txt", "googlebot", "/", "/x?y", noDelay, 0},
	{"wildcards.txt", "anybot", "/wishlist/universal/page", "/wishlist/bogus /anydirectoryhere/gcrnsts", noDelay, 8},
	{"wildcards.txt", "etaospider", "", "/", noDelay, 8},
	{"www.flot.com-robots.txt", "foobot", "/", "/img/", noDelay, 1},
}

func TestCrawlerCommonsFiles(t *testing.T) {
	dir := testdata.Path(t, "robots-sitemaps/crawler-commons/robots")
	left := map[string]bool{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left[e.Name()] = true
	}
	for _, c := range commons {
		delete(left, c.file)
		body, err := os.ReadFile(filepath.Join(dir, c.file))
		if err != nil {
			t.Fatal(err)
		}
		f := Parse(body)
		if len(f.Sitemaps) != c.sitemaps {
			t.Errorf("%s: %d sitemaps %q, want %d", c.file, len(f.Sitemaps), f.Sitemaps, c.sitemaps)
		}
		r := f.For(c.agent)
		for _, p := range strings.Fields(c.allow) {
			if d := r.Match(p); !d.Allowed {
				t.Errorf("%s: %s may not fetch %s (line %d %q)", c.file, c.agent, p, d.Line, d.Rule)
			}
		}
		for _, p := range strings.Fields(c.forbid) {
			if d := r.Match(p); d.Allowed {
				t.Errorf("%s: %s may fetch %s (line %d %q)", c.file, c.agent, p, d.Line, d.Rule)
			}
		}
		delay, ok := r.CrawlDelay()
		if !ok {
			delay = noDelay
		}
		if delay != c.delay {
			t.Errorf("%s: %s waits %v, want %v", c.file, c.agent, delay, c.delay)
		}
	}
	for name := range left {
		t.Errorf("%s has no row in the table", name)
	}
}

// nutch and rfp are robots.txt texts that crawler-commons' own tests hold in their source rather than in a file; what
// they expect are facts of the older drafts and of Nutch.
const (
	nutch = "User-Agent: Agent1 #foo\rDisallow: /a\rDisallow: /b/a\r#Disallow: /c\r\r\rUser-Agent: Agent2 Agent3#foo\rUser-Agent: Agent4\rDisallow: /d\rDisallow: /e/d/\r\rUser-Agent: *\rDisallow: /foo/bar/\r"
	rfp   = "# /robots.txt for http://www.fict.org/\r\n# comments\r\n\r\nUser-agent: unhipbot\nDisallow: /\r\r\nUser-agent: webcrawler\nUser-agent: excite\rDisallow: \u0085\rUser-agent: *\r\nDisallow: /org/plans.html\nAllow: /org/\rAllow: /serv\r\nAllow: /~mak\nDisallow: /\r\n"
)

func TestCrawlerCommonsTexts(t *testing.T) {
	for _, c := range []struct{ robots, agent, allow, forbid string }{
		{nutch, "Agent1", "/b /b/b/foo.html /c /c/a /d /e/d/foo.html /foo/bar/baz.html /f/", "/a /a/ /a/bloh/foo.html /b/a /b/a/index.html"},
		{nutch, "Agent2", "/a /b/a /e/d /e/doh.html /foo/bar/baz.html", "/d /d/a /e/d/foo.html"},
		{nutch, "Agent4", "/a /foo/bar/baz.html", "/d /e/d/foo.html"},
		{nutch, "Agent5", "/a /d /e/d/foo.html", "/foo/bar/baz.html"},
		{rfp, "UnhipBot/0.1", "/robots.txt", "/ /index.html /server.html /%7Emak/mak.html"},
		{rfp, "WebCrawler/3.0", "/ /index.html /org/plans.html", ""},
		{rfp, "Excite/1.0", "/ /index.html", ""},
		{rfp, "Unknown/1.0", "/robots.txt /server.html /services/fast.html /org/about.html /%7Emak/mak.html", "/ /index.html /orgo.gif /org/plans.html /%7Ejim/jim.html"},
		{"User-agent: One, Two, Three\nDisallow: /\n\nUser-agent: *\nAllow: /\n", "One", "", "/fish"},
	} {
		r := Parse([]byte(c.robots)).For(c.agent)
		for _, p := range strings.Fields(c.allow) {
			if d := r.Match(p); !d.Allowed {
				t.Errorf("%.30q: %s may not fetch %s (line %d %q)", c.robots, c.agent, p, d.Line, d.Rule)
			}
		}
		for _, p := range strings.Fields(c.forbid) {
			if d := r.Match(p); d.Allowed {
				t.Errorf("%.30q: %s may fetch %s (line %d %q)", c.robots, c.agent, p, d.Line, d.Rule)
			}
		}
	}
}

// TestCrawlerCommonsEscapes holds its table of escaped paths: a Disallow line, a path, and whether it is then allowed.
func TestCrawlerCommonsEscapes(t *testing.T) {
	for _, c := range []struct {
		rule, path string
		allowed    bool
	}{
		{"/*%20", "/", true}, {"/*%20", "/foobar%20/", false}, {"/*%20", "/foobar/", true},
		{"/*%2F*", "/path/index.html", true}, {"/*%2F*", "/topic/9%2F11/index.html", false},
		{"/topic/9%2F11/", "/topic/9%2F11/index.html", false}, {"/topic/9%2F11/", "/topic/9%2f11/index.html", false},
		{"/q?*mime=application%2Fpdf", "/q?mime=application%2Fpdf", false},
		{"/$", "/", false}, {"/$", "/foobar", true}, {"/%24", "/", true}, {"/%24", "/%24100", false}, {"/%24", "/$100", false},
		{"/search/%2A/", "/search/foobar/", true}, {"/search/%2A/", "/search/%2A/", false}, {"/search/%2A/", "/search/%2a/", false},
		{"/search/%2a/", "/search/%2a/", false}, {"/search/%2a/", "/search/*/", false}, {"/search/*/", "/search/foobar/", false},
		{"/foo/bar?baz=quz", "/foo/bar?baz=quz", false}, {"/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar", false},
		{"/path/file-with-a-%2A.html", "/path/file-with-a-*.html", false}, {"/path/file-with-a-%2A.html", "/path/file-with-a-foo.html", true},
		{"/path/file-with-a-%2A.html", "/path/file-with-a-%2A.html", false},
		{"/path/foo-%24", "/path/foo-$", false}, {"/path/foo-%24", "/path/foo-", true}, {"/path/foo-%24", "/path/foo-%24", false},
		{"/bücher/", "/b%C3%BCcher/book1.html", false}, {"/bücher/", "/bücher/book2.html", false},
		{"/k%C3%B6nyvek/", "/k%C3%B6nyvek/book1.html", false}, {"/k%C3%B6nyvek/", "/könyvek/book2.html", false},
	} {
		r := Parse([]byte("User-agent: *\r\nDisallow: " + c.rule + "\r\nAllow: /")).For("mybot")
		if d := r.Match(c.path); d.Allowed != c.allowed {
			t.Errorf("Disallow: %s: %s gives %+v", c.rule, c.path, d)
		}
	}
}
