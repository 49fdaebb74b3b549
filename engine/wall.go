package engine

// This file knows bot walls: pages that answer in place of the site.

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
	works  []string  // in lower case: all of them stand in the works of a page that has next to nothing to read
	alone  bool      // with works that ordinary pages have, too: it loads no other script
	sensor bool      // with works that the maker puts into ordinary pages: something else tells that this one refuses
	says   string    // in lower case: with works, what stands in what there is to read
}

// wallRead is how much of a page is searched, in bytes after decoding: walls are small.
const wallRead = 64 << 10

// denied are the statuses with which walls refuse.
var denied = []int{401, 403, 405, 429, 503}

// moved are the statuses with which walls lead to a page of theirs.
var moved = []int{301, 302, 303, 307, 308}

// walls lists the known bot walls. Some answer with status 200. They are recognised by the works of the page (its
// title, tags and scripts) and not by its text, so that a page that only writes about a wall is not taken for one.
var walls = [...]wall{
	{name: "Cloudflare challenge", header: [2]string{"Cf-Mitigated", "challenge"}},
	{name: "Cloudflare challenge", status: []int{403, 429, 503}, header: [2]string{"Server", "cloudflare"}, marks: []string{"/cdn-cgi/challenge-platform/"}},
	{name: "Cloudflare block", status: []int{403}, header: [2]string{"Server", "cloudflare"}, marks: []string{"cf-error-details", "you have been blocked"}},
	{name: "AWS WAF challenge", header: [2]string{"X-Amzn-Waf-Action", "challenge"}},
	{name: "AWS WAF captcha", header: [2]string{"X-Amzn-Waf-Action", "captcha"}},
	{name: "DataDome", status: denied, marks: []string{"captcha-delivery.com"}},
	{name: "PerimeterX", status: denied, marks: []string{"px-captcha"}},
	{name: "PerimeterX", status: denied, marks: []string{"_pxAppId"}},
	{name: "Akamai", status: []int{403}, header: [2]string{"Server", "akamaighost"}, marks: []string{"Access Denied", "Reference"}},
	{name: "Sucuri", status: []int{403}, marks: []string{"Access Denied - Sucuri Website Firewall"}},
	{name: "Imperva Incapsula", status: []int{200, 403, 503}, header: [2]string{"X-Iinfo", ""}, marks: []string{"_Incapsula_Resource", "Incapsula incident ID"}},
	{name: "DDoS-Guard", status: denied, header: [2]string{"Server", "ddos-guard"}, marks: []string{"ddos-guard"}},
	{name: "Anubis", status: []int{200, 401, 403, 500}, header: [2]string{"Set-Cookie", "anubis"}, marks: []string{"anubis_challenge"}},
	{name: "hCaptcha", status: denied, marks: []string{"hcaptcha.com/1/api.js"}},
	{name: "hCaptcha", status: denied, marks: []string{"class=\"h-captcha\""}},
	{name: "reCAPTCHA", status: denied, marks: []string{"/recaptcha/api.js", "g-recaptcha"}},
	{name: "Turnstile", status: denied, marks: []string{"challenges.cloudflare.com/turnstile/"}},
	{name: "Vercel challenge", header: [2]string{"X-Vercel-Mitigated", "challenge"}},
	{name: "Cloudflare challenge", status: moved, header: [2]string{"Location", "/cdn-cgi/challenge"}},
	{name: "DDoS-Guard", status: moved, header: [2]string{"Location", "/.well-known/ddos-guard/"}},
	{name: "Radware", status: moved, header: [2]string{"Location", "validate.perfdrive.com"}},
	{name: "Google", status: moved, header: [2]string{"Location", "google.com/sorry/"}},

	{name: "Cloudflare challenge", works: []string{"_cf_chl_"}},
	{name: "Cloudflare challenge", works: []string{"/cdn-cgi/challenge-platform/", "/orchestrate/"}},
	{name: "Cloudflare challenge", works: []string{"<title>just a moment...</title>", "/cdn-cgi/"}},
	{name: "Cloudflare challenge", works: []string{"<title>just a moment...</title>", "challenge"}},
	{name: "Cloudflare challenge", works: []string{"<title>just a moment...</title>"}, alone: true},
	{name: "Cloudflare challenge", works: []string{"cf-browser-verification"}},
	{name: "Cloudflare challenge", works: []string{"jschl"}},
	{name: "Cloudflare block", works: []string{"<title>attention required! | cloudflare</title>"}},
	{name: "Turnstile", works: []string{"challenges.cloudflare.com/turnstile/", "cf-turnstile"}, alone: true},
	{name: "DDoS-Guard", works: []string{"/.well-known/ddos-guard/"}},
	{name: "DDoS-Guard", works: []string{"check.ddos-guard.net"}},
	{name: "DDoS-Guard", works: []string{"<title>ddos-guard</title>"}},
	{name: "DDoS-Guard", works: []string{"ddos-guard"}, alone: true, sensor: true},
	{name: "Akamai", works: []string{"/_sec/cp_challenge"}},
	{name: "Akamai", works: []string{"/_sec/verify"}},
	{name: "Akamai", works: []string{"sec-if-cpt"}},
	{name: "Akamai", works: []string{"sec-cpt-if"}},
	{name: "Akamai", works: []string{"bm-verify"}},
	{name: "Akamai", works: []string{"<title>access denied</title>"}, header: [2]string{"Server", "akamai"}},
	{name: "Akamai", works: []string{"akam/"}, alone: true, sensor: true},
	{name: "Imperva Incapsula", works: []string{"_incapsula_resource"}, alone: true, sensor: true},
	{name: "Imperva Incapsula", works: []string{"_incapsula_resource"}, alone: true, says: "incapsula incident"},
	{name: "Imperva Incapsula", works: []string{"incapsula incident"}},
	{name: "Imperva", works: []string{"<title>pardon our interruption</title>"}},
	{name: "Imperva", works: []string{"/_imperva_"}, alone: true, sensor: true},
	{name: "PerimeterX", works: []string{"px-captcha"}},
	{name: "PerimeterX", works: []string{"captcha.px-"}},
	{name: "PerimeterX", works: []string{"_pxappid"}, alone: true, sensor: true},
	{name: "PerimeterX", works: []string{"<title>access to this page has been denied"}},
	{name: "Sucuri", works: []string{"sucuri_cloudproxy"}},
	{name: "Sucuri", works: []string{"<title>sucuri website firewall"}},
	{name: "Sucuri", works: []string{"<title>you are being redirected...</title>"}},
	{name: "AWS WAF challenge", works: []string{"gokuprops"}},
	{name: "AWS WAF challenge", works: []string{"awswaf.com/", "challenge"}, alone: true, sensor: true},
	{name: "AWS WAF challenge", works: []string{"awswafintegration"}, alone: true, sensor: true},
	{name: "AWS WAF challenge", works: []string{"aws-waf-token"}, alone: true, sensor: true},
	{name: "AWS WAF captcha", works: []string{"awswafcaptcha"}},
	{name: "ArvanCloud", works: []string{"__arcsj"}},
	{name: "ArvanCloud", works: []string{"arvancloud"}, alone: true, sensor: true},
	{name: "ArvanCloud", works: []string{"arvancloud"}, alone: true, says: "transferring to"},
	{name: "ArvanCloud", works: []string{"arvancloud"}, alone: true, says: "در حال انتقال"},
	{name: "ArvanCloud", works: []string{"document.cookie"}, header: [2]string{"Server", "arvancloud"}, alone: true},
	{name: "ArvanCloud", works: []string{"arcaptcha"}, alone: true},
	{name: "Anubis", works: []string{"anubis_challenge"}},
	{name: "Anubis", works: []string{"/.within.website/x/cmd/anubis/"}},
	{name: "Anubis", works: []string{"<title>making sure you're not a bot!</title>"}},
	{name: "DataDome", works: []string{"captcha-delivery.com"}},
	{name: "Radware", works: []string{"perfdrive.com"}, sensor: true},
	{name: "Radware", works: []string{"perfdrive.com", "<title>radware"}},
	{name: "Kasada", works: []string{"/149e9513-01fa-4fb0-aad4-566afd725d1b/"}},
	{name: "F5", works: []string{"/tspd/"}, alone: true, sensor: true},
	{name: "Qrator", works: []string{"/__qrator/"}, alone: true},
	{name: "Yandex SmartCaptcha", works: []string{"/checkcaptcha"}},
	{name: "hCaptcha", works: []string{"hcaptcha.com/1/api.js", "h-captcha"}, alone: true},
	{name: "reCAPTCHA", works: []string{"/recaptcha/", "g-recaptcha"}, alone: true},
	{name: "reCAPTCHA", works: []string{"/recaptcha/", "grecaptcha."}, alone: true},
}

