package main

import (
	"bytes"
	"testing"
)

// Whatever comes, in whatever pieces, nothing is left that a terminal obeys, and text in any script is as it was.
func TestVisible(t *testing.T) {
	const text = "a\tb\r\nمی‌خواهم 日本 é\n" // with a zero-width non-joiner
	for in, want := range map[string]string{
		text: text, "\x1b[31m\x07\x00\x7f\r": `\u001b[31m\u0007\u0000\u007f\u000d`, "\u009b31m\u0085": `\u009b31m\u0085`, "\u202e\u2066\u2028": `\u202e\u2066\u2028`,
		"\x9b31m\xff": "\ufffd31m\ufffd", "\xe2\x80": "\ufffd",
	} {
		for piece := 1; piece <= 5; piece++ {
			var out bytes.Buffer
			v := &visible{out: &out}
			for rest := []byte(in); len(rest) > 0; {
				n := min(piece, len(rest))
				if wrote, err := v.Write(rest[:n]); wrote != n || err != nil {
					t.Fatal(wrote, err)
				}
				rest = rest[n:]
			}
			v.flush()
			if got := out.String(); got != want {
				t.Errorf("%q in pieces of %d: %q, want %q", in, piece, got, want)
			}
		}
	}
}
