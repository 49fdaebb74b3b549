package fetch

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const cookieFile = `# Netscape HTTP Cookie File
# This file was made by an extension.

#HttpOnly_.example.org	TRUE	/	TRUE	4102444800	sid	one
www.example.org	FALSE	/wiki	FALSE	0	place	two
.example.net	TRUE	/	FALSE	0	other	three
.example.org	TRUE	/	FALSE	946684800	old	four
127.0.0.1	FALSE	/	FALSE	0.5	here	five
example.org	FALSE	/	FALSE	0	empty	
`

func TestCookiesOfABrowser(t *testing.T) {
	now := time.Date(2026, 3, 21, 0, 0, 0, 0, time.UTC)
	given, err := ReadCookies(strings.ReplaceAll(cookieFile, "\n", "\r\n"), func(d string) bool { return d == "example.org" })
	if err != nil || !given.Live(now) {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"example.org"}, given.Domains()); diff != "" {
		t.Error(diff)
	}
	clock := new(setClock)
	clock.now.Store(now.UnixNano())
	j := NewJar(clock)
	j.give(given)
	for where, want := range map[[3]string]string{
		{"https", "www.example.org", "/"}:       "sid=one",
		{"https", "www.example.org", "/wiki/x"}: "place=two; sid=one",
		{"http", "www.example.org", "/wiki"}:    "place=two",
		{"https", "example.org", "/"}:           "sid=one; empty=",
		{"https", "example.net", "/"}:           "",
		{"https", "notexample.org", "/"}:        "",
		{"http", "127.0.0.1", "/"}:              "",
	} {
		if got := j.Header(where[0], where[1], where[2]); got != want {
			t.Errorf("%v is sent %q, want %q", where, got, want)
		}
	}
	// What servers set there is the person's too.
	j.Set("https", "www.example.org", "/", "sid=renewed; Domain=example.org; Path=/; Secure")
	j.Set("https", "www.example.org", "/", "seen=1")
	if got := j.Header("https", "www.example.org", "/"); got != "sid=renewed; seen=1" {
		t.Errorf("sent %q", got)
	}
	if kept := string(j.Snapshot()); strings.Contains(kept, "renewed") || strings.Contains(kept, "two") || strings.Contains(kept, "seen") {
		t.Errorf("kept: %s", kept)
	}
}

func TestNoCookiesOfABrowser(t *testing.T) {
	all := func(string) bool { return true }
	for text, want := range map[string]string{
		"":                         "no cookie",
		"# nothing\n":              "no cookie",
		"[{\"name\": \"S3CRET\"}]": "JSON",
		"a.test S3CRET":            "line 1 has 1 fields",
		"a.test\tTRUE\t/\tTRUE\tnever\tn\tS3CRET":                             "line 1 is no cookie",
		"a.test\tTRUE\tx\tTRUE\t0\tn\tS3CRET":                                 "line 1 is no cookie",
		"a.test/x\tTRUE\t/\tTRUE\t0\tn\tS3CRET":                               "line 1 is no cookie",
		"com\tTRUE\t/\tTRUE\t0\tn\tS3CRET; x":                                 "line 1 is no cookie",
		"a.test\tTRUE\t/\tTRUE\t0\tn\tS3CRET\x01":                             "line 1 is no cookie",
		"a.test\tTRUE\t/\tTRUE\t0\t" + strings.Repeat("n", 5000) + "\tS3CRET": "line 1 is no cookie",
		strings.Repeat("#\n", maxCookieFile+1):                                "more than 100000 lines",
	} {
		if _, err := ReadCookies(text, all); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "S3CRET") {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadCookies(cookieFile, func(string) bool { return false }); err == nil || !strings.Contains(err.Error(), "none of its 6 cookies is of a seed's domain") {
		t.Error(err)
	}
	old, err := ReadCookies("a.test\tTRUE\t/\tTRUE\t946684800\tn\tv\n", all)
	if err != nil || old.Live(time.Now()) {
		t.Error(err, "an old cookie is good")
	}
}

func FuzzReadCookies(f *testing.F) {
	f.Add(cookieFile)
	f.Fuzz(func(t *testing.T, text string) {
		given, err := ReadCookies(text, func(string) bool { return true })
		if err != nil {
			return
		}
		j := NewJar(nil)
		j.give(given)
		for _, d := range given.Domains() {
			if h := j.Header("https", d, "/"); strings.ContainsAny(h, "\r\n\x00") {
				t.Errorf("%q is sent to %s", h, d)
			}
		}
	})
}
