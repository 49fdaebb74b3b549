package robots

import "kavosh/lib/ascii"

// This file brings rules and paths into one form of percent-encoding, in which they are compared:
//
//	unchanged    letters, digits, - . _ ~ and RFC 3986's reserved characters; a "%" that begins no escape
//	decoded      escapes of letters, digits, - . _ ~ (RFC 9309, 2.2.2) and of ! $ ' ( ) *
//	encoded      everything else: non-ASCII bytes, white space, controls, " < > \ ^ ` { | }
//	upper case   the digits of all other escapes: %2f equals %2F, but neither equals "/"
//
// ! ' ( ) * were unreserved in RFC 2396, so programs still write them both ways. $ and * must be escaped in a rule that
// means them (RFC 9309, 2.2.3) and are plain in URLs.

// charClass says what canonical does with a byte.
type charClass uint8

const (
	encoded  charClass = iota // written as an escape
	reserved                  // kept; its escape stays an escape
	plain                     // kept; its escape is decoded
)

func classOf(c byte) charClass {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return plain
	}
	switch c {
	case '-', '.', '_', '~', '!', '$', '\'', '(', ')', '*':
		return plain
	case ':', '/', '?', '#', '[', ']', '@', '&', '+', ',', ';', '=':
		return reserved
	}
	return encoded
}

// canonical brings a part of a rule, or a path with its query, into the form for comparison. It allocates only if
// something changes, which is rare for paths of WHATWG URLs.
func canonical(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '%' {
			v, ok := escape(s[i:])
			if ok && (classOf(v) == plain || s[i+1] >= 'a' || s[i+2] >= 'a') {
				return rewrite(s, i)
			}
		} else if classOf(c) == encoded {
			return rewrite(s, i)
		}
	}
	return s
}

// rewrite is canonical for a string whose first from bytes are already canonical.
func rewrite(s string, from int) string {
	const hex = "0123456789ABCDEF"
	out := append(make([]byte, 0, len(s)+16), s[:from]...)
	for i := from; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			v, ok := escape(s[i:])
			switch {
			case !ok:
				out = append(out, '%')
				continue
			case classOf(v) == plain:
				out = append(out, v)
			default:
				out = append(out, '%', hex[v>>4], hex[v&15])
			}
			i += 2
		} else if classOf(c) == encoded {
			out = append(out, '%', hex[c>>4], hex[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

// escape decodes the percent-escape at the beginning of s.
func escape(s string) (v byte, ok bool) {
	if len(s) < 3 {
		return 0, false
	}
	hi, lo := ascii.Hex(s[1]), ascii.Hex(s[2])
	return byte(hi<<4 | lo), hi >= 0 && lo >= 0
}
