package plan

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/formats/config.md anew")

// example are values that no key has by default, by the name of the key or else by its type.
func example(k Key) string {
	switch k.Name {
	case "header":
		return "Accept-Language: fa\nX-B: \"b\" é"
	case "include", "exclude":
		return `/print/\d` + "\n[?&]a=b"
	case "reason":
		return "ours, §3"
	case "robots":
		return "record"
	case "browser":
		return "always" // --render goes with it
	}
	for _, choice := range k.Choice {
		if choice != k.Default {
			return choice
		}
	}
	switch k.kind().String() {
	case "bool":
		return "true"
	case "int", "int64", "plan.Hops":
		return "7"
	case "units.Span":
		return "1m30s"
	case "units.Spans":
		return "1s-1m30s"
	case "plan.Since":
		return "168h0m0s"
	case "plan.Younger":
		return "168h0m0s,lastmod"
	case "plan.Starts":
		return "weekly fri 03:00 until 2027-06-18, monthly 1 jalali 03:00 in Asia/Tehran"
	case "units.Rate":
		return "1234kB/s"
	case "units.Size":
		return "1234567890"
	case "units.Network":
		return "10.0.0.0/8\nfe80::/16"
	case "plan.Limit":
		return "500,2500kB,1h30m"
	case "plan.SeedLimit":
		return "500\nhttps://example.org/a?b=c=2GB\nhttps://example.org/=none"
	case "plan.HostLimit":
		return "1h\nwww.example.org=500"
	case "plan.DomainLimit":
		return "example.org=500,2GB"
	case "plan.RevisitRule":
		return "host=example.org least=1h0m0s\ntype=text/ most=24h0m0s until=2026-12-01T00:00:00Z"
	case "plan.Packing":
		return "zstd:9"
	case "plan.Language":
		return "fa-IR"
	case "plan.Window":
		return "1024x768"
	case "plan.Zone":
		return "Asia/Tehran"
	case "scope.Rule":
		return "leave host=ads.example\ntake type=video/* size<10MB"
	case "plan.Renderings":
		return "view,text"
	case "plan.Keep":
		return "important=0.02"
	case "plan.Threshold":
		return "missing=5\nerrors=2.5"
	case "plan.Patch":
		return "missing"
	case "plan.Permit":
		return "www.example.org its owner agreed\nhttps://example.org/a/ the law"
	}
	if k.Name == "revisit" {
		return "gain,budget=7"
	}
	if k.many() {
		return "one = 'x'\nدو \"y\""
	}
	return `a "text" = \with# all`
}

// parse returns the plan that a text describes.
func parse(source string, text []byte) (*Plan, error) {
	p := New()
	return p, p.Read(source, text)
}

