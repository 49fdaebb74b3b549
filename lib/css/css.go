// Package css reads what style sheets write with escapes, and finds the elements of a page that a selector names.
package css

import (
	"unicode/utf8"

	"kavosh/lib/ascii"
)

// Unescape appends s, which is a name, a string or a URL, to dst without its escapes: \29, \) and a backslash before a
// line end. put appends the character that a number stands for.
func Unescape[T ascii.Text](dst []byte, s T, put func(dst []byte, r rune) []byte) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			dst = append(dst, s[i])
			continue
		}
		i++
		if i >= len(s) {
			break
		}
		n, c := 0, rune(0)
		for n < 6 && i+n < len(s) && ascii.IsHex(s[i+n]) {
			c = c<<4 | rune(ascii.Hex(s[i+n]))
			n++
		}
		switch {
		case n > 0:
			i += n - 1
			if i+1 < len(s) && ascii.IsSpace(s[i+1]) { // one white space ends the number
				i++
				if s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n' {
					i++
				}
			}
			if c == 0 || !utf8.ValidRune(c) {
				c = utf8.RuneError
			}
			dst = put(dst, c)
		case s[i] == '\n' || s[i] == '\f':
		case s[i] == '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
		default:
			dst = append(dst, s[i])
		}
	}
	return dst
}
