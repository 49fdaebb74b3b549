package journal

import (
	"strconv"
	"unicode/utf8"
)

// AppendText appends a field of an entry, unless s is empty: name, such as `,"url":`, and s as AppendString writes it.
func AppendText(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return AppendString(append(b, name...), s)
}

// AppendNumber appends a field of an entry, unless n is 0.
func AppendNumber(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(append(b, name...), n, 10)
}

// AppendString appends s to b as a JSON string without line feeds, for entries. Like encoding/json, it keeps UTF-8 and
// turns invalid bytes into U+FFFD.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	if !utf8.ValidString(s) {
		s = string([]rune(s)) // each invalid byte becomes U+FFFD
	}
	b = append(b, '"')
	done := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[done:i]...)
		done = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, s[done:]...), '"')
}
