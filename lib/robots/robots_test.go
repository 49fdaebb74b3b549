package robots

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// matchTests are facts about RFC 9309 and about what its readers agree on, each checked against google/robotstxt (by way
// of grobotstxt) as well, unless ours says that we differ: docs/formats/robots.md argues those.
var matchTests = []struct {
	name   string
	robots string
	agent  string
	allow  []string
	forbid []string
	ours   bool
}{
	{name: "empty file", robots: "", allow: []string{"/", "/x"}},
	{name: "no rule for anybody", robots: "hello\nworld: 1\n", allow: []string{"/"}},
	{name: "simple", robots: "user-agent: FooBot\ndisallow: /\n", forbid: []string{"/", "/x/y", "", "?q"}},
	{name: "no colon", robots: "user-agent FooBot\ndisallow /\n", forbid: []string{"/x/y"}},
	{name: "no colon and three words is prose", robots: "user-agent: *\ndisallow all robots\n", allow: []string{"/all"}},
	{name: "white space before the colon", robots: "user-agent : *\ndisallow\t:\t/x \n", forbid: []string{"/x"}, allow: []string{"/y"}},
	{name: "letters of names and agents", robots: "USER-AGENT: fOObOT\nALLOW: /x/\nDISALLOW: /\n", allow: []string{"/x/y"}, forbid: []string{"/a/b"}},
	{name: "letters of paths", robots: "user-agent: FooBot\ndisallow: /X/\n", allow: []string{"/x/y"}, forbid: []string{"/X/y"}},
	{name: "misspelt, as Google takes it",
		robots: "useragent: FooBot\ndissallow: /a\ndissalow: /b\ndisalow: /c\ndiaslow: /d\ndiasllow: /e\ndisallaw: /f\n",
		forbid: []string{"/a", "/b", "/c", "/d", "/e", "/f"}, allow: []string{"/g"}},
	{name: "user agent in two words", robots: "user agent: FooBot\ndisallow: /\n", forbid: []string{"/"}},
	{name: "misspelt, as crawler-commons takes it", ours: true,
		robots: "useg-agent: FooBot\ndesallow: /a\ndisllow: /b\n", forbid: []string{"/a", "/b"}, allow: []string{"/c"}},

	{name: "rules before any group are nobody's", robots: "disallow: /x\nuser-agent: FooBot\ndisallow: /y\n", allow: []string{"/x"}, forbid: []string{"/y"}},
	{name: "groups that name us are one",
		robots: "user-agent: FooBot\ndisallow: /a\nuser-agent: BarBot\ndisallow: /b\nuser-agent: foobot\ndisallow: /c\n",
		forbid: []string{"/a", "/c"}, allow: []string{"/b"}},
	{name: "a group may name many", robots: "user-agent: BarBot\nuser-agent: FooBot\nuser-agent: BazBot\ndisallow: /x\n", forbid: []string{"/x"}},
	{name: "a blank line ends no group", robots: "user-agent: FooBot\n\n\ndisallow: /x\n\ndisallow: /y\n", forbid: []string{"/x", "/y"}},
	{name: "a sitemap ends no group", robots: "User-agent: BarBot\nSitemap: https://foo.bar/sitemap\nUser-agent: *\nDisallow: /\n", agent: "BarBot", forbid: []string{"/"}},
	{name: "an unknown line ends no group", robots: "User-agent: FooBot\nInvalid-Unknown-Line: unknown\nUser-agent: *\nDisallow: /\n", forbid: []string{"/"}},
	{name: "our group and not the one of all", robots: "User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n", allow: []string{"/x/page"}, forbid: []string{"/y/page"}},
	{name: "our group though it forbids nothing", robots: "User-agent: *\nDisallow: /\nUser-agent: FooBot\nDisallow:\n", allow: []string{"/x"}},
	{name: "the groups of all when none names us", robots: "user-agent: *\ndisallow: /a\nuser-agent: BarBot\ndisallow: /\nuser-agent: *\ndisallow: /c\n", forbid: []string{"/a", "/c"}, allow: []string{"/d"}},
	{name: "star and then words is all", robots: "user-agent: * every bot\ndisallow: /x\n", forbid: []string{"/x"}},
	{name: "star and then letters is nobody", robots: "user-agent: *bot\ndisallow: /x\n", allow: []string{"/x"}},
	{name: "no group for us", robots: "user-agent: BarBot\ndisallow: /\n", allow: []string{"/"}},
	{name: "version after the token", robots: "user-agent: FooBot/2.1 (+http://foo.bar)\ndisallow: /\n", forbid: []string{"/"}},
	{name: "words after the token", robots: "User-Agent: *\nDisallow: /\nUser-Agent: FooBot Images\nAllow: /x/\nDisallow: /\n", allow: []string{"/x/y"}, forbid: []string{"/y"}},
	{name: "a longer name is another", robots: "user-agent: FooBot-News\ndisallow: /\n", allow: []string{"/"}},
	{name: "a shorter name is another", robots: "user-agent: Foo\ndisallow: /\n", allow: []string{"/"}},
	{name: "digits are part of a name", robots: "user-agent: bot2\ndisallow: /\n", agent: "bot1", allow: []string{"/"}},

	{name: "longest wins, whatever the order 1", robots: "user-agent: FooBot\ndisallow: /x/page.html\nallow: /x/\n", forbid: []string{"/x/page.html"}, allow: []string{"/x/"}},
	{name: "longest wins, whatever the order 2", robots: "user-agent: FooBot\nallow: /x/page.html\ndisallow: /x/\n", allow: []string{"/x/page.html"}, forbid: []string{"/x/"}},
	{name: "allow wins a tie", robots: "user-agent: FooBot\ndisallow: /folder\nallow: /folder\n", allow: []string{"/folder/page"}},
	{name: "empty rules weigh nothing", robots: "user-agent: FooBot\ndisallow: \nallow: \n", allow: []string{"/"}},
	{name: "an empty rule does not lift others", robots: "user-agent: FooBot\ndisallow: /x\ndisallow:\nallow:\n", forbid: []string{"/x"}},
	{name: "stars count as octets", robots: "user-agent: FooBot\nallow: /page\ndisallow: /*.htm\n", allow: []string{"/page"}, forbid: []string{"/page.htm"}},
	{name: "a longer plain rule beats a star", robots: "user-agent: FooBot\nallow: /x/page.\ndisallow: /*.html\n", allow: []string{"/x/page.html"}, forbid: []string{"/x/y.html"}},
	{name: "the dollar counts", robots: "user-agent: FooBot\nallow: /$\ndisallow: /\n", allow: []string{"/"}, forbid: []string{"/page.htm"}},

	{name: "prefix", robots: "user-agent: FooBot\ndisallow: /fish\n",
		forbid: []string{"/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fish.php?id=anything"}, allow: []string{"/Fish.asp", "/catfish", "/?id=fish", "/fis"}},
	{name: "a star at the end says nothing", robots: "user-agent: FooBot\ndisallow: /fish*\n", forbid: []string{"/fish", "/fish.html"}, allow: []string{"/catfish"}},
	{name: "folder", robots: "user-agent: FooBot\ndisallow: /fish/\n", forbid: []string{"/fish/", "/fish/?id=1", "/fish/salmon.htm"}, allow: []string{"/fish", "/fish.html"}},
	{name: "star", robots: "user-agent: FooBot\ndisallow: /*.php\n",
		forbid: []string{"/index.php", "/folder/filename.php", "/filename.php?x", "/any.php.html", "/filename.php/", "/?a.php"}, allow: []string{"/", "/windows.PHP", "/php/"}},
	{name: "star and end", robots: "user-agent: FooBot\ndisallow: /*.php$\n",
		forbid: []string{"/filename.php", "/a.php/b.php"}, allow: []string{"/filename.php?x", "/filename.php/", "/filename.php5", "/aaaphpaaa"}},
	{name: "star within", robots: "user-agent: FooBot\ndisallow: /fish*.php\n", forbid: []string{"/fish.php", "/fishheads/catfish.php?x"}, allow: []string{"/Fish.PHP", "/x/fish.php"}},
	{name: "star first", robots: "user-agent: FooBot\ndisallow: *.gif$\n", forbid: []string{"/a.gif", "/b/a.gif"}, allow: []string{"/a.gif?x"}},
	{name: "star alone", robots: "user-agent: FooBot\ndisallow: *\n", forbid: []string{"/", "/x"}},
	{name: "many stars", robots: "user-agent: FooBot\ndisallow: /a**b***c$\n", forbid: []string{"/abc", "/a1b2c"}, allow: []string{"/acb", "/abcd"}},
	{name: "end", robots: "user-agent: FooBot\ndisallow: /foo/bar$\n", forbid: []string{"/foo/bar"}, allow: []string{"/foo/bar/", "/foo/bar?x", "/foo/bar/baz"}},
	{name: "dollar within is a dollar", robots: "user-agent: FooBot\ndisallow: /a$b\n", forbid: []string{"/a$b", "/a$bc"}, allow: []string{"/a"}},
	{name: "star then end", robots: "user-agent: FooBot\ndisallow: /a*$\n", forbid: []string{"/a", "/ab"}, allow: []string{"/b"}},
	{name: "comments", robots: "user-agent: FooBot # we\n# disallow: /\ndisallow: /foo/quz#qux\nallow: /\n", allow: []string{"/foo/bar"}, forbid: []string{"/foo/quz"}},
	{name: "query", robots: "user-agent: FooBot\ndisallow: /*?\n", forbid: []string{"/a?b", "/?"}, allow: []string{"/a"}},
	{name: "a rule without a slash matches nothing", robots: "user-agent: FooBot\ndisallow: x\n", allow: []string{"/x", "/"}},
	{name: "who allows the index allows the folder", robots: "User-Agent: *\nAllow: /slash/index.html\nDisallow: /\n", allow: []string{"/slash/", "/slash/index.html"}, forbid: []string{"/slash/index.htm", "/slash"}},
	{name: "who forbids the index forbids no folder", robots: "User-Agent: *\nDisallow: /slash/index.html\n", allow: []string{"/slash/"}, forbid: []string{"/slash/index.html"}},
	{name: "the robots.txt itself", robots: "user-agent: *\ndisallow: /\n", allow: []string{"/robots.txt"}, forbid: []string{"/robots.txt?x", "/robots"}, ours: true},

	{name: "line ends", robots: "user-agent: FooBot\rdisallow: /a\r\ndisallow: /b\n\rdisallow: /c\r\r\ndisallow: /d", forbid: []string{"/a", "/b", "/c", "/d"}},
	{name: "byte order mark", robots: "\xEF\xBB\xBFuser-agent: FooBot\ndisallow: /\n", forbid: []string{"/"}},
	{name: "byte order mark cut short", robots: "\xEF\xBBuser-agent: FooBot\ndisallow: /\n", forbid: []string{"/"}},
	{name: "byte order mark broken", robots: "\xEF\x11\xBB\xBFuser-agent: FooBot\ndisallow: /\n", allow: []string{"/"}},
	{name: "byte order mark in the middle", robots: "user-agent: FooBot\n\xEF\xBB\xBFdisallow: /a\ndisallow: /b\n", allow: []string{"/a"}, forbid: []string{"/b"}},

	{name: "plain letters, encoded path", robots: "user-agent: FooBot\ndisallow: /foo/bar/ツ\n", forbid: []string{"/foo/bar/%E3%83%84"}},
	{name: "lower-case escapes", ours: true, robots: "user-agent: FooBot\ndisallow: /foo/bar/%e3%83%84\n", forbid: []string{"/foo/bar/%E3%83%84"}},
	{name: "reserved characters stay", robots: "user-agent: FooBot\ndisallow: /\nallow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par\n", allow: []string{"/foo/bar?qux=taz&baz=http://foo.bar?tar&par"}},
	{name: "an escaped slash is no slash", robots: "user-agent: FooBot\ndisallow: /a%2Fb\n", forbid: []string{"/a%2Fb"}, allow: []string{"/a/b"}},
	{name: "escaped letters", ours: true, robots: "user-agent: FooBot\ndisallow: /foo/%62%61%7A\n", forbid: []string{"/foo/baz", "/foo/%62az", "/foo/%62%61%7a"}},
	{name: "encoded letters, plain path", ours: true, robots: "user-agent: FooBot\ndisallow: /%D9%81%D8%A7%D8%B1%D8%B3%DB%8C/\n", forbid: []string{"/فارسی/", "/%d9%81%D8%A7%d8%b1%D8%B3%DB%8C/x"}},
	{name: "plain Persian, any path", ours: true, robots: "user-agent: FooBot\ndisallow: /بایگانی/*/چاپ$\n",
		forbid: []string{"/بایگانی/۱۴۰۳/چاپ", "/%D8%A8%D8%A7%DB%8C%DA%AF%D8%A7%D9%86%DB%8C/1403/%DA%86%D8%A7%D9%BE"}, allow: []string{"/بایگانی/۱۴۰۳/", "/بایگانی/۱۴۰۳/چاپ?x"}},
	{name: "escaped star and dollar are themselves", ours: true, robots: "user-agent: FooBot\ndisallow: /a%2A/\ndisallow: /b%24\n",
		forbid: []string{"/a*/", "/a%2a/", "/b$", "/b$c", "/b%24"}, allow: []string{"/ab/", "/b"}},
	{name: "a space", ours: true, robots: "user-agent: FooBot\ndisallow: /my files/\n", forbid: []string{"/my%20files/x", "/my files/"}},
	{name: "a stray percent sign", robots: "user-agent: FooBot\ndisallow: /100%\ndisallow: /talk%3M\n", forbid: []string{"/100%", "/100%25", "/talk%3Mx"}, ours: true},
}

