package quality

// This file weighs what a page lacks by what it would fill, as Brunelle, Kelly, SalahEldeen, Weigle and Nelson do ("Not All Mementos
// Are Created Equal", 2014): pictures and films by their area, styles by how much of the page looks as if it had none. Besides, what is
// below a picture that is missing stands elsewhere, unless the page says how large the picture is. How much the kinds of loss weigh was
// chosen on half of the sites of bench/fidelity, which says how well the whole tells what is seen on the others.

import (
	"cmp"
	"math"
	"slices"

	"kavosh"
)

// What kinds of loss weigh.
const (
	guessWidth, guessHeight = 100, 60 // of a missing picture, if nothing else tells, in CSS pixels
	leastStyle              = 0.5     // of what a page without any style loses, for one that is missing where all names are known: colours, lines
	styleCosts              = 1.25    // beside what a page loses whose text stands elsewhere
	scriptCosts             = 0.01    // of the page, for a script or for what one asks for
	fontCosts               = 0.05    // of the page, for all fonts
)

// useOf tells what a part is to its page by what a browser asked for it as.
func useOf(as string) Use {
	switch as {
	case "stylesheet":
		return Style
	case "image":
		return Image
	case "media", "texttrack":
		return Media
	case "font":
		return Font
	case "document":
		return Frame
	}
	return Script
}

// loss weighs missing parts, given by URL with what they are asked for as, and notes the share of each in Part.Share. It returns
// how much of the page is lost, from 0 to 1.
func loss(lacks []Part, shown *kavosh.Shown) float64 {
	l := places(shown)
	area, moved, styles := 0.0, 0.0, 0
	for i := range lacks {
		p := &lacks[i]
		fills, below := l.fills(p)
		p.Share = fills
		if p.As == Style {
			styles++
		}
		area += fills
		moved = max(moved, below)
	}
	whole := max(1, shown.Width*shown.Height)
	bare := 0.0
	if styles > 0 {
		bare = min(1, styleCosts*elsewhere(l.below(-kavosh.BandHeight)/whole)*(leastStyle+(1-leastStyle)*shown.Unstyled))
	}
	rest := 0.0
	fonts := false
	for i := range lacks {
		switch p := &lacks[i]; {
		case p.As == Style:
			p.Share = bare / float64(styles)
		case p.As == Font:
			p.Share = fontCosts
			fonts = true
		case p.As == Script:
			p.Share = scriptCosts
			rest = min(rest+scriptCosts, 10*scriptCosts)
		default:
			p.Share = min(1, p.Share/whole)
		}
	}
	if fonts {
		rest += fontCosts
	}
	return 1 - (1-min(1, area/whole))*(1-max(bare, elsewhere(moved/whole)))*(1-rest)
}

// elsewhere is how much of a page is lost if text on a share of its area stands elsewhere: what is between the lines moves with it.
func elsewhere(share float64) float64 { return min(1, math.Sqrt(share)) }

// laidOut is where the parts of a page stand.
type laidOut struct {
	*kavosh.Shown
	byURL map[string][]*kavosh.ShownPart
}

func places(shown *kavosh.Shown) *laidOut {
	l := &laidOut{Shown: shown, byURL: map[string][]*kavosh.ShownPart{}}
	for i := range shown.Parts {
		p := &shown.Parts[i]
		l.byURL[p.URL] = append(l.byURL[p.URL], p)
	}
	return l
}

// fills returns the area that a missing part would fill in all its places, and that of the text below, which it would move down.
func (l *laidOut) fills(p *Part) (area, below float64) {
	if p.As != Image && p.As != Media && p.As != Frame {
		return 0, 0
	}
	for _, at := range l.byURL[p.URL] {
		width, height := at.Width, at.Height
		if !at.Sized {
			width, height = l.guess(at)
			below = max(below, l.below(at.Y))
		}
		area += min(width, max(l.Width, 1)) * height
	}
	return area, below
}

// guess returns how large a part most likely is: as those around which the page is alike, else as its others.
func (l *laidOut) guess(missing *kavosh.ShownPart) (width, height float64) {
	var like, all [][2]float64
	for i := range l.Parts {
		p := &l.Parts[i]
		if p.Tag != missing.Tag || !p.Loaded || p.Width*p.Height == 0 {
			continue
		}
		all = append(all, [2]float64{p.Width, p.Height})
		if p.Like == missing.Like {
			like = append(like, all[len(all)-1])
		}
	}
	if len(like) == 0 {
		like = all
	}
	if len(like) == 0 {
		return guessWidth, guessHeight
	}
	slices.SortFunc(like, func(a, b [2]float64) int { return cmp.Compare(a[0]*a[1], b[0]*b[1]) })
	middle := like[len(like)/2]
	return middle[0], middle[1]
}

// below returns the area of the text below a height.
func (l *laidOut) below(y float64) (area float64) {
	for i := max(0, int(y/kavosh.BandHeight)+1); i < len(l.Bands); i++ {
		area += l.Bands[i]
	}
	return area
}
