//go:build conformance

package browser

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kavosh"
)

func (b *Browser) processes() []*process {
	b.pool.mu.Lock()
	defer b.pool.mu.Unlock()
	return slices.Clone(b.pool.mu.all)
}

// TestMemory wants a page that takes all memory to be ended, its Chromium to stay within its bound, and others beside it to
// be loaded.
func TestMemory(t *testing.T) {
	b := open(t, Options{})
	b.pool.memory = 700 << 20
	done := make(chan *Loaded)
	go func() {
		_, l := loadPage(t, b, map[string]string{"http://a.test/": `<script>setTimeout(() => fetch('/late'), 4000)</script><a href=/x>x</a>`})
		done <- l
	}()
	_, l := loadPage(t, b, map[string]string{"http://a.test/": `<script>const all = []; setInterval(() => all.push(new Uint8Array(1 << 25).fill(1)), 10); setTimeout(() => 0, 4900)</script>`})
	if !slices.ContainsFunc(l.Notes, func(n string) bool { return strings.Contains(n, "MB of memory, of 700 that it may") }) {
		t.Errorf("of the page that takes all memory is noted: %q", l.Notes)
	}
	if l := <-done; !strings.Contains(l.HTML, "href") || len(l.Notes) > 0 {
		t.Errorf("the page beside it: %+v", l)
	}
	for _, q := range b.processes() {
		if n := q.Memory(); n == 0 || n > b.pool.memory {
			t.Errorf("a process takes %d bytes", n)
		}
	}
}

// TestLost kills Chromium under its pages, and wants them to be loaded by another one; but no more than once.
func TestLost(t *testing.T) {
	b := open(t, Options{})
	kill := func() {
		for _, q := range b.processes() {
			q.Kill()
		}
	}
	var once sync.Once
	w := &web{pages: map[string]string{"http://a.test/": `<script>fetch('/one').then(() => fetch('/two')).then(() => document.title = 'whole')</script>`}}
	l, err := b.Load(t.Context(), "http://a.test/", 0, func(ctx context.Context, r *Request, answer func(*kavosh.Exchange)) {
		if strings.HasSuffix(r.URL, "/one") {
			once.Do(kill)
		}
		w.ask(ctx, r, answer)
	})
	if err != nil || !strings.Contains(l.HTML, "<title>whole</title>") || !slices.Contains(l.Notes, "browser: Chromium ended") {
		t.Errorf("%+v, %v", l, err)
	}
	l, err = b.Load(t.Context(), "http://a.test/", 0, func(ctx context.Context, r *Request, answer func(*kavosh.Exchange)) {
		if strings.HasSuffix(r.URL, "/one") {
			kill()
		}
		w.ask(ctx, r, answer)
	})
	if err != nil || len(l.Notes) != 2 {
		t.Errorf("of a page that Chromium does not survive: %+v, %v", l, err)
	}
	if _, l := loadPage(t, b, w.pages); !strings.Contains(l.HTML, "<title>whole</title>") {
		t.Errorf("after it: %+v", l)
	}
}

// TestAlone wants a page, also one that may be a bot wall, that lost its Chromium to be loaded in one that it has for itself, and pages beside it in another one.
func TestAlone(t *testing.T) {
	b := open(t, Options{})
	asked := 0
	w := &web{pages: map[string]string{"http://a.test/": `<script>fetch('/one').then(() => document.title = 'whole')</script>`}}
	l, err := b.Load(t.Context(), "http://a.test/", 1, func(ctx context.Context, r *Request, answer func(*kavosh.Exchange)) {
		if strings.HasSuffix(r.URL, "/one") {
			all := b.processes()
			if asked++; asked == 1 {
				all[0].Kill()
			} else if _, beside := loadPage(t, b, map[string]string{"http://a.test/": "<a href=/x>x</a>"}); !strings.Contains(beside.HTML, "href") || len(b.processes()) != 2 {
				t.Errorf("%d processes for a page alone and one beside it, which is %+v", len(b.processes()), beside)
			}
		}
		w.ask(ctx, r, answer)
	})
	if err != nil || !strings.Contains(l.HTML, "<title>whole</title>") || asked != 2 {
		t.Errorf("%+v, %v, asked for %d times", l, err, asked)
	}
	if free := len(b.pool.free); free != cap(b.pool.free) {
		t.Errorf("%d of %d tabs are free after all", free, cap(b.pool.free))
	}
}

// TestRecycled wants a process that had its pages to end with its last one, and pages to go on in another.
func TestRecycled(t *testing.T) {
	b := open(t, Options{})
	page := map[string]string{"http://a.test/": "<a href=/x>x</a>"}
	loadPage(t, b, page)
	first := b.processes()
	if len(first) != 1 {
		t.Fatalf("%d processes", len(first))
	}
	b.pool.mu.Lock()
	first[0].pages = maxPages - 1
	b.pool.mu.Unlock()
	loadPage(t, b, page)
	select {
	case <-first[0].ended:
	case <-time.After(20 * time.Second):
		t.Fatal("the process has not ended")
	}
	if _, l := loadPage(t, b, page); !strings.Contains(l.HTML, "href") {
		t.Errorf("%+v", l)
	}
}
