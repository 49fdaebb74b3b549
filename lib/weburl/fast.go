package weburl

// This file parses common URLs in one pass over their bytes.

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What a byte means to the fast path in a component. The zero value means to copy it.
const (
	plain  uint8 = iota
	escape       // percent-encode it; so for all bytes outside ASCII
	slash        // ends a path segment; '\' does so too
	stop         // '?' or '#': ends the component
	odd          // tab and newlines, which the standard removes: left to the library
)

// The standard's percent-encode sets, and which other bytes matter, one table per component.
var (
	userClass        = classes("\"<>^`{} #?/:;=@[\\]|", "", "")
	pathClass        = classes("\"<>^`{} ", "/\\", "?#")
	queryClass       = classes("\"'<> ", "", "#")
	fragmentClass    = classes("\"<>` ", "", "")
	opaqueClass      = classes("", "", "?#")
	opaqueQueryClass = classes("\"<> ", "", "#")
)

func classes(escaped, slashes, stops string) (t [256]uint8) {
	for c := range t {
		switch {
		case c == '\t' || c == '\n' || c == '\r':
			t[c] = odd
		case c < 0x20 || c >= 0x7f || strings.IndexByte(escaped, byte(c)) >= 0:
			t[c] = escape
		case strings.IndexByte(slashes, byte(c)) >= 0:
			t[c] = slash
		case strings.IndexByte(stops, byte(c)) >= 0:
			t[c] = stop
		}
	}
	return t
}

// hostLetter maps the bytes of ordinary hosts to lower case, and all others to 0.
var hostLetter = func() (t [256]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = c
	}
	t['-'], t['.'], t['_'] = '-', '.', '_'
	return t
}()

// A start says with which component of a URL a reference begins.
type start uint8

const (
	atAuthority start = iota
	atPath
	atOpaque // the path of a URL like mailto:someone
	atQuery
	atFragment
	unknown
)

// fast appends the serialisation of ref, resolved against base, to dst. dst must be empty; base may be nil. Without
// whole, it omits the fragment. ok is false if it cannot handle ref.
//
// It handles http and https URLs, references against such a base, and schemes with an opaque path, such as mailto:. It
// follows the states of the standard in order, but on stretches of bytes instead of code points. It does not handle
// tabs, newlines, other schemes, or invalid URLs.
func fast(dst []byte, base *URL, ref string, whole bool) (out []byte, p parts, ok bool) {
	dst, p, rest, from := begin(dst, base, trim(ref))
	if from == unknown {
		return nil, p, false
	}
	if from == atAuthority {
		for rest != "" && pathClass[rest[0]] == slash {
			rest = rest[1:]
		}
		dst = append(dst, "//"...)
		if dst, rest, ok = appendCredentials(dst, rest); !ok {
			return nil, p, false
		}
		p.host = len(dst)
		if dst, rest, ok = appendHost(dst, rest); !ok {
			return nil, p, false
		}
		p.hostEnd = len(dst)
		if dst, rest, ok = appendPort(dst, rest, p.scheme); !ok {
			return nil, p, false
		}
		p.path = len(dst)
		dst = append(dst, '/')
		if rest != "" && pathClass[rest[0]] == slash {
			rest = rest[1:]
		}
		from = atPath
	}
	queries := &queryClass
	switch from {
	case atPath:
		if dst, rest, ok = appendPath(dst, p.path, rest); !ok {
			return nil, p, false
		}
	case atOpaque:
		queries = &opaqueQueryClass
		if dst, rest, ok = appendComponent(dst, rest, &opaqueClass); !ok || rest != "" && dst[len(dst)-1] == ' ' {
			return nil, p, false
		}
	}
	if from <= atQuery {
		p.query = len(dst)
		if rest != "" && rest[0] == '?' {
			if dst, rest, ok = appendComponent(append(dst, '?'), rest[1:], queries); !ok {
				return nil, p, false
			}
		}
	}
	p.fragment = len(dst)
	if rest != "" && whole {
		if dst, _, ok = appendComponent(append(dst, '#'), rest[1:], &fragmentClass); !ok {
			return nil, p, false
		}
	}
	return dst, p, true
}

