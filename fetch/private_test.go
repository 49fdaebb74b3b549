package fetch

import (
	"strings"
	"testing"
)

func TestCookiesAreMasked(t *testing.T) {
	for head, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nSet-Cookie: sid=abc; Path=/\r\nA: b=c\r\n\r\n":   "HTTP/1.1 200 OK\r\nSet-Cookie: sid=xxx; Path=/\r\nA: b=c\r\n\r\n",
		"HTTP/1.1 200 OK\nset-cookie:bare\nX: y\n\n":                         "HTTP/1.1 200 OK\nset-cookie:xxxx\nX: y\n\n",
		"HTTP/1.1 200 OK\r\nSET-COOKIE : a=b=c\r\n d;Path=/\r\nX: y\r\n\r\n": "HTTP/1.1 200 OK\r\nSET-COOKIE : a=xxx\r\nxx;Path=/\r\nX: y\r\n\r\n",
		"HTTP/1.1 200 OK\r\nSet-Cookie: sid=; Max-Age=0\r\n\r\n":             "HTTP/1.1 200 OK\r\nSet-Cookie: sid=; Max-Age=0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX: Set-Cookie: a=b\r\n\r\n":                      "HTTP/1.1 200 OK\r\nX: Set-Cookie: a=b\r\n\r\n",
	} {
		got := []byte(head)
		if masked := maskCookies(got); string(got) != want || masked != (head != want) {
			t.Errorf("%q became %q (%v)", head, got, masked)
		}
	}
	text := []byte("token=AAAAAAAA&again=AAAAAAAA&b")
	if maskTexts(text, []string{"AAAAAAAA", ""}); strings.Contains(string(text), "A") || len(text) != 31 {
		t.Errorf("%q", text)
	}
}

func FuzzMaskCookies(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nSet-Cookie: sid=abc; Path=/\r\n x\r\n\r\n")
	f.Fuzz(func(t *testing.T, head string) {
		b := []byte(head)
		if maskCookies(b); len(b) != len(head) || strings.Count(string(b), "\n") != strings.Count(head, "\n") {
			t.Errorf("%q became %q", head, b)
		}
	})
}
