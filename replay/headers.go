package replay

import (
	"mime"
	"net/http"
	"strings"

	"kavosh/replay/rewrite"
)

// Archived headers are shown under this prefix, except for the few that a browser must heed.
const origPrefix = "X-Archive-Orig-"

// Bounds on the archived headers that are passed on: clients refuse answers whose head is too large.
const (
	maxOrigValue = 4 << 10
	maxOrigTotal = 16 << 10
)

// policy keeps every load of an archived page inside the replay's origin: the far end of what rewriting may miss. The
// pages' own scripts, styles, data: and blob: work as they did; a frame of data: would have no page script.
func policy(home string) string {
	return "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; frame-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'" +
		strings.TrimRight(" "+home, " ")
}

// connections are the only places that a page may connect to, in browsers that know the header: it holds what no Content-Security-Policy
// does, connections opened in advance, questions for names, packets of WebRTC, addresses that the page goes to. Redirects are the
// replay's own.
func connections(home string) string {
	allowed := "response-origin"
	for _, origin := range strings.Fields(home) {
		allowed += ` "` + origin + `"`
	}
	return "(" + allowed + ");redirects=allow"
}

// unscripted is what is added to the policy for a document that is given no page script: none of its own may run. Its style
// sheets and pictures are shown.
const unscripted = "; sandbox allow-same-origin"

// mayRunScripts reports whether browsers run scripts in a document of that media type: in markup, in XML of any name, and in
// what has no type and is guessed at.
func mayRunScripts(media string) bool {
	return media == "" || media == "text/html" || strings.HasSuffix(media, "/xml") || strings.HasSuffix(media, "+xml") || media == "text/xsl"
}

// Bounds on the cookies of an answer that its page's scripts are given.
const (
	maxCookies = 50
	maxCookie  = 4 << 10
)

// cookies are the archived values of Set-Cookie that scripts may read.
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

// permissions keeps archived pages from asking for the reader's devices.
const permissions = "camera=(), microphone=(), geolocation=(), display-capture=(), payment=(), usb=(), serial=(), hid=(), midi=()"

// guard sets the headers that every answer of the replay's origin has; home is the base URL of the pages beside it.
func guard(h http.Header, home string) {
	h.Set("Content-Security-Policy", policy(home))
	h.Set("Connection-Allowlist", connections(home))
	h.Set("Permissions-Policy", permissions)
	h.Set("Referrer-Policy", "same-origin") // a stray request is led back by its Referer
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Set("Cache-Control", "no-cache")
}

// passOn sets in h what the archived headers of a become. Location is the caller's, and so are the headers that say how
// the body is sent.
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
			h.Set(f.Name, value) // pages show it
		case "x-content-type-options":
			h.Set(f.Name, value) // without it, a live browser took scripts and styles of any type
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

// loads are the links of a Link header that make a browser load something, led into the archive. All others stay out:
// the header is where Memento speaks.
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

// linkParam is a parameter of a link, "" when it has none of that name.
func linkParam(params, name string) string {
	for p := range strings.SplitSeq(params, ";") {
		k, v, _ := strings.Cut(p, "=")
		if strings.EqualFold(strings.TrimSpace(k), name) {
			return strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return ""
}

// Clean makes an archived value fit for a header: no line end, no control.
func Clean(value string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return ' '
		}
		return r
	}, value)
}

// validField reports whether name may be the name of a header field.
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

// MediaType is the type that an archived Content-Type names, lower case, without parameters; "" when it names none.
func MediaType(contentType string) string {
	if t, _, err := mime.ParseMediaType(contentType); err == nil || t != "" {
		return t
	}
	t, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// declared is the type among the comma-separated ones of an archived Content-Type that browsers take: the last that is one. It is ""
// where there is none, or one that browsers take for none.
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

// withCharset is a Content-Type with the charset given, whatever it said before.
func withCharset(contentType, charset string) string {
	return MediaType(contentType) + "; charset=" + charset
}

// hasCharset reports whether an archived Content-Type names a charset that browsers know.
func hasCharset(contentType string) bool {
	return rewrite.Declared(nil, contentType, false) != ""
}