// begin appends what comes before the first component of ref, from ref or from base, and returns the rest of ref.
func begin(dst []byte, base *URL, ref string) (out []byte, p parts, rest string, from start) {
	if n := SchemeLen(ref); n > 0 {
		for i := range n {
			dst = append(dst, hostLetter[ref[i]]) // '+', which no known scheme has, becomes 0
		}
		scheme := dst
		ref = ref[n+1:]
		p = parts{scheme: n, host: n + 1, hostEnd: n + 1, path: n + 1}
		switch string(scheme) {
		case "http", "https":
			if base == nil || base.Scheme() != string(scheme) || strings.HasPrefix(ref, "//") {
				return append(dst, ':'), p, ref, atAuthority
			}
			dst = dst[:0] // "http:page" is relative
		case "ftp", "file", "ws", "wss":
			return dst, p, ref, unknown
		default:
			if strings.HasPrefix(ref, "/") || bytes.IndexByte(scheme, 0) >= 0 {
				return dst, p, ref, unknown
			}
			return append(dst, ':'), p, ref, atOpaque
		}
	}
	if base == nil || !base.Fetchable() {
		return dst, p, ref, unknown
	}
	href := base.href
	class := stop
	if ref != "" {
		class = pathClass[ref[0]]
	}
	switch {
	case class == stop && (ref == "" || ref[0] == '#'):
		return append(dst, href[:base.fragment]...), base.parts, ref, atFragment
	case class == stop:
		return append(dst, href[:base.query]...), base.parts, ref, atQuery
	case class != slash:
		parent := base.path + strings.LastIndexByte(href[base.path:base.query], '/')
		return append(dst, href[:parent+1]...), base.parts, ref, atPath
	case len(ref) > 1 && pathClass[ref[1]] == slash:
		return append(dst, href[:base.scheme+1]...), base.parts, ref, atAuthority
	}
	return append(dst, href[:base.path+1]...), base.parts, ref[1:], atPath
}

// appendCredentials reads user name and password, which end at the last '@' before the path.
func appendCredentials(dst []byte, s string) (out []byte, rest string, ok bool) {
	end := strings.IndexAny(s, pathStarts)
	if end < 0 {
		end = len(s)
	}
	at := strings.LastIndexByte(s[:end], '@')
	if at < 0 {
		return dst, s, true
	}
	user, password, _ := strings.Cut(s[:at], ":")
	if dst, _, ok = appendComponent(dst, user, &userClass); !ok {
		return dst, s, false
	}
	if password != "" {
		if dst, _, ok = appendComponent(append(dst, ':'), password, &userClass); !ok {
			return dst, s, false
		}
	}
	if user != "" || password != "" {
		dst = append(dst, '@')
	}
	return dst, s[at+1:], true
}

// pathStarts holds the bytes that end an authority.
const pathStarts = `/\?#`

func appendHost(dst []byte, s string) (out []byte, rest string, ok bool) {
	start, i := len(dst), 0
	for i < len(s) && hostLetter[s[i]] != 0 {
		dst = append(dst, hostLetter[s[i]])
		i++
	}
	if (plainHost(dst[start:]) || plainIPv4(dst[start:])) && (i == len(s) || s[i] == ':' || strings.IndexByte(pathStarts, s[i]) >= 0) {
		return dst, s[i:], true
	}
	if i = 0; strings.HasPrefix(s, "[") {
		i = max(strings.IndexByte(s, ']'), 0)
	}
	if end := strings.IndexAny(s[i:], ":"+pathStarts); end >= 0 {
		i += end
	} else {
		i = len(s)
	}
	host, err := specialHost(s[:i])
	return append(dst[:start], host...), s[i:], err == nil
}

// appendPort reads the port at the beginning of s, if there is one. scheme is the length of the scheme, which tells
// https from http.
func appendPort(dst []byte, s string, scheme int) (out []byte, rest string, ok bool) {
	if s == "" || s[0] != ':' {
		return dst, s, true
	}
	n, i := 0, 1
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		n = min(n*10+int(s[i]-'0'), 65536)
		i++
	}
	rest = s[i:]
	if n > 65535 || rest != "" && strings.IndexByte(pathStarts, rest[0]) < 0 {
		return dst, s, false
	}
	isDefault := n == 443 && scheme == len("https") || n == 80 && scheme == len("http")
	if i > 1 && !isDefault {
		dst = strconv.AppendInt(append(dst, ':'), int64(n), 10)
	}
	return dst, rest, true
}

