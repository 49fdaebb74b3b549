package scope

// This file makes the shape of a URL: what it has in common with other URLs that the same program made. It keeps no
// state.

import (
	"bytes"
	"slices"
	"strings"
)

// A shape is the host, path and query of a URL in which numbers are replaced by "#", random tokens by "*", and path
// segments that stood before by "…", such as "a.test/calendar/#/#?view=month". Its parameters are sorted by name.
// People read it too.
//
// The wide shape leaves out more. In a path that repeats itself it leaves out all but the first segment
// ("a.test/docs/…"). Otherwise, if there is a query, it leaves out the values of its parameters
// ("a.test/list?sort=*&tag=*"); without a query it leaves out the last segment ("a.test/tags/*").

// maxShaped is how many parameters of a query a shape holds: the first ones.
const maxShaped = 16

// appendShape appends the shape of a URL to dst; the wide shape if wide is true.
func appendShape(dst []byte, p *Parts, wide bool) []byte {
	dst = append(dst, p.Host...)
	var room [trapSegments]string
	earlier := room[:0]
	first := 0        // where the first segment ends
	repeated := false // the last segment was a repeated one, for which dst has "…" already
	for path, more := strings.TrimPrefix(p.Path, "/"), true; more; {
		var segment string
		segment, path, more = strings.Cut(path, "/")
		switch {
		case !more && wide && p.Query == "":
			dst = append(dst, "/*"...)
		case hasLetter(segment) && slices.Contains(earlier, segment):
			if wide {
				return append(dst[:first], repetition...)
			}
			if !repeated {
				dst = append(dst, repetition...)
			}
			repeated = true
			continue
		default:
			dst = appendGeneral(append(dst, '/'), segment)
		}
		repeated = false
		if first == 0 {
			first = len(dst)
		}
		if len(earlier) < cap(earlier) {
			earlier = append(earlier, segment)
		}
	}
	if p.Query == "" {
		return dst
	}
	var pairs [maxShaped]string
	n := 0
	for query, more := p.Query, true; more && n < len(pairs); n++ {
		pairs[n], query, more = strings.Cut(query, "&")
	}
	slices.Sort(pairs[:n])
	for i, pair := range pairs[:n] {
		sep := byte('&')
		if i == 0 {
			sep = '?'
		}
		name, value, has := strings.Cut(pair, "=")
		dst = appendGeneral(append(dst, sep), name)
		switch {
		case has && wide:
			dst = append(dst, "=*"...)
		case has:
			dst = appendGeneral(append(dst, '='), value)
		}
	}
	return dst
}

// appendGeneral appends s with "#" for each number, or "*" if s is a random token. Percent-encoded bytes stay as they
// are.
func appendGeneral(dst []byte, s string) []byte {
	if isToken(s, 16) {
		return append(dst, '*')
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%' && i+2 < len(s):
			dst = append(dst, s[i:i+3]...)
			i += 2
		case '0' <= c && c <= '9':
			if i == 0 || s[i-1] < '0' || s[i-1] > '9' || dst[len(dst)-1] != '#' {
				dst = append(dst, '#')
			}
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// isToken reports whether s looks random: at least least hexadecimal digits, with both digits and letters among them;
// dashes are allowed.
func isToken[T string | []byte](s T, least int) bool {
	if len(s) < least {
		return false
	}
	digits, letters := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			letters++
		case c != '-':
			return false
		}
	}
	return digits > 0 && letters > 0
}

// hasLetter reports whether s has an ASCII letter or anything beyond ASCII.
func hasLetter(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; 'a' <= c && c <= 'z' || c >= 0x80 {
			return true
		}
	}
	return false
}

// repetition stands in a shape for segments that stood before. No seen-key contains it, because keys percent-encode
// what is not ASCII.
const repetition = "/…"

// isRepetition reports whether a wide shape is that of paths that repeat themselves.
func isRepetition(shape []byte) bool { return bytes.HasSuffix(shape, []byte(repetition)) }

// hash returns the FNV-1a hash of b, beginning with seed. It is the same in every run, and cheap for short texts.
func hash(seed uint64, b []byte) uint64 {
	h := seed ^ 0xCBF29CE484222325
	for _, c := range b {
		h = (h ^ uint64(c)) * 0x100000001B3
	}
	return h
}
