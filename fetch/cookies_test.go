package fetch

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestCookies(t *testing.T) {
	const day = "Expires=Wed, 02 Jan 2030 00:00:00 GMT"
	for _, tt := range []struct {
		name string
		set  string // "URL field", one a line
		get  string // URL
		want string
	}{
		{"simple", "http://a.test/ a=b", "http://a.test/x", "a=b"},
		{"spaces", "http://a.test/  a = b ; Path=/ ", "http://a.test/x", "a=b"},
		{"host only", "http://a.test/ a=b", "http://www.a.test/", ""},
		{"domain", "http://www.a.test/ a=b; Domain=.a.test", "http://other.a.test/", "a=b"},
		{"domain upper case", "http://www.a.test/ a=b; DOMAIN=A.TEST", "http://a.test/", "a=b"},
		{"other domain", "http://a.test/ a=b; Domain=b.test", "http://b.test/", ""},
		{"deeper domain", "http://a.test/ a=b; Domain=x.a.test", "http://x.a.test/", ""},
		{"public suffix", "http://a.co.uk/ a=b; Domain=co.uk", "http://b.co.uk/", ""},
		{"private suffix", "http://a.github.io/ a=b; Domain=github.io", "http://b.github.io/", ""},
		{"the suffix itself", "http://github.io/ a=b; Domain=github.io", "http://github.io/", "a=b"},
		{"the suffix itself, below", "http://github.io/ a=b; Domain=github.io", "http://b.github.io/", ""},
		{"address", "http://192.0.2.1/ a=b; Domain=192.0.2.1", "http://192.0.2.1/", "a=b"},
		{"part of an address", "http://192.0.2.1/ a=b; Domain=2.1", "http://192.0.2.1/", ""},
		{"default path", "http://a.test/dir/page a=b", "http://a.test/dir/other", "a=b"},
		{"default path, outside", "http://a.test/dir/page a=b", "http://a.test/", ""},
		{"path", "http://a.test/ a=b; Path=/dir", "http://a.test/dir/x?y", "a=b"},
		{"path is no prefix of a name", "http://a.test/ a=b; Path=/dir", "http://a.test/dirty", ""},
		{"path not absolute", "http://a.test/dir/page a=b; Path=x", "http://a.test/dir/", "a=b"},
		{"query is no path", "http://a.test/x?y=/z/ a=b", "http://a.test/", "a=b"},
		{"secure", "https://a.test/ a=b; Secure", "https://a.test/", "a=b"},
		{"secure, not sent plain", "https://a.test/ a=b; Secure", "http://a.test/", ""},
		{"secure, not set plain", "http://a.test/ a=b; Secure", "https://a.test/", ""},
		{"secure one is left alone", "https://a.test/ a=b; Secure\nhttp://a.test/ a=c", "https://a.test/", "a=b"},
		{"longer path first", "http://a.test/ a=1; Path=/\nhttp://a.test/ b=2; Path=/x", "http://a.test/x", "b=2; a=1"},
		{"older first", "http://a.test/ a=1\nhttp://a.test/ b=2\nhttp://a.test/ a=3", "http://a.test/", "a=3; b=2"},
		{"expires", "http://a.test/ a=b; " + day, "http://a.test/", "a=b"},
		{"expired", "http://a.test/ a=b\nhttp://a.test/ a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://a.test/", ""},
		{"max-age", "http://a.test/ a=b; Max-Age=60", "http://a.test/", "a=b"},
		{"max-age 0", "http://a.test/ a=b\nhttp://a.test/ a=b; Max-Age=0", "http://a.test/", ""},
		{"max-age below 0", "http://a.test/ a=b; Max-Age=-1", "http://a.test/", ""},
		{"max-age beats expires", "http://a.test/ a=b; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://a.test/", "a=b"},
		{"max-age is no number", "http://a.test/ a=b; Max-Age=1x", "http://a.test/", "a=b"},
		{"no name", "http://a.test/ =b", "http://a.test/", "b"},
		{"no sign", "http://a.test/ b", "http://a.test/", "b"},
		{"nothing", "http://a.test/ =", "http://a.test/", ""},
		{"quotes", `http://a.test/ a="b c"`, "http://a.test/", `a="b c"`},
		{"control character", "http://a.test/ a=b\x01", "http://a.test/", ""},
		{"too long", "http://a.test/ a=" + strings.Repeat("x", maxCookie), "http://a.test/", ""},
		{"__Secure- without Secure", "https://a.test/ __Secure-a=b", "https://a.test/", ""},
		{"__Secure-", "https://a.test/ __Secure-a=b; Secure", "https://a.test/", "__Secure-a=b"},
		{"__Host- with Domain", "https://a.test/ __Host-a=b; Secure; Path=/; Domain=a.test", "https://a.test/", ""},
		{"__Host-", "https://a.test/ __Host-a=b; Secure; Path=/", "https://a.test/", "__Host-a=b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := NewJar(nil)
			for line := range strings.SplitSeq(tt.set, "\n") {
				url, field, _ := strings.Cut(line, " ")
				u, err := splitURL(url)
				if err != nil {
					t.Fatal(err)
				}
				j.Set(u.scheme, u.host, u.path, field)
			}
			u, err := splitURL(tt.get)
			if err != nil {
				t.Fatal(err)
			}
			if got := j.Header(u.scheme, u.host, u.path); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			// The same after a stop.
			again := NewJar(nil)
			if err := again.Restore(j.Snapshot()); err != nil {
				t.Fatal(err)
			}
			if got := again.Header(u.scheme, u.host, u.path); got != tt.want {
				t.Errorf("after a restore %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCookieDates(t *testing.T) {
	want := time.Date(2031, 8, 5, 9, 7, 3, 0, time.UTC)
	for _, s := range []string{
		"Tue, 05 Aug 2031 09:07:03 GMT", "Tuesday, 05-Aug-31 09:07:03 GMT", "Tue Aug  5 09:07:03 2031",
		"5 August 2031 9:7:3", "09:07:03 aug 05, 2031 UTC", "Tue, 05-Aug-2031 09:07:03 GMT+00:00",
	} {
		if got, ok := parseCookieDate(s); !ok || !got.Equal(want) {
			t.Errorf("%q = %v, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "0", "never", "Tue, 32 Aug 2031 09:07:03 GMT", "31 Feb 2031 09:07:03", "5 Aug 1500 09:07:03", "5 Aug 2031 25:00:00", "5 Aug 2031"} {
		if got, ok := parseCookieDate(s); ok {
			t.Errorf("%q = %v", s, got)
		}
	}
}

func TestCookiesAreBounded(t *testing.T) {
	j := NewJar(nil)
	for i := range 200 {
		j.Set("http", fmt.Sprintf("h%d.a.test", i%5), "/", fmt.Sprintf("c%d=x; Domain=a.test", i))
		j.Set("http", "a.test", "/", "used=1") // the most used one stays
	}
	got := j.Header("http", "a.test", "/")
	if n := strings.Count(got, "=x"); n != maxPerDomain-1 || !strings.Contains(got, "used=1") || !strings.Contains(got, "c199=") {
		t.Errorf("%d cookies of a domain: %.100s", n, got)
	}
	for i := range 3 * maxCookies {
		j.Set("http", fmt.Sprintf("h%d.test", i), "/", "a=b")
	}
	if j.mu.n > maxCookies {
		t.Errorf("%d cookies", j.mu.n)
	}
	n := 0
	for _, cookies := range j.mu.domains {
		n += len(cookies)
	}
	if n != j.mu.n || n < maxCookies/2 {
		t.Errorf("%d cookies counted, %d kept", j.mu.n, n)
	}
	for i := range maxPerDomain {
		j.Set("http", "big.test", "/", fmt.Sprintf("c%d=%s", i, strings.Repeat("x", maxCookie-10)))
	}
	if got := j.Header("http", "big.test", "/"); len(got) > maxCookieHeader {
		t.Errorf("a Cookie field of %d bytes", len(got))
	}
}

func TestCookiesExpire(t *testing.T) {
	clock := new(setClock)
	j := NewJar(clock)
	j.Set("http", "a.test", "/", "a=b; Max-Age=60")
	j.Set("http", "a.test", "/", "c=d; Max-Age=99999999999999999999")
	clock.now.Add(int64(time.Minute))
	if got := j.Header("http", "a.test", "/"); got != "c=d" {
		t.Errorf("after a minute: %q", got)
	}
	clock.now.Add(int64(maxCookieAge))
	if got := j.Header("http", "a.test", "/"); got != "" {
		t.Errorf("after 400 days: %q", got)
	}
}

func TestDamagedSnapshot(t *testing.T) {
	h := newHTTP(t, Options{})
	if err := h.RestoreCookies([]byte("{")); err == nil || !strings.Contains(err.Error(), "cookies") {
		t.Errorf("error %v", err)
	}
	if err := h.RestoreCookies(nil); err != nil {
		t.Error(err)
	}
	if err := h.RestoreCookies([]byte(`[null,{"domain":"a.test"},{"domain":"a.test","path":"/","value":"v"}]`)); err != nil {
		t.Error(err)
	}
	if got := h.jar.Header("http", "a.test", "/"); got != "v" {
		t.Errorf("%q", got)
	}
}

func FuzzCookie(f *testing.F) {
	f.Add("a=b; Domain=a.test; Path=/; Expires=Tue, 05 Aug 2031 09:07:03 GMT; Max-Age=5; Secure")
	f.Add("=;;=; expires=1:2:3 1 jan 70")
	f.Fuzz(func(t *testing.T, field string) {
		j := NewJar(nil)
		j.Set("https", "www.a.test", "/dir/page", field)
		for _, host := range []string{"www.a.test", "a.test"} {
			if got := j.Header("https", host, "/dir/page"); checkText("", got) != nil {
				t.Fatalf("%q", got)
			}
		}
		if got := j.Header("https", "b.test", "/dir/page"); got != "" {
			t.Fatalf("another site gets %q", got)
		}
		if err := NewJar(nil).Restore(j.Snapshot()); err != nil {
			t.Fatal(err)
		}
	})
}
