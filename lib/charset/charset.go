// Package charset detects the encoding of a text and converts it to UTF-8.
//
// Decode tries, in this order: a byte order mark; whether the whole text is valid UTF-8; what the Content-Type header,
// a meta element, an XML declaration or @charset declares (declare.go); and last what the bytes look like (guess.go).
// Bytes win over declarations in two cases, both common on the Persian web: text that is valid UTF-8 but declared
// otherwise, and windows-1256 declared as Latin or UTF-8.
//
// Names are those of the WHATWG Encoding Standard.
package charset

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// Lookup returns the encoding with a WHATWG label, without regard to case, and its name; nil and "" if unknown.
func Lookup(label string) (enc encoding.Encoding, name string) {
	enc, err := htmlindex.Get(label)
	if err != nil {
		return nil, ""
	}
	name, err = htmlindex.Name(enc)
	if err != nil {
		return nil, ""
	}
	return enc, name
}

// Decode converts payload to UTF-8 without byte order mark. contentType is the Content-Type header, or "". What cannot
// be decoded becomes U+FFFD, so text is always valid UTF-8. If nothing changes, text is payload itself, not a copy.
// Each input byte gives at most three.
//
// certain is false if name is only our guess from the bytes.
func Decode(payload []byte, contentType string) (text []byte, name string, certain bool) {
	name, rest, certain := detect(payload, contentType)
	enc, _ := Lookup(name)
	if name == utf8Name || enc == nil || enc == encoding.Replacement {
		return valid(rest), name, certain
	}
	text, err := enc.NewDecoder().Bytes(rest)
	if err != nil { // decoders replace what they cannot read; if one still fails, keep what it read
		text = valid(text)
	}
	return text, name, certain
}

func valid(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}

const (
	utf8Name    = "utf-8"
	latinName   = "windows-1252"
	persianName = "windows-1256"
)

// detect returns the name of payload's encoding, and payload without its byte order mark.
func detect(payload []byte, contentType string) (name string, rest []byte, certain bool) {
	if name, n := byteOrderMark(payload); n > 0 {
		return name, payload[n:], true
	}
	declared := Declared(payload, contentType)
	if declared == "" {
		if name := bareUTF16(payload); name != "" {
			return name, payload, false
		}
	}
	if declared == "utf-16le" || declared == "utf-16be" {
		return declared, payload, true // its bytes alone are no evidence
	}

	ascii := asciiPrefix(payload)
	if utf8.Valid(payload[ascii:]) {
		// Bytes in another encoding may form valid UTF-8 once or twice by accident, but not throughout a text. East Asian
		// encodings need more proof, because they use two bytes per letter too.
		enough := 3
		if eastAsian(declared) {
			enough = 30
		}
		runes := multibyte(payload[ascii:], enough)
		switch {
		case runes == 0 && declared == "": // ASCII
			return utf8Name, payload, false
		case runes > 0 && declared == "", runes >= enough:
			return utf8Name, payload, true
		}
		return declared, payload, true
	}
	s := survey(payload)
	switch {
	case declared != "" && declared != utf8Name:
		if s.betterThan(declared) {
			name, _ := s.best()
			return name, payload, false
		}
		return declared, payload, true
	case s.utf8():
		return utf8Name, payload, declared != ""
	}
	return s.guess(), payload, false
}

// asciiPrefix returns how many bytes of b come before the first one above ASCII.
func asciiPrefix(b []byte) (n int) {
	for ; n+32 <= len(b); n += 32 {
		s := b[n : n+32]
		if (binary.LittleEndian.Uint64(s)|binary.LittleEndian.Uint64(s[8:])|binary.LittleEndian.Uint64(s[16:])|binary.LittleEndian.Uint64(s[24:]))&0x8080808080808080 != 0 {
			break
		}
	}
	for n < len(b) && b[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// multibyte counts the non-ASCII letters in valid UTF-8, up to enough.
func multibyte(b []byte, enough int) (n int) {
	for i := 0; i < len(b) && n < enough; i++ {
		for i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])&0x8080808080808080 == 0 {
			i += 8
		}
		if i < len(b) && b[i] >= utf8.RuneSelf {
			n++
			for i+1 < len(b) && !utf8.RuneStart(b[i+1]) {
				i++
			}
		}
	}
	return n
}

func eastAsian(name string) bool {
	switch name {
	case "gbk", "gb18030", "big5", "shift_jis", "euc-jp", "euc-kr", "iso-2022-jp":
		return true
	}
	return false
}
