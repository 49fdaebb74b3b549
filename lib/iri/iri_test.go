package iri

import "testing"

// TestResolve has the examples of RFC 3986, sections 5.4.1 and 5.4.2, and what they leave out.
func TestResolve(t *testing.T) {
	const rfc = "http://a/b/c/d;p?q"
	for _, tt := range []struct{ base, reference, want string }{
		{rfc, "g:h", "g:h"},
		{rfc, "g", "http://a/b/c/g"},
		{rfc, "./g", "http://a/b/c/g"},
		{rfc, "g/", "http://a/b/c/g/"},
		{rfc, "/g", "http://a/g"},
		{rfc, "//g", "http://g"},
		{rfc, "?y", "http://a/b/c/d;p?y"},
		{rfc, "g?y", "http://a/b/c/g?y"},
		{rfc, "#s", "http://a/b/c/d;p?q#s"},
		{rfc, "g#s", "http://a/b/c/g#s"},
		{rfc, "g?y#s", "http://a/b/c/g?y#s"},
		{rfc, ";x", "http://a/b/c/;x"},
		{rfc, "g;x?y#s", "http://a/b/c/g;x?y#s"},
		{rfc, "", "http://a/b/c/d;p?q"},
		{rfc, ".", "http://a/b/c/"},
		{rfc, "./", "http://a/b/c/"},
		{rfc, "..", "http://a/b/"},
		{rfc, "../", "http://a/b/"},
		{rfc, "../g", "http://a/b/g"},
		{rfc, "../..", "http://a/"},
		{rfc, "../../g", "http://a/g"},
		{rfc, "../../../g", "http://a/g"},
		{rfc, "../../../../g", "http://a/g"},
		{rfc, "/./g", "http://a/g"},
		{rfc, "/../g", "http://a/g"},
		{rfc, "g.", "http://a/b/c/g."},
		{rfc, ".g", "http://a/b/c/.g"},
		{rfc, "g..", "http://a/b/c/g.."},
		{rfc, "..g", "http://a/b/c/..g"},
		{rfc, "./../g", "http://a/b/g"},
		{rfc, "./g/.", "http://a/b/c/g/"},
		{rfc, "g/./h", "http://a/b/c/g/h"},
		{rfc, "g/../h", "http://a/b/c/h"},
		{rfc, "g;x=1/./y", "http://a/b/c/g;x=1/y"},
		{rfc, "g;x=1/../y", "http://a/b/c/y"},
		{rfc, "g?y/./x", "http://a/b/c/g?y/./x"},
		{rfc, "g?y/../x", "http://a/b/c/g?y/../x"},
		{rfc, "g#s/./x", "http://a/b/c/g#s/./x"},
		{rfc, "g#s/../x", "http://a/b/c/g#s/../x"},
		{rfc, "http:g", "http:g"},
		{"http://a", "g", "http://a/g"},
		{"http://a", "../g", "http://a/g"},
		{"http://a#b", "", "http://a"},
		{"http://a/b?c#d", "", "http://a/b?c"},
		{"http://a/b//c", "../d", "http://a/b/d"},
		{"http://a/b/c", "..//d", "http://a//d"},
		{"http://a/b", "c:d", "c:d"},
		{"http://a/b", "./c:d", "http://a/c:d"},
		{"http://a/b", "1:d", "http://a/1:d"},
		{"http://a/b", "http://a/c/../d", "http://a/c/../d"},
		{"urn:a:b", "#c", "urn:a:b#c"},
		{"mailto:a@b", "c", "mailto:c"},
		{"mailto:a@b", "./c", "mailto:c"},
		{"mailto:a@b", ".././c/../d", "mailto:/d"},
		{"mailto:a@b", "..", "mailto:"},
		{"urn:a/b", "../../c", "urn:/c"},
		{"file:///a/b", "../../c", "file:///c"},
		{"http://مثال/کتاب", "صفحه", "http://مثال/صفحه"},
		{"a/b", "c", "(none)"},
		{"", "#c", "(none)"},
		{"", "http://a/", "http://a/"},
	} {
		got, ok := NewBase(tt.base).Resolve(tt.reference)
		if !ok {
			got = "(none)"
		}
		if got != tt.want {
			t.Errorf("%q at %q is %q, want %q", tt.reference, tt.base, got, tt.want)
		}
	}
}

func TestValid(t *testing.T) {
	for s, want := range map[string]bool{
		"http://a/b?c#d": true, "urn:x": true, "a+b-c.1:": true, "http://مثال.ir/": true, "http://a/%zz": true, "http://a/\x7f": true,
		"": false, ":a": false, "a": false, "1a:b": false, "/a": false, "http://a/b c": false, "http://a/<": false,
		"http://a/{x}": false, "http://a/\n": false, "http://a/\xff": false, "http://a/\\": false,
	} {
		if got := Valid(s); got != want {
			t.Errorf("Valid(%q) is %v", s, got)
		}
	}
}