// What a plan says can be written as TOML, as JSON and as what an archive keeps, and read again.
func TestPlansAreWrittenAndRead(t *testing.T) {
	p := New()
	for _, k := range Keys() {
		texts, err := k.texts(example(k))
		if err == nil {
			err = k.set(p, texts)
		}
		if err != nil || p.Text(&k) != example(k) || New().Text(&k) == example(k) {
			t.Fatalf("%s: %q, %v", k.Name, p.Text(&k), err)
		}
	}
	seedless := *p
	if seedless.Patch = NoPatch; p.Check() == nil { // which goes with no seeds
		t.Fatal("a crawl with seeds mends an archive")
	}
	if err := seedless.Check(); err != nil {
		t.Fatal(err)
	}
	inTOML, err := p.ToTOML()
	if err != nil {
		t.Fatal(err)
	}
	inJSON, err := p.ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := OfKept(p.Kept())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*Plan{"kept": kept}
	for name, text := range map[string][]byte{"TOML": inTOML, "JSON": inJSON} {
		if all[name], err = parse(name, text); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	for name, got := range all {
		for _, k := range Keys() {
			if want := p.Text(&k); got.Text(&k) != want && (k.Kept || name != "kept") {
				t.Errorf("%s from %s is %q, not %q", k.Name, name, got.Text(&k), want)
			}
		}
	}
}

// Secrets are written nowhere, and a plan that lacks them says so.
func TestSecretsAreNotWritten(t *testing.T) {
	p := New()
	p.ProxyFor = []string{".onion socks5h://127.0.0.1:9050", "example.org http://me:FOR-WORD@proxy.example:81", "example.net http://me:FOR-WORD@[::1"}
	p.Proxy, p.Header = "http://me:PROXY-WORD@proxy.example:8080", []string{"Cookie: a=COOKIE-WORD", "X-A: b", "Authorization: Bearer BEARER-WORD"}
	inTOML, _ := p.ToTOML()
	inJSON, _ := p.ToJSON()
	for _, text := range []string{string(inTOML), string(inJSON), fmt.Sprint(p.Kept())} {
		if strings.Contains(text, "-WORD") || !strings.Contains(text, "X-A: b") || !strings.Contains(text, Hidden+" http://proxy.example:8080") ||
			!strings.Contains(text, ".onion socks5h://127.0.0.1:9050") || !strings.Contains(text, "example.org "+Hidden+" http://proxy.example:81") {
			t.Error(text)
		}
	}
	broken := New()
	broken.Proxy = "http://me:PROXY-WORD@[::1" // no URL, so that nobody can tell where the password ends
	for _, text := range broken.Kept() {
		if strings.Contains(text, "-WORD") {
			t.Error(text)
		}
	}
	again, err := parse("kept.toml", inTOML)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Check(); err == nil || !strings.Contains(err.Error(), "--proxy was not kept, since it is secret: give it again") {
		t.Error(err)
	}
}

// What is wrong with a text is told in one line, by key and fix.
func TestMistakesOfTexts(t *testing.T) {
	for text, want := range map[string]string{
		"max_pages = 3":                      "file: there is no setting max_pages; did you mean max-pages?",
		"[politeness]\ndelay = '1s'":         "there is no setting politeness: take it out",
		"[delay]\nx = 1":                     "--delay: in file: one value is wanted here",
		"config = 'x'":                       "config can stand on the command line only",
		"workers = = 3":                      "file: line 1: a number is wanted and not = 3",
		"delay = '0s'\nscope = host":         `line 2: text needs quotes: write scope = "host"`,
		"workers = many":                     "line 1: a number is wanted and not many: write workers = 10",
		"max-bytes = much":                   "line 1: text needs quotes",
		"delay = 'soon'":                     `--delay: in file: "soon" is no length of time`,
		"order = ['a', 'b']":                 "--order: in file: one value is wanted here, not a list",
		"include = [['a']]":                  "one value is wanted here",
		"include = [{a = 1}]":                "one value is wanted here",
		"workers = 'x'":                      `a number is wanted, such as 10, and not "x"`,
		"workers = 99999999999999999999":     "line 1: a number is wanted and not 99999999999999999999",
		"workers = 2.5":                      `a number is wanted, such as 10, and not "2.5"`,
		"workers = 0":                        "--workers 0 is beyond its bounds: write 1 to 10000",
		"max-pages = -1":                     "--max-pages -1 is beyond its bounds: write 0 to 1000000000000",
		"max-time = '300000d'":               "no length of time",
		"max-time = '50000d'":                "--max-time 50000d is beyond its bounds: write 0s to 36500d",
		"min-free = '9e15TB'":                "no size",
		"max-hops = -1":                      "no number of steps",
		"max-hops = '99999999999'":           "no number of steps",
		"json = 'maybe'":                     `true or false is wanted, and not "maybe"`,
		"json = 3":                           "true or false is wanted",
		"scope = 'hots'":                     `--scope cannot be "hots"; did you mean host?`,
		"scope = 'site'":                     `--scope cannot be "site": use one of page, prefix, host, domain, any`,
		"scope = ''":                         `--scope cannot be ""`,
		"include = ['(']":                    `--include "(": it is no regular expression (`,
		"exclude = ['']":                     "--exclude is empty, and would be found in every URL: leave it out",
		"robots = 'record'":                  "--robots record needs --reason",
		"reason = 'x'":                       "--reason goes with --robots record",
		"delay = 2026-01-01":                 "one value is wanted here",
		"compression = 'gzip:99'":            "1 (fast) to 9",
		"compression = 'gzip:0'":             "1 (fast) to 9",
		"compression = 'zstd:23'":            "1 (fast) to 22",
		"max-hops = 1000000001":              "no number of steps",
		"allow-private = ['home']":           `"home" is no address range`,
		"proxy = '(not kept) http://a.test'": "the value of --proxy was not kept",
		`{"workers": 0}`:                     "--workers 0 is beyond its bounds",
		`{"workers": 1e400}`:                 "a number is wanted",
		`{"delay": {"a": 1}}`:                "one value is wanted here",
		`{"delay": null}`:                    "one value is wanted here",
		`{"delay"`:                           "file: it is no JSON",
		`{"workers": 2} {`:                   "file: it is no JSON",
	} {
		p, err := parse("file", []byte(text))
		if err == nil {
			err = p.Check()
		}
		if _, ok := err.(*Mistake); !ok || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// An archive of an earlier program keeps fewer keys, and perhaps others: the crawl goes on with those that are known.
func TestPlansOfEarlierPrograms(t *testing.T) {
	was, err := OfKept(map[string]string{"scope": "domain", "max-hops": "3", "exclude": "/a\n/b", "delay": "2s", "no-longer": "there"})
	if err != nil || was.Scope != "domain" || was.MaxHops != 3 || !slices.Equal(was.Exclude, []string{"/a", "/b"}) || was.Workers != 16 {
		t.Fatal(was, err)
	}
	for text, want := range map[string]string{
		"scope = 'domain'\nlanguage-id = 'all'\ndelay = '9s'": "",
		"scope = 'any'":     `--scope cannot change when a crawl resumes (it began with "domain")`,
		"exclude = ['/a']":  "--exclude cannot change",
		"exclude = []":      "--exclude cannot change",
		"prefer = ['rdf']":  `--prefer cannot change when a crawl resumes (it began with "")`,
		"max-hops = 'none'": "no number of steps",
	} {
		now := *was
		err := now.Read("file", []byte(text))
		if err == nil {
			err = now.GoesOnFrom(was)
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := OfKept(map[string]string{"delay": "long"}); err == nil || !strings.Contains(err.Error(), "--delay") {
		t.Error(err)
	}
}

// docs/formats/config.md has a line for each key. go test ./plan -update writes them.
func TestKeysAreDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("| key | value | default | when a crawl goes on | meaning |\n|---|---|---|---|---|\n")
	changes := map[string]string{"never": "stays", "resume": "may change", "run": "may change, and while it runs"}
	for _, k := range Keys() {
		kinds := map[string]string{
			"bool": "switch", "units.Span": "length of time", "units.Size": "size", "units.Network": "address range", "int": "number", "int64": "number", "plan.Hops": "steps, `unlimited`",
			"plan.Packing": "compression", "plan.Language": "language", "plan.Window": "width x height", "plan.Zone": "time zone", "plan.Permit": "target and reason",
		}
		value := kinds[k.kind().String()]
		switch {
		case len(k.Choice) > 0:
			value = "`" + strings.Join(k.Choice, "` `") + "`"
		case value == "":
			value = "text"
		}
		if bounds := k.Bounds(); bounds != "" {
			value += ", " + bounds
		}
		if k.many() {
			value += "; several"
		}
		def, when := "", changes[k.Change]
		if k.Default != "" {
			def = "`" + k.Default + "`"
		}
		if !k.Kept {
			when = "not kept"
		}
		help := strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(k.Help)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Name, value, def, when, help)
	}
	path := filepath.Join("..", "docs", "formats", "config.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "<!-- keys -->\n")
	table, after, ok := strings.Cut(rest, "<!-- end of keys -->\n")
	if !ok {
		t.Fatalf("%s has no marks around its table", path)
	}
	if table == b.String() {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+"<!-- keys -->\n"+b.String()+"<!-- end of keys -->\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := strings.Split(b.String(), "\n")
	for i, line := range strings.Split(table, "\n") {
		if i >= len(want) || line != want[i] {
			t.Fatalf("%s: this line is not what the program does: %s; go test ./plan -update writes the table", path, line)
		}
	}
	t.Errorf("%s lacks keys; go test ./plan -update writes the table", path)
}

// Whatever a text holds, reading it ends, and what was read and is right can be written and read again.
func FuzzRead(f *testing.F) {
	p := New()
	inTOML, _ := p.ToTOML()
	inJSON, _ := p.ToJSON()
	for _, text := range []string{string(inTOML), string(inJSON), "scope = host", "a = [[1]]", "x\n=\n", "delay = 1e9\n", "seed = \"\"\"a\nb\"\"\"", "0.  \n", "\"a\\nb\" = 1", "{}", "=", "workers = \r\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parse("text", text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("not one line: %q", err)
			}
			return
		}
		if p.Check() != nil {
			return
		}
		again, err := p.ToTOML()
		if err != nil {
			t.Fatal(err)
		}
		q, err := parse("again", again)
		if err != nil {
			t.Fatalf("%v: %s", err, again)
		}
		for _, k := range Keys() {
			if !slices.Equal(k.told(p), k.told(q)) {
				t.Errorf("%s: %q became %q", k.Name, k.told(p), k.told(q))
			}
		}
	})
}

// A permit covers its host, its domain, or URLs that begin with it up to a whole part of the path, and no more.
func TestPermits(t *testing.T) {
	for _, test := range []struct{ target, in, out string }{
		{"www.example.org", "http://www.example.org:8080/a https://www.example.org/", "https://example.org/ https://a.www.example.org/"},
		{".example.org", "https://example.org/ https://a.b.example.org/x", "https://notexample.org/ https://example.org.test/"},
		{"https://example.org/docs", "https://example.org/docs https://example.org/docs/a https://example.org/docs?x=1", "https://example.org/docs2 http://example.org/docs https://example.org/"},
		{"https://example.org", "https://example.org/ https://example.org/a", "https://example.org:8443/ https://example.org.test/"},
		{"مثال.ایران", "https://xn--mgbh0fb.xn--mgba3a4f16a/", "https://xn--mgba3a4f16a/"},
	} {
		var p Permit
		if err := p.UnmarshalText([]byte(test.target + "   because  of it ")); err != nil || p.Reason != "because of it" {
			t.Errorf("%s: %+v %v", test.target, p, err)
		}
		for url := range strings.FieldsSeq(test.in) {
			if !p.Covers(url) {
				t.Errorf("%s does not cover %s", test.target, url)
			}
		}
		for url := range strings.FieldsSeq(test.out) {
			if p.Covers(url) {
				t.Errorf("%s covers %s", test.target, url)
			}
		}
	}
	for _, bad := range []string{"", "a.test", "a.test ", "http:// why", "a.test:80 why", "a/b why", ". why", "* why"} {
		if err := new(Permit).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a permit", bad)
		}
	}
}