func TestMatch(t *testing.T) {
	for _, tt := range matchTests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.agent == "" {
				tt.agent = "FooBot"
			}
			r := Parse([]byte(tt.robots)).For(tt.agent)
			for _, p := range tt.allow {
				if d := r.Match(p); !d.Allowed {
					t.Errorf("%q is forbidden by line %d %q, want allowed", p, d.Line, d.Rule)
				}
			}
			for _, p := range tt.forbid {
				if d := r.Match(p); d.Allowed {
					t.Errorf("%q is allowed (line %d %q), want forbidden", p, d.Line, d.Rule)
				}
			}
		})
	}
}

// TestWhy holds what `kavosh why` prints: the deciding line, as the site wrote it.
func TestWhy(t *testing.T) {
	r := Parse([]byte("# robots\r\n\r\nUser-agent: *\r\n  Disallow:  /private/  # not for you\r\nAllow: /private/open\r\n")).For("Kavosh")
	for _, tt := range []struct {
		path string
		want Decision
	}{
		{"/private/x", Decision{false, 4, "Disallow:  /private/"}},
		{"/private/open.html", Decision{true, 5, "Allow: /private/open"}},
		{"/", Decision{Allowed: true}},
	} {
		if got := r.Match(tt.path); got != tt.want {
			t.Errorf("Match(%q) = %+v, want %+v", tt.path, got, tt.want)
		}
	}
	tie := Parse([]byte("user-agent: *\ndisallow: /x\nallow: /x\nallow: /x\n")).For("Kavosh").Match("/x")
	if want := (Decision{true, 3, "allow: /x"}); tie != want {
		t.Errorf("of equal rules %+v decides, want %+v", tie, want)
	}
}

