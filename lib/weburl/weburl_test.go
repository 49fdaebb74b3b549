package weburl

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct{ raw, want string }{
		{"http://example.com", "http://example.com/"},
		{"HTTP://EXAMPLE.com/A?B#C", "http://example.com/A?B#C"},
		{"  https://example.com/\n", "https://example.com/"},
		{"ht\ntps://exa\tmple.com/a\rb", "https://example.com/ab"},

		// ports
		{"http://example.com:80/", "http://example.com/"},
		{"https://example.com:443/", "https://example.com/"},
		{"https://example.com:80/", "https://example.com:80/"},
		{"https://example.com:/", "https://example.com/"},
		{"https://example.com:00443/", "https://example.com/"},
		{"https://example.com:08080/", "https://example.com:8080/"},
		{"https://example.com:0/", "https://example.com:0/"},

		// slashes and dots
		{`http:\\example.com\a\b?c\d`, `http://example.com/a/b?c\d`},
		{"http:example.com", "http://example.com/"},
		{"http:////example.com//a///b", "http://example.com//a///b"},
		{"http://example.com/a/./b/../c/..", "http://example.com/a/"},
		{"http://example.com/../../a", "http://example.com/a"},
		{"http://example.com/%2e%2E/.%2e/a/%2e", "http://example.com/a/"},
		{"http://example.com/...", "http://example.com/..."},
		{"http://example.com//..//a", "http://example.com//a"},

		// percent-encoding: what is encoded stays as it is, what is not and must be is
		{"http://example.com/%zz%4?%", "http://example.com/%zz%4?%"},
		{"http://example.com/%7e%D8%a7", "http://example.com/%7e%D8%a7"},
		{"http://example.com/a b\"<>^`{|}?a b\"<>'^`{|}#a b\"<>`{", "http://example.com/a%20b%22%3C%3E%5E%60%7B|%7D?a%20b%22%3C%3E%27^`{|}#a%20b%22%3C%3E%60{"},
		{"http://example.com/\x00\x7f", "http://example.com/%00%7F"},
		{"http://example.com/\xff?\xc3\x28", "http://example.com/%EF%BF%BD?%EF%BF%BD("},
		{"http://example.com/?", "http://example.com/?"},
		{"http://example.com/#", "http://example.com/#"},

		// Persian
		{"http://خبر.ایران/فارسی?جستجو=می‌خواهم", "http://xn--ngblk.xn--mgba3a4f16a/%D9%81%D8%A7%D8%B1%D8%B3%DB%8C?%D8%AC%D8%B3%D8%AA%D8%AC%D9%88=%D9%85%DB%8C%E2%80%8C%D8%AE%D9%88%D8%A7%D9%87%D9%85"},
		{"http://می‌خواهم.example/", "http://xn--mgbn2ecje63gr19l.example/"},
		{"http://%D8%AE%D8%A8%D8%B1.example/", "http://xn--ngblk.example/"},
		{"http://XN--NGBLK.example/", "http://xn--ngblk.example/"},
		{"http://خبر。example/", "http://xn--ngblk.example/"},
		{"http://_bücher.example/", "http://xn--_bcher-4ya.example/"},

		// hosts
		{"http://my_host-1.example./", "http://my_host-1.example./"},
		{"http://faß.example/", "http://xn--fa-hia.example/"},
		{"http://FAẞ.example/", "http://xn--fa-hia.example/"},
		{"http://+1/", "http://+1/"},
		{"http://2130706433/", "http://127.0.0.1/"},
		{"http://0x7f.1/", "http://127.0.0.1/"},
		{"http://0177.0.0.01/", "http://127.0.0.1/"},
		{"http://127.0.0.1./", "http://127.0.0.1/"},
		{"http://127.0.0.1:8080/", "http://127.0.0.1:8080/"},
		{"http://0.10.200.255/", "http://0.10.200.255/"},
		{"http://192.168.00.1/", "http://192.168.0.1/"},
		{"http://192.168.257/", "http://192.168.1.1/"},
		{"http://3com.example/", "http://3com.example/"},
		{"http://[::1]:8080/", "http://[::1]:8080/"},
		{"http://[1:0:0:0:0:0:0:A]/", "http://[1::a]/"},
		{"http://[::ffff:1.2.3.4]/", "http://[::ffff:102:304]/"},

		// credentials
		{"http://user@example.com/", "http://user@example.com/"},
		{"http://user:@example.com/", "http://user@example.com/"},
		{"http://:pw@example.com/", "http://:pw@example.com/"},
		{"http://@example.com/", "http://example.com/"},
		{"http://a@b:c@d:1/f@g", "http://a%40b:c@d:1/f@g"},
		{"http://us er:p:w@example.com:81/", "http://us%20er:p%3Aw@example.com:81/"},

		// other schemes
		{"mailto:A@b.example?subject=x y", "mailto:A@b.example?subject=x%20y"},
		{"JavaScript:void( 0 )", "javascript:void( 0 )"},
		{"data:text/plain,x #y", "data:text/plain,x%20#y"},
		{"file:///C|/a/../..", "file:///C:/"},
		{"ftp://example.com:21/a", "ftp://example.com/a"},
		{"foo://Example/../a", "foo://Example/a"},
		{"urn:uuid:A", "urn:uuid:A"},
	}
	for _, test := range tests {
		u, err := Parse(test.raw)
		if err != nil {
			t.Errorf("%q: %v", test.raw, err)
			continue
		}
		if u.String() != test.want {
			t.Errorf("%q: %s, want %s", test.raw, u, test.want)
		}
		if again, err := Parse(u.String()); err != nil || *again != *u {
			t.Errorf("%q: reads again as %v, %v", u, again, err)
		}
	}
}

