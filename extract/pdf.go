package extract

// This file is the reader of PDF documents: it finds their links, and leaves their text to others.

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/zlib"

	"kavosh"
	"kavosh/lib/ascii"
)

// Bounds on what one PDF may decompress to.
const (
	maxPDFStream = 4 << 20  // bytes of one object stream
	maxPDFAll    = 64 << 20 // … of all together
)

// readPDF adds the addresses of link annotations: /URI strings, both in plain objects and in compressed object streams.
// It does not read the text.
func readPDF(r *reading, payload []byte) {
	if bytes.Contains(payload, []byte("/Encrypt")) {
		r.note("the PDF is encrypted; its links were not read")
		return
	}
	pdfURIs(r, payload)
	left := int64(maxPDFAll)
	for rest := payload; left > 0 && !r.full; {
		i := bytes.Index(rest, []byte("/ObjStm"))
		if i < 0 {
			return
		}
		rest = rest[i+len("/ObjStm"):]
		start := bytes.Index(rest[:min(len(rest), 1024)], []byte("stream"))
		if start < 0 {
			continue
		}
		z, err := zlib.NewReader(bytes.NewReader(bytes.TrimLeft(rest[start+len("stream"):], "\r\n")))
		if err != nil {
			continue
		}
		objects, _ := io.ReadAll(io.LimitReader(z, min(maxPDFStream, left))) // a broken end leaves what was read
		left -= int64(len(objects)) + 4096
		pdfURIs(r, objects)
	}
}

// pdfURIs adds the strings after /URI.
func pdfURIs(r *reading, objects []byte) {
	var value []byte
	for !r.full {
		i := bytes.Index(objects, []byte("/URI"))
		if i < 0 {
			return
		}
		objects = bytes.TrimLeft(objects[i+len("/URI"):], " \t\r\n\f")
		if len(objects) == 0 {
			return
		}
		n := 0
		switch objects[0] {
		case '(':
			value, n = pdfString(value[:0], objects[1:])
		case '<':
			value, n = pdfHex(value[:0], objects[1:])
		default:
			continue // /S /URI is the kind of the action
		}
		objects = objects[1+n:]
		if ascii.HasPrefixFold(value, "http") {
			r.add(r.base, value, kavosh.Link{Kind: kavosh.Navigation, Element: "pdf", Attr: "URI"})
		}
	}
}

// maxPDFString bounds an address.
const maxPDFString = 8 << 10

// pdfString appends a literal string to dst and returns how many bytes of s it took. s begins after the parenthesis.
// The result is nil if the string does not end.
func pdfString(dst, s []byte) ([]byte, int) {
	depth := 0
	s = s[:min(len(s), maxPDFString)]
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return dst, i + 1
			}
			depth--
		case '\\':
			i++
			if i >= len(s) {
				return nil, len(s)
			}
			switch c = s[i]; {
			case '0' <= c && c <= '7':
				n := 0
				for k := 0; k < 3 && i < len(s) && '0' <= s[i] && s[i] <= '7'; k++ {
					n = n<<3 | int(s[i]-'0')
					i++
				}
				i--
				dst = append(dst, byte(n))
			case c == '\r' || c == '\n':
			default:
				dst = append(dst, c)
			}
			continue
		}
		dst = append(dst, s[i])
	}
	return nil, len(s)
}

// pdfHex does the same as pdfString for a hexadecimal string, after its angle bracket.
func pdfHex(dst, s []byte) ([]byte, int) {
	var digits []byte
	s = s[:min(len(s), maxPDFString)]
	for i := 0; i < len(s); i++ {
		switch {
		case ascii.IsHex(s[i]):
			digits = append(digits, byte(ascii.Hex(s[i])))
		case s[i] == '>':
			for k := 0; k+1 < len(digits); k += 2 {
				dst = append(dst, digits[k]<<4|digits[k+1])
			}
			return dst, i + 1
		}
	}
	return nil, len(s)
}