func TestWholeHosts(t *testing.T) {
	if d := AllowAll().Match("/x"); !d.Allowed {
		t.Errorf("AllowAll forbids: %+v", d)
	}
	no := DisallowAll("robots.txt answered 503")
	if d := no.Match("/x"); d.Allowed || d.Line != 0 || d.Rule != "robots.txt answered 503" {
		t.Errorf("DisallowAll says %+v", d)
	}
	if _, ok := no.CrawlDelay(); ok {
		t.Error("DisallowAll has a Crawl-delay")
	}
}

func TestCrawlDelay(t *testing.T) {
	const merged = "User-agent: a\nCrawl-delay: 10\nUser-agent: b\nDisallow: /x\nUser-agent: *\nAllow: /\nUser-agent: b\nDisallow: /y\nUser-agent: *\nCrawl-delay: 30\n"
	for _, tt := range []struct {
		robots, agent string
		want          time.Duration // -1 for none
	}{
		{"user-agent: *\ncrawl-delay: 10\n", "x", 10 * time.Second},
		{"user-agent: *\ndisallow: /x\ncrawl-delay: 0.5 # half\n", "x", 500 * time.Millisecond},
		{"user-agent: *\ncrawl-delay: 0\n", "x", 0},
		{"user-agent: *\ncrawl-delay: 5s\n", "x", 5 * time.Second},
		{"user-agent: *\ncrawl-delay: .25\n", "x", 250 * time.Millisecond},
		{"user-agent: *\ncrawl-delay: soon\n", "x", -1},
		{"user-agent: *\ncrawl-delay: -1\n", "x", -1},
		{"user-agent: *\ncrawl-delay:\n", "x", -1},
		{"user-agent: *\ncrawl-delay: 1.2.3\n", "x", -1},
		{"user-agent: *\ncrawl-delay: 99999999999999999999999999\n", "x", maxDelay},
		{"user-agent: *\ncrawl-delay: 5\nuser-agent: x\ndisallow: /y\n", "x", -1},
		{"user-agent: y\nuser-agent: x\ncrawl-delay: 5\n", "x", 5 * time.Second},
		{"user-agent: x\ncrawl-delay: 5\n\nuser-agent: x\ncrawl-delay: 7\n\nuser-agent: x\ncrawl-delay: 3\n", "x", 7 * time.Second},
		{"crawl-delay: 5\nuser-agent: x\ndisallow: /\n", "x", -1},
		{merged, "a", 10 * time.Second},
		{merged, "b", -1},
		{merged, "c", 30 * time.Second},
	} {
		got, ok := Parse([]byte(tt.robots)).For(tt.agent).CrawlDelay()
		if !ok {
			got = -1
		}
		if got != tt.want {
			t.Errorf("%q for %s: delay %v, want %v", tt.robots, tt.agent, got, tt.want)
		}
	}
	if d := Parse([]byte(merged)).For("a").Match("/x"); d.Allowed {
		t.Error("a Crawl-delay ended a group")
	}
}

