package pages

// This file writes URLs so that they read correctly in text of either direction.

import (
	"html"
	"html/template"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Address returns the markup of a URL, of a host or of a part of one. It is written from left to right in any text,
// with all parts in order. Otherwise browsers would write the words of a Persian path in reverse order.
func Address(text string) template.HTML {
	var b strings.Builder
	b.WriteString(`<bdi dir="ltr" class="url">`)
	text = IRI(text)
	for len(text) > 0 {
		end := strings.IndexAny(text, "/?&=#;")
		if end < 0 {
			end = len(text)
		}
		if part := html.EscapeString(text[:end]); strings.IndexFunc(text[:end], RightToLeft) >= 0 {
			b.WriteString("<bdi>" + part + "</bdi>")
		} else {
			b.WriteString(part)
		}
		if end < len(text) {
			b.WriteString(html.EscapeString(text[end : end+1]))
			end++
		}
		text = text[end:]
	}
	b.WriteString("</bdi>")
	return template.HTML(b.String())
}

// RightToLeft reports whether a character is written from right to left, or starts such a text.
func RightToLeft(r rune) bool {
	return r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff ||
		r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff ||
		r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// InTitle returns a URL for a text without markup, between control characters that keep it from left to right.
func InTitle(text string) string { return "\u2066" + IRI(text) + "\u2069" }

// nonJoiner stands within Persian words, and changes the form of the letters beside it.
const nonJoiner = '\u200c'

// arabic reports whether s begins with a letter of the Arabic script.
func arabic(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.Is(unicode.Arabic, r) && unicode.IsLetter(r)
}

// IRI returns a URL in readable form: percent-encoded letters, marks and digits of all scripts are decoded, and
// non-joiners between letters of the Arabic script. All other encoded characters stay encoded, also those that change the
// direction of writing.
func IRI(address string) string {
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
		before := ""
		for len(plain) > 0 {
			r, n := utf8.DecodeRuneInString(plain)
			if r != utf8.RuneError && (unicode.In(r, unicode.L, unicode.M, unicode.Nd) || r == nonJoiner && arabic(before) && arabic(plain[n:])) {
				b.WriteRune(r)
			} else {
				b.WriteString(address[i : i+3*n])
			}
			before, plain, i = plain[:n], plain[n:], i+3*n
		}
		b.WriteString(address[i:end])
		i = end
	}
	return b.String()
}
