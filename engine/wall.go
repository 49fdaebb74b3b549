package engine

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"kavosh"
	"kavosh/lib/httpwire"
)

// wall is how one kind of bot wall shows itself. All that is given must hold: a wall that is seen where none is keeps a
// site out of an archive, so that a status alone is never enough.
type wall struct {
	name   string
	status []int     // one of them
	header [2]string // a field's name, and what its value holds in lower case
	marks  []string  // all of them stand in the first wallRead bytes of the page
}

// wallRead is how much of a page is searched, in bytes after decoding: walls are small.
const wallRead = 64 << 10

// denied are the statuses with which walls refuse.
var denied = []int{401, 403, 405, 429, 503}

// walls are the walls that are known. An ordinary page is not read for any of them.
var walls = [...]wall{
	{"Cloudflare challenge", nil, [2]string{"Cf-Mitigated", "challenge"}, nil},
	{"Cloudflare challenge", []int{403, 429, 503}, [2]string{"Server", "cloudflare"}, []string{"/cdn-cgi/challenge-platform/"}},
	{"Cloudflare block", []int{403}, [2]string{"Server", "cloudflare"}, []string{"cf-error-details", "you have been blocked"}},
	{"AWS WAF challenge", nil, [2]string{"X-Amzn-Waf-Action", "challenge"}, nil},
	{"AWS WAF captcha", nil, [2]string{"X-Amzn-Waf-Action", "captcha"}, nil},
	{"DataDome", denied, [2]string{}, []string{"captcha-delivery.com"}},
	{"PerimeterX", denied, [2]string{}, []string{"px-captcha"}},
	{"PerimeterX", denied, [2]string{}, []string{"_pxAppId"}},
	{"Akamai", []int{403}, [2]string{"Server", "akamaighost"}, []string{"Access Denied", "Reference"}},
	{"Sucuri", []int{403}, [2]string{}, []string{"Access Denied - Sucuri Website Firewall"}},
	{"Imperva Incapsula", []int{200, 403, 503}, [2]string{"X-Iinfo", ""}, []string{"_Incapsula_Resource", "Incapsula incident ID"}},
	{"DDoS-Guard", denied, [2]string{"Server", "ddos-guard"}, []string{"ddos-guard"}},
	{"Anubis", []int{200, 401, 403, 500}, [2]string{"Set-Cookie", "anubis"}, []string{"anubis_challenge"}},
	{"hCaptcha", denied, [2]string{}, []string{"hcaptcha.com/1/api.js"}},
	{"hCaptcha", denied, [2]string{}, []string{"class=\"h-captcha\""}},
	{"reCAPTCHA", denied, [2]string{}, []string{"/recaptcha/api.js", "g-recaptcha"}},
	{"Turnstile", denied, [2]string{}, []string{"challenges.cloudflare.com/turnstile/"}},
}

// wallOf names the bot wall that answered instead of the site; "" for none.
func wallOf(x *kavosh.Exchange) string {
	var page []byte
	read := false
	for i := range walls {
		w := &walls[i]
		if w.status != nil && !slices.Contains(w.status, x.Status) {
			continue
		}
		if w.header[0] != "" && !slices.ContainsFunc(x.Header.Values(w.header[0]), func(v string) bool {
			return strings.Contains(strings.ToLower(v), w.header[1])
		}) {
			continue
		}
		if len(w.marks) > 0 && !read {
			page, read = firstOf(x), true
		}
		if !slices.ContainsFunc(w.marks, func(m string) bool { return !bytes.Contains(page, []byte(m)) }) {
			return w.name
		}
	}
	return ""
}

// firstOf is the beginning of an answer's payload after content decoding.
func firstOf(x *kavosh.Exchange) []byte {
	r := httpwire.Decode(io.NewSectionReader(x.Payload, 0, x.Payload.Size()), x.Header.List("Content-Encoding"), wallRead, maxRatio)
	page, _ := io.ReadAll(r) // what can be read of it
	return page
}