func TestSitemaps(t *testing.T) {
	f := Parse([]byte("Sitemap: https://a.example/Map.xml\nuser-agent: *\nsite-map: /rel.xml # here\ndisallow: /x\nSITEMAP:\n" +
		"sitemap: https://a.example/Map.xml\nSitemap https://b.example/s.xml\nhttps://a.example/my-sitemap.xml\nhttps://a.example/other\nsitemaps: sitemap.xml\n"))
	want := "https://a.example/Map.xml /rel.xml https://b.example/s.xml https://a.example/my-sitemap.xml sitemap.xml"
	if got := strings.Join(f.Sitemaps, " "); got != want {
		t.Errorf("sitemaps %s, want %s", got, want)
	}
	if d := f.For("Kavosh").Match("/x"); d.Allowed {
		t.Error("a Sitemap line took the rule out of its group")
	}
}

func TestUTF16(t *testing.T) {
	const text = "User-agent: *\nDisallow: /فارسی\n"
	units := utf16.Encode([]rune("\uFEFF" + text))
	var little, big []byte
	for _, u := range units {
		little = append(little, byte(u), byte(u>>8))
		big = append(big, byte(u>>8), byte(u))
	}
	for name, body := range map[string][]byte{"little": little, "big": big, "odd": append(little[:len(little):len(little)], 'x')} {
		if d := Parse(body).For("Kavosh").Match("/%D9%81%D8%A7%D8%B1%D8%B3%DB%8C"); d.Allowed || d.Line != 2 {
			t.Errorf("UTF-16 %s endian: %+v", name, d)
		}
	}
}

