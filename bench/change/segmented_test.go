package main

import (
	"math"
	"testing"
)

// People marked a menu and an article of two parts; a sentence that nobody sees is in no block.
const markedPage = `<!doctype html><html><head><title>Owls</title></head><body>
<div class="top" data-block="1" data-block-type="Menu"><a href="/">Home</a> <a href="/birds">Birds</a></div>
<div data-block="1" data-block-type="Article">
<div data-block="2" data-block-type="Content"><h2>Owls hunt at night</h2><p>They hear a mouse under the snow.</p></div>
<div data-block="2" data-block-type="Image"><img src="/owl.png" alt="An owl"></div>
<div hidden>Nobody sees this.</div>
</div></body></html>`

func TestMarks(t *testing.T) {
	m := readMarks(markedPage)
	if len(m.items) != 6 || len(m.blocks) != 4 {
		t.Fatalf("%d texts and pictures in %d blocks, want 6 in 4", len(m.items), len(m.blocks))
	}
	ours := m.of(cut(parse(m.html)))
	for n, i := range m.items {
		if seen := ours.fine[n] >= 0; seen != (i.text != "Nobody sees this.") {
			t.Errorf("%q: seen is %v", i.text, seen)
		}
	}
	byHand := &cutting{blocks: m.blocks}
	for _, i := range m.items {
		byHand.fine, byHand.top = append(byHand.fine, i.fine), append(byHand.top, i.top)
	}
	off := func(a agreement) bool { return math.Abs(a.f1()-1) > 1e-9 }
	if l := m.compare(byHand); off(l.top) || off(l.fine) || off(l.same) || off(l.fuzzy) {
		t.Errorf("people agree with themselves by %+v", l)
	}
	if l := m.compare(m.baselines()[byPage]); l.top.recall != 1 || l.top.precision >= 1 || l.same.recall != 0 {
		t.Errorf("one block agrees by %+v", l)
	}
}
