package search

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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

// Whatever byte of a segment is changed, before it is opened or while it is served, nobody is answered otherwise than before without being
// told of damage: too few and too many found, another title or address are lies.
func TestNoDamageAnswersOtherwise(t *testing.T) {
	fs := vfs.NewMem()
	pages := make([]testPage, 200)
	for i := range pages {
		pages[i] = testPage{url: fmt.Sprintf("http://a.test/%d", i), title: fmt.Sprint("page ", i), text: fmt.Sprint("some words that all have, and word", i), lang: []string{"en", "de"}[i%2], day: i}
	}
	served := indexOf(t, fs, len(pages), pages...)
	questions := []kavosh.Search{{Text: "words", Limit: 100}, {Text: "word33"}, {Text: `"that all have"`}, {Text: "title:177"}, {Text: "url:3"}, {Text: "wor* lang:de"}, {Text: "wrods"}, {Text: "some", At: dayOf(50)}}
	answers := func(x *Index) string {
		var all []byte
		for _, q := range questions {
			r, err := x.Search(t.Context(), q)
			if err != nil && !errors.Is(err, ErrDamaged) {
				t.Errorf("%q: %v", q.Text, err)
			}
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b...)
		}
		return string(all)
	}
	want := answers(served)
	path := fs.PathJoin("search", "000000"+segmentEnd)
	data, err := disk.ReadFile(fs, path)
	if err != nil {
		t.Fatal(err)
	}
	met := 0
	for at := 0; at < len(data); at += 101 {
		changed := bytes.Clone(data)
		changed[at] ^= 1 << (at % 8)
		if err := overwrite(fs, path, changed); err != nil {
			t.Fatal(err)
		}
		for when, open := range map[string]func() *Index{"served": func() *Index { return served }, "opened": func() *Index { return open(t, fs) }} {
			x := open()
			if got := answers(x); Damaged(fs, "search") {
				met++
			} else if got != want {
				t.Errorf("byte %d of %d changed, %s: other answers, and no word of damage", at, len(data), when)
			}
			if x != served {
				x.Close()
			}
			if err := fs.Remove(fs.PathJoin("search", damagedName)); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d of %d damages were met", met, 2*(len(data)+100)/101)
}

// An index that was made before segments had sums of all that is read alone is still read, and merged with what comes.
func TestSegmentsWithoutSums(t *testing.T) {
	fs := vfs.NewMem()
	if ok, err := vfs.Clone(vfs.Default, fs, "testdata/before", "search"); !ok || err != nil {
		t.Fatal(err)
	}
	for _, more := range []int{0, 2} {
		w, err := OpenWriter(fs, "search")
		if err != nil {
			t.Fatal(err)
		}
		for i := range more {
			put(w, testPage{url: fmt.Sprintf("http://b.test/%d", i), title: fmt.Sprint("More ", i), text: fmt.Sprint("more words, number", i), lang: "en"})
		}
		if err := errors.Join(w.Commit(journal.At(1, int64(2+more))), w.Close()); err != nil || w.Renewed {
			t.Fatal(err, w.Renewed)
		}
		x := open(t, fs)
		for q, want := range map[string]int{"words": 2 + more, `"other words"`: 1, "دانش آموز": 1, "title:words": 1, "url:y": 1} {
			if r := ask(t, x, kavosh.Search{Text: q}); r.Total != want || r.Relaxed {
				t.Errorf("%s with %d pages more: %d found, want %d", q, more, r.Total, want)
			}
		}
		if m, err := readManifest(fs, "search"); err != nil || len(m.Segments) != 1 {
			t.Errorf("%d segments, %v", len(m.Segments), err)
		}
	}
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
