//go:build conformance

package browser

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kavosh/internal/hostilepages"
)

// faster is a clock whose time runs three times as fast, so that a page's minute takes 20 s.
type faster struct{ began time.Time }

func (c faster) Now() time.Time { return c.began.Add(3 * time.Since(c.began)) }

func (c faster) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d / 3):
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// neighbours are parts of notes of a page that those beside it in the same Chromium may have ended, or kept from answering.
var neighbours = [...]string{"Chromium ended", "MB of memory", "could not be read"}

// TestHostilePages wants each hostile page (in short, each third) to come to its end within its bounds, by one of the ways that it
// may, a page after
// them to be whole, and the processes to keep within their memory.
func TestHostilePages(t *testing.T) {
	b := open(t, Options{Clock: faster{time.Now()}})
	b.pool.memory = 900 << 20
	var most struct {
		sync.Mutex
		bytes int64
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(100 * time.Millisecond):
				for _, q := range b.processes() {
					most.Lock()
					most.bytes = max(most.bytes, q.Memory())
					most.Unlock()
				}
			}
		}
	}()
	var all sync.WaitGroup
	for i, p := range hostilepages.All() {
		if testing.Short() && i%3 > 0 {
			continue
		}
		all.Go(func() {
			began := time.Now()
			w := &web{pages: map[string]string{"http://a.test/": p.HTML}}
			l, err := b.Load(t.Context(), "http://a.test/", 0, w.ask)
			if err != nil {
				t.Errorf("%s: %v", p.Name, err)
				return
			}
			notes := strings.Join(l.Notes, "\n")
			disturbed := slices.ContainsFunc(neighbours[:], func(note string) bool { return strings.Contains(notes, note) })
			if p.Ends != nil && !disturbed && !slices.ContainsFunc(p.Ends, func(end string) bool { return strings.Contains(notes, end) }) {
				t.Errorf("%s: notes %q, want one of %q", p.Name, l.Notes, p.Ends)
			}
			if len(w.mu.asked) > maxRequests || len(l.Left) > maxLeft || len(l.HTML) > 4*maxDOM {
				t.Errorf("%s: %d requests, %d addresses, %d bytes", p.Name, len(w.mu.asked), len(l.Left), len(l.HTML))
			}
			t.Logf("%-16s %5.1f s, %4d requests, %3d left, %8d bytes, %.300q", p.Name, time.Since(began).Seconds(), len(w.mu.asked), len(l.Left), len(l.HTML), l.Notes)
		})
	}
	all.Wait()
	_, l := loadPage(t, b, map[string]string{"http://a.test/": "<script>document.title = 'whole'</script>"})
	if !strings.Contains(l.HTML, "<title>whole</title>") {
		t.Errorf("after them: %+v", l)
	}
	most.Lock()
	defer most.Unlock()
	t.Logf("a Chromium took %d MB at most, of %d that it may between two looks", most.bytes>>20, b.pool.memory>>20)
	if most.bytes > 3*b.pool.memory {
		t.Errorf("a Chromium took %d MB", most.bytes>>20)
	}
}
