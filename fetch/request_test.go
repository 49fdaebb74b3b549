package fetch

import (
	"testing"

	"kavosh/lib/weburl"
)

// FuzzSplit holds the short way of taking a URL apart to the long one: whatever it accepts is serialised, and has the same
// parts there.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		"http://a.test/", "https://www.example.com:8443/a/b?q=1&r=%20", "http://127.0.0.1:8091/x", "http://1.2.3/", "http://0x7f.1/",
		"http://a.test:80/", "https://a.test:80/", "http://a.test:080/", "http://a.test:0/", "http://a.test:/", "http://a.test:65536/",
		"http://a.test/./b", "http://a.test/../b", "http://a.test/%2e%2E/b", "http://a.test/a%2e/b", "http://a.test/%D9%85/",
		"http://A.test/", "http://xn--mgba3a4f16a.ir/", "http://a_b.test/", "http://-a.test/", "http://a-.test/", "http://a..test/",
		"http://a.test./", "http://.test/", "http://u:p@a.test/", "http://[::1]/", "http://a.test", "http://a.test/#f", "http://a.test/?'",
		"http://a.test/a b", "http://a.test/\\b", "http://a.test/{}", "http://a.test/^|`", "http://a.test/é", "http://a.test/?q=#",
		"http://1.2.3.4.5/", "http://a.1/", "http://01.2.3.4/", "http://a.0x1/", "http:///x", "ftp://a.test/", "http://a.test/ \t",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, ok := splitPlain(raw)
		if !ok {
			return
		}
		parsed, err := weburl.Parse(raw)
		if err != nil || parsed.String() != raw {
			t.Fatalf("%q is serialised as %v, %v", raw, parsed, err)
		}
		want := urlParts{
			scheme: parsed.Scheme(), host: parsed.Hostname(), port: uint16(parsed.PortNumber()), authority: parsed.Host(), path: parsed.PathQuery(),
		}
		if u != want {
			t.Fatalf("%q has %+v, want %+v", raw, u, want)
		}
	})
}
