package extract

// This file replaces character references in HTML.

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html"

	"kavosh/lib/ascii"
)

// unescape appends an attribute's value to dst with character references replaced. By the rule for attributes,
// "&copy=1" in an address stays as it is. Without '&' it returns value itself and copies nothing.
func unescape(dst, value []byte) []byte {
	i := bytes.IndexByte(value, '&')
	if i < 0 {
		return value
	}
	for i >= 0 {
		dst = append(dst, value[:i]...)
		value = value[i:]
		n := reference(value)
		switch c := common(value[:n]); {
		case n == 0:
			dst = append(dst, '&')
			n = 1
		case c != 0 && c != ' ':
			dst = append(dst, c)
		default:
			dst = append(dst, html.UnescapeString(string(value[:n]))...)
		}
		value = value[n:]
		i = bytes.IndexByte(value, '&')
	}
	return append(dst, value...)
}

// reference returns the length of the character reference at the start of s, by the rule for attributes; 0 if none.
func reference(s []byte) int {
	if len(s) > 1 && s[1] == '#' {
		n := 2
		if len(s) > n && s[n]|0x20 == 'x' {
			n++
			for n < len(s) && ascii.IsHex(s[n]) {
				n++
			}
			if n == 3 {
				return 0
			}
		} else {
			for n < len(s) && ascii.IsDigit(s[n]) {
				n++
			}
			if n == 2 {
				return 0
			}
		}
		if n < len(s) && s[n] == ';' {
			n++
		}
		return n
	}
	n := 1
	for n < len(s) && n < 34 && (ascii.IsLetter(s[n]) || ascii.IsDigit(s[n])) {
		n++
	}
	if n == 1 {
		return 0
	}
	if n < len(s) && s[n] == ';' {
		n++
		// The name is known if all of it was replaced, with its semicolon.
		if r := html.UnescapeString(string(s[:n])); r[len(r)-1] != ';' || string(s[:n]) == "&semi;" {
			return n
		}
		return 0
	}
	if n < len(s) && s[n] == '=' {
		return 0
	}
	// Old names need no semicolon. Each of them is one letter.
	if utf8.RuneCountInString(html.UnescapeString(string(s[:n]))) == 1 {
		return n
	}
	return 0
}

// unescapeText is unescape by the rule for text, where "&copy=1" is ©=1.
func unescapeText(dst, text []byte) []byte {
	i := bytes.IndexByte(text, '&')
	if i < 0 {
		return text
	}
	for i >= 0 {
		dst = append(dst, text[:i]...)
		text = text[i:]
		n := 1
		for n < len(text) && n < 40 && (ascii.IsLetter(text[n]) || ascii.IsDigit(text[n]) || text[n] == '#' && n == 1) {
			n++
		}
		if n < len(text) && text[n] == ';' {
			n++
		}
		if c := common(text[:n]); c != 0 {
			dst = append(dst, c)
		} else {
			dst = append(dst, html.UnescapeString(string(text[:n]))...)
		}
		text = text[n:]
		i = bytes.IndexByte(text, '&')
	}
	return append(dst, text...)
}

// common returns the character of the most common references; 0 for others.
func common(reference []byte) byte {
	switch string(reference) {
	case "&amp;":
		return '&'
	case "&lt;":
		return '<'
	case "&gt;":
		return '>'
	case "&quot;", "&#34;":
		return '"'
	case "&#39;", "&apos;", "&#x27;":
		return '\''
	case "&#160;", "&nbsp;": // this package treats it like a space
		return ' '
	}
	return 0
}
