package rdfxml

import (
	"strings"
	"unicode/utf8"
)

// name is the name of an element or attribute.
type name struct {
	prefix, local string
	space         string // the namespace; "" if none
}

func (n name) qualified() string {
	if n.prefix == "" {
		return n.local
	}
	return n.prefix + ":" + n.local
}

// nameBytes says which ASCII characters a name may have: 1 inside, 2 also at the start. isName checks all others.
var nameBytes = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == ':', c >= utf8.RuneSelf:
			t[c] = 2
		case c >= '0' && c <= '9', c == '-', c == '.':
			t[c] = 1
		}
	}
	return t
}()

// isName reports whether s is a Name by XML 1.0 (fifth edition), 2.3.
func isName(s string) bool {
	for i, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if nameBytes[r] == 0 || i == 0 && nameBytes[r] == 1 {
				return false
			}
		case r == 0xB7, r >= 0x300 && r <= 0x36F, r == 0x203F, r == 0x2040:
			if i == 0 {
				return false
			}
		case r == 0xD7, r == 0xF7, r < 0xC0, r == 0x37E, r > 0x1FFF && r < 0x200C, r > 0x200D && r < 0x2070,
			r > 0x218F && r < 0x2C00, r > 0x2FEF && r < 0x3001, r > 0xD7FF && r < 0xF900, r > 0xFDCF && r < 0xFDF0,
			r > 0xEFFFF:
			return false
		}
	}
	return s != ""
}

// isNCName reports whether s is a name without a colon, within the bound.
func isNCName(s string) bool { return len(s) <= maxName && isName(s) && !strings.Contains(s, ":") }