// appendPath reads the rest of a path. dst has the path from dst[path] on, and ends with a slash.
func appendPath(dst []byte, path int, s string) (out []byte, rest string, ok bool) {
	segment := len(dst) // start of the current segment
	for i := 0; ; {
		j := i
		for j < len(s) && pathClass[s[j]] == plain {
			j++
		}
		dst = append(dst, s[i:j]...)
		class := stop
		if j < len(s) {
			class = pathClass[s[j]]
		}
		switch class {
		case odd:
			return dst, s, false
		case escape:
			dst, i = appendPercent(dst, s, j)
			continue
		}
		switch dots(dst[segment:]) {
		case 1:
			dst = dst[:segment]
		case 2:
			dst = dst[:parent(dst, path, segment)]
		default:
			if class == slash {
				dst = append(dst, '/')
			}
		}
		if class == stop {
			return dst, s[j:], true
		}
		segment, i = len(dst), j+1
	}
}

// parent returns the start of the segment before the one at dst[segment], in a path that starts at dst[path].
func parent(dst []byte, path, segment int) int {
	if segment == path+1 {
		return segment // nothing is above the top
	}
	return path + bytes.LastIndexByte(dst[path:segment-1], '/') + 1
}

// appendComponent reads s up to a byte that ends the component, and encodes as class says.
func appendComponent(dst []byte, s string, class *[256]uint8) (out []byte, rest string, ok bool) {
	for i := 0; ; {
		j := i
		for j < len(s) && class[s[j]] == plain {
			j++
		}
		dst = append(dst, s[i:j]...)
		if j == len(s) {
			return dst, "", true
		}
		switch class[s[j]] {
		case stop:
			return dst, s[j:], true
		case odd:
			return dst, s, false
		}
		dst, i = appendPercent(dst, s, j)
	}
}

// appendPercent appends the character at s[i], percent-encoded, and returns the index after it. Invalid UTF-8 becomes
// U+FFFD.
func appendPercent(dst []byte, s string, i int) (out []byte, next int) {
	const hex = "0123456789ABCDEF"
	if s[i] < utf8.RuneSelf {
		return append(dst, '%', hex[s[i]>>4], hex[s[i]&15]), i + 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	var encoded [utf8.UTFMax]byte
	for _, c := range encoded[:utf8.EncodeRune(encoded[:], r)] {
		dst = append(dst, '%', hex[c>>4], hex[c&15])
	}
	return dst, i + size
}

// trim removes control characters and spaces from both ends.
func trim(s string) string {
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// SchemeLen returns the length of the scheme at the beginning of s; 0 for a relative reference.
func SchemeLen(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i
		default:
			return 0
		}
	}
	return 0
}

// dots returns 1 for a path segment that means "here", 2 for one that means "up", else 0. An encoded dot counts.
func dots(segment []byte) int {
	n := 0
	for len(segment) > 0 {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && segment[0] == '%' && segment[1] == '2' && segment[2]|0x20 == 'e':
			segment = segment[3:]
		default:
			return 0
		}
		if n++; n > 2 {
			return 0
		}
	}
	return n
}

// plainHost reports whether host, made of hostLetter's letters, is a domain that the standard leaves unchanged.
func plainHost(host []byte) bool {
	last := host[bytes.LastIndexByte(host, '.')+1:]
	return len(last) > 0 && (last[0] < '0' || last[0] > '9') && !bytes.Contains(host, []byte("xn--"))
}

// plainIPv4 reports whether host is a serialised IPv4 address: four numbers up to 255 without leading zeros.
func plainIPv4(host []byte) bool {
	numbers, digits, n := 1, 0, 0
	for _, c := range host {
		switch {
		case c == '.' && digits > 0:
			numbers, digits, n = numbers+1, 0, 0
		case '0' <= c && c <= '9' && (digits == 0 || n > 0):
			digits, n = digits+1, n*10+int(c-'0')
			if n > 255 {
				return false
			}
		default:
			return false
		}
	}
	return numbers == 4 && digits > 0
}
