//go:build conformance

package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"testing"

	"kavosh"
)

// pages are captures as a replay shows them: one for each number, one that never ends, and one that access rules close.
func pages(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/closed" {
		http.Error(w, "closed", http.StatusForbidden)
		return
	}
	w.Header().Set("Memento-Datetime", "Thu, 01 Jan 2026 00:00:00 GMT")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.URL.Path == "/hung" {
		fmt.Fprint(w, `<script>for (;;);</script>`)
		return
	}
	fmt.Fprintf(w, `<!doctype html><html lang=fa dir=rtl><body style="margin:0;background:#fff;height:2000px">
<style>@keyframes k { from { left: 0 } to { left: 300px } } #m { position: relative; width: 20px; height: 20px; background: red; animation: k 5s infinite alternate }</style>
<h1 style="font-size:40px">سلام %s</h1><div id=m></div><p id=p></p>
<script>document.getElementById('p').textContent = 'stored before: ' + localStorage.n + document.cookie; localStorage.n = 1; document.cookie = 'n=1'</script>`, r.URL.Path)
}

// A capture looks the same each time: nothing of one rendering is left for the next, and animations do not move.
func TestSameTwice(t *testing.T) {
	r := &Renderer{Pages: http.HandlerFunc(pages)}
	defer r.Close()
	kinds := []kavosh.RenderingKind{kavosh.ViewPicture, kavosh.FullPicture, kavosh.ThumbnailPicture, kavosh.RenderedText, kavosh.RenderedDOM, kavosh.LayoutBoxes}
	for n := range 2 {
		path := fmt.Sprintf("/%d", n)
		first, err := r.Render(t.Context(), path, kinds...)
		if err != nil {
			t.Fatal(err)
		}
		again, err := r.Render(t.Context(), path, kinds...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range kinds {
			if first[i].Kind != kinds[i] || !bytes.Equal(first[i].Data, again[i].Data) {
				t.Errorf("%s of %s is another the second time", kinds[i], path)
			}
		}
		if img, err := png.Decode(bytes.NewReader(first[1].Data)); err != nil || img.Bounds().Dx() != Window.X || img.Bounds().Dy() < 2000 {
			t.Errorf("full picture: %v", err)
		}
		var l kavosh.Layout
		if err := json.Unmarshal(first[5].Data, &l); err != nil {
			t.Fatal(err)
		}
		heading := false
		for _, b := range l.Boxes {
			heading = heading || b.Text == "سلام "+path && b.FontSize == "40px" && l.Boxes[b.Parent].Tag == "h1" && b.X > 600
		}
		if !heading || l.Height < 2000 {
			t.Errorf("the boxes lack the heading on the right: %s", first[5].Data)
		}
	}
}

// What is closed is not rendered, and a page that hangs does not hold up the next.
func TestNothingToRender(t *testing.T) {
	r := &Renderer{Pages: http.HandlerFunc(pages)}
	defer r.Close()
	for _, path := range []string{"/closed", "/hung"} {
		if made, err := r.Render(t.Context(), path, kavosh.ViewPicture); err == nil {
			t.Errorf("%s: %d renderings", path, len(made))
		}
	}
	if _, err := r.Render(t.Context(), "/1", kavosh.RenderedText); err != nil {
		t.Error(err)
	}
}