func TestMarkup(t *testing.T) {
	r := Parse([]byte("<!DOCTYPE html>\n<html><body>\nUser-agent: mybot<BR>\nDisallow: <BR>\nCrawl-Delay: 10<BR>\n\nUser-agent: *<BR>\nDisallow: /<BR>\n</body></html>")).For("other")
	if d := r.Match("/index.html"); d.Allowed || d.Line != 8 || d.Rule != "Disallow: /" {
		t.Errorf("directives in a page: %+v", d)
	}
	if d := Parse([]byte("<html><title>Not found</title><p>User agents: disallow nothing</html>")).For("x").Match("/"); !d.Allowed {
		t.Errorf("an HTML page forbids: %+v", d)
	}
}

// TestBounds holds what is read of a file that is too long in one way or another.
func TestBounds(t *testing.T) {
	head := "user-agent: *\ndisallow: /a\n"
	filler := strings.Repeat("# x\n", (MaxBytes-len(head)-len("disallow: /b")-2)/4)
	body := head + filler
	body += strings.Repeat("#", MaxBytes-len(body)-len("\ndisallow: /b")) + "\ndisallow: /bcd\ndisallow: /e\n"
	r := Parse([]byte(body)).For("x")
	if d := r.Match("/a"); d.Allowed {
		t.Error("a rule within the bound does not hold")
	}
	if d := r.Match("/b"); !d.Allowed {
		t.Errorf("half a rule at the bound holds: %+v", d)
	}
	if d := r.Match("/e"); !d.Allowed {
		t.Errorf("a rule beyond the bound holds: %+v", d)
	}

	long := "/" + strings.Repeat("a", maxLine)
	r = Parse([]byte("user-agent: *\ndisallow: " + long + "/z\n")).For("x")
	if d := r.Match(long); d.Allowed {
		t.Error("a long rule was not cut but dropped")
	}
	if d := r.Match(long[:maxLine-20]); !d.Allowed {
		t.Error("a long rule was cut too short")
	}
}

