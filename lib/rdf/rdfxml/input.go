package rdfxml

// This file decodes an XML document and checks its characters.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"kavosh/lib/charset"
	"kavosh/lib/rdf"
)

const (
	windowSize = 32 << 10
	headSize   = 1 << 10 // bytes that must contain the XML declaration
)

// input is a document as UTF-8, window by window. All its characters are allowed in XML, and all line ends are "\n". A
// byte that is not UTF-8, and a character that is not allowed, is replaced by U+FFFD, which no IRI can have; the first
// one is a warning.
type input struct {
	src          io.Reader // UTF-8, possibly malformed
	window       []byte    // the current characters, checked
	rest         []byte    // read after the window: the start of a character, or a carriage return
	buffer       []byte    // memory for what is read
	checked      []byte    // memory for window
	line, column int       // of the window's first character
	read         int       // bytes before the end of the window
	err          error     // why no window follows; io.EOF at the end
	replaced     bool      // a character was replaced
	warnings     *rdf.Warnings
}

// newInput detects the encoding: by a byte order mark, UTF-16's zero bytes, or the XML declaration; otherwise UTF-8.
func newInput(r io.Reader, warnings *rdf.Warnings) *input {
	head := bufio.NewReaderSize(r, headSize)
	in := &input{src: head, buffer: make([]byte, windowSize), line: 1, column: 1, warnings: warnings}
	first, _ := head.Peek(headSize) // an error occurs again when the window is filled
	var enc encoding.Encoding
	switch {
	case bytes.HasPrefix(first, []byte("\xEF\xBB\xBF")):
		_, in.err = head.Discard(3)
	case bytes.HasPrefix(first, []byte("\xFF\xFE")), bytes.HasPrefix(first, []byte("<\x00")):
		enc = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(first, []byte("\xFE\xFF")), bytes.HasPrefix(first, []byte("\x00<")):
		enc = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case bytes.HasPrefix(first, []byte("<?xml")):
		end := bytes.IndexByte(first, '>') + 1
		if name := charset.Declared(first[:end], ""); name != "" && name != "utf-8" {
			enc, _ = htmlindex.Get(name)
		}
	}
	if enc != nil {
		in.src = enc.NewDecoder().Reader(head)
	}
	return in
}

// next moves to the next window. It returns false at the end or after an error: see err.
func (in *input) next() bool {
	in.line, in.column = in.position(len(in.window))
	in.window = nil
	for in.err == nil && len(in.window) == 0 {
		kept := copy(in.buffer, in.rest)
		n, err := in.src.Read(in.buffer[kept:])
		in.err = err
		in.read += n
		in.check(in.buffer[:kept+n])
	}
	return len(in.window) > 0
}

// position returns the line and column of the window's byte at, from 1; columns count characters.
func (in *input) position(at int) (line, column int) {
	before := in.window[:at]
	if lines := bytes.Count(before, []byte("\n")); lines > 0 {
		return in.line + lines, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	}
	return in.line, in.column + utf8.RuneCount(before)
}

// check makes b the window. It keeps back what cannot be judged before more is read.
func (in *input) check(b []byte) {
	out, i := in.checked[:0], 0
	bad := func(format string, args ...any) {
		if !in.replaced {
			in.replaced, in.window = true, out
			in.warnings.Warn(in.fault(len(out), format, args...))
		}
		out = utf8.AppendRune(out, utf8.RuneError)
	}
loop:
	for i < len(b) {
		c := b[i]
		switch {
		case c == '\r':
			if i+1 == len(b) && in.err == nil {
				break loop
			}
			if i+1 == len(b) || b[i+1] != '\n' {
				out = append(out, '\n')
			}
			i++
		case c >= ' ' && c < utf8.RuneSelf || c == '\n' || c == '\t':
			out = append(out, c)
			i++
		case c < ' ':
			bad("the character U+%04X is not allowed in XML", c)
			i++
		default:
			r, n := utf8.DecodeRune(b[i:])
			switch {
			case r == utf8.RuneError && n == 1 && in.err == nil && !utf8.FullRune(b[i:]):
				break loop
			case r == utf8.RuneError && n == 1:
				bad("byte %#02x is not UTF-8", c)
			case r == 0xFFFE || r == 0xFFFF:
				bad("the character %U is not allowed in XML", r)
			default:
				out = append(out, b[i:i+n]...)
			}
			i += n
		}
	}
	in.window, in.checked, in.rest = out, out, b[i:]
}

// fault makes a fault about the window's byte at.
func (in *input) fault(at int, format string, args ...any) *rdf.Fault {
	line, column := in.position(at)
	return &rdf.Fault{Line: line, Column: column, Reason: fmt.Sprintf(format, args...)}
}
