package search

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/journal"
)

// joined are texts that reach as far as the index, or not.
type joined struct {
	Texts
	reach bool
}

func (j *joined) Join(journal.Cursor) bool    { return j.reach }
func (j *joined) Begin(int) error             { return nil }
func (j *joined) Commit(journal.Cursor) error { return nil }

// The index goes on where it was committed, over openings too; from the beginning if its texts reach less far, and after
// a reset.
func TestIndexGoesOnWhereItWasCommitted(t *testing.T) {
	fs := vfs.NewMem()
	for _, c := range []struct {
		reach     bool
		reset     int
		committed int64
		want      journal.Cursor
	}{{true, 1, 7, journal.At(1, 7)}, {true, 0, 0, journal.At(1, 7)}, {false, 0, 0, journal.Cursor{}}, {true, 0, 9, journal.At(1, 9)}, {true, 2, 0, journal.At(2, 0)}} {
		w, err := OpenWriter(fs, "search")
		if err != nil {
			t.Fatal(err)
		}
		g := &Gatherer{Writer: w, Texts: &joined{reach: c.reach}}
		if c.reset > 0 {
			if err := g.Reset(c.reset); err != nil {
				t.Fatal(err)
			}
		}
		if c.committed > 0 {
			put(w, testPage{url: fmt.Sprint("http://a.test/", c.committed), title: fmt.Sprint(c.committed), text: "words"})
			if err := g.Commit(journal.At(1, c.committed)); err != nil {
				t.Fatal(err)
			}
		}
		if got := g.Cursor(); !got.Equal(c.want) {
			t.Errorf("%+v: goes on at %v", c, got)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Pictures are alike up to ten different bits of their hashes, the nearest first.
func TestHowAlikePicturesAre(t *testing.T) {
	fs := vfs.NewMem()
	w, err := OpenWriter(fs, "search")
	if err != nil {
		t.Fatal(err)
	}
	const hash = 0x0f0f_0f0f_0f0f_0f0f
	for _, bits := range []int{11, 10, 1, 0, 64} {
		url := fmt.Sprintf("http://p.test/%d.png", bits)
		doc := w.b.document(pictureKind, &Document{Likeness: hash ^ (1<<bits - 1)}, url, "", "", hashOf(url))
		w.b.capture(url, capture{time: seconds(dayOf(1)), doc: doc, status: 200, kind: uint16(w.b.types.get("image/png"))})
	}
	if err := w.Commit(journal.At(1, 1)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, g := range ask(t, open(t, fs), kavosh.Search{Text: "like:http://p.test/0.png"}).Groups {
		got += g.URL + " "
	}
	if want := "http://p.test/0.png http://p.test/1.png http://p.test/10.png "; got != want {
		t.Errorf("alike: %s, want %s", got, want)
	}
}
