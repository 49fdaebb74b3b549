package replay

// This file parses what a request to the replay's origin asks for.

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/dates"
	"kavosh/lib/weburl"
	"kavosh/pages"
	"kavosh/replay/rewrite"
)

// verb is what a request to the replay's origin asks for.
type verb uint8

const (
	stray      verb = iota // none of the following: perhaps a script of an archived page sent it
	asset                  // /-/static/…
	root                   // /<coll>/
	memento                // /<coll>/<time><modifier>/<url>
	timegate               // /<coll>/timegate/<url>, /<coll>/<url>
	timemap                // /<coll>/timemap/<format>/[<page>/]<url>
	calendar               // /<coll>/*/<url>, /<coll>/<time>*/<url>
	comparison             // /<coll>/<time>-<time>/<url>
	parts                  // /<coll>/<time>parts/<url>
	links                  // /<coll>/<time>links/<url>
	cdxQuery               // /<coll>/cdx?…, /<coll>/outbackcdx?…
	badRequest             // one of the above with a mistake in it
)

// route is what a request asks for, parsed from its path and query.
type route struct {
	verb    verb
	coll    *Collection
	time    string // digits as given, 4 to 14
	until   string // for a comparison: the other time
	span    string // "~30d": how far from that time parts of the page may lie; "" = as far as the server allows
	mod     string // rewrite.Page, rewrite.Frame, …
	format  string // for a timemap: its format
	page    int    // for a timemap: the number of the page, from 1
	lang    string // of a calendar, a comparison, the parts or the links of a page; "" when the path names none
	url     string // the absolute archived URL, or the query of the CDX API
	outback bool   // for the CDX API: the request is for the API of OutbackCDX
	loose   bool   // url came without a scheme, so that it may be a path that an archived page asked for
	cause   string // for badRequest: what is wrong
	opens   time.Time
}

// asked returns what a route asks of [Pages].
func (r route) asked() Asked {
	return Asked{Coll: r.coll, URL: r.url, Time: r.time, Until: r.until, Lang: r.lang}
}

// router parses what requests ask for.
type router struct {
	collections *Collections
	addresses   *Addresses
}

// split parses the request's target as it came: "//", "%2F" and ".." in an archived URL must stay.
func (s *router) split(target string) route {
	if !strings.HasPrefix(target, "/") { // "GET http://host/path" as proxies are asked
		_, rest, _ := strings.Cut(target, "://")
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			target = rest[i:]
		} else {
			target = "/"
		}
	}
	if strings.HasPrefix(target, "/-/") {
		return route{verb: asset}
	}
	name, rest, slash := strings.Cut(target[1:], "/")
	if i := strings.IndexByte(name, '?'); i >= 0 {
		name, rest, slash = name[:i], "", false
	}
	r := route{coll: s.collections.Named(name)}
	if r.coll == nil {
		return r
	}
	if rest == "" || rest[0] == '?' && slash {
		r.verb = root
		return r
	}
	for _, name := range []string{"cdx", "outbackcdx"} {
		if query, ok := strings.CutPrefix(rest, name); ok && (query == "" || query[0] == '?') {
			r.verb, r.url, r.outback = cdxQuery, strings.TrimPrefix(query, "?"), name == "outbackcdx"
			return r
		}
	}
	head, tail, _ := strings.Cut(rest, "/")
	switch {
	case head == "timegate" && tail != "":
		r.verb = timegate
		return r.archived(tail)
	case head == "timemap" && tail != "":
		return r.timemap(tail)
	}
	if digits, lang, ok := strings.Cut(head, "*"); ok && isLang(lang) && leadingDigits(digits) == len(digits) && len(digits) <= 14 {
		r.verb, r.time, r.lang = calendar, digits, lang
		return r.archived(tail)
	}
	if plain, err := url.PathUnescape(head); err == nil {
		head = dates.Digits(plain)
	}
	if digits, span, mod, ok := splitTime(head); ok {
		r.verb, r.time, r.span, r.mod = memento, digits, span, mod
		return r.archived(tail)
	}
	for name, verb := range map[string]verb{"parts": parts, "links": links} {
		if digits, lang, ok := strings.Cut(head, name); ok && isLang(lang) {
			if _, span, mod, ok := splitTime(digits); ok && span == "" && mod == "" {
				r.verb, r.time, r.lang = verb, digits, lang
				return r.archived(tail)
			}
		}
	}
	if old, new, ok := strings.Cut(head, "-"); ok {
		lang := strings.TrimLeft(new, "0123456789")
		new = new[:len(new)-len(lang)]
		_, span, mod, first := splitTime(old)
		if _, _, _, second := splitTime(new); first && second && span == "" && mod == "" && isLang(lang) {
			r.verb, r.time, r.until, r.lang = comparison, old, new, lang
			return r.archived(tail)
		}
	}
	r.verb = timegate
	return r.archived(rest)
}

// isLang reports whether name is a language of our pages, or empty.
func isLang(name string) bool { return name == "" || slices.Contains(pages.Langs(), pages.Lang(name)) }

// timemap parses what follows "timemap/".
func (r route) timemap(rest string) route {
	r.verb, r.page = timemap, 1
	r.format, rest, _ = strings.Cut(rest, "/")
	switch r.format {
	case "link", "json", "cdxj":
	default:
		r.verb, r.cause = badRequest, fmt.Sprintf("timemap format %.100q: use link, json or cdxj", r.format)
		return r
	}
	if head, tail, ok := strings.Cut(rest, "/"); ok && len(head) <= 9 {
		if n, err := strconv.Atoi(head); err == nil && n > 0 {
			r.page, rest = n, tail
		}
	}
	return r.archived(rest)
}