// Walls of unknown makers, by what their pages do.
const (
	reloads  = "a page that only sets a cookie and loads itself again"
	repeated = "one page of scripts alone under several URLs"
)

// wallOf returns the name of the bot wall that answered instead of the site, or "". If the page has only scripts, it
// may be an unknown wall: then sum is not 0 and identifies the page. d removes content codings.
func wallOf(x *kavosh.Exchange, d *httpwire.Decoder) (name string, sum uint64) {
	var head []byte
	read := false
	look, looked := (*works)(nil), false
	for i := range walls {
		w := &walls[i]
		if w.status != nil && !slices.Contains(w.status, x.Status) || len(w.works) > 0 && looked && look == nil {
			continue
		}
		if w.header[0] != "" && !slices.ContainsFunc(x.Header.Values(w.header[0]), func(v string) bool {
			return strings.Contains(strings.ToLower(v), w.header[1])
		}) {
			continue
		}
		if len(w.marks) > 0 && !read {
			head, read = firstOf(x, d), true
		}
		if slices.ContainsFunc(w.marks, func(m string) bool { return !bytes.Contains(head, []byte(m)) }) {
			continue
		}
		if len(w.works) > 0 {
			if !looked {
				look, looked = worksOf(x, d), true
			}
			if look == nil {
				continue
			}
			if w.alone && look.others(w.works) || slices.ContainsFunc(w.works, func(m string) bool { return !bytes.Contains(look.text, []byte(m)) }) {
				continue
			}
			if w.sensor && !slices.Contains(denied, x.Status) && !look.again && !look.blank() || !bytes.Contains(bytes.ToLower(look.words), []byte(w.says)) {
				continue
			}
		}
		return w.name, 0
	}
	switch {
	case look == nil:
		return "", 0
	case look.again:
		return reloads, 0
	}
	return "", look.sum()
}

// firstOf is the beginning of an answer's payload after content decoding. It may be d's.
func firstOf(x *kavosh.Exchange, d *httpwire.Decoder) []byte {
	codings := x.Header.List("Content-Encoding")
	if len(codings) == 0 {
		if b := x.Payload.Bytes(); b != nil {
			return b[:min(len(b), wallRead)]
		}
	}
	page, _ := d.All(io.NewSectionReader(x.Payload, 0, x.Payload.Size()), codings, wallRead, maxRatio) // what can be read of it
	return page
}
