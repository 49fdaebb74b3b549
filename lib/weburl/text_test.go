package weburl

import (
	"encoding/json"
	"html"
	"net/url"
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

// A URL is known in every form in which notes write it, and what stands beside it stays.
func TestSilenceInEveryForm(t *testing.T) {
	closed := []string{"http://a.test/x?a=1&b=<2>", "http://a.test/~me/صفحه", "https://sub.a.test:8443/p?q=1", "http://a.test/plain"}
	silent := func(url string) bool {
		for _, c := range closed {
			if SURT(url) == SURT(c) {
				return true
			}
		}
		return false
	}
	asJSON := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Trim(string(b), `"`)
	}
	serial := func(s string) string {
		key, err := Key(s)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	forms := map[string]func(string) string{
		"as it is":          func(s string) string { return s },
		"serialised":        serial,
		"tilde encoded":     func(s string) string { return strings.ReplaceAll(serial(s), "~", "%7e") },
		"JSON":              func(s string) string { return asJSON(serial(s)) },
		"raw JSON":          asJSON,
		"JSON of PHP":       func(s string) string { return strings.ReplaceAll(asJSON(s), "/", `\/`) },
		"HTML":              html.EscapeString,
		"query":             func(s string) string { return "http://b.test/go?to=" + url.QueryEscape(s) },
		"query of its key":  func(s string) string { return "http://b.test/go?to=" + url.QueryEscape(serial(s)) },
		"twice":             func(s string) string { return "http://b.test/go?to=" + url.QueryEscape(url.QueryEscape(s)) },
		"within another":    func(s string) string { return "https://b.test/go/" + serial(s) },
		"after an encoding": func(s string) string { return "http://b.test/go?to%3D" + url.QueryEscape(serial(s)) },
		"search key":        SURT,
		"Heritrix's key":    func(s string) string { return "http://(" + strings.Replace(SURT(s), ")", ",)", 1) },
	}
	for name, form := range forms {
		for _, c := range closed {
			for _, around := range [][2]string{{"via: ", "\r\nhops: 1"}, {`{"url": "`, `", "n": 1}`}, {"<", ">; rel=x"}, {"see ", ", and more"}} {
				if strings.Contains(form(c), `"`) || around[0] == "<" && strings.Contains(form(c), ">") {
					continue
				}
				text := around[0] + form(c) + around[1]
				got := Silence(text, "-", silent)
				for _, word := range []string{"plain", "me", "8443", "8443", "a=1", "a%3D1", "p?q", "x?a"} {
					if strings.Contains(got, word) && !strings.Contains(around[0]+around[1], word) {
						t.Errorf("%s: %q became %q", name, text, got)
					}
				}
				if !strings.HasPrefix(got, around[0]) || !strings.HasSuffix(got, around[1]) {
					t.Errorf("%s: what stands beside it is not left: %q became %q", name, text, got)
				}
				open := around[0] + form(strings.NewReplacer("plain", "open", "/~me", "/you", "x?", "y?", "/p?", "/o?").Replace(c)) + around[1]
				if got := Silence(open, "-", silent); got != open {
					t.Errorf("%s: %q became %q", name, open, got)
				}
			}
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
