package weburl

// This file makes the keys of URLs in capture indexes.

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/bidi"

	"kavosh/lib/ascii"
)

// SURT returns the key of a URL in a CDX index: the host's labels reversed, and everything removed that tools since the
// Wayback Machine remove.
//
//	https://www.Example.com:443/a//b/../C/?y=2&x=1&PHPSESSID=0123456789abcdef0123456789abcdef#top
//	com,example)/a/c?x=1&y=2
//
// It is byte for byte pywb's urlkey (the surt package's default), quirks included, because an index that differs in one
// byte does not find the page. docs/formats/urls.md lists the steps. URLs without a host keep their scheme:
// "dns:example.com", "urn:uuid:…". The key contains no space or newline, except for a filedesc: URL, which is kept
// unchanged. A URL that pywb cannot key at all, such as one with an invalid port, is escaped and put in lower case.
func SURT(rawURL string) string {
	if rawURL == "" {
		return "-"
	}
	if strings.HasPrefix(rawURL, "filedesc") {
		return rawURL
	}
	l, ok := splitLoose(rawURL)
	if !ok {
		return strings.ToLower(string(escapeOnce([]byte(rawURL))))
	}
	host := surtHost(l)
	path := unescape(l.path)
	if host != "" {
		path = surtPath(path)
	}
	var key strings.Builder
	if host == "" {
		key.WriteString(l.scheme)
		key.WriteByte(':')
	} else {
		writeReversed(&key, host)
		if l.port != 0 && l.port != defaultPort(l.scheme) {
			key.WriteByte(':')
			key.WriteString(strconv.Itoa(l.port))
		}
		key.WriteByte(')')
	}
	tail := trimSession(lower(escapeOnce(path)))
	if len(tail) > 1 {
		tail = strings.TrimSuffix(tail, "/")
	}
	query := surtQuery(l.query)
	if tail == "" && query != "" {
		tail = "/"
	}
	key.WriteString(tail)
	if query != "" {
		key.WriteByte('?')
		key.WriteString(query)
	}
	return key.String()
}

// loose is a URL split as archive tools do: by punctuation alone, whatever the scheme.
type loose struct {
	scheme, host, path, query string
	port                      int // 0 if none
}

// splitLoose splits anything that may occur in an index or a search field. Without a scheme it assumes http. Of
// "http://https://example.com/" the inner URL counts.
func splitLoose(raw string) (l loose, ok bool) {
	s := noBreaks.Replace(strings.Trim(raw, " \t\n\v\f\r"))
	if s == "" {
		return l, false
	}
	if SchemeLen(s) == 0 {
		s = "http://" + s
	}
	for {
		_, inner, _ := strings.Cut(s, "://")
		if !hasWebPrefix(s) || !hasWebPrefix(inner) {
			break
		}
		s = inner
	}
	l.scheme, s, _ = strings.Cut(s, ":")
	s, _, _ = strings.Cut(s, "#")
	s, l.query, _ = strings.Cut(s, "?")
	if rest, found := strings.CutPrefix(s, "//"); found {
		end := strings.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		if !l.authority(rest[:end]) {
			return l, false
		}
		s = rest[end:]
	}
	l.path = s
	if l.host == "" && l.path != "" && strings.HasPrefix(l.scheme, "http") {
		l.host, l.path, _ = strings.Cut(strings.TrimLeft(l.path, "/"), "/")
		l.path = "/" + l.path
	}
	return l, true
}

var noBreaks = strings.NewReplacer("\n", "", "\r", "", "\t", "")

