package rdf

// This file knows which characters may stand where in the text formats of RDF.

import (
	"kavosh/lib/ascii"
	"kavosh/lib/iri"
)

// Which roles an ASCII character may have in the text formats. Other characters are checked by the functions below.
const (
	inIRI    uint8 = 1 << iota // allowed in <…>, like all characters beyond ASCII
	inName                     // PN_CHARS
	dot                        // allowed inside a name but not at its end
	colon                      // allowed in local names
	letter                     // A-Z a-z
	digit                      // 0-9
	hexDigit                   // 0-9 A-F a-f
	inString                   // needs no escape in any kind of literal: not a quote, backslash or line end
)

var class = func() (table [256]uint8) {
	for i := range table {
		c := byte(i)
		if iri.Byte(c) {
			table[i] |= inIRI
		}
		if c != '"' && c != '\'' && c != '\\' && c != '\n' && c != '\r' {
			table[i] |= inString
		}
		if ascii.IsHex(c) {
			table[i] |= hexDigit
		}
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			table[i] |= letter | inName
		case '0' <= c && c <= '9':
			table[i] |= digit | inName
		case c == '_' || c == '-':
			table[i] |= inName
		case c == '.':
			table[i] |= dot
		case c == ':':
			table[i] |= colon
		}
	}
	return table
}()

// startsName reports whether a name may begin with r (PN_CHARS_BASE).
func startsName(r rune) bool {
	if r < 0x80 {
		return class[r]&letter != 0
	}
	return r >= 0xC0 && r <= 0x2FF && r != 0xD7 && r != 0xF7 ||
		r >= 0x370 && r <= 0x1FFF && r != 0x37E ||
		r >= 0x200C && r <= 0x200D ||
		r >= 0x2070 && r <= 0x218F ||
		r >= 0x2C00 && r <= 0x2FEF ||
		r >= 0x3001 && r <= 0xD7FF ||
		r >= 0xF900 && r <= 0xFDCF ||
		r >= 0xFDF0 && r <= 0xFFFD ||
		r >= 0x10000 && r <= 0xEFFFF
}

// startsLabel reports whether a blank node's label or a local name may begin with r (PN_CHARS_U and digits).
func startsLabel(r rune) bool {
	return startsName(r) || r == '_' || '0' <= r && r <= '9'
}

// continuesName reports whether r, which is not ASCII, may be in a name (PN_CHARS).
func continuesName(r rune) bool {
	return startsName(r) || r == 0xB7 || r >= 0x300 && r <= 0x36F || r >= 0x203F && r <= 0x2040
}
