package spool

import (
	"bytes"
	"errors"
	"io"
	"math/rand"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"kavosh"
)

var (
	_ kavosh.Body = (*Buffer)(nil)
	_ kavosh.Body = (*Section)(nil)
)

func TestBufferReadsBackWhatWasWritten(t *testing.T) {
	fs := vfs.NewMem()
	pool := &Pool{FS: fs, Dir: "tmp", Memory: 40 << 10}
	rnd := rand.New(rand.NewSource(1))
	for _, size := range []int{0, 1, 4096, 32 << 10, 40 << 10, 40<<10 + 1, 100_000, 300_000} {
		want := make([]byte, size)
		rnd.Read(want)
		b := pool.Get()
		for rest := want; len(rest) > 0; {
			n := min(1+rnd.Intn(30_000), len(rest))
			if rnd.Intn(2) == 0 {
				if _, err := b.Write(rest[:n]); err != nil {
					t.Fatal(err)
				}
			} else {
				n = copy(b.Tail(), rest[:n])
				if err := b.Commit(n); err != nil {
					t.Fatal(err)
				}
			}
			rest = rest[n:]
		}
		if inMemory := b.Bytes() != nil || size == 0; inMemory != (size <= 40<<10) {
			t.Errorf("%d bytes: in memory %v", size, inMemory)
		}
		for range 2 { // before Finish and after it
			if b.Size() != int64(size) {
				t.Errorf("Size = %d, want %d", b.Size(), size)
			}
			if err := iotest.TestReader(io.NewSectionReader(b, 0, b.Size()), want); err != nil {
				t.Errorf("%d bytes: %v", size, err)
			}
			if size > 10 {
				s := &Section{b, 10}
				got := make([]byte, s.Size())
				if _, err := s.ReadAt(got, 0); err != nil && err != io.EOF || !bytes.Equal(got, want[10:]) {
					t.Errorf("section of %d bytes differs: %v", size, err)
				}
			}
			if err := b.Finish(); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		b.Close() // again does nothing
	}
	if names, _ := fs.List("tmp"); len(names) > 0 {
		t.Errorf("files left: %v", names)
	}
}

func TestCutAndTruncate(t *testing.T) {
	b := new(Pool).Get()
	b.Write([]byte("interim|final|extra"))
	b.Truncate(13)
	b.Cut(8)
	if got := string(b.Bytes()); got != "final" {
		t.Errorf("got %q", got)
	}
}

func TestZeroPoolHasNowhereToPutMore(t *testing.T) {
	b := new(Pool).Get()
	if _, err := b.Write(make([]byte, DefaultMemory)); err != nil {
		t.Error(err)
	}
	if _, err := b.Write([]byte("x")); err == nil || !strings.Contains(err.Error(), "no folder") {
		t.Errorf("error %v", err)
	}
}

func TestFullDiskIsAnErrorThatLasts(t *testing.T) {
	full := errors.New("no space left on device")
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite {
			return full
		}
		return nil
	}))
	b := (&Pool{FS: fs, Dir: "tmp", Memory: first}).Get()
	for range 2 {
		if _, err := b.Write(make([]byte, 2*first)); !errors.Is(err, full) {
			t.Errorf("error %v", err)
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestClearRemovesWhatAKilledProcessLeft(t *testing.T) {
	fs := vfs.NewMem()
	old := &Pool{FS: fs, Dir: "tmp", Memory: first}
	old.Get().Write(make([]byte, 3*first))
	f, _ := fs.Create("tmp/other", vfs.WriteCategoryUnspecified)
	f.Close()
	if err := (&Pool{FS: fs, Dir: "tmp"}).Clear(); err != nil {
		t.Fatal(err)
	}
	if names, _ := fs.List("tmp"); len(names) != 1 || names[0] != "other" {
		t.Errorf("left: %v", names)
	}
	if err := (&Pool{FS: fs, Dir: "nowhere"}).Clear(); err != nil {
		t.Error(err)
	}
}

func TestPoolKeepsNoMoreThanAllowed(t *testing.T) {
	p := &Pool{Keep: 3 * first}
	var all []*Buffer
	for range 10 {
		b := p.Get()
		b.Write([]byte("x"))
		all = append(all, b)
	}
	for _, b := range all {
		b.Close()
	}
	if len(p.mu.free) != 3 || p.mu.kept != 3*first {
		t.Errorf("kept %d buffers, %d bytes", len(p.mu.free), p.mu.kept)
	}
	p.Get()
	if p.mu.kept != 2*first {
		t.Errorf("kept %d bytes after Get", p.mu.kept)
	}
}
