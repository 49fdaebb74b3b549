package journal

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

func entries(t *testing.T, fs vfs.FS, name string, from int64) (all []string, next int64) {
	t.Helper()
	next = from
	for e, err := range Read(fs, name, from) {
		if err != nil {
			t.Fatal(err)
		}
		body, _, ok := split(e.Line)
		if ok {
			body = append(body[:len(body):len(body)], '}')
		}
		all, next = append(all, string(body)), e.Next
	}
	return all, next
}

func TestAppendReadResume(t *testing.T) {
	fs := vfs.NewMem()
	l, err := Open(fs, "log/a")
	if err != nil {
		t.Fatal(err)
	}
	long := `{"x":"` + strings.Repeat("x", 700<<10) + `"}`
	for _, s := range []string{`{"one":1}`, `{"":0}`, long} {
		l.Append([]byte(s))
	}
	if got, _ := entries(t, fs, "log/a", 0); len(got) != 0 {
		t.Fatalf("%d entries are readable before Sync", len(got))
	}
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	got, next := entries(t, fs, "log/a", 0)
	if len(got) != 3 || got[0] != `{"one":1}` || got[1] != `{"":0}` || got[2] != long || next != l.Position() {
		t.Fatalf("read %d entries up to %d, want 3 up to %d", len(got), next, l.Position())
	}
	l.Append([]byte(`{"four":4}`))
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	if got, _ := entries(t, fs, "log/a", next); len(got) != 1 || got[0] != `{"four":4}` {
		t.Fatalf("from %d: %q, want only what came after", next, got)
	}
	l.Append([]byte(`{"lost":1}`))
	if err := l.Cut(int64(len(got[0]) + sumLen)); err != nil {
		t.Fatal(err)
	}
	l.Append([]byte(`{"again":1}`))
	if err := l.Sync(); err != nil {
		t.Fatal(err)
	}
	if got, _ := entries(t, fs, "log/a", 0); fmt.Sprint(got) != `[{"one":1} {"again":1}]` {
		t.Fatalf("after Cut: %q", got)
	}
}

func TestTornTailIsCut(t *testing.T) {
	for _, torn := range []string{"tail", "", strings.Repeat("y", 200<<10)} {
		fs := vfs.NewMem()
		if err := disk.WriteFile(fs, "a", []byte("one\ntwo\n"+torn)); err != nil {
			t.Fatal(err)
		}
		if got, _ := entries(t, fs, "a", 0); len(got) != 2 {
			t.Fatalf("read %q with a torn tail of %d bytes", got, len(torn))
		}
		l, err := Open(fs, "a")
		if err != nil {
			t.Fatal(err)
		}
		l.Append([]byte(`{"three":3}`))
		if err := l.Sync(); err != nil {
			t.Fatal(err)
		}
		if got, _ := entries(t, fs, "a", 0); fmt.Sprint(got) != `[one two {"three":3}]` {
			t.Fatalf("after reopening: %q", got)
		}
	}
}

// A power cut at any moment leaves every synced entry and no damaged one.
func TestPowerCut(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		fs := vfs.NewCrashableMem()
		l, err := Open(fs, "log/a")
		if err != nil {
			t.Fatal(err)
		}
		synced := 0
		for i := range 40 {
			l.Append(fmt.Appendf(nil, `{"entry":%d}`, i))
			if rng.IntN(3) == 0 {
				if err := l.Sync(); err != nil {
					t.Fatal(err)
				}
				synced = i + 1
			}
		}
		after := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
		got, _ := entries(t, after, "log/a", 0)
		if len(got) < synced {
			t.Fatalf("seed %d: %d entries after the crash, %d were synced", seed, len(got), synced)
		}
		for i, s := range got {
			if want := fmt.Sprintf(`{"entry":%d}`, i); s != want {
				t.Fatalf("seed %d: entry %d is %q", seed, i, s)
			}
		}
	}
}

// Line reads one entry from anywhere, however long, and none that is torn.
func TestLine(t *testing.T) {
	fs := vfs.NewMem()
	long := strings.Repeat("x", 700<<10)
	if err := disk.WriteFile(fs, "a", []byte("one\n\n"+long+"\ntorn")); err != nil {
		t.Fatal(err)
	}
	f, err := fs.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var buf []byte
	for at, want := range map[int64]string{0: "one", 4: "", 5: long} {
		if buf, err = Line(f, at, buf); err != nil || string(buf) != want {
			t.Errorf("at %d: %d bytes, %v; want %d", at, len(buf), err, len(want))
		}
	}
	for _, at := range []int64{5 + int64(len(long)) + 1, 1 << 40} {
		if line, err := Line(f, at, nil); err != io.EOF {
			t.Errorf("at %d: %q, %v; want io.EOF", at, line, err)
		}
	}
}
