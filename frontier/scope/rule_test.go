package scope

import (
	"slices"
	"strings"
	"testing"

	"kavosh"
)

func rules(t testing.TB, lines ...string) []Rule {
	t.Helper()
	all, err := ParseRules(strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestConditions(t *testing.T) {
	page := task("http://www.a.test/docs/index.html", "L", kavosh.Navigation, 1)
	for _, test := range []struct {
		rule string
		link kavosh.Link
		want bool
	}{
		{"leave host=ads.test", kavosh.Link{URL: "http://ads.test/x"}, true},
		{"leave host=ADS.test", kavosh.Link{URL: "http://ads.test:81/x"}, true},
		{"leave host=ads.test:81", kavosh.Link{URL: "http://ads.test:81/x"}, true},
		{"leave host=ads.test:81", kavosh.Link{URL: "http://ads.test/x"}, false},
		{"leave host=ads.test", kavosh.Link{URL: "http://www.ads.test/x"}, false},
		{"leave host=ads.test:80", kavosh.Link{URL: "http://ads.test/x"}, true},
		{"leave host=ads.test:443", kavosh.Link{URL: "https://ads.test/x"}, true},
		{"leave host=ads.test:443", kavosh.Link{URL: "http://ads.test/x"}, false},
		{"leave host=[::1]:81", kavosh.Link{URL: "http://[::1]:81/x"}, true},
		{"leave host=نمونه.test", kavosh.Link{URL: "http://xn--hhbbbed.test/"}, true},
		{"leave domain=ads.test", kavosh.Link{URL: "http://www.ads.test/x"}, true},
		{"leave domain=.ads.test", kavosh.Link{URL: "http://ads.test/x"}, true},
		{"leave domain=ads.test", kavosh.Link{URL: "http://bads.test/x"}, false},
		{"leave surt=test,ads", kavosh.Link{URL: "http://img.ads.test/x"}, true},
		{"leave surt=test,ads", kavosh.Link{URL: "http://ads2.test/x"}, false},
		{"leave surt=test,ads)/x", kavosh.Link{URL: "http://www.ads.test/xyz"}, true},
		{"leave surt=http://(test,ads,)/x", kavosh.Link{URL: "http://ads.test/xyz"}, true},
		{"leave surt=http://(test,ads,", kavosh.Link{URL: "http://ads.test/xyz"}, true},
		{"leave surt=http://(test,ads,", kavosh.Link{URL: "http://img.ads.test/xyz"}, true},
		{"leave surt=http://ads.test/x/", kavosh.Link{URL: "https://ads.test/x/y"}, true},
		{"leave surt=http://ads.test/x/", kavosh.Link{URL: "https://ads.test/xy"}, false},
		{"leave surt=test,ads)/x/", kavosh.Link{URL: "https://ads.test/x/"}, true},
		{"leave surt=test,ads)/x/", kavosh.Link{URL: "https://ads.test/x/?y=1"}, true},
		{"leave surt=test,ads)/X%2fy", kavosh.Link{URL: "https://ads.test/x%2Fyz"}, true},
		{"leave surt=http://(test,ads,www,)/x", kavosh.Link{URL: "http://www.ads.test/x"}, true},
		{"leave surt=test,ads,www", kavosh.Link{URL: "http://www.ads.test/x"}, true},
		{"leave surt=test,ads,www", kavosh.Link{URL: "http://img.ads.test/x"}, false},
		{"leave surt=http://(test,ads,:81)/", kavosh.Link{URL: "http://ads.test:81/x"}, true},
		{"leave surt=test,نمونه)/راه", kavosh.Link{URL: "http://xn--hhbbbed.test/%D8%B1%D8%A7%D9%87"}, true},
		{"leave url=/راه+/[یي].[^/]", kavosh.Link{URL: "http://a.test/%d8%b1%D8%A7%D9%87%D9%87/%D9%8Axx"}, true},
		{"leave url=/راه/", kavosh.Link{URL: "http://a.test/%D8%B1%D8%A7/"}, false},
		{`leave url=\?page=\d{3}`, kavosh.Link{URL: "http://a.test/?page=123"}, true},
		{`leave url=\?page=\d{3}`, kavosh.Link{URL: "http://a.test/?page=12"}, false},
		{"leave via=/docs/", kavosh.Link{URL: "http://a.test/"}, true},
		{"leave from=notfound", kavosh.Link{URL: "http://a.test/", From: kavosh.NotFound}, true},
		{"leave from=notfound", kavosh.Link{URL: "http://a.test/", From: kavosh.Wall}, false},
		{"leave from=notfound", kavosh.Link{URL: "http://a.test/"}, false},
		{"leave via=/blog/", kavosh.Link{URL: "http://a.test/"}, false},
		{"leave kind=embed", kavosh.Link{URL: "http://a.test/", Kind: kavosh.Embed}, true},
		{"leave kind=embed", kavosh.Link{URL: "http://a.test/", Kind: kavosh.Navigation}, false},
		{"leave hops>1", kavosh.Link{URL: "http://a.test/", Kind: kavosh.Navigation}, true},
		{"leave hops>1", kavosh.Link{URL: "http://a.test/", Kind: kavosh.Embed}, false},
		{"leave hops<2", kavosh.Link{URL: "http://a.test/", Kind: kavosh.Embed}, true},
		{"leave type=video/*", kavosh.Link{URL: "http://a.test/a.MP4?x"}, true},
		{"leave type=video/mp4", kavosh.Link{URL: "http://a.test/a", Type: "video/mp4"}, true},
		{"leave type=video/*", kavosh.Link{URL: "http://a.test/watch"}, false},
		{"leave size>10MB", kavosh.Link{URL: "http://a.test/a.mp4"}, false},
		{"leave size<10MB", kavosh.Link{URL: "http://a.test/a.mp4"}, false},
		{"leave host=a.test kind=navigation url=/x", kavosh.Link{URL: "http://a.test/x", Kind: kavosh.Navigation}, true},
		{"leave host=a.test kind=navigation url=/x", kavosh.Link{URL: "http://a.test/y", Kind: kavosh.Navigation}, false},
	} {
		s, err := New(Options{Mode: Any, MaxHops: -1, Rules: rules(t, test.rule)})
		if err != nil {
			t.Fatal(err)
		}
		d := s.Judge(&test.link, page)
		if left := !d.In; left != test.want || left && d.Rule != "rule 1: "+test.rule {
			t.Errorf("%s: %s: %+v", test.rule, test.link.URL, d)
		}
		if test.link.Type != "" {
			continue // it is not kept
		}
		// The same rule, set while the URL waits, judges it when its turn comes.
		if s, err = New(Options{Mode: Any, MaxHops: -1}); err != nil {
			t.Fatal(err)
		}
		waits := Follow(page, &test.link)
		if d := s.Late(&waits); !d.In {
			t.Errorf("%s waits, and without a rule: %+v", test.link.URL, d)
		}
		if err := s.SetRules(nil, rules(t, test.rule), nil); err != nil {
			t.Fatal(err)
		}
		if d := s.Late(&waits); d.In == test.want || test.want && (d.Reason != Ruled || d.Rule != "rule 1: "+test.rule) {
			t.Errorf("%s, set while %s waits: %+v", test.rule, test.link.URL, d)
		}
	}
}

// The first rule that matches decides: first --exclude, then the rules, then the scope and --include.
func TestTheFirstRuleDecides(t *testing.T) {
	page := task("http://a.test/", "L", kavosh.Navigation, 1)
	s, err := New(Options{Mode: Host, MaxHops: 5, Exclude: []string{"/secret"}, Include: []string{"^http://c.test/"}, Rules: rules(t,
		"take url=/wanted", "leave host=a.test url=/print/", "take domain=b.test hops<3", "leave host=c.test kind=embed")})
	if err != nil {
		t.Fatal(err)
	}
	s.AddSeed("http://a.test/")
	for _, test := range []struct {
		url  string
		kind kavosh.Kind
		in   bool
		rule string
	}{
		{"http://a.test/secret/wanted", kavosh.Navigation, false, "excluded by --exclude /secret"},
		{"http://a.test/print/wanted", kavosh.Navigation, true, "rule 1: take url=/wanted"},
		{"http://a.test/print/x", kavosh.Navigation, false, "rule 2: leave host=a.test url=/print/"},
		{"http://a.test/print/", kavosh.Seed, false, "rule 2: leave host=a.test url=/print/"},
		{"http://x.b.test/", kavosh.Navigation, true, "rule 3: take domain=b.test hops<3"},
		{"http://x.b.test/a/a/a/a/", kavosh.Navigation, false, "trap: "},
		{"http://c.test/", kavosh.Navigation, true, "included by --include"},
		{"http://c.test/i.png", kavosh.Embed, false, "rule 4"},
		{"http://a.test/other", kavosh.Navigation, true, "on a seed's host"},
		{"http://d.test/", kavosh.Navigation, false, "d.test is no seed's host"},
		{"http://d.test/wanted", kavosh.Redirect, true, "rule 1"},
	} {
		if d := s.Judge(&kavosh.Link{URL: test.url, Kind: test.kind}, page); d.In != test.in || !strings.HasPrefix(d.Rule, test.rule) {
			t.Errorf("%s: %+v, want %v by %q", test.url, d, test.in, test.rule)
		}
	}
	if d := s.Judge(&kavosh.Link{URL: "http://b.test/", Kind: kavosh.Navigation}, task("http://b.test/x", "LLLLL", kavosh.Navigation, 5)); d.Reason != TooManyHops && d.Reason != OutOfScope {
		t.Errorf("beyond --max-hops: %+v", d)
	}
}

// What waits is judged again when its turn comes, after the rules were changed.
func TestRulesChanged(t *testing.T) {
	s, _ := New(Options{Mode: Any, MaxHops: -1})
	queued := &kavosh.Task{URL: "http://a.test/x.mp4", Kind: kavosh.Navigation, Via: "http://a.test/", Hops: 1}
	if d := s.Late(queued); !d.In {
		t.Errorf("before: %+v", d)
	}
	if err := s.SetRules(nil, rules(t, "leave type=video/* hops>0"), nil); err != nil {
		t.Fatal(err)
	}
	if d := s.Late(queued); d.In || d.Reason != Ruled || !IsRule(d.Rule) {
		t.Errorf("after: %+v", d)
	}
	if d := s.Late(&kavosh.Task{URL: "http://a.test/robots.txt", Kind: kavosh.Prerequisite}); !d.In {
		t.Errorf("robots.txt: %+v", d)
	}
}

func TestBody(t *testing.T) {
	for _, test := range []struct {
		rules  []string
		media  string
		length int64
		most   int64
		rule   string
	}{
		{nil, "video/mp4", 10, -1, ""},
		{[]string{"leave host=b.test"}, "video/mp4", 10, -1, ""},
		{[]string{"leave type=video/*"}, "Video/MP4; codecs=x", 10, 0, "rule 1"},
		{[]string{"leave type=video/*"}, "text/html", 10, -1, ""},
		{[]string{"take url=/small", "leave type=text/html"}, "text/html", 10, -1, ""},
		{[]string{"leave size>1kB"}, "text/html", 1000, -1, ""},
		{[]string{"leave size>1kB"}, "text/html", 1001, 0, "rule 1"},
		{[]string{"leave size>1kB"}, "text/html", -1, 1000, "rule 1"},
		{[]string{"leave size>1kB", "leave size>10 type=text/html"}, "text/html", -1, 10, ""},
		{[]string{"take type=text/html", "leave size>10"}, "text/html", -1, -1, ""},
		{[]string{"take type=text/html size<100", "leave size>10"}, "text/html", 50, -1, ""},
		{[]string{"take type=text/html size<100", "leave size>10"}, "text/html", 500, 0, "rule 2"},
		{[]string{"leave size<100"}, "text/html", -1, -1, ""},
		{[]string{"leave size<100"}, "text/html", 99, 0, "rule 1"},
		{[]string{"take type=application/pdf", "leave url=."}, "text/html", 99, 0, "rule 2"},
	} {
		lines := test.rules
		for i, line := range lines { // a size with a space is none
			lines[i] = strings.Replace(line, "size>10 ", "size>10B ", 1)
		}
		s, err := New(Options{Mode: Any, MaxHops: -1, Rules: rules(t, lines...)})
		if err != nil {
			t.Fatal(err)
		}
		most, rule := s.Body(&kavosh.Task{URL: "http://a.test/small", Kind: kavosh.Navigation}, test.media, test.length)
		if most != test.most || !strings.HasPrefix(rule, test.rule) || most >= 0 && !IsRule(rule) {
			t.Errorf("%q: %s of %d bytes: %d because of %q", test.rules, test.media, test.length, most, rule)
		}
	}
}

func TestMistakesOfRules(t *testing.T) {
	for line, want := range map[string]string{
		"":                        "write take or leave",
		"leave":                   "write take or leave",
		"drop host=a.test":        "write take or leave",
		"leave a.test":            "no condition",
		"leave hots=a.test":       "did you mean hops?",
		"leave host>a.test":       "write host=a.test",
		"leave hops=3":            "write hops>3 or hops<3",
		"leave hops>x":            "no number of clicks",
		"leave size>big":          "no size",
		"leave kind=link":         "no kind of link",
		"leave kind=prerequisite": "no kind of link",
		"leave type=pdf":          "no media type",
		"leave type=*/*":          "no media type",
		"leave url=(":             "no regular expression",
		"leave url=" + strings.Repeat(".{1000}", 500): "too large",
		"leave surt=example.org":                      "in reverse order, such as org,example",
		"leave surt=org,example/docs":                 "in reverse order",
		"leave surt=org,example:80":                   "in reverse order",
		"leave surt=http://":                          "in reverse order",
		"leave host=a.test:0x":                        "no host name",
		"leave host=a.test:99999":                     "no host name",
		"leave url=":                                  "no value",
		"leave host=a.test/x":                         "no host name",
		"leave domain=a.test:80":                      "no host name",
		"leave " + strings.Repeat("u", MaxRule):       "too long",
	} {
		if _, err := ParseRule(line); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.100q: %v, want one line with %q", line, err, want)
		}
	}
	if _, err := ParseRules("# none\n\nleave host=a.test\nleave x\n"); err == nil || !strings.HasPrefix(err.Error(), "line 4: ") {
		t.Errorf("a bad line: %v", err)
	}
	if all, err := ParseRules("\ufeffleave host=a.test\r\n\r\ntake host=b.test\r\n"); err != nil || len(all) != 2 {
		t.Errorf("a file of another system: %v, %v", all, err)
	}
	if _, err := ParseRules(strings.Repeat("leave host=a.test\n", MaxRules+1)); err == nil {
		t.Error("too many rules were taken")
	}
}

// FuzzRule reads any line as a rule: it never panics, and what it reads it writes so that it is read again as the same.
func FuzzRule(f *testing.F) {
	for _, line := range []string{"leave host=ads.example", "take surt=org,example)/x hops<3", "leave type=video/* size>50MB url=\\d via=^a kind=embed", "take domain=.x.example", "leave url=[آ-ی]*/راه|x", "leave from=parked kind=navigation", "leave surt=http://(org,example,www,:81)/x/"} {
		f.Add(line, "http://a.example/x?y=1")
	}
	f.Fuzz(func(t *testing.T, line, url string) {
		r, err := ParseRule(line)
		if err != nil {
			return
		}
		again, err := ParseRule(r.String())
		if err != nil || again.String() != r.String() || again.Take != r.Take || len(again.conditions) != len(r.conditions) {
			t.Fatalf("%q is written %q, which is read as %q: %v", line, r, again, err)
		}
		p, ok := Split(url)
		if !ok {
			return
		}
		s, of := subject{url: url, parts: p, size: -1}, subject{url: url, parts: p, size: -1}
		if r.matches(&s) != again.matches(&of) {
			t.Fatalf("%q and %q do not match alike: %s", line, r, url)
		}
		if at := r.cutAt(&s); at >= 0 && !slices.ContainsFunc(r.conditions, func(c condition) bool { return c.on == onSize }) {
			t.Fatalf("%q cuts at %d", line, at)
		}
	})
}
