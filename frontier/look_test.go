package frontier

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// What waits can be looked at between two runs of a crawl, and nothing is written by it.
func TestLook(t *testing.T) {
	fs := vfs.NewMem()
	f, err := Open(Options{FS: fs, Dir: "frontier"})
	if err != nil {
		t.Fatal(err)
	}
	link := kavosh.Link{URL: "http://a.test/b", Kind: kavosh.Navigation}
	if _, err := f.Apply([]Update{{Links: []kavosh.Link{link}}}, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Look(fs, "frontier", link.URL, false); err == nil {
		t.Error("looked while the frontier was open")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	before, _ := fs.List("frontier")
	if w, queued, err := Look(fs, "frontier", link.URL, false); err != nil || !queued || w.Task.URL != link.URL || w.Wait != (Wait{State: WaitReady}) {
		t.Errorf("a queued URL: %+v, %v, %v", w, queued, err)
	}
	if _, queued, err := Look(fs, "frontier", link.URL, true); err != nil || queued {
		t.Errorf("its form in RDF, which nobody asked for: %v, %v", queued, err)
	}
	if _, queued, err := Look(fs, "frontier", "http://a.test/other", false); err != nil || queued {
		t.Errorf("a URL that was never seen: %v, %v", queued, err)
	}
	if after, _ := fs.List("frontier"); len(after) != len(before) {
		t.Errorf("the files were %v, are %v", before, after)
	}
}

// Who opens a frontier waits while somebody looks at it.
func TestOpenWhileLookedAt(t *testing.T) {
	fs := vfs.NewMem()
	f, err := Open(Options{FS: fs, Dir: "frontier"})
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	looking, err := openDatabase(fs, "frontier", 1<<20, true)
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() {
		f, err := Open(Options{FS: fs, Dir: "frontier"})
		if err == nil {
			err = f.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Errorf("opened at once: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	if err := looking.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
}
