package pages

import (
	"html"
	"html/template"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Address is a URL, a host or a part of one in a page: from left to right whatever stands around it, each of its parts in its place. Of
// a path of Persian words browsers would else write the last word first.
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

// RightToLeft reports whether browsers write the letter from right to left, or begin to write so at it.
func RightToLeft(r rune) bool {
	return r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff || r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff ||
		r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// InTitle is a URL in a text without markup: in letters that keep it from left to right.
func InTitle(text string) string { return "\u2066" + IRI(text) + "\u2069" }

// IRI is a URL as people read it: letters, marks and digits of their scripts in the place of percent-encoded ones. What else is
// encoded stays so, characters that change the direction of writing among it.
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
