package extract

// This file finds the words in and around each link of a page.

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kavosh/lib/ascii"
	"kavosh/lib/simhash"
)

// context collects the text around links while a document is read, block by block (paragraph, list item, table cell …).
// It keeps a block's text, with white space folded, until the block ends. Then the links in the block get their Anchor
// and Around.
type context struct {
	r       *reading
	text    []byte // the block's text so far, folded
	pending []place
	open    int             // 1 + index in pending of the open anchor; 0 if none
	hash    *simhash.Hasher // gets all text; nil if no fingerprint is wanted
	visible *visible        // also gets all text; nil if the text is not wanted
	gap     gap             // between the text so far and the next text
}

// gap says what is known about the place between two texts.
type gap uint8

const (
	noGap gap = iota
	ended     // only tags since the end of a linked element
	apart     // the next text stands apart
)

// place is where a link is in the block's text: it has text before, inside (the anchor text) and after it.
type place struct {
	link       int // index in reading.links
	start, end int // of the anchor text in context.text
}

const (
	maxBlock   = 4 << 10 // bytes of text kept for a block; then a new block begins
	maxPending = 1000    // links in a block
	maxAnchor  = 512
	maxAround  = 512
	maxTitle   = 256
	maxType    = 64
)

// addText adds text whose escapes are already replaced.
func (c *context) addText(s []byte) {
	v := c.visible
	if c.gap != noGap {
		c.part(s)
	}
	if v == nil {
		c.addBlockText(s)
		return
	}
	n := len(v.text)
	alike := len(v.hidden) == 0 && len(c.text) <= maxBlock && len(s) <= maxBlock && atSpace(v.text) == atSpace(c.text)
	v.add(s)
	if alike && n+len(s) <= maxText { // both want the same folded text, so fold it once
		c.text = append(c.text, v.text[n:]...)
		return
	}
	c.addBlockText(s)
}

func (c *context) addBlockText(s []byte) {
	if len(c.text) > maxBlock {
		c.endBlock(true)
	}
	if len(s) > maxBlock { // only the ends of a long text are near a link
		c.addBlockText(s[:maxAround+utf8.UTFMax])
		if c.open == 0 {
			c.endBlock(false)
		}
		middle := s[maxAround+utf8.UTFMax : len(s)-maxAround-utf8.UTFMax]
		s = s[len(s)-maxAround-utf8.UTFMax:]
		for c.hash != nil && len(middle) > 0 {
			n := min(len(middle), maxBlock)
			c.r.buf = fold(c.r.buf[:0], middle[:n])
			c.hash.Add(c.r.buf)
			middle = middle[n:]
		}
	}
	c.text = fold(c.text, s)
}

// space separates the text before from the text after, such as words in two table cells.
func (c *context) space() {
	if n := len(c.text); n > 0 && c.text[n-1] != ' ' {
		c.text = append(c.text, ' ')
	}
}

// edge handles the beginning or end of an element.
func (c *context) edge(d display, begins bool) {
	switch d {
	case block:
		c.endBlock(false)
	case broken:
		c.space()
	case linked:
		if begins && (c.gap == ended || c.open > 0) {
			c.gap = apart
		} else if !begins && c.gap == noGap {
			c.gap = ended
		}
	case boxed:
		c.gap = apart
	}
}

// part adds a space before the text s where a reader sees one although the markup has none (docs/decisions/0240).
func (c *context) part(s []byte) {
	v := c.visible
	if len(s) == 0 || v != nil && len(v.hidden) > 0 {
		return
	}
	between := c.gap
	if c.gap = noGap; between == ended {
		return
	}
	if !fits(c.text, s) {
		c.text = append(c.text, ' ')
	}
	if v != nil && len(v.text) < maxText && !fits(v.text, s) {
		v.text = append(v.text, ' ')
	}
}

// fits reports whether two texts need no space between them: one is already there, or there are joiners (half-spaces)
// or combining marks, or brackets, or marks that end a phrase, or the writing has no spaces between words.
func fits(before, after []byte) bool {
	if atSpace(before) || after[0] <= ' ' {
		return true
	}
	if ascii.IsLetter(before[len(before)-1]) && ascii.IsLetter(after[0]) {
		return false
	}
	l, _ := utf8.DecodeLastRune(before)
	r, _ := utf8.DecodeRune(after)
	return strings.ContainsRune(joiners+"/_-@", l) || unicode.In(l, unicode.Ps, unicode.Pi) ||
		strings.ContainsRune(joiners+"/_-.,:;!?%…'،؛؟٪۔。、！？", r) || unicode.In(r, unicode.Pe, unicode.Pf, unicode.M) ||
		isUnspaced(l) && isUnspaced(r)
}

// joiners appear inside words: soft hyphen, ZWNJ, ZWJ and word joiner.
const joiners = "\u00ad\u200c\u200d\u2060"

