package replay

// This file decides which headers an archived page gets. They keep it from loading anything live.

import (
	"mime"
	"net/http"
	"strings"

	"kavosh/replay/rewrite"
)

// origPrefix stands before the names of archived headers, except for the few that browsers must obey.
const origPrefix = "X-Archive-Orig-"

// Bounds on the archived headers that are passed on: clients refuse responses with too large a head.
const (
	maxOrigValue = 4 << 10
	maxOrigTotal = 16 << 10
)

// policy is the Content-Security-Policy of an archived page. It blocks every load from outside the replay's origin,
// also those that rewriting missed. The page's own scripts, styles, data: and blob: URLs work. Frames with data: URLs
// are blocked, because they would have no page script.
func policy(home string) string {
	return "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; frame-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'" +
		strings.TrimRight(" "+home, " ")
}

// connections is the value of the Connection-Allowlist header, for browsers that know it. It blocks what a
// Content-Security-Policy cannot: connections opened in advance, DNS queries, WebRTC, and navigation to other sites.
// Redirects are allowed, because only the replay makes them. An origin is a URL pattern, in which the colons of an IPv6
// address must be escaped; the string around it takes two backslashes for one.
func connections(home string) string {
	allowed := "response-origin"
	for _, origin := range strings.Fields(home) {
		if open, end := strings.IndexByte(origin, '['), strings.IndexByte(origin, ']'); open >= 0 && open < end {
			origin = origin[:open] + strings.ReplaceAll(origin[open:end], ":", `\\:`) + origin[end:]
		}
		allowed += ` "` + origin + `"`
	}
	return "(" + allowed + ");redirects=allow"
}

// unscripted is added to the policy of a document that has no page script. Then its own scripts must not run; style
// sheets and pictures work.
const unscripted = "; sandbox allow-same-origin"

// mayRunScripts reports whether browsers run scripts in a document of the given media type: HTML, any kind of XML, or
// no type at all, because then browsers guess.
func mayRunScripts(media string) bool {
	return media == "" || media == "text/html" || strings.HasSuffix(media, "/xml") || strings.HasSuffix(media, "+xml") || media == "text/xsl"
}

// Bounds on the archived cookies that the scripts of a page are given.
const (
	maxCookies = 50
	maxCookie  = 4 << 10
)

// cookies returns the archived values of Set-Cookie that scripts may read.
func (a *Answer) cookies() []string {
	var all []string
	for _, f := range a.Header {
		if strings.EqualFold(f.Name, "Set-Cookie") && len(f.Value) <= maxCookie && len(all) < maxCookies && !httpOnly(f.Value) {
			all = append(all, Clean(f.Value))
		}
	}
	return all
}

func httpOnly(cookie string) bool {
	_, attributes, _ := strings.Cut(cookie, ";")
	for a := range strings.SplitSeq(attributes, ";") {
		if name, _, _ := strings.Cut(a, "="); strings.EqualFold(strings.TrimSpace(name), "HttpOnly") {
			return true
		}
	}
	return false
}

// permissions is the Permissions-Policy: archived pages may not use the reader's devices.
const permissions = "camera=(), microphone=(), geolocation=(), display-capture=(), payment=(), usb=(), serial=(), hid=(), midi=()"

// guard sets the headers that every response of the replay's origin has. home is the base URL of the archive's own
// pages.
func guard(h http.Header, home string) {
	h.Set("Content-Security-Policy", policy(home))
	h.Set("Connection-Allowlist", connections(home))
	h.Set("Permissions-Policy", permissions)
	h.Set("Referrer-Policy", "same-origin") // stray.go needs the Referer
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Set("Cache-Control", "no-cache")
}

