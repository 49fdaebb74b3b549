package weburl

import (
	"strings"
	"testing"
)

func TestSilence(t *testing.T) {
	silent := func(url string) bool {
		return strings.Contains(strings.ToLower(url), "a.test/x") && !strings.HasSuffix(url, ",")
	}
	for text, want := range map[string]string{
		"": "", "://": "://", "nothing://": "nothing://", "://a.test/x": "://a.test/x",
		"Referer: http://a.test/x\r\nHost: b.test":     "Referer: -\r\nHost: b.test",
		`{"u":"HTTP://A.TEST/X","v":"http://b.test/"}`: `{"u":"-","v":"http://b.test/"}`,
		"<http://a.test/x>; <ftp://a.test/x?a=1>":      "<->; <->",
		"http://a.test/x, http://b.test/, and":         "-, http://b.test/, and",
		"GET /go?u=http://a.test/x HTTP/1.1":           "GET /go?u=- HTTP/1.1",
	} {
		if got := Silence(text, "-", silent); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzSilence(f *testing.F) {
	f.Add("a http://a.test/x, ://b\"http://c://d")
	f.Fuzz(func(t *testing.T, text string) {
		if got := Silence(text, "-", func(string) bool { return false }); got != text {
			t.Errorf("%q became %q", text, got)
		}
		for url := range strings.FieldsSeq(Silence(text, " ", func(string) bool { return true })) {
			if i := strings.Index(url, "://"); i > 0 && isSchemeByte(url[i-1]) {
				t.Errorf("%q is left of %q", url, text)
			}
		}
	})
}
