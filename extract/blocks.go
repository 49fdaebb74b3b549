package extract

import (
	"bytes"
	"slices"

	"golang.org/x/net/html/atom"

	"kavosh"
)

// blocks notes what each line of a page's text is: the element that it stands in, how much of it is links, where it begins. The elements
// that are open are known without a tree, about as browsers know them.
type blocks struct {
	wanted bool
	list   []kavosh.Block // of the lines that are ended
	line   kavosh.Block   // of the one that is not
	begun  bool           // it has text
	open   []atom.Atom    // elements that are blocks, the innermost last
	linked bool           // in a link
}

// maxOpen is how many open elements are known: those inside others beyond it count as the innermost of them.
const maxOpen = 256

func (b *blocks) reset(wanted bool) {
	*b = blocks{wanted: wanted, list: b.list[:0], open: b.open[:0]}
}

// grow notes that the line has n more bytes, of a text that begins at at.
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

// take returns the blocks of the lines of text, which is all that was added, or its beginning.
func (b *blocks) take(text []byte) []kavosh.Block {
	b.close()
	if !b.wanted || len(text) == 0 {
		return nil
	}
	list := slices.Clone(b.list[:bytes.Count(text, []byte{'\n'})+1])
	for i := range list {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		list[i].Linked = min(list[i].Linked, len(line)) // spaces at its end were taken away
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

// end notes an end tag. One without a start changes nothing.
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

// endsAt reports whether an element ends where another begins, though its end tag is left out.
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