// archived parses the archived URL at the end of a path.
func (r route) archived(raw string) route {
	if i := strings.IndexByte(raw, '#'); i >= 0 {
		raw = raw[:i]
	}
	low := strings.ToLower(raw[:min(len(raw), 10)])
	if strings.HasPrefix(low, "http%3a") || strings.HasPrefix(low, "https%3a") {
		if plain, err := url.PathUnescape(raw); err == nil {
			raw = plain
		}
	}
	if scheme, _, ok := strings.Cut(raw, ":"); !ok || strings.ContainsAny(scheme, "./?") || isPort(raw[len(scheme)+1:]) {
		raw, r.loose = "http://"+strings.TrimLeft(raw, "/"), true
	}
	u, err := weburl.Parse(raw)
	if err != nil {
		r.verb, r.cause = badRequest, err.Error()
		return r
	}
	r.url = u.Key()
	return r
}

// isPort reports whether s begins with a port. It tells "localhost:8080/x", which has no scheme, from "mailto:x".
func isPort(s string) bool {
	s, _, _ = strings.Cut(s, "/")
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// splitTime splits "20240102~30dim_" into its digits, 4 to 14, the span and the modifier.
func splitTime(s string) (digits, span, mod string, ok bool) {
	n := leadingDigits(s)
	if n < 4 || n > 14 {
		return "", "", "", false
	}
	digits, mod = s[:n], s[n:]
	if rest, found := strings.CutPrefix(mod, "~"); found {
		n := leadingDigits(rest)
		if n < 1 || n > 6 || n == len(rest) || unit(rest[n]) == 0 {
			return "", "", "", false
		}
		span, mod = mod[:n+2], rest[n+1:]
	}
	switch mod {
	case "mp_":
		return digits, span, rewrite.Page, true
	case rewrite.Page, rewrite.Frame, rewrite.Image, rewrite.Script, rewrite.Style, rewrite.Object, rewrite.Raw:
		return digits, span, mod, true
	}
	return "", "", "", false
}

// leadingDigits returns how many decimal digits s begins with.
func leadingDigits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// unit returns the time that a letter in a span stands for, or 0 if there is no such letter.
func unit(letter byte) time.Duration {
	switch letter {
	case 's':
		return time.Second
	case 'm':
		return time.Minute
	case 'h':
		return time.Hour
	case 'd':
		return 24 * time.Hour
	case 'w':
		return 7 * 24 * time.Hour
	}
	return 0
}

// within returns how far the time of a page's parts may be from that of the page, by the request and the server's
// options; 0 means any time.
func (s *player) within(rt route) time.Duration {
	if rt.span == "" {
		return s.maxSpan
	}
	n, _ := strconv.Atoi(rt.span[1 : len(rt.span)-1])
	const most = 1<<63 - 1
	u := unit(rt.span[len(rt.span)-1])
	if time.Duration(n) > most/u {
		return most
	}
	asked := max(time.Duration(n)*u, 1)
	if s.maxSpan > 0 {
		asked = min(asked, s.maxSpan)
	}
	return asked
}

// TimestampLayout is the layout of a time in 14 digits.
const TimestampLayout = "20060102150405"

// Moment returns the time that 4 to 14 digits mean. If digits are missing, it is the last second that fits, as in pywb.
// For digits that are no date it is the nearest date. Digits after the 14th are ignored. A year before the web existed
// is read as a year of the Jalali calendar.
func Moment(digits string) time.Time {
	const latest = "99991231235959"
	digits = digits[:min(len(digits), len(latest))]
	if digits < "1501" {
		if s, err := dates.Parse(digits, time.UTC); err == nil {
			return s.Last
		}
	}
	full := digits + latest[len(digits):]
	field := func(from, to, least, most int) int {
		n, _ := strconv.Atoi(full[from:to])
		return max(least, min(most, n))
	}
	year, month := field(0, 4, 0, 9999), time.Month(field(4, 6, 1, 12))
	days := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return time.Date(year, month, field(6, 8, 1, days), field(8, 10, 0, 23), field(10, 12, 0, 59), field(12, 14, 0, 59), 0, time.UTC)
}

// Timestamp returns t in 14 digits.
func Timestamp(t time.Time) string { return t.UTC().Format(TimestampLayout) }

// AddressOf returns the absolute URL that a person typed, with or without scheme; false if it cannot be one.
func AddressOf(typed string) (string, bool) {
	typed = strings.TrimSpace(typed)
	if typed == "" || strings.ContainsAny(typed, " \t\n") {
		return "", false
	}
	rt := route{verb: calendar}.archived(typed)
	if rt.verb == badRequest {
		return "", false
	}
	u, err := weburl.Parse(rt.url)
	if err != nil || !u.Fetchable() || !strings.Contains(u.Hostname(), ".") && !strings.Contains(u.Hostname(), ":") && u.Hostname() != "localhost" {
		return "", false
	}
	return rt.url, true
}

// Serves reports whether a request's target is complete: a path of this origin, with the scheme of the archived URL.
func (s *Server) Serves(target string) bool {
	rt := s.split(target)
	return rt.url != "" && !rt.loose && rt.verb != badRequest
}
