package export

// This file finds the running text of a page, so that a corpus has no menus.

import (
	"hash/fnv"
	"io"
	"strings"
	"unicode"
)

// cleaner removes menus, buttons and other frames from the texts of pages. It keeps a block (a line of a page's text)
// that reads like running text, or like a heading between two such blocks (after Pomikálek, "Removing boilerplate and
// duplicate content from web corpora", 2011, without its word lists). It also removes a block that a host has shown on
// several earlier pages: that is a frame, however much it reads like text.
type cleaner struct {
	shown [shownSlots]shownBlock
	page  uint32 // number of the current page
}

// shownBlock is a block that a host has shown, and on how many of its pages.
type shownBlock struct {
	hash  uint32
	page  uint32 // the last of them
	pages uint8
}

const (
	shownSlots = 1 << 20 // blocks remembered: 12 MB; a newer one replaces an older one
	mostShown  = 2       // on more pages of a host, a block is a frame
	longBlock  = 80      // least letters of running text that has no punctuation at its end
	sentence   = 25      // least letters of running text that has such punctuation
)

// clean returns the part of a page's text that is worth keeping. Line feeds separate its blocks.
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

// isDense reports whether the block's script writes a word with one or two characters.
func isDense(block string) bool {
	for _, r := range block {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			return true
		}
	}
	return false
}

// frame notes that a block of a host is on this page, and reports whether it was on several pages before.
func (c *cleaner) frame(host, block string) bool {
	sum := hash(host, block)
	s := &c.shown[sum%shownSlots]
	if print := uint32(sum >> 32); s.hash != print {
		*s = shownBlock{hash: print}
	}
	if s.page != c.page && s.pages <= mostShown {
		s.page = c.page
		s.pages++
	}
	return s.pages > mostShown
}

func hash(a, b string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, a)
	io.WriteString(h, "\n")
	io.WriteString(h, b)
	return h.Sum64()
}
