// Package ascii compares texts without regard to the case of their ASCII letters. Names of header fields, HTML tags and
// URL schemes are compared so: no other letter folds into an ASCII one, as with strings.EqualFold the Kelvin sign does.
package ascii

// Text is what can be compared: a string or its bytes.
type Text interface{ ~string | ~[]byte }

// Lower is c, as a small letter when it is a capital of ASCII.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// EqualFold reports whether a and b are equal without regard to case.
func EqualFold[A, B Text](a A, b B) bool { return len(a) == len(b) && begins(a, b) }

// HasPrefixFold reports whether s begins with prefix, without regard to case.
func HasPrefixFold[A, B Text](s A, prefix B) bool { return len(s) >= len(prefix) && begins(s, prefix) }

// begins compares as many bytes as prefix has. A capital differs from its small letter by one bit alone.
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
