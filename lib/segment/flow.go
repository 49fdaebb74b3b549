package segment

// This file lays out a page of which only the HTML is known. Lines have their default size, blocks follow each other
// downwards, and cells of a table share its width. No style sheet is read and no script run. So columns are seen only
// where they are tables, and the places of blocks are rough; but what is above what, and how large it is beside other
// parts, is as in a browser, and the same page always comes out the same.

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"kavosh/lib/htmltree"
)

// Flow is the name of the layouts that FlowOf makes.
const Flow = "flow@1"

// The page that flows.
const (
	width      = 1280
	normalSize = 16 // of letters, in pixels
	maxWords   = 1 << 20
)

// FlowOf lays out a page.
func FlowOf(p *htmltree.Page) *Layout {
	f := flow{page: p}
	root := &Box{Name: "body", Background: 0xffffffff, Font: Font{Size: normalSize}}
	height := f.flow(root, p.Root, width, cursor{})
	root.Rect = Rect{0, 0, width, height}
	return &Layout{Root: root, Made: Flow}
}

// flow lays out the children of an element.
type flow struct {
	page  *htmltree.Page
	boxes []Box // of which the next are taken
	words int   // bytes of texts so far
}

func (f *flow) box() *Box {
	if len(f.boxes) == 0 {
		f.boxes = make([]Box, 256)
	}
	b := &f.boxes[0]
	f.boxes = f.boxes[1:]
	return b
}

// cursor is where the next box goes: x and y are the place of the box around it, along how far the line is filled.
type cursor struct {
	x, y, along int32
}

// flow lays out the children of n within b, which is wide pixels wide, and returns the height of all of them.
func (f *flow) flow(b *Box, n *htmltree.Node, wide int32, at cursor) int32 {
	top := at.y
	f.children(b, n, wide, &at)
	if at.along > 0 {
		at.y += line(b.Font)
	}
	return at.y - top
}

func line(f Font) int32 { return int32(f.Size) * 5 / 4 }

func (f *flow) children(b *Box, n *htmltree.Node, wide int32, at *cursor) {
	cells, cell := int32(0), int32(0)
	if n.Name == "tr" {
		for c := range n.Children() {
			if c.Name == "td" || c.Name == "th" {
				cells++
			}
		}
	}
	row := int32(0) // its height
	for c := range n.Children() {
		if c.Name == "" {
			f.text(b, c.Text, wide, at)
			continue
		}
		style := styles[c.Name]
		if style.hidden || hidden(c) {
			continue
		}
		child := f.box()
		child.Name, child.Inline, child.Font = c.Name, !style.block, b.Font
		child.Place = placeOf(c, style.place)
		child.Background = colour(c)
		if style.size > 0 {
			child.Font.Size = style.size
		}
		child.Font.Bold = child.Font.Bold || style.bold
		f.refer(child, c)
		switch {
		case c.Name == "br":
			if at.along > 0 {
				at.along = 0
			}
			at.y += line(b.Font)
		case Replaced(c.Name):
			w, h := size(c)
			f.place(child, min(w, wide), h, wide, at, b.Font)
		case cells > 0 && (c.Name == "td" || c.Name == "th"):
			w := max(normalSize, wide/cells)
			within := cursor{x: at.x + cell*w, y: at.y}
			h := f.flow(child, c, w, within)
			child.Rect = Rect{within.x, within.y, w, h}
			row = max(row, h)
			cell++
		case child.Inline:
			before := *at
			f.children(child, c, wide, at)
			for _, part := range child.Boxes {
				child.Rect = union(child.Rect, part.Rect)
			}
			if len(child.Boxes) == 0 {
				child.Rect = Rect{X: before.x + before.along, Y: before.y}
			}
		default:
			if at.along > 0 {
				at.y, at.along = at.y+line(b.Font), 0
			}
			at.y += style.margin
			within := cursor{x: at.x + style.indent, y: at.y}
			h := f.flow(child, c, max(wide-style.indent, normalSize), within)
			if c.Name == "hr" {
				h = 2
			}
			child.Rect = Rect{within.x, within.y, max(wide-style.indent, normalSize), h}
			at.y += h + style.margin
		}
		b.Boxes = append(b.Boxes, child)
	}
	if cells > 0 {
		at.y, at.along = at.y+row, 0
	}
}

// text adds the words of a text.
func (f *flow) text(b *Box, text string, wide int32, at *cursor) {
	words := strings.Join(strings.Fields(text), " ")
	if words == "" || f.words > maxWords {
		return
	}
	f.words += len(words)
	t := f.box()
	t.Text, t.Font, t.Inline = words, b.Font, true
	letters := int32(utf8.RuneCountInString(words)) + 1
	if cjk, _ := utf8.DecodeRuneInString(words); cjk >= 0x2e80 {
		letters *= 2
	}
	f.place(t, letters*int32(b.Font.Size)/2, line(b.Font), wide, at, b.Font)
	b.Boxes = append(b.Boxes, t)
}

