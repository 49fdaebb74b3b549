// Package words splits text of any language into words in a normalised form, for matching and learning.
//
// [All] yields the words of a text; [Append] writes them one after another, so that a plain search finds a phrase.
// Different spellings become equal: fold.go says what happens to letters, and unspaced.go which scripts have no spaces
// and yield pairs of adjacent letters. It takes one pass, and no memory beyond the words.
//
// It does not stem and knows no language: book and books are two words, and so are کتاب and کتاب‌ها.
package words

import (
	"iter"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"kavosh/lib/ascii"
)

// Longest is the greatest length of a word in bytes; longer words are cut.
const Longest = 64

// All yields the words of text in order. A word is valid until the next one is requested.
func All(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		c := cutter{text: text}
		buf := make([]byte, 0, 2*Longest)
		for {
			buf = c.next(buf[:0])
			if len(buf) == 0 || !yield(buf) {
				return
			}
		}
	}
}

// Append appends the words of text to dst, each with a space after it.
func Append(dst []byte, text string) []byte {
	c := cutter{text: text}
	for {
		n := len(dst)
		if dst = c.next(dst); len(dst) == n {
			return dst
		}
		dst = append(dst, ' ')
	}
}

// cutter is the state of splitting a text.
type cutter struct {
	text    string // the rest of the text
	instead []byte // letters that replace the one just read, not yet used
	before  rune   // the letter just read, if its script has no spaces; else 0
	paired  bool   // … it was already used in a pair with the letter before it
}

// next appends the next word to dst; nothing if there is none.
func (c *cutter) next(dst []byte) []byte {
	start := len(dst)
	compose := false
	for {
		if len(c.instead) == 0 && c.before == 0 {
			dst = c.quick(dst, start)
		}
		r, size := c.peek()
		f := part
		if size > 0 {
			f = fold(r)
		}
		switch {
		case f == drop:
			c.skip(size)
			continue
		case f == expand:
			c.instead = norm.NFKC.PropertiesString(c.text).Decomposition()
			c.text = c.text[size:]
			continue
		case isUnspaced(f):
			if len(dst) > start {
				return finish(dst, start, compose)
			}
			c.skip(size)
			before := c.before
			c.before, c.paired = f, before != 0
			if before != 0 {
				return utf8.AppendRune(utf8.AppendRune(dst, before), f)
			}
			continue
		}
		if before := c.before; before != 0 {
			c.before = 0
			if !c.paired {
				return utf8.AppendRune(dst, before) // it has no neighbour
			}
		}
		c.skip(size)
		if f == part {
			if len(dst) > start || size == 0 {
				return finish(dst, start, compose)
			}
			continue
		}
		compose = compose || f&mark != 0
		if f &^= mark; len(dst)-start+utf8.RuneLen(f) <= Longest {
			dst = utf8.AppendRune(dst, f)
		}
	}
}

// quick handles the common case: letters and digits of one and two bytes, after any separators if dst has no word yet.
// It stops at anything else.
func (c *cutter) quick(dst []byte, start int) []byte {
	text := c.text
	i := 0
	for i < len(text) {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			if r < 0xC2 || r > 0xDF || i+1 >= len(text) || text[i+1]&0xC0 != 0x80 {
				break
			}
			r, size = r&0x1F<<6|rune(text[i+1]&0x3F), 2
		}
		f := rune(table[r])
		if f == part && len(dst) > start || f >= 0x800 {
			break
		}
		i += size
		switch {
		case f <= drop:
		case f < utf8.RuneSelf:
			if len(dst)-start < Longest {
				dst = append(dst, byte(f))
			}
		case len(dst)-start < Longest-1:
			dst = append(dst, 0xC0|byte(f>>6), 0x80|byte(f&0x3F))
		}
	}
	c.text = text[i:]
	return dst
}

// peek returns the next letter and its size; size 0 at the end.
func (c *cutter) peek() (rune, int) {
	if len(c.instead) > 0 {
		return utf8.DecodeRune(c.instead)
	}
	return utf8.DecodeRuneInString(c.text)
}

func (c *cutter) skip(size int) {
	if len(c.instead) > 0 {
		c.instead = c.instead[size:]
	} else {
		c.text = c.text[size:]
	}
}

// finish brings a word with combining marks into Unicode's normalised form.
func finish(dst []byte, start int, compose bool) []byte {
	if !compose || norm.NFC.IsNormal(dst[start:]) {
		return dst
	}
	var buf [2 * Longest]byte
	composed := norm.NFC.Append(buf[:0], dst[start:]...)
	return append(dst[:start], Clip(composed, Longest)...)
}

// Clip returns the beginning of text, of at most n bytes, cut between letters.
func Clip[T ascii.Text](text T, n int) T {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
