package segment

// This file gathers what blocks hold.

import (
	"strings"

	"github.com/cespare/xxhash/v2"
)

// hold gathers what a block holds from its box.
func (b *Block) hold(box *Box) {
	g := gatherer{block: b}
	g.gather(box, nil)
	g.end()
}

type gatherer struct {
	block *Block
	text  strings.Builder // the paragraph so far
}

// gather walks through a box. link is the one that it lies in.
func (g *gatherer) gather(b *Box, link *strings.Builder) {
	switch {
	case b.Name == "":
		to := &g.text
		if link != nil {
			to = link
		}
		if to.Len() > 0 && b.Text != "" {
			to.WriteByte(' ')
		}
		to.WriteString(b.Text)
		return
	case b.Name == "br" && link == nil:
		g.end()
		return
	case b.Name == "img" && b.Address != "":
		g.block.Images = append(g.block.Images, Element{b.Label, b.Address})
		return
	case b.Name == "a" && b.Address != "" && link == nil:
		link = &strings.Builder{}
		defer func() {
			name := link.String()
			if name == "" {
				name = b.Label
			}
			g.block.Links = append(g.block.Links, Element{name, b.Address})
		}()
	case !b.Inline:
		g.end()
		defer g.end()
	}
	for _, c := range b.Boxes {
		g.gather(c, link)
	}
}

// end ends a paragraph.
func (g *gatherer) end() {
	if g.text.Len() > 0 {
		g.block.Texts = append(g.block.Texts, g.text.String())
		g.text.Reset()
	}
}

// Identify makes the IDs of all blocks, for who changed what blocks hold.
func (p *Page) Identify() { p.Root.identify() }

// identify makes the IDs of a block and of those within it.
func (b *Block) identify() {
	h := xxhash.New()
	if len(b.Blocks) > 0 {
		for _, c := range b.Blocks {
			c.identify()
			var id [8]byte
			for i := range id {
				id[i] = byte(c.ID >> (8 * i))
			}
			h.Write(id[:])
		}
	}
	for _, list := range [][]Element{b.Links, b.Images} {
		for _, e := range list {
			h.WriteString(e.Name + "\x00" + e.Address + "\x00")
		}
		h.WriteString("\x01")
	}
	for _, t := range b.Texts {
		h.WriteString(t + "\x00")
	}
	b.ID = h.Sum64()
}
