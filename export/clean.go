package export

import (
	"hash/fnv"
	"io"
	"strings"
	"unicode"
)

// cleaner takes menus, buttons and other frames out of the texts of pages. A block, a line of a page's text, is kept when it reads like
// running text, or like a heading between two such blocks (after Pomikálek, "Removing boilerplate and duplicate content
// from web corpora", 2011, without its lists of words). A block that a host has shown on several pages before is left
// out, too: it is a frame, however much it reads like text.
type cleaner struct {
	shown [shownSlots]shown
	page  uint32 // the one being cleaned, counted
}

// shown is a block of a host, and on how many pages it stood.
type shown struct {
	hash  uint32
	page  uint32 // the last one
	pages uint8
}

const (
	shownSlots = 1 << 20 // blocks remembered: 12 MB. A newer one takes the place of an older one
	mostShown  = 2       // on so many pages of a host a block may stand
	longBlock  = 80      // letters that are running text without a mark at an end
	sentence   = 25      // letters that are running text with one
)

// clean is what of a text of a host's page is worth keeping, blocks parted by line feeds.
func (c *cleaner) clean(host, text string) string {
	c.page++
	blocks := strings.Split(text, "\n")
	reads := make([]bool, len(blocks))
	for i, b := range blocks {
		reads[i] = isText(b) && !c.frame(host, b)
	}
	var kept strings.Builder
	for i, b := range blocks {
		heading := !reads[i] && i > 0 && i+1 < len(blocks) && reads[i-1] && reads[i+1] && strings.TrimSpace(b) != "" && !c.frame(host, b)
		if reads[i] || heading {
			if kept.Len() > 0 {
				kept.WriteByte('\n')
			}
			kept.WriteString(b)
		}
	}
	return kept.String()
}

// isText reports whether a block reads like running text.
func isText(block string) bool {
	letters, others, end := 0, 0, false
	for _, r := range block {
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r):
			letters++
		case strings.ContainsRune(".!?؟۔。！？।…։።", r):
			end = true
			others++
		case !unicode.IsSpace(r) && r != '\u200c':
			others++
		}
	}
	if 2*others > letters {
		return false // numbers, code, rows of signs
	}
	if isDense(block) {
		letters *= 3
	}
	return letters >= longBlock || end && letters >= sentence
}

// isDense reports whether a block is of a script that writes words in a letter or two.
func isDense(block string) bool {
	for _, r := range block {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			return true
		}
	}
	return false
}

// frame notes that a block of a host stands on this page, and reports whether it was on several pages before.
func (c *cleaner) frame(host, block string) bool {
	sum := hash(host, block)
	s := &c.shown[sum%shownSlots]
	if print := uint32(sum >> 32); s.hash != print {
		*s = shown{hash: print}
	}
	if s.page != c.page && s.pages <= mostShown {
		s.page = c.page
		s.pages++
	}
	return s.pages > mostShown
}

// hash is of two strings.
func hash(a, b string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, a)
	io.WriteString(h, "\n")
	io.WriteString(h, b)
	return h.Sum64()
}
