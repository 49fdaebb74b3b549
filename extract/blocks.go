package extract

// This file finds the blocks of a page's text: paragraphs, headings, list items.

import (
	"bytes"
	"slices"

	"golang.org/x/net/html/atom"

	"kavosh"
)

// blocks notes for each line of a page's text in which element it stands, how much of it is links, and where it begins.
// It follows the open elements without a tree, nearly as browsers do.
type blocks struct {
	wanted bool
	list   []kavosh.Block // the blocks of all finished lines
	line   kavosh.Block   // the block of the current line
	begun  bool           // the current line has text
	open   []atom.Atom    // the open block elements, the innermost last
	linked bool           // the current place is in a link
}

// maxOpen is how many open elements are followed. Elements deeper inside count as the innermost of these.
const maxOpen = 256

func (b *blocks) reset(wanted bool) {
	*b = blocks{wanted: wanted, list: b.list[:0], open: b.open[:0]}
}

// grow notes that the line gets n more bytes, from a text that begins at byte at of the document.
func (b *blocks) grow(n, at int) {
	if !b.wanted || n == 0 {
		return
	}
	if !b.begun {
		b.begun, b.line = true, kavosh.Block{At: at}
		if len(b.open) > 0 {
			b.line.Tag = b.open[len(b.open)-1].String()
		}
	}
	if b.linked {
		b.line.Linked += n
	}
}

// close ends the line.
func (b *blocks) close() {
	if b.begun {
		b.list, b.begun = append(b.list, b.line), false
	}
}

// take returns the blocks of the lines of text. text is all text that was added, or the beginning of it.
func (b *blocks) take(text []byte) []kavosh.Block {
	b.close()
	if !b.wanted || len(text) == 0 {
		return nil
	}
	list := slices.Clone(b.list[:bytes.Count(text, []byte{'\n'})+1])
	for i := range list {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		list[i].Linked = min(list[i].Linked, len(line)) // spaces at the end of the line were removed
		text = rest
	}
	return list
}

// start notes a start tag.
func (b *blocks) start(t *tag) {
	if !b.wanted {
		return
	}
	if t.atom == atom.A {
		b.linked = t.has("href")
		return
	}
	if displayOf(t) != block {
		return
	}
	for n := len(b.open); n > 0 && endsAt(b.open[n-1], t.atom); n-- {
		b.open = b.open[:n-1]
	}
	if len(b.open) < maxOpen && !t.closing && t.atom != atom.Hr {
		b.open = append(b.open, t.atom)
	}
}

// end notes an end tag. An end tag without a start tag changes nothing.
func (b *blocks) end(t *tag) {
	if !b.wanted {
		return
	}
	if t.atom == atom.A {
		b.linked = false
		return
	}
	if displayOf(t) != block {
		return
	}
	for i := len(b.open) - 1; i >= 0; i-- {
		if b.open[i] == t.atom {
			b.open = b.open[:i]
			return
		}
	}
}

// endsAt reports whether an open element ends where next begins, because its end tag may be left out.
func endsAt(open, next atom.Atom) bool {
	switch open {
	case atom.P:
		return true
	case atom.Dt, atom.Dd:
		return next == atom.Dt || next == atom.Dd
	case atom.Td, atom.Th:
		return next == atom.Td || next == atom.Th || next == atom.Tr
	case atom.Li, atom.Tr, atom.Option:
		return next == open
	}
	return false
}
