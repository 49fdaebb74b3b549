//go:build conformance

package browser

import (
	"fmt"
	"slices"
	"testing"
)

// TestWindows wants the addresses of windows that a page would open to become links: the first hundred different ones, however
// it opens them.
func TestWindows(t *testing.T) {
	b := open(t, Options{})
	_, l := loadPage(t, b, map[string]string{"http://a.test/": `<script>
		for (let i = 0; i < 1000; i++) { open('/window/' + i % 60); alert(i) }
	</script>`})
	for i := range 60 {
		if want := fmt.Sprintf("http://a.test/window/%d", i); !slices.Contains(l.Left, want) {
			t.Fatalf("%s is no link; %d are: %.500q, %q", want, len(l.Left), l.Left, l.Notes)
		}
	}
	_, l = loadPage(t, b, map[string]string{"http://a.test/": `<a id=a target=_blank>x</a><form id=f target=_blank></form><script>
		for (let i = 0; i < 200; i++) { a.href = '/blank/' + i; a.click() }
		for (let i = 0; i < 50; i++) setTimeout(() => open('http://b.test/later/' + i, 'w' + i, 'popup'), i * 20)
	</script>`})
	t.Log(len(l.Left), l.Notes)
	if len(l.Left) != 100 {
		t.Errorf("%d links: %.500q", len(l.Left), l.Left)
	}
}

// TestDownloads wants files that a page would save to become links, or to be asked for as its parts.
func TestDownloads(t *testing.T) {
	w, l := loadPage(t, open(t, Options{}), map[string]string{"http://a.test/": `<a id=a download=x href=/attachment-a></a><iframe src=/attachment-frame></iframe><script>
		a.click();
		setTimeout(() => { a.href = '/attachment-b'; a.click() }, 200);
		setTimeout(() => location = '/attachment-main', 500);
	</script>`})
	for _, name := range []string{"a", "b", "main", "frame"} {
		if url := "http://a.test/attachment-" + name; !slices.Contains(l.Left, url) && !w.was(url) {
			t.Errorf("%s is neither a link nor asked for: %q, %q", url, l.Left, l.Notes)
		}
	}
	t.Log(l.Left, w.mu.asked)
}