// passOn sets the archived headers of a in h, rewritten for the replay. The caller sets Location and the headers about
// the body.
func (a *Answer) passOn(h http.Header, p *rewrite.Place) {
	total := 0
	for _, f := range a.Header {
		if !validField(f.Name) || len(f.Value) > maxOrigValue {
			continue
		}
		value := Clean(f.Value)
		switch strings.ToLower(f.Name) {
		case "content-language", "content-disposition":
			h.Set(f.Name, value)
			continue
		case "content-range":
			if a.Status == http.StatusPartialContent {
				h.Set(f.Name, value)
				continue
			}
		case "last-modified":
			h.Set(f.Name, value) // some pages show it
		case "x-content-type-options":
			h.Set(f.Name, value) // nosniff changes which scripts and styles a browser accepts
			continue
		case "refresh":
			h.Set(f.Name, p.Refresh(value))
			continue
		case "link":
			for _, l := range loads(value, p) {
				if total += len(l); total <= maxOrigTotal {
					h.Add("Link", l)
				}
			}
		}
		if total += len(f.Name) + len(value); total <= maxOrigTotal {
			h.Add(origPrefix+f.Name, value)
		}
	}
}

// loads returns those links of a Link header that make a browser load something, rewritten to the archive. It drops all
// others, because the replay uses the header for Memento.
func loads(value string, p *rewrite.Place) []string {
	var out []string
	for _, l := range splitLinks(value) {
		target, params, ok := strings.Cut(strings.TrimPrefix(l, "<"), ">")
		if !ok || !strings.HasPrefix(l, "<") {
			continue
		}
		rel, as := linkParam(params, "rel"), linkParam(params, "as")
		switch strings.ToLower(rel) {
		case "preload", "modulepreload", "stylesheet", "prefetch":
		default:
			continue
		}
		led, ok := p.Link(target, rel, as)
		if !ok || strings.ContainsAny(led, "<> \"") {
			continue
		}
		link := "<" + led + `>; rel="` + strings.ToLower(rel) + `"`
		for _, name := range []string{"as", "type", "media", "imagesrcset", "imagesizes", "crossorigin"} {
			if v := linkParam(params, name); v != "" && name != "imagesrcset" && !strings.ContainsAny(v, `"\`) {
				link += "; " + name + `="` + v + `"`
			}
		}
		out = append(out, link)
	}
	return out
}

// splitLinks splits a Link header at the commas outside targets and quotes.
func splitLinks(value string) []string {
	var out []string
	start, quoted, target := 0, false, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quoted && c == '\\':
			i++
		case c == '"' && !target:
			quoted = !quoted
		case quoted:
		case c == '<':
			target = true
		case c == '>':
			target = false
		case c == ',' && !target:
			out = append(out, strings.TrimSpace(value[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(value[start:]))
}

// linkParam returns a parameter of a link, or "" if it has none of that name.
func linkParam(params, name string) string {
	for p := range strings.SplitSeq(params, ";") {
		k, v, _ := strings.Cut(p, "=")
		if strings.EqualFold(strings.TrimSpace(k), name) {
			return strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return ""
}

// Clean removes line ends and control characters from an archived value, so that it may be used in a header.
func Clean(value string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return ' '
		}
		return r
	}, value)
}

// validField reports whether name is allowed as the name of a header field.
func validField(name string) bool {
	if name == "" || len(name) > 128 {
		return false
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return false
		}
	}
	return true
}

// MediaType returns the media type in an archived Content-Type, in lower case and without parameters; "" if there is
// none.
func MediaType(contentType string) string {
	if t, _, err := mime.ParseMediaType(contentType); err == nil || t != "" {
		return t
	}
	t, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// declared returns the type that browsers use of an archived Content-Type with several types between commas: the last
// valid one. It returns "" if there is none, or only one that browsers ignore.
func declared(contentType string) string {
	last := ""
	for piece := range strings.SplitSeq(contentType, ",") {
		t, _, err := mime.ParseMediaType(piece)
		if err != nil {
			t, _, _ = strings.Cut(piece, ";")
			t = strings.ToLower(strings.TrimSpace(t))
		}
		if kind, name, ok := strings.Cut(t, "/"); ok && validField(kind) && validField(name) && t != "*/*" {
			last = strings.TrimSpace(piece)
		}
	}
	switch MediaType(last) {
	case "unknown/unknown", "application/unknown":
		return ""
	}
	return last
}

// withCharset returns a Content-Type with its charset replaced.
func withCharset(contentType, charset string) string {
	return MediaType(contentType) + "; charset=" + charset
}

// hasCharset reports whether an archived Content-Type names a charset that browsers know.
func hasCharset(contentType string) bool {
	return rewrite.Declared(nil, contentType, false) != ""
}