func hasWebPrefix(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// authority reads host and port and drops credentials; false for an invalid port. An IPv6 address loses its brackets.
func (l *loose) authority(s string) bool {
	s = strings.TrimRight(s, ":")
	s = s[strings.LastIndexByte(s, '@')+1:]
	host, port, hasPort := strings.Cut(s, ":")
	if _, bracketed, found := strings.Cut(s, "["); found {
		host, port, _ = strings.Cut(bracketed, "]")
		_, port, hasPort = strings.Cut(port, ":")
	}
	l.host = host
	if !hasPort {
		return true
	}
	for _, c := range []byte(port) {
		if c < '0' || c > '9' || l.port > 65535 {
			return false
		}
		l.port = l.port*10 + int(c-'0')
	}
	return port != "" && l.port <= 65535
}

// surtHost returns the host for a key, not yet reversed; "" if there is none.
func surtHost(l loose) string {
	host := string(unescape(l.host))
	if mapped, ok := mapHost2003(strings.ToValidUTF8(host, "")); ok && !ascii.Only(host) {
		host = mapped
	}
	host = strings.Trim(strings.ReplaceAll(host, "..", "."), ".")
	if address, ok := looseIPv4(host); ok {
		return address
	}
	host = lower(escapeOnce([]byte(host)))
	if l.scheme == "dns" {
		return host
	}
	if rest, found := strings.CutPrefix(host, "www"); found {
		rest = strings.TrimLeft(rest, "0123456789")
		if rest, found := strings.CutPrefix(rest, "."); found {
			return rest
		}
	}
	return host
}

// looseIPv4 parses the forms of an IPv4 address that index tools know: a decimal number, whose lower 32 bits count, or
// one to four decimal or octal numbers, the last of which fills the rest, as in inet_aton(3).
func looseIPv4(host string) (string, bool) {
	if host == "" || strings.Trim(host, "0123456789.") != "" {
		return "", false
	}
	if strings.Contains(host, ".") {
		address, ok := parseIPv4(host)
		return address.String(), ok
	}
	var n uint32
	for _, c := range []byte(host) {
		n = n*10 + uint32(c-'0')
	}
	return ipv4(n).String(), true
}

// writeReversed writes a host's labels in reverse: "example.com" as "com,example".
func writeReversed(w *strings.Builder, host string) {
	for {
		dot := strings.LastIndexByte(host, '.')
		w.WriteString(host[dot+1:])
		if dot < 0 {
			return
		}
		w.WriteByte(',')
		host = host[:dot]
	}
}

// surtPath removes "." and ".." segments and doubled slashes from an unescaped path. A ".." above the top stays.
func surtPath(path []byte) []byte {
	_, rest, _ := bytes.Cut(path, []byte("/"))
	var kept [][]byte
	for segment := range bytes.SplitSeq(rest, []byte("/")) {
		switch string(segment) {
		case ".":
		case "..":
			if len(kept) > 0 {
				kept = kept[:len(kept)-1]
			} else {
				kept = append(kept, segment)
			}
		default:
			kept = append(kept, segment)
		}
	}
	out := make([]byte, 0, len(path)+1)
	for i, segment := range kept {
		if len(segment) > 0 || i == len(kept)-1 {
			out = append(append(out, '/'), segment...)
		}
	}
	if len(out) == 0 {
		out = append(out, '/')
	}
	return out
}

// surtQuery unescapes a query, escapes it again, removes session ids, and sorts the arguments.
func surtQuery(raw string) string {
	query := lower(escapeOnce(unescape(raw)))
	for _, session := range querySessions {
		if strings.Contains(query, session.hint) {
			query = session.form.ReplaceAllString(query, "$1$2")
		}
	}
	if len(query) <= 1 {
		return query
	}
	args := strings.Split(query, "&")
	slices.SortFunc(args, func(a, b string) int {
		aName, aValue, aHas := strings.Cut(a, "=")
		bName, bValue, bHas := strings.Cut(b, "=")
		switch {
		case aName != bName:
			return strings.Compare(aName, bName)
		case aHas != bHas && bHas:
			return -1
		case aHas != bHas:
			return 1
		}
		return strings.Compare(aValue, bValue)
	})
	return strings.Join(args, "&")
}

// Session ids that the Wayback Machine's keys omit, tried in this order. hint is a string without which form cannot
// match. The names are not anchored at their start, as in every tool that makes these keys.
var (
	querySessions = []struct {
		hint string
		form *regexp.Regexp
	}{
		{"jsessionid=", regexp.MustCompile(`^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$`)},
		{"phpsessid=", regexp.MustCompile(`^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$`)},
		{"sid=", regexp.MustCompile(`^(.*)sid=[0-9a-z]{32}(?:&(.*))?$`)},
		{"aspsessionid", regexp.MustCompile(`^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$`)},
		{"cftoken=", regexp.MustCompile(`^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$`)},
	}
	pathSessions = []*regexp.Regexp{
		regexp.MustCompile(`^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$`),
		regexp.MustCompile(`^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$`),
	}
)

// trimSession removes the session ids that ASP.NET puts into paths.
func trimSession(path string) string {
	if strings.Contains(path, ".aspx") {
		for _, form := range pathSessions {
			path = form.ReplaceAllString(path, "$1$2")
		}
	}
	return path
}

func defaultPort(scheme string) int {
	switch {
	case strings.EqualFold(scheme, "http"):
		return 80
	case strings.EqualFold(scheme, "https"):
		return 443
	}
	return 0
}

// unescape decodes percent-encoding until nothing is left: "%2541" gives "A". It needs one pass, because a decoded byte
// may complete another escape, which is decoded at once.
func unescape(s string) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		out = append(out, s[i])
		for n := len(out); n >= 3 && out[n-3] == '%'; n = len(out) {
			hi, lo := ascii.Hex(out[n-2]), ascii.Hex(out[n-1])
			if hi < 0 || lo < 0 {
				break
			}
			out = append(out[:n-3], byte(hi<<4|lo))
		}
	}
	return out
}