// isUnspaced reports whether r belongs to a writing that has no spaces between words.
func isUnspaced(r rune) bool {
	return r == '々' || r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// place notes that a link is here. If anchor is true, the text up to the next endAnchor is its anchor text.
func (c *context) place(link int, anchor bool) {
	if anchor {
		c.endAnchor()
	}
	if len(c.pending) >= maxPending {
		c.endBlock(true)
	}
	c.pending = append(c.pending, place{link, len(c.text), len(c.text)})
	if anchor {
		c.open = len(c.pending)
	}
}

func (c *context) endAnchor() {
	if c.open > 0 {
		c.pending[c.open-1].end = len(c.text)
		c.open = 0
	}
}

// endBlock gives the block's links their texts and begins a new block. Inside an open anchor it does nothing, because
// all text there is anchor text; unless force is true, because the document forgot to close the anchor.
func (c *context) endBlock(force bool) {
	if len(c.text) == 0 && len(c.pending) == 0 {
		return // nothing to do, as between most tags
	}
	if c.open > 0 {
		if !force && len(c.text)-c.pending[c.open-1].start < maxAnchor {
			c.space()
			return
		}
		c.endAnchor()
	}
	for _, p := range c.pending {
		l := &c.r.links[p.link]
		if l.Anchor == "" && p.end > p.start {
			l.Anchor = c.r.text.put(cut(bytes.Trim(c.text[p.start:p.end], " "), maxAnchor))
		}
		if l.Around == "" && p.end-p.start < len(c.text) {
			before := bytes.Trim(cutFront(c.text[:p.start], maxAround/2-1), " ")
			after := bytes.Trim(cut(c.text[p.end:], maxAround/2), " ")
			if len(before) > 0 && len(after) > 0 {
				l.Around = c.r.text.join(before, after)
			} else if len(before) > 0 {
				l.Around = c.r.text.put(before)
			} else {
				l.Around = c.r.text.put(after)
			}
		}
	}
	if c.hash != nil {
		c.hash.Add(c.text)
	}
	c.pending = c.pending[:0]
	c.text = c.text[:0]
}

// fold appends s to dst and replaces each run of white space (with no-break spaces) by one space; at the start of a
// line by none.
//
// Most text is words with single spaces or line ends between them. fold takes such text eight bytes at a time: it
// copies a stretch without two adjacent white spaces, and without the byte that begins a no-break space, and turns
// control characters into spaces.
func fold(dst, s []byte) []byte {
	dst = slices.Grow(dst, len(s)+8)
	n := len(dst)
	space := atSpace(dst)
	out := dst[:cap(dst)]
	for i := 0; i < len(s); {
		for i+8 <= len(s) {
			w := binary.LittleEndian.Uint64(s[i:])
			control := zeros(w & 0xE0E0E0E0E0E0E0E0) // below 0x20
			w = w&^(control>>7*0xFF) | control>>2    // … becomes a space
			spaces := zeros(w ^ 0x2020202020202020)
			if spaces&(spaces<<8) != 0 || space && spaces&0x80 != 0 || w&0x8080808080808080 != 0 && zeros(w^0xC2C2C2C2C2C2C2C2) != 0 {
				break
			}
			binary.LittleEndian.PutUint64(out[n:], w)
			space = spaces>>63 != 0
			n += 8
			i += 8
		}
		for end := min(i+8, len(s)); i < end; i++ {
			c := s[i]
			if c <= ' ' || c == 0xC2 && i+1 < len(s) && s[i+1] == 0xA0 {
				if c == 0xC2 {
					i++
				}
				if !space {
					out[n] = ' '
					n++
					space = true
				}
				continue
			}
			out[n] = c
			n++
			space = false
		}
	}
	return out[:n]
}

// atSpace reports whether text ends with a space or at the start of a line, where fold adds no space.
func atSpace(text []byte) bool {
	n := len(text)
	return n == 0 || text[n-1] == ' ' || text[n-1] == '\n'
}

// zeros returns a word with the highest bit set in each byte that is zero in w, and no other bit.
func zeros(w uint64) uint64 {
	const low = 0x7F7F7F7F7F7F7F7F
	return ^(w&low + low | w | low)
}

// cut returns at most the first n bytes of s, with no letter cut apart.
func cut(s []byte, n int) []byte {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cutFront returns at most the last n bytes of s, with no letter cut apart.
func cutFront(s []byte, n int) []byte {
	i := len(s) - n
	if i <= 0 {
		return s
	}
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}

// folded returns s with white space folded and trimmed, cut to n bytes.
func (r *reading) folded(s []byte, n int) string {
	b := fold(r.buf[:0], s)
	r.buf = b
	return r.text.put(cut(bytes.Trim(b, " "), n))
}
