package search

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// Whatever byte of an index is changed, while it is open or before, a question is answered or told that the index is damaged; and once it was told so, the next
// writer finds it empty and begins anew, and then readers find all again without being opened anew.
func TestDamageIsMadeAnew(t *testing.T) {
	pages := make([]testPage, 6)
	for i := range pages {
		pages[i] = testPage{url: fmt.Sprintf("http://a.test/%d", i), title: fmt.Sprint("page ", i), text: fmt.Sprint("some words that all have, and word", i), lang: "en", day: i}
	}
	met := 0
	for _, name := range []string{manifestName, "000000" + segmentEnd} {
		for part := range 60 {
			fs := vfs.NewMem()
			x := indexOf(t, fs, 6, pages...)
			path := fs.PathJoin("search", name)
			data, err := disk.ReadFile(fs, path)
			if err != nil {
				t.Fatal(err)
			}
			data[part*len(data)/60] ^= 0x15
			if name == manifestName && part == 59 || part == 58 {
				data = data[:len(data)/2]
			}
			if err := overwrite(fs, path, data); err != nil {
				t.Fatal(err)
			}
			y, err := Open(fs, "search", Hidden{})
			if err != nil {
				t.Fatalf("%s, part %d: %v", name, part, err)
			}
			for _, reader := range []*Index{x, y} {
				for _, q := range []string{"words", "word3", `"that all have"`, "title:page", "url:3"} {
					if _, err := reader.Search(t.Context(), kavosh.Search{Text: q}); err != nil && !errors.Is(err, ErrDamaged) {
						t.Errorf("%s, part %d: %v", name, part, err)
					}
				}
			}
			w, err := OpenWriter(fs, "search")
			if err != nil {
				t.Fatalf("%s, part %d: %v", name, part, err)
			}
			if w.Renewed {
				met++
				if at := w.Cursor(); !at.Equal(journal.Cursor{}) {
					t.Errorf("%s, part %d: it goes on from %v", name, part, at)
				}
				for _, p := range pages {
					put(w, p)
				}
				if err := w.Commit(journal.At(1, 6)); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if w.Renewed {
				for _, reader := range []*Index{x, y} {
					if err := reader.Refresh(); err != nil {
						t.Errorf("%s, part %d: %v", name, part, err)
					}
					if r := ask(t, reader, kavosh.Search{Text: "words"}); r.Total != 6 || Damaged(fs, "search") {
						t.Errorf("%s, part %d: %d of 6 pages are found after it was made anew", name, part, r.Total)
					}
				}
			}
			y.Close()
		}
	}
	if met < 60 {
		t.Errorf("only %d of 120 damages were met", met)
	}
	t.Logf("%d of 120 damages were met", met)
}

// An address that changed on disk would not be hidden by the rules about it: such an index is not opened.
func TestAnAddressThatChangedIsNotShown(t *testing.T) {
	fs := vfs.NewMem()
	indexOf(t, fs, 1, testPage{url: "http://a.test/closed", title: "closed", text: "some words", lang: "en"})
	path := fs.PathJoin("search", "000000"+segmentEnd)
	data, err := disk.ReadFile(fs, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := overwrite(fs, path, bytes.Replace(data, []byte("a.test/closed"), []byte("a.test/blosed"), 1)); err != nil {
		t.Fatal(err)
	}
	x, err := Open(fs, "search", Hidden{Capture: func(url string, _ time.Time, _ string) bool { return url == "http://a.test/closed" }})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if r := ask(t, x, kavosh.Search{Text: "words"}); r.Total != 0 || !Damaged(fs, "search") {
		t.Errorf("%+v is found, damaged %v", r.Groups, Damaged(fs, "search"))
	}
}

// overwrite changes a file where it lies, as a failing disk does, so that who has it open sees it.
func overwrite(fs vfs.FS, path string, data []byte) error {
	f, err := fs.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	return f.Close()
}
