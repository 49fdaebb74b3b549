package change

// This file makes of the boxes that a browser shows what lib/segment cuts.

import (
	"strconv"
	"strings"

	"kavosh"
	"kavosh/lib/segment"
)

// Rendered is the name of the layouts that a browser made.
const Rendered = "rendered@1"

// maxInline is the height in pixels above which a box that stands in a line is a block of its own, such as a column.
const maxInline = 100

// LayoutOf returns a page as a browser laid it out. What nobody sees is left out.
func LayoutOf(l *kavosh.Layout) *segment.Layout {
	root := &segment.Box{Name: "body", Background: 0xffffffff, Font: segment.Font{Size: 16}, Rect: segment.Rect{W: int32(l.Width), H: int32(l.Height)}}
	made := make([]*segment.Box, len(l.Boxes)) // nil for those that are left out
	for i := range l.Boxes {
		from := &l.Boxes[i]
		in := root
		if from.Parent >= 0 {
			if in = made[from.Parent]; in == nil || in.Name != "iframe" && segment.Replaced(in.Name) {
				continue // in something hidden, or drawn as a whole
			}
		}
		b := boxOf(from)
		if b == nil {
			continue
		}
		made[i] = b
		in.Boxes = append(in.Boxes, b)
	}
	return &segment.Layout{Root: root, Made: Rendered}
}

// boxOf returns a box without its children; nil for one that is not seen.
func boxOf(from *kavosh.Box) *segment.Box {
	b := &segment.Box{Name: from.Tag, Rect: segment.Rect{X: int32(from.X), Y: int32(from.Y), W: int32(from.Width), H: int32(from.Height)},
		Font: segment.Font{Size: int16(number(strings.TrimSuffix(from.FontSize, "px"))), Bold: number(from.FontWeight) >= 600}}
	if from.Visibility == "hidden" || from.Visibility == "collapse" || strings.HasPrefix(from.Tag, "::") {
		return nil
	}
	if from.Tag == "#text" {
		if b.Name, b.Inline, b.Text = "", true, strings.Join(strings.Fields(from.Text), " "); b.Text == "" || b.Rect.W == 0 || b.Rect.H == 0 {
			return nil
		}
		return b
	}
	b.Inline = from.Display == "inline" || from.Display == "contents" || strings.HasPrefix(from.Display, "inline-") && b.Rect.H <= maxInline
	b.Background, b.Address, b.Label, b.Place = colourOf(from.Background), from.Address, from.Label, segment.PlaceOf(from.Tag, from.Names)
	return b
}

// number reads a number with or without fraction; 0 if it is none.
func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 32)
	if err != nil || n < 0 || n > 1<<14 {
		return 0
	}
	return n
}

// colourOf reads a computed colour, "rgb(1, 2, 3)" or "rgba(1, 2, 3, 0.5)".
func colourOf(text string) (c uint32) {
	_, list, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	alpha := uint32(0xff)
	for i, part := range strings.Split(list, ",") {
		n := number(strings.TrimSpace(part))
		switch {
		case i == 3:
			alpha = uint32(min(1, n) * 0xff)
		case i < 3:
			c = c<<8 | uint32(min(255, n))
		}
	}
	if list == "" {
		alpha = 0
	}
	return c<<8 | alpha
}
