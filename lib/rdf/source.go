package rdf

// This file reads the bytes of an RDF document through a window, and knows the line and column.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Bounds on a document; exceeding one is a Fault.
const (
	maxLiteral = 4 << 20  // bytes of a literal, as written
	maxIRI     = 64 << 10 // bytes of an IRI, a prefixed name, a label or a language tag
	window     = 64 << 10 // bytes read at once
	glance     = 4 << 10  // bytes of the first read: many documents are only tested for being something else
)

var errLong = errors.New("rdf: a token is too long")

// source is a window into a document's bytes, with its position in the document. Readers of a token use offsets from
// the token's beginning, so that the window may move.
type source struct {
	in     io.Reader
	buf    []byte // the window; the current token begins at pos
	pos    int
	line   int   // line of pos, from 1
	start  int   // where in buf the line begins, or the part of it still in buf
	before int   // characters of the line that are no longer in buf
	end    error // why nothing follows buf: io.EOF, the stream's error, or errLong
	wanted bool  // a reader asked for bytes beyond buf
	failed error // Read returns it from now on

	warnings Warnings
}

// Warnings implements Lenient.
func (s *source) Warnings() *Warnings { return &s.warnings }

func newSource(in io.Reader) source {
	s := source{in: in, buf: make([]byte, 0, glance), line: 1}
	switch {
	case s.has(3) && string(s.buf[:3]) == "\uFEFF": // a byte order mark means nothing in UTF-8
		s.pos, s.start = 3, 3
	case s.has(2) && (string(s.buf[:2]) == "\xFF\xFE" || string(s.buf[:2]) == "\xFE\xFF"):
		s.failed = &Fault{1, 1, "the document is in UTF-16, and must be in UTF-8"}
	}
	return s
}

// rest returns the part of the window from pos on.
func (s *source) rest() []byte { return s.buf[s.pos:] }

// has reports whether at least n bytes follow pos. It reads them if necessary.
func (s *source) has(n int) bool {
	for len(s.buf)-s.pos < n {
		if !s.more() {
			return false
		}
	}
	return true
}

// more makes rest at least one byte longer, or returns false.
func (s *source) more() bool {
	if s.end == nil && len(s.buf)-s.pos >= maxLiteral {
		s.end = errLong
	}
	if s.end != nil {
		s.wanted = true
		return false
	}
	if len(s.buf) == cap(s.buf) {
		s.before += utf8.RuneCount(s.buf[s.start:s.pos])
		from := s.buf[s.pos:]
		if len(from) > cap(s.buf)/2 || cap(s.buf) < window {
			s.buf = make([]byte, 0, max(window, 2*cap(s.buf)))
		}
		s.buf = s.buf[:copy(s.buf[:cap(s.buf)], from)]
		s.pos, s.start = 0, 0
	}
	for range 100 {
		n, err := s.in.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		s.end, s.wanted = err, n == 0 && err != nil
		if n > 0 || err != nil {
			return n > 0
		}
	}
	s.end, s.wanted = io.ErrNoProgress, true
	return false
}

// newline notes that a line begins at buf[i].
func (s *source) newline(i int) { s.line, s.start, s.before = s.line+1, i, 0 }

// blanks skips spaces and tabs and returns the byte that follows; -1 at the end.
func (s *source) blanks() int {
	for {
		for s.pos < len(s.buf) {
			if c := s.buf[s.pos]; c != ' ' && c != '\t' {
				return int(c)
			}
			s.pos++
		}
		if !s.more() {
			return -1
		}
	}
}

// next skips white space, line ends and comments and returns the byte that follows; -1 at the end.
func (s *source) next() int {
	for {
		for i := s.pos; i < len(s.buf); i++ {
			switch c := s.buf[i]; c {
			case ' ', '\t', '\r':
			case '\n':
				s.newline(i + 1)
			case '#':
				s.pos = i
				s.comment()
				i = s.pos - 1
			default:
				s.pos = i
				return int(c)
			}
		}
		s.pos = len(s.buf)
		if !s.more() {
			return -1
		}
	}
}

// comment skips to the end of the line.
func (s *source) comment() {
	for {
		if n := bytes.IndexAny(s.rest(), "\r\n"); n >= 0 {
			s.pos += n
			return
		}
		s.pos = len(s.buf)
		if !s.more() {
			return
		}
	}
}

// skip skips the n bytes of a token, which may contain line ends.
func (s *source) skip(n int) {
	token := s.buf[s.pos : s.pos+n]
	if i := bytes.LastIndexByte(token, '\n'); i >= 0 {
		s.line += bytes.Count(token, []byte{'\n'}) - 1
		s.newline(s.pos + i + 1)
	}
	s.pos += n
}

// fail ends the document with a Fault k bytes after pos, or with the stream's error if there is one. It returns false,
// for the caller to return.
func (s *source) fail(k int, reason string, args ...any) bool {
	switch {
	case s.failed != nil:
	case s.wanted && s.end != io.EOF && s.end != errLong:
		s.failed = s.end
	default:
		if s.wanted && s.end == errLong {
			reason, args = "a token is longer than %d bytes", []any{maxLiteral}
		}
		s.skip(min(k, len(s.buf)-s.pos))
		s.failed = s.fault(0, reason, args...)
	}
	return false
}

// fault makes a Fault k bytes after pos, in the same line.
func (s *source) fault(k int, reason string, args ...any) *Fault {
	return &Fault{s.line, s.before + utf8.RuneCount(s.buf[s.start:s.pos+k]) + 1, fmt.Sprintf(reason, args...)}
}

// pastLine reads past the fault that ended the document to the end of the line. It returns false if the stream ended
// the document.
func (s *source) pastLine() bool {
	f, ok := s.failed.(*Fault)
	if !ok {
		return false
	}
	s.warnings.Warn(f)
	s.failed = nil
	if s.end == errLong {
		s.end = nil
	}
	s.comment()
	return true
}
