package texts

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// nth is the text that was added nth.
func nth(n int) *kavosh.Text {
	return &kavosh.Text{Type: "text/html", Title: fmt.Sprint("title ", n), Text: strings.Repeat(fmt.Sprint("words of ", n, "\n"), n%7) + "end", Lang: "en"}
}

func nthKey(n int) string { return fmt.Sprint("sha256:", n) }

// goOn adds texts from where a store is up to n, a Commit after every third.
func goOn(t testing.TB, s *Store, n int) {
	t.Helper()
	for i := int(s.Cursor().Of(journal.Self)); i < n; i++ {
		if !s.Known(nthKey(i)) {
			if _, err := s.Put(nthKey(i), nth(i)); err != nil {
				t.Fatal(err)
			}
		}
		if i%5 == 4 {
			if err := s.closeBlock(); err != nil { // as when it is full
				t.Fatal(err)
			}
		}
		if i%3 == 2 || i == n-1 {
			if err := s.Commit(journal.At(1, int64(i+1))); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// hasAll checks that all texts below n are found.
func hasAll(t testing.TB, from interface {
	Text(key string) (*kavosh.Text, error)
}, n int) {
	t.Helper()
	for i := range n {
		if got, err := from.Text(nthKey(i)); err != nil || !reflect.DeepEqual(got, nth(i)) {
			t.Fatalf("text %d of %d: %+v, %v", i, n, got, err)
		}
	}
}

func openStore(t testing.TB, fs vfs.FS) *Store {
	t.Helper()
	s, err := OpenStore(fs, "text")
	if err != nil {
		t.Fatal(err)
	}
	if s.Cursor().Generation == 0 {
		if err := s.Reset(1); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestStore keeps texts over openings, lets others read what is committed, and forgets all when it is told to.
func TestStore(t *testing.T) {
	fs := vfs.NewMem()
	s := openStore(t, fs)
	goOn(t, s, 20)
	hasAll(t, s, 20)
	if _, err := OpenStore(fs, "text"); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("a second who writes: %v", err)
	}
	if _, err := s.Put(nthKey(20), nth(20)); err != nil {
		t.Fatal(err)
	}
	hasAll(t, s, 21)
	r, err := Open(fs, "text")
	if err != nil {
		t.Fatal(err)
	}
	hasAll(t, r, 20)
	if got, err := r.Text(nthKey(20)); got != nil || err != nil {
		t.Errorf("not committed: %+v %v", got, err)
	}
	if err := errors.Join(r.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, fs)
	goOn(t, s, 40)
	hasAll(t, s, 40)
	if err := s.Reset(2); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Text(nthKey(1)); got != nil || err != nil || s.Known(nthKey(1)) || !s.Cursor().Equal(journal.At(2, 0)) {
		t.Errorf("after a reset: %+v %v %v", got, err, s.Cursor())
	}
	if names, err := fs.List("text"); err != nil || len(names) != 2 {
		t.Errorf("%v %v: the lock and one file are left", names, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestStoreCrashes loses power at any time: what is committed is there, and what was lost is added again.
func TestStoreCrashes(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 0))
		fs := vfs.NewCrashableMem()
		for range 3 {
			s := openStore(t, fs)
			before := int(s.Cursor().Of(journal.Self))
			hasAll(t, s, before)
			goOn(t, s, before+random.IntN(12))
			if random.IntN(2) == 0 {
				if _, err := s.Put("lost", nth(1)); err != nil || s.closeBlock() != nil {
					t.Fatal(err)
				}
			}
			fs = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: random.IntN(101), RNG: random})
		}
		s := openStore(t, fs)
		goOn(t, s, 40)
		hasAll(t, s, 40)
	}
}

// TestStoreDamaged cuts the file at every byte, and changes every byte: no text is wrong, and whoever writes next makes anew what is
// missing.
func TestStoreDamaged(t *testing.T) {
	whole := vfs.NewMem()
	s := openStore(t, whole)
	goOn(t, s, 12)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := s.path(s.number)
	data, err := disk.ReadFile(whole, file)
	if err != nil {
		t.Fatal(err)
	}
	try := func(name string, data []byte) {
		fs := vfs.NewMem()
		if err := errors.Join(disk.MkdirAll(fs, "text"), disk.WriteFile(fs, file, data)); err != nil {
			t.Fatal(err)
		}
		r, err := Open(fs, "text")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range 12 {
			got, err := r.Text(nthKey(i))
			if err != nil && !errors.Is(err, ErrDamaged) || got != nil && !reflect.DeepEqual(got, nth(i)) {
				t.Fatalf("%s: text %d is %+v, %v", name, i, got, err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		s := openStore(t, fs)
		goOn(t, s, 13)
		hasAll(t, s, 13)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if names, _ := fs.List("text"); len(names) != 2 {
			t.Errorf("%s: %v is left", name, names)
		}
	}
	for i := range data {
		try(fmt.Sprint("cut at ", i), data[:i])
		changed := append([]byte(nil), data...)
		changed[i] ^= 0x2a
		try(fmt.Sprint("changed at ", i), changed)
	}
}
