package weburl

// This file finds URLs inside texts, in order to hide some of them.

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// Silence replaces every absolute URL in text for which silent returns true by sign. It finds URLs in any form: plain,
// with escapes of JSON or HTML, percent-encoded once or twice inside another URL, or as a search key (SURT); silent
// gets the plain URL. Punctuation right after a URL, such as a comma, may belong to it or not, so silent is called with
// and without it.
func Silence(text, sign string, silent func(url string) bool) string {
	var out strings.Builder
	for at := 0; at < len(text); {
		n, depth := anchor(text[at:])
		if n == 0 {
			at++
			continue
		}
		begin, write := at, func(s string) string { return decoded(s, depth) }
		if text[at] == ')' {
			for begin > 0 && (isSchemeByte(text[begin-1]) || text[begin-1] == ',' || text[begin-1] == ':') {
				begin--
			}
			write = func(s string) string { return urlOfSURT(decoded(s, 0)) }
		} else {
			for begin > 0 && isSchemeByte(text[begin-1]) {
				begin--
			}
			if depth > 0 && begin > 0 && text[begin-1] == '%' { // an encoded byte precedes the scheme
				begin = min(begin+2*depth, at)
			}
		}
		if end := silentEnd(text, begin, at, n, depth, func(s string) bool { return silent(write(s)) }); begin < at && end > 0 {
			out.WriteString(text[:begin])
			out.WriteString(sign)
			text, at = text[end:], 0
		} else {
			at += n // look at what is inside it, too
		}
	}
	out.WriteString(text)
	return out.String()
}

// anchor returns the length of the mark of a URL at the beginning of text, and how many times it is percent-encoded.
// The mark is what stands between scheme and host, or between host and path of a search key. n is 0 if there is none.
func anchor(text string) (n, depth int) {
	switch text[0] {
	case ')':
		if strings.HasPrefix(text, ")/") {
			return 1, 0
		}
		return 0, 0
	case ':', '%', '\\':
	default:
		return 0, 0
	}
	for i, forms := range [3][]string{{":", "%3a", "%253a", `\u003a`}, {"/", `\/`, "%2f", "%252f", `\u002f`},
		{"/", `\/`, "%2f", "%252f", `\u002f`}} {
		found := false
		for _, form := range forms {
			if len(text)-n >= len(form) && strings.EqualFold(text[n:n+len(form)], form) {
				n, found = n+len(form), true
				if form[0] == '%' {
					depth = max(depth, len(form)/2) // 3 and 5 bytes
				}
				break
			}
		}
		if !found || i == 0 && n == 0 {
			return 0, 0
		}
	}
	return n, depth
}

// mostEnds is how many possible ends of a URL are tried.
const mostEnds = 16

// silentEnd returns the end of the silent URL that begins at begin and has its anchor at at; 0 if it is not silent.
func silentEnd(text string, begin, at, n, depth int, silent func(string) bool) int {
	end := at + n
	for end < len(text) && text[end] > ' ' && text[end] != '"' &&
		!(text[end] == '>' && begin > 0 && text[begin-1] == '<') && !(text[end] == '&' && depth > 0) {
		if text[end] == '\\' && end+1 < len(text) {
			end++ // with the character that it escapes
			if text[end] == '"' || text[end] <= ' ' {
				end--
				break
			}
		}
		end++
	}
	for range mostEnds {
		if silent(text[begin:end]) {
			return end
		}
		bare := at + n + len(strings.TrimRight(text[at+n:end], ".,;:!?)]}'\\"))
		if bare < end && silent(text[begin:bare]) {
			return bare
		}
		next := strings.LastIndexAny(text[at+n:end], `<>\|'`)
		if next < 0 {
			return 0
		}
		end = at + n + next
	}
	return 0
}

// decoded removes the escapes of JSON or HTML, or the percent-encoding, from a URL.
func decoded(s string, depth int) string {
	if strings.Contains(s, `\`) {
		s = decodedJSON(s)
	}
	if depth == 0 {
		return html.UnescapeString(s)
	}
	return string(unescape(s))
}

func decodedJSON(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\' || i+1 == len(s):
			b.WriteByte(s[i])
		case s[i+1] == 'u' && i+6 <= len(s):
			c, err := strconv.ParseUint(s[i+2:i+6], 16, 16)
			if err != nil {
				b.WriteByte(s[i])
				continue
			}
			b.WriteRune(rune(c))
			i += 5
		default:
			b.WriteByte(s[i+1])
			i++
		}
	}
	return b.String()
}

func urlOfSURT(key string) string {
	host, path, _ := strings.Cut(key, ")")
	host, port, _ := strings.Cut(strings.TrimRight(host, ","), ":")
	labels := strings.Split(host, ",")
	var b strings.Builder
	b.WriteString("http://")
	for i := len(labels) - 1; i >= 0; i-- {
		b.WriteString(labels[i])
		if i > 0 {
			b.WriteByte('.')
		}
	}
	if port != "" {
		b.WriteString(":" + port)
	}
	return b.String() + path
}

func isSchemeByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'
}

// Escape percent-encodes the bytes of s that a URL cannot have. It is for what no URL can be parsed of.
func Escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