// place puts something that flows in a line: into this line, or over the next lines.
func (f *flow) place(b *Box, w, h, wide int32, at *cursor, font Font) {
	switch {
	case at.along+w <= wide:
		b.Rect = Rect{at.x + at.along, at.y, w, h}
		at.along += w
		if h > line(font) {
			at.y += h - line(font)
		}
	default:
		if b.Name != "" && at.along > 0 {
			at.y, at.along = at.y+line(font), 0
			b.Rect = Rect{at.x, at.y, w, h}
			at.along = w
			at.y += max(0, h-line(font))
			return
		}
		lines := (at.along + w + wide - 1) / wide
		b.Rect = Rect{at.x, at.y, wide, lines * h}
		at.y += (lines - 1) * h
		at.along = max(1, (at.along+w)%wide)
	}
}

// refer notes what an element links to or shows.
func (f *flow) refer(b *Box, n *htmltree.Node) {
	var ref string
	switch n.Name {
	case "a", "area":
		ref, _ = n.Get("href")
		for _, name := range []string{"aria-label", "title"} {
			if b.Label == "" {
				b.Label, _ = n.Get(name)
			}
		}
	case "img":
		ref, _ = n.Get("src")
		if lazy, ok := n.Get("data-src"); ok && (ref == "" || strings.HasPrefix(ref, "data:")) {
			ref = lazy
		}
		b.Label, _ = n.Get("alt")
	default:
		return
	}
	if ref = strings.TrimSpace(ref); ref == "" || strings.HasPrefix(ref, "data:") {
		return
	}
	b.Address, _ = f.page.Resolve(ref)
	if i := strings.IndexByte(b.Address, '#'); i > 0 && n.Name != "a" {
		b.Address = b.Address[:i]
	}
}

// size is the size of an element that is shown as it is.
func size(n *htmltree.Node) (w, h int32) {
	w, h = 200, 150
	if n.Name != "img" {
		w, h = 150, 20
	}
	for i, name := range [...]string{"width", "height"} {
		value, _ := n.Get(name)
		if v, err := strconv.ParseUint(strings.TrimSuffix(value, "px"), 10, 16); err == nil {
			if i == 0 {
				w = int32(min(v, width))
			} else {
				h = int32(min(v, 4096))
			}
		}
	}
	return w, h
}

func hidden(n *htmltree.Node) bool {
	if _, ok := n.Get("hidden"); ok {
		return true
	}
	style, _ := n.Get("style")
	if style == "" {
		return false
	}
	style = strings.ToLower(strings.Join(strings.Fields(style), ""))
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

// colour is the background that an element sets itself; only that it differs matters, so other than #rrggbb is hashed.
func colour(n *htmltree.Node) uint32 {
	value, _ := n.Get("bgcolor")
	if style, _ := n.Get("style"); style != "" {
		if _, after, ok := strings.Cut(strings.ToLower(style), "background"); ok {
			if _, after, ok = strings.Cut(after, ":"); ok {
				value, _, _ = strings.Cut(after, ";")
			}
		}
	}
	value = strings.TrimSpace(value)
	if value == "" || value == "transparent" || value == "none" {
		return 0
	}
	if v, err := strconv.ParseUint(strings.TrimPrefix(value, "#"), 16, 32); err == nil && len(value) == 7 {
		return uint32(v)<<8 | 0xff
	}
	h := uint32(2166136261)
	for i := range len(value) {
		h = (h ^ uint32(value[i])) * 16777619
	}
	return h | 0xff
}

// placeOf tells the place of an element by its name, or by its role, class and identifier.
func placeOf(n *htmltree.Node, byName Place) Place {
	if byName != "" {
		return byName
	}
	for i := range n.Attr {
		switch n.Attr[i].Name {
		case "role", "id", "class":
			if p := placeByWords(n.Attr[i].Value); p != "" {
				return p
			}
		}
	}
	return ""
}

// PlaceOf tells the place of an element by its name, or else by the first word of its role, class and identifier that
// tells one; "" if none does.
func PlaceOf(name, words string) Place {
	if p := styles[name].place; p != "" {
		return p
	}
	return placeByWords(words)
}

func placeByWords(text string) Place {
	for w := range htmltree.Words(text) {
		if p, ok := placeWords[strings.ToLower(w)]; ok {
			return p
		}
	}
	return ""
}
