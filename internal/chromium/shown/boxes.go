package shown

// This file says where the parts of a page stand.

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/domsnapshot"
	"github.com/chromedp/chromedp"

	"kavosh"
	"kavosh/lib/weburl"
	"kavosh/lib/words"
)

// styles are the computed styles of a box, in the order in which stylesOf takes them.
var styles = []string{"font-size", "font-weight", "color", "background-color", "display", "position", "visibility"}

// Boxes returns the layout of the page and of its frames in the same process. It is an error if the page has more than
// MaxNodes elements.
func Boxes(tab context.Context) (*kavosh.Layout, error) {
	data, err := evaluate(tab, `document.getElementsByTagName('*').length`)
	if err != nil {
		return nil, err
	}
	var n float64
	if err := json.Unmarshal(data, &n); err != nil || n > MaxNodes {
		return nil, fmt.Errorf("the page has %v elements, more than %d", n, MaxNodes)
	}
	snap, err := chromedp.Call(tab, domsnapshot.CaptureSnapshot, domsnapshot.CaptureSnapshotParams{ComputedStyles: styles})
	if err != nil {
		return nil, err
	}
	return layoutOf(&snap), nil
}

// layoutOf makes a layout of a snapshot. Indexes that lead nowhere are passed over: a page may have taken over the
// process that gives them.
func layoutOf(snap *domsnapshot.CaptureSnapshotResult) *kavosh.Layout {
	l := &kavosh.Layout{}
	text := func(i int64) string {
		if i < 0 || i >= int64(len(snap.Strings)) {
			return ""
		}
		return snap.Strings[i]
	}
	type frame struct {
		document int64
		parent   int // its box
	}
	frames, read := []frame{{0, -1}}, map[int64]bool{}
	for len(frames) > 0 {
		f := frames[0]
		frames = frames[1:]
		if f.document < 0 || f.document >= int64(len(snap.Documents)) || read[f.document] {
			continue
		}
		read[f.document] = true
		d := snap.Documents[f.document]
		if d == nil || d.Nodes == nil || d.Layout == nil {
			continue
		}
		if f.parent < 0 {
			l.Width, l.Height = d.ContentWidth, d.ContentHeight
		}
		x, y := -d.ScrollOffsetX, -d.ScrollOffsetY
		if f.parent < 0 {
			x, y = 0, 0
		} else {
			x, y = x+l.Boxes[f.parent].X, y+l.Boxes[f.parent].Y
		}
		base, _ := weburl.Parse(text(int64(d.BaseURL))) // nil for one that is none
		boxOf := map[int64]int{}                        // by node
		for i, node := range d.Layout.NodeIndex {
			if i >= len(d.Layout.Bounds) || len(d.Layout.Bounds[i]) != 4 || node < 0 || node >= int64(len(d.Nodes.NodeName)) || len(l.Boxes) >= MaxNodes {
				continue
			}
			at := d.Layout.Bounds[i]
			b := kavosh.Box{Parent: f.parent, Tag: strings.ToLower(text(int64(d.Nodes.NodeName[node]))), X: x + at[0], Y: y + at[1], Width: at[2], Height: at[3]}
			up := node
			for range len(d.Nodes.ParentIndex) { // no longer than all nodes, in a circle too
				if up >= int64(len(d.Nodes.ParentIndex)) {
					break
				}
				if up = d.Nodes.ParentIndex[up]; up < 0 {
					break
				}
				if parent, ok := boxOf[up]; ok {
					b.Parent = parent
					break
				}
			}
			if node < int64(len(d.Nodes.Attributes)) {
				refer(&b, d.Nodes.Attributes[node], text, base)
			}
			if i < len(d.Layout.Text) {
				b.Text = text(int64(d.Layout.Text[i]))
			}
			if i < len(d.Layout.Styles) && len(d.Layout.Styles[i]) == len(styles) {
				for n, to := range []*string{&b.FontSize, &b.FontWeight, &b.Color, &b.Background, &b.Display, &b.Position, &b.Visibility} {
					*to = text(d.Layout.Styles[i][n])
				}
			} else if b.Parent >= 0 && b.Tag == "#text" {
				p := &l.Boxes[b.Parent]
				b.FontSize, b.FontWeight, b.Color, b.Visibility = p.FontSize, p.FontWeight, p.Color, p.Visibility
			}
			boxOf[node] = len(l.Boxes)
			l.Boxes = append(l.Boxes, b)
		}
		if in := d.Nodes.ContentDocumentIndex; in != nil {
			for i, node := range in.Index {
				if box, ok := boxOf[node]; ok && i < len(in.Value) {
					frames = append(frames, frame{in.Value[i], box})
				}
			}
		}
	}
	return l
}

// maxRefer is how many bytes of an attribute a box has at most; longer URLs are left out.
const maxRefer = 2 << 10

// refer notes in a box what its element links to or shows. attributes has names and values in turn.
func refer(b *kavosh.Box, attributes domsnapshot.ArrayOfStrings, text func(int64) string, base *weburl.URL) {
	for i := 0; i+1 < len(attributes); i += 2 {
		name, value := text(attributes[i]), strings.TrimSpace(text(attributes[i+1]))
		switch {
		case name == "href" && (b.Tag == "a" || b.Tag == "area") || name == "src" && b.Tag == "img":
			if base != nil && value != "" && len(value) <= maxRefer {
				if u, err := base.Resolve(value); err == nil {
					b.Address = u.String()
				}
			}
		case name == "alt" && b.Tag == "img", (name == "title" || name == "aria-label") && b.Tag == "a" && b.Label == "":
			b.Label = words.Clip(value, maxRefer)
		case name == "role" || name == "id" || name == "class":
			b.Names = strings.TrimSpace(b.Names + " " + words.Clip(value, maxRefer))
		}
	}
}
