package extract

// This file collects the text that a reader of a page sees.

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"

	"kavosh"
	"kavosh/lib/ascii"
)

// maxText is the most bytes of Page.Text.
const maxText = 1 << 20

// visible collects the text that a reader sees, tag by tag, without building a tree.
type visible struct {
	text   []byte
	hidden []byte // name of the open hidden element; empty if none
	depth  int    // open elements of that name
	at     int    // where in the document what is read begins
	blocks blocks
}

func (v *visible) reset(blocks bool) {
	v.text, v.hidden, v.at = v.text[:0], v.hidden[:0], 0
	v.blocks.reset(blocks)
}

// add adds text whose escapes are already replaced.
func (v *visible) add(s []byte) {
	if len(v.hidden) == 0 && len(v.text) <= maxText {
		before := len(v.text)
		v.text = fold(v.text, cut(s, maxText))
		v.blocks.grow(len(v.text)-before, v.at)
	}
}

// line begins a new line, unless the last line is empty.
func (v *visible) line() {
	n := len(v.text)
	if n > 0 && v.text[n-1] == ' ' {
		n--
	}
	if v.text = v.text[:n]; n > 0 && v.text[n-1] != '\n' {
		v.text = append(v.text, '\n')
		v.blocks.close()
	}
}

// take returns the text, and its blocks if they were asked for.
func (v *visible) take() (string, []kavosh.Block) {
	text := bytes.TrimRight(cut(v.text, maxText), " \n")
	return string(text), v.blocks.take(text)
}

func (v *visible) start(t *tag) {
	if len(v.hidden) > 0 {
		if !v.closedBy(t, true) {
			if bytes.Equal(t.name, v.hidden) && !t.closing {
				v.depth++
			}
			return
		}
		v.hidden = v.hidden[:0]
	}
	v.edge(t)
	v.blocks.start(t)
	if hides(t) {
		v.hidden, v.depth = append(v.hidden, t.name...), 1
	}
}

func (v *visible) end(t *tag) {
	if len(v.hidden) > 0 {
		if bytes.Equal(t.name, v.hidden) {
			v.depth--
		}
		if v.depth > 0 && !v.closedBy(t, false) {
			return
		}
		v.hidden = v.hidden[:0]
	}
	v.edge(t)
	v.blocks.end(t)
}

// edge separates the text before a tag from the text after it.
func (v *visible) edge(t *tag) {
	switch displayOf(t) {
	case block:
		v.line()
	case broken:
		v.add([]byte{' '})
	}
}

// closedBy reports whether t, the start or end of another element, closes the hidden element. It does if the hidden
// element's end tag may be left out.
func (v *visible) closedBy(t *tag, starts bool) bool {
	switch atom.Lookup(v.hidden) {
	case atom.P:
		return displayOf(t) == block
	case atom.Li, atom.Dt, atom.Dd, atom.Tr, atom.Td, atom.Th, atom.Option:
		if starts {
			return bytes.Equal(t.name, v.hidden)
		}
		switch t.atom {
		case atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Tr, atom.Select:
			return true
		}
	}
	return false
}

// hides reports whether an element is invisible, by its start tag and its own style.
func hides(t *tag) bool {
	switch t.atom {
	case atom.Noscript, atom.Template, atom.Datalist:
		return !t.closing
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param,
		atom.Source, atom.Track, atom.Wbr:
		return false // void elements have no content
	}
	if t.closing || len(t.attrs) == 0 {
		return false
	}
	if t.has("hidden") {
		return true
	}
	style := t.get("style")
	return len(style) > 0 && (declares(style, "display", "none") || declares(style, "visibility", "hidden"))
}

// declares reports whether a style attribute contains the declaration.
func declares(style []byte, property, value string) bool {
	for len(style) > 0 {
		var one []byte
		one, style, _ = bytes.Cut(style, []byte{';'})
		name, is, _ := bytes.Cut(one, []byte{':'})
		is, _, _ = bytes.Cut(is, []byte{'!'})
		if ascii.EqualFold(bytes.TrimSpace(name), property) && ascii.EqualFold(bytes.TrimSpace(is), value) {
			return true
		}
	}
	return false
}

// isText accepts text that no other reader accepts.
func isText(d described) bool { return strings.HasPrefix(d.mediaType, "text/") }

// readText keeps plain text unchanged.
func readText(r *reading, payload []byte) {
	if r.opts.Needs.Text {
		r.page.Text = string(cut(r.decode(payload), maxText))
	}
}
