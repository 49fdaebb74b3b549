package quality

import (
	"testing"

	"kavosh"
)

// What is missing costs more the more of the page it fills; a style costs by the text that it leaves bare; a picture without a size of its own
// is taken to be as large as its like, and moves what is below it.
func TestLoss(t *testing.T) {
	page := func(unstyled float64, parts ...kavosh.ShownPart) *kavosh.Shown {
		return &kavosh.Shown{Width: 1000, Height: 1000, Bands: []float64{20_000, 20_000, 20_000}, Unstyled: unstyled, Parts: parts}
	}
	at := func(url string, width, height float64, loaded, sized bool) kavosh.ShownPart {
		return kavosh.ShownPart{URL: url, Tag: "img", Width: width, Height: height, Loaded: loaded, Sized: sized, Like: "p>img"}
	}
	picture, style, script := Part{URL: "p", As: Image}, Part{URL: "s", As: Style}, Part{URL: "j", As: Script}
	of := func(shown *kavosh.Shown, lacks ...Part) float64 { return loss(lacks, shown) }
	large, small := of(page(0, at("p", 500, 400, false, true)), picture), of(page(0, at("p", 50, 40, false, true)), picture)
	if large < 0.19 || large > 0.21 || small > 0.01 {
		t.Errorf("a fifth of the page is %v of it, a dot %v", large, small)
	}
	if bare, most := of(page(1), style), of(page(0.1), style); bare < 0.25 || most > bare {
		t.Errorf("without any style %v is lost, with nearly all %v", bare, most)
	}
	if got := of(page(0), script); got <= 0 || got > 0.02 {
		t.Errorf("a script costs %v", got)
	}
	if guessed := of(page(0, at("p", 16, 16, false, false), at("q", 500, 400, true, false)), picture); guessed <= large {
		t.Errorf("a picture that is taken to be a fifth of the page costs %v, and what is below it moves", guessed)
	}
	if got := of(page(1)); got != 0 {
		t.Errorf("nothing is missing, and %v is lost", got)
	}
}
