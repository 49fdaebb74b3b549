// Package segment cuts a page into nested blocks as people see them, and says what each holds: links, images, texts.
//
// It is VIPS ("VIPS: a Vision-based Page Segmentation Algorithm", Cai, Yu, Wen and Ma, 2003, MSR-TR-2003-79), extended by
// what the blocks hold, as in Vi-DIFF (Pehlivan, Ben Saad and Gançarski, 2010). A page comes as a Layout, a tree of boxes
// with places, colours and fonts. The steps are in files:
//
//	flow.go        makes a layout of HTML alone, by default styles; a browser makes truer ones
//	divide.go      chooses the boxes that are blocks, by the twelve rules of VIPS
//	separators.go  finds the gaps between blocks, weighs them, and nests the blocks by them
//	hold.go        gathers what each block holds, and hashes it
//
// Equal layouts give equal blocks. Time grows as n log n with the number of boxes.
package segment

import "slices"

// Box is an element or a text, as it lies on a page.
type Box struct {
	Name       string // of an element, in lower case; "" for a text
	Text       string // of a text; white space is collapsed
	Rect       Rect
	Inline     bool   // an element that flows within lines
	Background uint32 // colour, 0xRRGGBBAA; of a box without one, that of the box around it
	Font       Font
	Place      Place  // told by its element, role, class or identifier; "" if it is that of the box around it
	Address    string // absolute URL to which it links, or of its image
	Label      string // what stands for an image, or names a link without text
	Boxes      []*Box // in the order of the document

	valid, textual bool // of divide.go
	mixed          bool // an advert, a banner or a list of other pages is in it
	id, within     int  // numbers of this box and of that around it
}

// Rect is a place on the page, in CSS pixels from its top left corner.
type Rect struct{ X, Y, W, H int32 }

// Font is what of a font tells headings from text.
type Font struct {
	Size int16 // in CSS pixels
	Bold bool
}

// Layout is a page as it is laid out.
type Layout struct {
	Root *Box
	Made string // by what, such as "flow@1": blocks of different makers are never compared
}

// Place is the part of a page in which a block lies.
type Place string

// The places that are told apart.
const (
	Head    Place = "header"
	Menu    Place = "nav"
	Main    Place = "main"
	Side    Place = "aside"
	Foot    Place = "footer"
	Advert  Place = "advert"
	Remarks Place = "comments"
	Related Place = "related" // a list of other pages
	Consent Place = "consent" // a banner that asks for consent
)

// Page is a page cut into blocks.
type Page struct {
	Made string
	Root *Block
}

// Empty reports whether there is nothing to see on the page.
func (p *Page) Empty() bool {
	b := p.Root
	return len(b.Blocks)+len(b.Links)+len(b.Images)+len(b.Texts) == 0
}

// Block is a part of a page that people see as one. A block with blocks holds nothing itself.
type Block struct {
	ID        uint64 // hash of all that it holds; of a block with blocks, of their IDs in order
	Rect      Rect
	Coherence int // how well its content belongs together: VIPS's DoC, from 1 to 10
	Place     Place
	Within    int // the number of the element in which it lies: the same for those in one, and only within one page
	Blocks    []*Block

	Links  []Element
	Images []Element
	Texts  []string // paragraphs, without the names of links
}

// Element is a link or an image.
type Element struct {
	Name    string // the words of a link; what stands for an image
	Address string
}

// Leaves appends the blocks without blocks within b to list, in order.
func (b *Block) Leaves(list []*Block) []*Block {
	if len(b.Blocks) == 0 {
		return append(list, b)
	}
	for _, c := range b.Blocks {
		list = c.Leaves(list)
	}
	return list
}

// Bounds of blocks.
const (
	// Permitted is VIPS's PDoC: blocks are divided until their coherence is at least this.
	Permitted = 6
	// maxRounds is how often a block is divided again. Boxes nest at most 512 deep in pages that htmltree reads.
	maxRounds = 40
	// maxBlocks is how many blocks one round makes. The last of them holds all that comes after.
	maxBlocks = 20_000
)

// Cut cuts a page into blocks.
func Cut(l *Layout) *Page {
	n := 0
	l.Root.prepare(l.Root, &n)
	c := cutter{screen: area(Rect{W: l.Root.Rect.W, H: screenHeight})}
	root := c.round([]*Box{l.Root}, 1, 0)
	if root == nil {
		root = &Block{Rect: l.Root.Rect, Coherence: 10}
	}
	p := &Page{Made: l.Made, Root: root}
	p.Identify()
	return p
}

// cutter cuts one page.
type cutter struct {
	screen float64 // area of what is seen of the page at once
	rules  []Rect  // of hr elements met in the current round
}

// round divides boxes that are one block of at least the given coherence, and nests what comes of it; nil if there is
// nothing to see.
func (c *cutter) round(boxes []*Box, coherence, n int) *Block {
	c.rules = c.rules[:0]
	pool := c.divide(boxes, n)
	if len(pool) == 0 {
		return nil
	}
	slices.SortFunc(c.rules, func(a, b Rect) int { return int(a.Y - b.Y) })
	b := nest(slices.Clone(pool), c.rules, coherence, 0)
	for _, p := range pool {
		if p.block.Coherence >= Permitted || n >= maxRounds || len(pool) == 1 && len(boxes) == 1 && p.box == boxes[0] {
			p.block.hold(p.box)
			continue
		}
		if finer := c.round([]*Box{p.box}, p.block.Coherence, n+1); finer != nil {
			rect, place := p.block.Rect, p.block.Place
			*p.block = *finer
			p.block.Rect = rect
			if p.block.Place == "" {
				p.block.Place = place
			}
		}
	}
	return b
}

func area(r Rect) float64 { return float64(r.W) * float64(r.H) }
