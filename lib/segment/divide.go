package segment

// This file chooses the boxes that are blocks: VIPS's block extraction. The rules have the numbers of the paper.

import "slices"

// candidate is a box that became a block.
type candidate struct {
	box   *Box
	block *Block
}

// small is the share of a screen below which a box with text is not divided in the first round. It is halved with each
// round. The paper leaves it open, and measures by the page: but then a page that grows at its end is cut anew everywhere.
const (
	small        = 0.1
	screenHeight = 1024
)

// prepare notes in boxes what the rules ask of them, and gives those without a background that around them.
func (b *Box) prepare(around *Box, n *int) {
	*n++
	b.id, b.within = *n, around.id
	if b.Background&0xff == 0 {
		b.Background = around.Background
	}
	if b.Name == "" {
		b.valid, b.textual = b.Text != "", b.Text != ""
		return
	}
	b.valid, b.textual = b.Address != "", b.Inline && b.Name != "img"
	for _, c := range b.Boxes {
		c.prepare(b, n)
		b.valid = b.valid || c.valid
		b.mixed = b.mixed || c.valid && !c.textual && (c.mixed || c.Place == Advert || c.Place == Consent || c.Place == Related)
		b.textual = b.textual && (c.textual || !c.valid)
	}
	if Replaced(b.Name) {
		b.valid = b.Rect.W > 0 && b.Rect.H > 0
	}
	b.textual = b.textual && b.valid
}

// Replaced reports whether an element is seen without children.
func Replaced(name string) bool {
	switch name {
	case "img", "svg", "canvas", "video", "audio", "iframe", "embed", "object", "input", "select", "textarea", "button", "progress", "meter":
		return true
	}
	return false
}

// divide returns the blocks of one round: of the first boxes, which are divided at least once, and of what they have.
func (c *cutter) divide(boxes []*Box, round int) []*candidate {
	d := divider{cutter: c, small: small}
	for range round {
		d.small /= 2
	}
	for _, b := range boxes {
		d.visit(b, len(boxes) == 1, "", false)
	}
	return d.pool
}

type divider struct {
	*cutter
	small float64
	pool  []*candidate
}

// visit divides a box or makes a block of it. first means that it is the only one of the block to be divided; whole,
// that it is not divided in this round. It reports whether it was divided.
func (d *divider) visit(b *Box, first bool, place Place, whole bool) bool {
	if b.Place != "" {
		place = b.Place
	}
	if b.Name == "hr" {
		d.rules = append(d.rules, b.Rect)
		return false
	}
	if !b.valid { // rule 1: cut away
		return false
	}
	coherence := 0
	if !whole {
		coherence = d.rule(b, first)
	} else {
		coherence = max(6, byTag(b))
	}
	if coherence > 0 {
		if d.full(b) {
			return false
		}
		d.pool = append(d.pool, &candidate{b, &Block{Rect: b.Rect, Coherence: coherence, Place: place, Within: b.within}})
		return false
	}
	coloured := isTable(b.Name) // rule 7 is for tables and their rows
	divided := true             // the child before
	run := -1                   // where in the pool a run of inline boxes began
	for _, child := range b.Boxes {
		if child.Name == "br" && run >= 0 {
			d.pool[run].box.Boxes = append(d.pool[run].box.Boxes, child)
		}
		if !child.valid && child.Name != "hr" {
			continue
		}
		if child.textual { // words in a row are one block, not each of them
			if run < 0 && d.full(child) {
				continue
			}
			if run < 0 {
				run = len(d.pool)
				d.pool = append(d.pool, &candidate{&Box{Name: "p", Font: b.Font, Background: b.Background, valid: true},
					&Block{Coherence: 10, Place: place, Within: b.id}})
			}
			p := d.pool[run]
			p.box.Boxes = append(p.box.Boxes, child)
			p.box.Rect = union(p.box.Rect, child.Rect)
			p.block.Rect = p.box.Rect
			continue
		}
		run = -1
		if child.Name == "td" && !divided { // rule 10: the one before it was not divided
			d.visit(child, false, place, true)
			continue
		}
		divided = d.visit(child, false, place, coloured && child.Background != b.Background)
	}
	return true
}

// full adds a box to the last block if there may be no more.
func (d *divider) full(b *Box) bool {
	if len(d.pool) < maxBlocks {
		return false
	}
	last := d.pool[len(d.pool)-1]
	if last.box.id != 0 { // not made for this
		last.box = &Box{Name: "div", Font: b.Font, Background: b.Background, valid: true, Boxes: []*Box{last.box}}
	}
	last.box.Boxes = append(last.box.Boxes, b)
	last.block.Rect = union(last.block.Rect, b.Rect)
	last.block.Coherence = 10 // it is not divided again
	return true
}

// rule returns the coherence of a box that is a block, and 0 for one that is divided.
func (d *divider) rule(b *Box, first bool) int {
	if b.Name == "" || Replaced(b.Name) && !slices.ContainsFunc(b.Boxes, func(c *Box) bool { return c.valid }) {
		return 10
	}
	n, only, textual, inline, lines, rule, most := 0, (*Box)(nil), 0, true, false, false, 0.0
	for _, c := range b.Boxes {
		rule = rule || c.Name == "hr"
		if !c.valid {
			continue
		}
		n++
		only = c
		inline = inline && (c.Name == "" || c.Inline)
		if c.textual {
			textual++
		} else if !c.Inline && c.Name != "" {
			lines = true
		}
		most = max(most, area(c.Rect))
	}
	table := isTable(b.Name)
	switch {
	case b.Name == "a" && b.Address != "": // ours: what is one link is one block
		return 9
	case n == 1 && only.Name != "" && !only.textual: // rule 2
		return 0
	case b.mixed: // ours: an advert within an article is a block
		return 0
	case textual == n && !table && !rule: // rule 4
		for _, c := range b.Boxes {
			if c.valid && c.Font != b.Font {
				return 9
			}
		}
		return 10
	case textual > 0 && inline && !table && !rule: // ours: pictures in lines of text are part of it
		return 9
	case first: // rule 3
		return 0
	case lines && (b.Inline || b.Name == "p"): // rule 5
		return 0
	case rule && b.Name != "td" && !table: // rule 6
		return 0
	case table && slices.ContainsFunc(b.Boxes, func(c *Box) bool { return c.valid && c.Background != b.Background }): // rule 7
		return 0
	case textual > 0 && !table && area(b.Rect) < d.small*d.screen: // rule 8
		return byTag(b)
	case most < d.small*d.screen/4: // rule 9: the largest child is small
		return byTag(b)
	case table || b.Name == "td": // rule 12
		return byTag(b)
	}
	return 0 // rule 11
}

func isTable(name string) bool {
	return name == "table" || name == "tbody" || name == "thead" || name == "tfoot" || name == "tr"
}

// byTag is the coherence of a block by its element: the paper says from 5 to 8, and leaves open which.
func byTag(b *Box) int {
	switch b.Name {
	case "p", "li", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "td", "th", "figure", "figcaption", "caption", "address":
		return 8
	case "ul", "ol", "dl", "tr", "fieldset", "details", "select":
		return 7
	case "table", "tbody", "form", "article", "nav", "aside", "footer", "header":
		return 6
	}
	return 5
}

func union(a, b Rect) Rect {
	if a.W == 0 && a.H == 0 {
		return b
	}
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return Rect{x, y, max(a.X+a.W, b.X+b.W) - x, max(a.Y+a.H, b.Y+b.H) - y}
}
