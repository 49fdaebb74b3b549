package pages

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// iri is a URL as people read it: letters, marks and digits of their scripts in the place of percent-encoded ones. What else is
// encoded stays so, characters that change the direction of writing among it.
func iri(address string) string {
	var b strings.Builder
	for i := 0; i < len(address); {
		end := i
		for end+2 < len(address) && address[end] == '%' && address[end+1] >= '8' {
			end += 3
		}
		if end == i {
			b.WriteByte(address[i])
			i++
			continue
		}
		plain, err := url.PathUnescape(address[i:end])
		if err != nil {
			plain = ""
		}
		for len(plain) > 0 {
			r, n := utf8.DecodeRuneInString(plain)
			if r != utf8.RuneError && unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
				b.WriteRune(r)
			} else {
				b.WriteString(address[i : i+3*n])
			}
			plain, i = plain[n:], i+3*n
		}
		b.WriteString(address[i:end])
		i = end
	}
	return b.String()
}
