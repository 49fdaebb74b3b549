package main

// This file keeps archived text from controlling the terminal.

import (
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"
)

// visible writes text so that nothing in it can control the terminal: logs, titles and errors contain text of servers.
// Control characters, those that change the direction of text, and invalid UTF-8 are written as \u and four digits,
// which JSON, N-Triples and Turtle read back as the original characters.
type visible struct {
	out io.Writer

	mu struct {
		sync.Mutex
		held []byte // the beginning of a character whose end is still to come
	}
}

// Write writes all of b, except for a last character that the next Write completes.
func (v *visible) Write(b []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	text := b
	if len(v.mu.held) > 0 {
		text = append(v.mu.held, b...)
		v.mu.held = nil
	}
	var out []byte
	for len(text) > 0 {
		if c := text[0]; c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			out, text = append(out, c), text[1:]
			continue
		}
		if !utf8.FullRune(text) || string(text) == "\r" { // a line feed may follow
			v.mu.held = append([]byte(nil), text...)
			break
		}
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, "\ufffd"...)
		case r == '\r' && len(text) > 1 && text[1] == '\n':
			out = append(out, '\r')
		case obeyed(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	if _, err := v.out.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// flush writes the bytes of a character that was never completed.
func (v *visible) flush() {
	v.mu.Lock()
	defer v.mu.Unlock()
	last := "\ufffd"
	switch string(v.mu.held) {
	case "":
		return
	case "\r":
		last = `\u000d`
	}
	v.mu.held = nil
	_, _ = io.WriteString(v.out, last) // an error means that nobody reads any more
}

// obeyed reports whether a character may control a terminal, or change the order of the text after it. The joiners and
// marks of direction that Persian needs do neither.
func obeyed(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029
}

// terminal returns the terminal that out writes to, or nil if it is not one.
func terminal(out io.Writer) *os.File {
	if v, ok := out.(*visible); ok {
		out = v.out
	}
	if f, ok := out.(*os.File); ok {
		if _, err := widthOf(f); err == nil {
			return f
		}
	}
	return nil
}
