package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// written is a log of n entries, and where it ends.
func written(t testing.TB, fs vfs.FS, name string, n int) ([]byte, Mark) {
	t.Helper()
	l, err := Open(fs, name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		l.Append(fmt.Appendf(nil, `{"entry":%d,"text":"some words"}`, i))
	}
	if err := errors.Join(l.Sync(), l.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := disk.ReadFile(fs, name)
	if err != nil {
		t.Fatal(err)
	}
	return data, l.Mark()
}

// found says whether somebody who knows the mark learns that the log is not what was written.
func found(fs vfs.FS, name string, m Mark) error {
	for _, err := range Read(fs, name, 0) {
		if err != nil {
			return err
		}
	}
	return Reaches(fs, name, m)
}

func TestEveryDamageIsFound(t *testing.T) {
	fs := vfs.NewMem()
	data, m := written(t, fs, "a", 6)
	lines := bytes.SplitAfter(data, []byte("\n"))
	damaged := map[string][]byte{
		"no line":         slices.Concat(lines[:2]...),
		"a line less":     slices.Concat(slices.Concat(lines[:2], lines[3:])...),
		"a line twice":    slices.Concat(slices.Concat(lines[:3], lines[2:])...),
		"lines changed":   slices.Concat(lines[0], lines[2], lines[1], slices.Concat(lines[3:]...)),
		"a line of no":    slices.Concat(lines[0], []byte("{\"entry\":1}\n"), slices.Concat(lines[1:]...)),
		"a line more":     slices.Concat(data, []byte("{\"entry\":1}\n")),
		"garbage at last": slices.Concat(data, []byte("\x00\xff\n")),
		"zeros":           slices.Concat(lines[0], make([]byte, len(lines[1])), slices.Concat(lines[2:]...)),
		"nothing":         {},
	}
	for i := range data {
		flipped := bytes.Clone(data)
		flipped[i] ^= 1 << (i % 8)
		damaged[fmt.Sprintf("byte %d flipped", i)] = flipped
		damaged[fmt.Sprintf("cut at %d", i)] = data[:i]
	}
	for name, data := range damaged {
		if err := disk.WriteFile(fs, "a", data); err != nil {
			t.Fatal(err)
		}
		if found(fs, "a", m) == nil {
			t.Errorf("%s: nobody notices", name)
		}
	}
	if err := fs.Remove("a"); err != nil {
		t.Fatal(err)
	}
	if found(fs, "a", m) == nil {
		t.Error("without the log nobody notices")
	}
}

// A log of an older program is read as it is, and its chain begins with what is added.
func TestChainBeginsInAnOldLog(t *testing.T) {
	fs := vfs.NewMem()
	if err := disk.WriteFile(fs, "a", []byte("{\"old\":1}\n{\"old\":2}\n{\"to")); err != nil {
		t.Fatal(err)
	}
	old, err := MarkOf(fs, "a")
	if err != nil || old.Bytes != 20 {
		t.Fatalf("the old log reaches to %+v, %v", old, err)
	}
	data, m := written(t, fs, "a", 2)
	for _, m := range []Mark{{}, old, m} {
		if err := found(fs, "a", m); err != nil {
			t.Errorf("%+v: %v", m, err)
		}
	}
	if got, err := MarkOf(fs, "a"); got != m || err != nil {
		t.Errorf("it reaches to %+v, %v; want %+v", got, err, m)
	}
	if err := disk.WriteFile(fs, "a", append(data, "{\"old\":3}\n"...)); err != nil {
		t.Fatal(err)
	}
	if found(fs, "a", m) == nil {
		t.Error("a line without a checksum after those that have one is taken")
	}
}

// Mend keeps what can be read and says what is not as it was; who then reads finds a sound log.
func TestMend(t *testing.T) {
	readable := func(line []byte) error {
		if !json.Valid(line) {
			return errors.New("no JSON")
		}
		return nil
	}
	for name, c := range map[string]struct {
		damage           func([]byte) []byte
		kept, wrong, bad int
	}{
		"sound":   {func(d []byte) []byte { return d }, 5, 0, 0},
		"changed": {func(d []byte) []byte { return bytes.Replace(d, []byte(`:2,`), []byte(`:7,`), 1) }, 5, 1, 0},
		"zeros":   {func(d []byte) []byte { return bytes.Replace(d, []byte("{\"entry\":2"), make([]byte, 10), 1) }, 4, 0, 1},
		"cut":     {func(d []byte) []byte { return d[bytes.IndexByte(d, '\n')+1:] }, 4, 1, 0},
		"long":    {func(d []byte) []byte { return append(d, strings.Repeat("x", MaxLine+300<<10)...) }, 5, 0, 1},
	} {
		fs := vfs.NewMem()
		data, _ := written(t, fs, "a", 5)
		damaged := c.damage(data)
		if err := disk.WriteFile(fs, "a", damaged); err != nil {
			t.Fatal(err)
		}
		m, err := Mend(fs, "a", readable)
		if err != nil || m.Kept != c.kept || len(m.Changed) != c.wrong || m.Dropped != c.bad {
			t.Errorf("%s: %+v, %v; want %d kept, %d changed, %d dropped", name, m, err, c.kept, c.wrong, c.bad)
		}
		if err := found(fs, "a", Mark{}); err != nil {
			t.Errorf("%s: it is mended, and %v", name, err)
		}
		if lines, _ := entries(t, fs, "a", 0); len(lines) != c.kept {
			t.Errorf("%s: %d lines are left", name, len(lines))
		}
		if m.Aside != "" {
			if was, err := disk.ReadFile(fs, m.Aside); err != nil || !bytes.Equal(was, damaged) {
				t.Errorf("%s: the damaged log is not kept: %v", name, err)
			}
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	l := Log{}
	entry := []byte(`{"text":"` + strings.Repeat("x", 400) + `"}`)
	b.ReportAllocs()
	for b.Loop() {
		l.Append(entry)
		l.buf = l.buf[:0]
	}
}