// escapeOnce percent-encodes controls, space, '#', '%' and non-ASCII bytes.
func escapeOnce(s []byte) []byte {
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(s))
	for _, c := range s {
		if c <= ' ' || c >= 0x7f || c == '#' || c == '%' {
			out = append(out, '%', hex[c>>4], hex[c&15])
		} else {
			out = append(out, c)
		}
	}
	return out
}

// lower returns s, which is ASCII, in lower case.
func lower(s []byte) string { return strings.ToLower(string(s)) }

// idna2003 maps one label by the IDNA of 2003.
var idna2003 = idna.New(idna.MapForLookup(), idna.Transitional(true), idna.StrictDomainName(false), idna.VerifyDNSLength(false))

// mapHost2003 maps a host as index tools do. They differ from browsers since 2008: "faß" is "fass", and the zero width
// non-joiner of Persian words is dropped. It matters only for URLs not serialised by Parse. A host that IDNA 2003
// forbids stays unchanged.
func mapHost2003(host string) (mapped string, ok bool) {
	labels := strings.Split(ideographicDots.Replace(host), ".")
	for i, label := range labels {
		if !ascii.Only(label) {
			mapped, err := idna2003.ToASCII(label)
			if err != nil || !oneDirection(label) {
				return "", false
			}
			labels[i] = mapped
		}
		if n := len(labels[i]); n > 63 || n == 0 && (label != "" || i < len(labels)-1) {
			return "", false
		}
	}
	return strings.Join(labels, "."), true
}

var ideographicDots = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".")

// oneDirection checks IDNA 2003's rule for labels with right-to-left letters: they have no left-to-right letters, and
// right-to-left ones at both ends.
func oneDirection(label string) bool {
	left, right, edges := false, false, 0
	for i := 0; i < len(label); {
		p, size := bidi.LookupString(label[i:])
		switch p.Class() {
		case bidi.L:
			left = true
		case bidi.R, bidi.AL:
			right = true
			if i == 0 {
				edges++
			}
			if i+size == len(label) {
				edges++
			}
		}
		i += max(size, 1)
	}
	return !right || !left && edges == 2
}
