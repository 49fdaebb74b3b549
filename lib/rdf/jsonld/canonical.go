package jsonld

// This file writes JSON literals of RDF in one canonical form.

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// appendCanonical appends a value of encoding/json by RFC 8785, the JSON Canonicalization Scheme.
func appendCanonical(out []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(out, "null"...)
	case bool:
		return strconv.AppendBool(out, v)
	case float64:
		return append(out, number(v)...)
	case string:
		return appendQuoted(out, v)
	case []any:
		out = append(out, '[')
		for i, item := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendCanonical(out, item)
		}
		return append(out, ']')
	case map[string]any:
		out = append(out, '{')
		for i, key := range slices.SortedFunc(maps.Keys(v), compareUTF16) {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendCanonical(append(appendQuoted(out, key), ':'), v[key])
		}
		return append(out, '}')
	}
	return out
}

// compareUTF16 compares by UTF-16 code units, as JavaScript does.
func compareUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// number returns v as JavaScript writes it (ECMAScript, Number::toString).
func number(v float64) string {
	if v == 0 {
		return "0" // minus zero too
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	if n, err := strconv.Atoi(exponent); err == nil && n >= -7 && n < 21 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return digits + "e" + exponent[:1] + cmp.Or(strings.TrimLeft(exponent[1:], "0"), "0")
}

func appendQuoted(out []byte, s string) []byte {
	out = append(out, '"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			out = append(out, '\\', byte(r))
		case '\b':
			out = append(out, `\b`...)
		case '\t':
			out = append(out, `\t`...)
		case '\n':
			out = append(out, `\n`...)
		case '\f':
			out = append(out, `\f`...)
		case '\r':
			out = append(out, `\r`...)
		default:
			if r < ' ' {
				const hex = "0123456789abcdef"
				out = append(out, `\u00`...)
				out = append(out, hex[r>>4], hex[r&15])
				continue
			}
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}
