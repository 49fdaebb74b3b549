// Package ascii knows the kinds of ASCII characters, and compares texts without regard to the case of ASCII letters, as
// needed for header field names, HTML tags and URL schemes. Unlike strings.EqualFold, it never treats another letter,
// such as the Kelvin sign, as an ASCII one.
package ascii

// Text is a string or its bytes.
type Text interface{ ~string | ~[]byte }

// Lower returns c, in lower case if it is an ASCII capital.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// AppendLower appends s to dst, with its ASCII capitals in lower case.
func AppendLower[T Text](dst []byte, s T) []byte {
	for i := range len(s) {
		dst = append(dst, Lower(s[i]))
	}
	return dst
}

// EqualFold reports whether a and b are equal without regard to case.
func EqualFold[A, B Text](a A, b B) bool { return len(a) == len(b) && begins(a, b) }

// HasPrefixFold reports whether s begins with prefix, without regard to case.
func HasPrefixFold[A, B Text](s A, prefix B) bool { return len(s) >= len(prefix) && begins(s, prefix) }

// begins compares the first len(prefix) bytes. Upper and lower case differ in one bit.
func begins[A, B Text](s A, prefix B) bool {
	for i := range len(prefix) {
		switch c := s[i]; c ^ prefix[i] {
		case 0:
		case 0x20:
			if c |= 0x20; c < 'a' || c > 'z' {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// IsDigit reports whether c is one of 0 to 9.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsLetter reports whether c is one of a to z, in either case.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsSpace reports whether c is white space as HTML and CSS have it.
func IsSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// IsHex reports whether c is a hexadecimal digit in either case.
func IsHex(c byte) bool { return Hex(c) >= 0 }

// Hex returns the value of a hexadecimal digit in either case; -1 if c is none.
func Hex(c byte) int {
	switch {
	case IsDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// Only reports whether all of s is ASCII.
func Only[T Text](s T) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// AreDigits reports whether s has one character or more, all of them digits.
func AreDigits[T Text](s T) bool {
	for i := range len(s) {
		if !IsDigit(s[i]) {
			return false
		}
	}
	return len(s) > 0
}
