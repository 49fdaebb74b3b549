package weburl

import (
	"strings"
	"testing"
)

// fuzzSeeds are pairs of a base and a reference to it.
var fuzzSeeds = [][2]string{
	{"", "https://Example.COM:443/a/./b/../%2e%2E/c?d='e'#f g"},
	{"", "http://127.0.0.1:8080/%zz?[x]=|^`{}#%"},
	{"", " \thttps:\\\\\\\\example.com\\\\a\\\\..\\\\b\n"},
	{"", "http://خبرگزاری.ایران/فارسی?جستجو=می‌خواهم#بالا"},
	{"", "http://user:p@ss@example.com:0080/"},
	{"", "http://0x7f.1/ http://[::1]:99999/"},
	{"", "http://[::ffff:1.2.3.4]:0443/"},
	{"", "mailto:a@b.example?subject=c \"d\" "},
	{"", "javascript:void(0) #x"},
	{"http://example.com/a/b?c#d", "../../e/.%2e/f//..?g#h"},
	{"http://example.com/a/b?c#d", "//www.example.org:1/\\\\x"},
	{"http://example.com/a/b?c#d", "http:e"},
	{"https://u:p@example.com:8443/a/b?c", "?q=\xff\xfe"},
	{"http://example.com//..//a/", "\\\\.\\\\/../"},
	{"file:///C:/a", "/..//b"},
	{"data:text/plain,x y", "#z"},
}

// FuzzFastPath holds the fast path to the library: whenever it answers, the library must give the same bytes and the
// same components, and when it does not, the library must have no http or https URL to give.
func FuzzFastPath(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, against, ref string) {
		base, err := Parse(against)
		if err != nil {
			base, against = nil, ""
		} else {
			against = base.String()
		}
		if len(against)+len(ref) > maxSlow {
			return // more than the library is given
		}
		want, err := library(against, ref)
		out, p, ok := fast(nil, base, ref, true)
		if !ok {
			if err == nil && want.Fetchable() && !strings.ContainsAny(ref, "\t\n\r") {
				t.Fatalf("the fast path does not know %q against %q, the library gives %q", ref, against, want)
			}
			return
		}
		if err != nil {
			t.Fatalf("fast path gives %q for %q against %q, the library fails: %v", out, ref, against, err)
		}
		if got := (URL{string(out), p}); got != *want {
			t.Fatalf("%q against %q:\nfast    %+v\nlibrary %+v", ref, against, got, *want)
		}
		if key, err := Resolve(base, ref); err != nil || key != want.Key() {
			t.Fatalf("%q against %q: key %q, %v, want %q", ref, against, key, err, want.Key())
		}
	})
}

// FuzzParse looks at what must hold for any answer: a serialisation reads as itself, and its key too.
func FuzzParse(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, against, ref string) {
		base, err := Parse(against)
		if err != nil {
			base = nil
		}
		u, err := parse(base, ref)
		if err != nil || !u.Fetchable() {
			return
		}
		if key, err := Parse(u.Key()); err == nil && key.host > key.scheme+len("://") {
			t.Fatalf("%q against %q: key %q has credentials", ref, against, key)
		}
		if again, err := Parse(u.String()); err != nil || *again != *u {
			t.Fatalf("%q against %q: serialisation %+v reads as %+v, %v", ref, against, u, again, err)
		}
		if key, err := Resolve(u, ""); err != nil || key != u.Key() {
			t.Fatalf("%q against %q: key %q reads as %q, %v", ref, against, u.Key(), key, err)
		}
	})
}

// FuzzSURT looks at what an index needs of a key: no white space, and no panic on the way to it.
func FuzzSURT(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s[1])
	}
	f.Fuzz(func(t *testing.T, url string) {
		if strings.HasPrefix(url, "filedesc") {
			return
		}
		if key := SURT(url); key == "" || strings.ContainsAny(key, " \t\n\v\f\r\x00") {
			t.Fatalf("SURT(%q) = %q", url, key)
		}
	})
}