// An error says in one line what is wrong, and never more of a long URL than is needed to find it.
func TestParseErrors(t *testing.T) {
	tests := []struct{ raw, want string }{
		{"", `"" is no URL: no scheme, such as https://`},
		{"example.com", `"example.com" is no URL: no scheme, such as https://`},
		{"/a", `"/a" is no URL: no scheme, such as https://`},
		{"http://", `"http://" is no URL: no host`},
		{"http:///", `"http:///" is no URL: no host`},
		{"http://user@/", `"http://…@/" is no URL: no host`},
		{"http://user:secret@a b/", `"http://…@a b/" is no URL: the host is no domain name`},
		{"http://user:sec/ret@a/", `"http://…@a/" is no URL: the port is no number up to 65535`},
		{"http://:80/", `"http://:80/" is no URL: no host`},
		{"http://a:b/", `"http://a:b/" is no URL: the port is no number up to 65535`},
		{"http://a:65536/", `"http://a:65536/" is no URL: the port is no number up to 65535`},
		{"http://a b/", `"http://a b/" is no URL: the host is no domain name`},
		{"http://a%2fb/", `"http://a%2fb/" is no URL: the host is no domain name`},
		{"http://%ff/", `"http://%ff/" is no URL: the host is no domain name`},
		{"http://xn--/", `"http://xn--/" is no URL: the host is no domain name`},
		{"http://1.2.3.4.5/", `"http://1.2.3.4.5/" is no URL: the host ends in a number but is no IPv4 address`},
		{"http://256.256.256.256/", `"http://256.256.256.256/" is no URL: the host ends in a number but is no IPv4 address`},
		{"http://[::1/", `"http://[::1/" is no URL: no IPv6 address stands in the brackets`},
		{"http://[[::1]]/", `"http://[[::1]]/" is no URL: no IPv6 address stands in the brackets`},
		{"http://[::1%25eth0]/", `"http://[::1%25eth0]/" is no URL: no IPv6 address stands in the brackets`},
	}
	for _, test := range tests {
		if u, err := Parse(test.raw); err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, error %v, want %q", test.raw, u, err, test.want)
		}
	}
}

func TestLengthIsBounded(t *testing.T) {
	const head = "http://example.com/"
	if _, err := Parse(head + strings.Repeat("a", MaxLength-len(head))); err != nil {
		t.Errorf("a URL of 32 KiB: %v", err)
	}
	base, err := Parse(head + strings.Repeat("a/", 10_000))
	if err != nil {
		t.Fatal(err)
	}
	for name, ref := range map[string]string{
		"long":               head + strings.Repeat("a", MaxLength),
		"long when encoded":  head + strings.Repeat("\"", MaxLength/2),
		"long when resolved": strings.Repeat("a", MaxLength/2),
		"long and odd":       "file:" + strings.Repeat("/", MaxLength/2),
	} {
		if _, err := base.Resolve(ref); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: error %.100v", name, err)
		}
		_, err := Resolve(base, ref)
		if err == nil || name != "long and odd" && !errors.Is(err, ErrTooLong) {
			t.Errorf("%s: error %.100v", name, err)
		}
	}
}

