//go:build conformance

package site

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/about"
	"kavosh/internal/chromium"
	"kavosh/internal/records"
	"kavosh/quality/tree"
	"kavosh/replay"
	"kavosh/replay/replaytest"
)

// millionOf returns a tree of a million nodes, thirty below each, of which a few in a hundred have a defect.
func millionOf() *tree.Tree {
	b := tree.NewBuilder([]tree.Step{{From: "20240301090000", To: "20240308090000"}, {From: "20240308090000", To: "20240315090000"}})
	address := func(i int) string { return fmt.Sprintf("http://site.test/folder%d/page-%d.html", i/100%50, i) }
	for i := range 1_000_000 {
		via := ""
		if i > 0 {
			via = address((i - 1) / 30)
		}
		n, _ := b.Node(address(i), via, tree.Shape(i%7%4))
		for step := range 2 {
			class := tree.Coherent
			if h := uint32(i*(step+3)) * 2654435761 >> 20; h%100 < 3 {
				class = tree.Content + tree.Class(h%4)
			}
			b.Tell(step, n, class)
		}
	}
	return b.Tree()
}

// dragging drags the tree: for two seconds to and fro, then by three widths to the left. It counts how often the tree is drawn meanwhile,
// and the frames that the browser shows in a second, as while nothing moves; and how many of the pixels with ink are others after
// a drag has ended.
const dragging = `(async () => {
	const box = document.querySelector(".tree > div"), sheet = box.querySelector("canvas"), edge = box.getBoundingClientRect()
	const frame = () => new Promise(requestAnimationFrame)
	const at = (type, x) => box.dispatchEvent(new PointerEvent(type, {pointerId: 1, clientX: edge.left + x, clientY: edge.top + 200, bubbles: true}))
	box.setPointerCapture = () => {}
	let draws = 0
	const clear = CanvasRenderingContext2D.prototype.clearRect
	CanvasRenderingContext2D.prototype.clearRect = function (...all) { draws++; clear.apply(this, all) }
	const rate = async move => {
		let frames = 0, began = performance.now()
		while (performance.now() - began < 2000) {
			move(performance.now() - began)
			await frame()
			frames++
		}
		return frames / (performance.now() - began) * 1000
	}
	const shown = () => {
		const by = new DOMMatrix(getComputedStyle(sheet).transform).m41
		return sheet.getContext("2d").getImageData(Math.round(sheet.width / 4 - by * devicePixelRatio), sheet.height / 4, sheet.width / 2, sheet.height / 2).data
	}
	const still = await rate(() => {})
	at("pointerdown", 300)
	const dragged = await rate(t => at("pointermove", 300 + 200 * Math.sin(t / 200)))
	const near = draws
	at("pointermove", 400)
	await frame(); await frame()
	const before = shown()
	at("pointerup", 400)
	await frame(); await frame()
	const after = shown(), ended = draws - near
	let inked = 0, others = 0
	for (let i = 3; i < before.length; i += 4) {
		if (before[i]) inked++
		if (Math.abs(before[i] - after[i]) > 8) others++
	}
	draws = 0
	at("pointerdown", 300)
	for (let x = 300; x > 300 - 3 * edge.width; x -= 50) {
		at("pointermove", x)
		await frame()
	}
	return {still, dragged, near, ended, far: draws, others: others / inked}
})()`

// A tree of a million nodes opens in Chromium, is drawn, and is dragged without being drawn again; the log says how fast.
func TestAMillionNodesInChromium(t *testing.T) {
	a, dir := replaytest.New(t), t.TempDir()
	for _, id := range []string{"20240301090000", "20240308090000", "20240315090000"} {
		if err := os.MkdirAll(filepath.Join(dir, "crawls", id), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "crawls", id, "config.toml"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := about.Create(vfs.Default, dir, "test", time.Now()); err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Collections: []Collection{{Collection: &replay.Collection{Name: "one", Records: &records.Records{Index: a, Files: a}}, Dir: dir}}})
	if err != nil {
		t.Fatal(err)
	}
	c := s.collections[0]
	g := &reading[*tree.Tree]{done: make(chan struct{}), made: millionOf()}
	close(g.done)
	s.trees.of = map[readingOf]*reading[*tree.Tree]{{c, "", "", "20240315090000", c.Edition()}: g}
	l := httptest.NewServer(s.HomeHandler())
	defer l.Close()
	b, err := chromium.Start(t.Context(), chromium.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	tab, done, err := b.Private()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	ctx, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	began := time.Now()
	if err := chromedp.Do(ctx, chromedp.Navigate(l.URL+"/c/one/tree")); err != nil {
		t.Fatal(err)
	}
	inked, err := chromedp.Run(ctx, chromedp.Evaluate[int](`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
		const c = document.querySelector(".tree canvas")
		done(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.filter((v, i) => i % 4 == 3 && v).length)
	})))`, chromedp.EvalAwaitPromise))
	opened := time.Since(began)
	if err != nil || inked < 1000 {
		t.Fatalf("%d pixels are drawn: %v", inked, err)
	}
	size, err := chromedp.Run(ctx, chromedp.Evaluate[int](`performance.getEntriesByType("navigation")[0].decodedBodySize`))
	if err != nil {
		t.Fatal(err)
	}
	type drag struct {
		Still, Dragged   float64
		Near, Ended, Far int
		Others           float64
	}
	d, err := chromedp.Run(ctx, chromedp.Evaluate[drag](dragging, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	if d.Near != 0 || d.Ended != 1 || d.Far < 1 || d.Far > 7 || d.Others > 0.01 {
		t.Errorf("dragged, the tree is drawn %d times, at the end %d, over three widths %d; then %.4f of its ink is another", d.Near, d.Ended, d.Far, d.Others)
	}
	t.Logf("open and drawn after %.2f s, %d kB sent, dragged at %.0f frames a second; while nothing moves there are %.0f", opened.Seconds(), size/1000, d.Dragged, d.Still)
}
