package extract

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kavosh/lib/simhash"
)

// context gathers the text around links while a document is read, block by block (paragraph, list item, table cell …).
// A block's text is kept, white space folded, until the block ends; then its links get their Anchor and Around.
type context struct {
	r       *reading
	text    []byte // of the block so far, folded
	pending []place
	open    int             // 1 + index in pending of the anchor that is open; 0 for none
	hash    *simhash.Hasher // gets all text; nil when nobody asks for its fingerprint
	visible *visible        // gets all text, too; nil when nobody asks for it
	gap     gap             // between the text so far and what comes next
}

// gap is what is known of the place between two texts.
type gap uint8

const (
	noGap gap = iota
	ended     // nothing but tags came since an element ended that is linked
	apart     // what comes next stands apart
)

// place is where a link stands in the block's text: before, inside (the anchor text) and after it.
type place struct {
	link       int // index in reading.links
	start, end int // anchor text in context.text
}

const (
	maxBlock   = 4 << 10 // bytes of a block's text that are kept; then a new block begins
	maxPending = 1000    // links of a block
	maxAnchor  = 512
	maxAround  = 512
	maxTitle   = 256
	maxType    = 64
)

// addText takes text in. Escapes are already replaced.
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
	if alike && n+len(s) <= maxText { // then what is folded for one is for the other, too
		c.text = append(c.text, v.text[n:]...)
		return
	}
	c.addBlockText(s)
}

// addBlockText is addText for the block alone.
func (c *context) addBlockText(s []byte) {
	if len(c.text) > maxBlock {
		c.endBlock(true)
	}
	if len(s) > maxBlock { // only the ends of a long text are near to any link
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

// space separates what stands on either side, such as words in two table cells.
func (c *context) space() {
	if n := len(c.text); n > 0 && c.text[n-1] != ' ' {
		c.text = append(c.text, ' ')
	}
}

// edge takes in that an element begins or ends.
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

// part puts a space before the text s where a reader sees one though the markup has none (docs/decisions/0240).
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

// fits reports whether no space belongs between two texts: where there is one, at joiners (half-spaces) and combining
// marks, inside of brackets, before marks that end a phrase, and in writing that has no spaces between words.
func fits(before, after []byte) bool {
	if atSpace(before) || after[0] <= ' ' {
		return true
	}
	if isLetter(before[len(before)-1]) && isLetter(after[0]) {
		return false
	}
	l, _ := utf8.DecodeLastRune(before)
	r, _ := utf8.DecodeRune(after)
	return strings.ContainsRune(joiners+"/_-@", l) || unicode.In(l, unicode.Ps, unicode.Pi) ||
		strings.ContainsRune(joiners+"/_-.,:;!?%…'،؛؟٪۔。、！？", r) || unicode.In(r, unicode.Pe, unicode.Pf, unicode.M) ||
		isUnspaced(l) && isUnspaced(r)
}

// joiners stand in words: soft hyphen, ZWNJ, ZWJ and word joiner.
const joiners = "\u00ad\u200c\u200d\u2060"

// isUnspaced reports whether a letter is of a writing that has no spaces between words.
func isUnspaced(r rune) bool {
	return r == '々' || r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// place notes that a link stands here. With anchor, the text up to endAnchor is its anchor text.
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

// endAnchor ends the anchor that is open, if one is.
func (c *context) endAnchor() {
	if c.open > 0 {
		c.pending[c.open-1].end = len(c.text)
		c.open = 0
	}
}

// endBlock gives the block's links their texts and begins a new block. A block that begins inside an anchor is none:
// its text is anchor text, unless the document forgot to close the anchor (force).
func (c *context) endBlock(force bool) {
	if len(c.text) == 0 && len(c.pending) == 0 {
		return // as between most tags
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
			l.Anchor = c.r.text.put(cut(trim(c.text[p.start:p.end]), maxAnchor))
		}
		if l.Around == "" && p.end-p.start < len(c.text) {
			before := trim(cutFront(c.text[:p.start], maxAround/2-1))
			after := trim(cut(c.text[p.end:], maxAround/2))
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

// fold appends s to dst with runs of white space, no-break space included, made one space; none at the start of a line.
//
// Most text is words with single spaces or line ends between, which fold takes eight bytes at a time: a stretch without
// two white spaces side by side and without the byte that a no-break space begins with is copied, its controls made
// spaces.
func fold(dst, s []byte) []byte {
	dst = slices.Grow(dst, len(s)+8)
	n := len(dst)
	space := atSpace(dst)
	out := dst[:cap(dst)]
	for i := 0; i < len(s); {
		for i+8 <= len(s) {
			w := binary.LittleEndian.Uint64(s[i:])
			control := zeros(w & 0xE0E0E0E0E0E0E0E0) // below 0x20
			w = w&^(control>>7*0xFF) | control>>2    // … is a space now
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

// atSpace reports whether a text is at the start of a line or has just had a space, so that fold appends none.
func atSpace(text []byte) bool {
	n := len(text)
	return n == 0 || text[n-1] == ' ' || text[n-1] == '\n'
}

// zeros has the highest bit set in each byte that is zero in w, and no other bit.
func zeros(w uint64) uint64 {
	const low = 0x7F7F7F7F7F7F7F7F
	return ^(w&low + low | w | low)
}

// cut is at most the first n bytes of s, whole letters only.
func cut(s []byte, n int) []byte {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cutFront is at most the last n bytes of s, whole letters only.
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

func trim(s []byte) []byte {
	for len(s) > 0 && s[0] == ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] == ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// folded is s with white space folded, trimmed, cut to n bytes.
func (r *reading) folded(s []byte, n int) string {
	b := fold(r.buf[:0], s)
	r.buf = b
	return r.text.put(cut(trim(b), n))
}