func TestResolve(t *testing.T) {
	const page = "https://user@example.com:8443/a/b/c?d=e#f"
	tests := []struct{ base, ref, want string }{
		{page, "", "https://example.com:8443/a/b/c?d=e"},
		{page, "#g", "https://example.com:8443/a/b/c?d=e"},
		{page, "?g", "https://example.com:8443/a/b/c?g"},
		{page, "?", "https://example.com:8443/a/b/c?"},
		{page, "g", "https://example.com:8443/a/b/g"},
		{page, "./g/", "https://example.com:8443/a/b/g/"},
		{page, "..", "https://example.com:8443/a/"},
		{page, "../../../g", "https://example.com:8443/g"},
		{page, "/g?h#i", "https://example.com:8443/g?h"},
		{page, "//g.example", "https://g.example/"},
		{page, `\\g.example\h`, "https://g.example/h"},
		{page, `\g`, "https://example.com:8443/g"},
		{page, "https:g", "https://example.com:8443/a/b/g"},
		{page, "https:/g", "https://example.com:8443/g"},
		{page, "http:g", "http://g/"},
		{page, "g:h", "g:h"},
		{page, "1:h", "https://example.com:8443/a/b/1:h"},
		{page, " g\n/h ", "https://example.com:8443/a/b/g/h"},
		{page, "خبر", "https://example.com:8443/a/b/%D8%AE%D8%A8%D8%B1"},
		{page, "http://u:p@g.example:81/@h", "http://g.example:81/@h"},
		{page, "//u:p@[::1]/", "https://[::1]/"},
		{page, "ftp://u:p@g.example/", "ftp://g.example/"},
		{page, "mailto:a@b.example", "mailto:a@b.example"},
		{"http://example.com", "g", "http://example.com/g"},
		{"http://example.com/a//b", "..", "http://example.com/a/"},
		{"file:///a/b", "../c", "file:///c"},
		{"data:text/plain,a", "#b", "data:text/plain,a"},
	}
	for _, test := range tests {
		base, err := Parse(test.base)
		if err != nil {
			t.Fatal(err)
		}
		if key, err := Resolve(base, test.ref); err != nil || key != test.want {
			t.Errorf("%q against %s: %s, %v, want %s", test.ref, base, key, err, test.want)
		}
		if key, err := AppendKey([]byte("x"), base, []byte(test.ref)); err != nil || string(key) != "x"+test.want {
			t.Errorf("%q against %s: appended %s, %v, want x%s", test.ref, base, key, err, test.want)
		}
		if u, err := base.Resolve(test.ref); err != nil || u.Key() != test.want {
			t.Errorf("%q against %s: URL %s, %v, want %s", test.ref, base, u, err, test.want)
		}
	}
	base, err := Parse("mailto:a@b.example")
	if err != nil {
		t.Fatal(err)
	}
	if key, err := Resolve(base, "c"); err == nil {
		t.Errorf("a reference to a mail address gives %q", key)
	}
}

func TestComponents(t *testing.T) {
	type components struct {
		scheme, user, password, host, hostname, port string
		number                                       int
		origin, path, pathQuery, fragment, key       string
		fetchable                                    bool
	}
	tests := map[string]components{
		"https://u:p@example.com:8443/a?b#c": {"https", "u", "p", "example.com:8443", "example.com", "8443", 8443,
			"https://example.com:8443", "/a", "/a?b", "c", "https://example.com:8443/a?b", true},
		"http://[::1]/#": {"http", "", "", "[::1]", "[::1]", "", 80,
			"http://[::1]", "/", "/", "", "http://[::1]/", true},
		"ftp://example.com/?#": {"ftp", "", "", "example.com", "example.com", "", 21,
			"ftp://example.com", "/", "/?", "", "ftp://example.com/?", false},
		"wss://example.com": {"wss", "", "", "example.com", "example.com", "", 443,
			"wss://example.com", "/", "/", "", "wss://example.com/", false},
		"mailto:a@b": {"mailto", "", "", "", "", "", 0,
			"null", "a@b", "a@b", "", "mailto:a@b", false},
		"foo:/.//a:1": {"foo", "", "", "", "", "", 0,
			"null", "//a:1", "//a:1", "", "foo:/.//a:1", false},
	}
	for raw, want := range tests {
		u, err := Parse(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		user, password := u.Credentials()
		got := components{u.Scheme(), user, password, u.Host(), u.Hostname(), u.Port(), u.PortNumber(),
			u.Origin(), u.Path(), u.PathQuery(), u.Fragment(), u.Key(), u.Fetchable()}
		if got != want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", raw, got, want)
		}
	}
}

func TestDomain(t *testing.T) {
	for host, want := range map[string]string{
		"example.com":                 "example.com",
		"news.bbc.co.uk":              "bbc.co.uk",
		"a.b.ac.ir":                   "b.ac.ir",
		"www.example.com.":            "example.com",
		"co.uk":                       "co.uk",
		"localhost":                   "localhost",
		"127.0.0.1":                   "127.0.0.1",
		"[2001:db8::1]":               "[2001:db8::1]",
		"a.xn--ngblk.xn--mgba3a4f16a": "xn--ngblk.xn--mgba3a4f16a",
		"user.github.io":              "user.github.io",
		"":                            "",
	} {
		if got := Domain(host); got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}

// The hot path must not allocate more than the key it returns.
func TestResolveAllocatesTheKeyAlone(t *testing.T) {
	base, err := Parse("https://www.example.com/fa/news/1402/index.html?page=2")
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"../1401/", "/خبر?page=3", "//cdn.example.net/a.js", "http://192.0.2.10:8080/a.html", "https://WWW.example.com:443/./a#b", "#top", "mailto:a@b.example"} {
		if n := testing.AllocsPerRun(100, func() {
			if _, err := Resolve(base, ref); err != nil {
				t.Fatal(err)
			}
		}); n > 1 {
			t.Errorf("%s: %v allocations", ref, n)
		}
	}
}

func TestHost(t *testing.T) {
	for key, want := range map[string]string{
		"https://h.example/a:b@c":       "h.example",
		"http://h.example:8080":         "h.example",
		"http://u:p@h.example:8080?a=@": "h.example",
		"https://[::1]/":                "[::1]",
		"https://[::1]:8443#a":          "[::1]",
		"dns:h.example":                 "",
		"":                              "",
	} {
		if got := Host(key); got != want {
			t.Errorf("Host(%q) = %q, want %q", key, got, want)
		}
	}
}