// TestMatchIsLinear matches what makes backtracking matchers run for ever.
func TestMatchIsLinear(t *testing.T) {
	r := Parse([]byte("user-agent: *\ndisallow: /" + strings.Repeat("*a", 5000) + "*b\n")).For("x")
	if d := r.Match("/" + strings.Repeat("a", 100_000)); !d.Allowed {
		t.Errorf("matched: %+v", d)
	}
}

func TestMatchDoesNotAllocate(t *testing.T) {
	r := Parse([]byte("user-agent: *\ndisallow: /فارسی\ndisallow: /*.php$\ndisallow: /a/\n")).For("x")
	if n := testing.AllocsPerRun(100, func() { r.Match("/%D9%81%D8%A7%D8%B1%D8%B3%DB%8C/page?x=1") }); n != 0 {
		t.Errorf("Match of a path in canonical form allocates %v times", n)
	}
}

func ExampleFile_For() {
	rules := Parse([]byte("User-agent: *\nDisallow: /بایگانی/\nAllow: /*.css$\n")).For("Kavosh")
	fmt.Printf("%+v\n", rules.Match("/%D8%A8%D8%A7%DB%8C%DA%AF%D8%A7%D9%86%DB%8C/1403"))
	fmt.Printf("%+v\n", rules.Match("/style.css"))
	// Output:
	// {Allowed:false Line:2 Rule:Disallow: /بایگانی/}
	// {Allowed:true Line:3 Rule:Allow: /*.css$}
}
