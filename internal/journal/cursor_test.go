package journal

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A cursor is read back as it was stored, and so is every form in which older programs stored it.
func TestCursorIsReadBack(t *testing.T) {
	now, err := json.Marshal(At(7, 4711))
	if err != nil || string(now) != `{"generation":7,"positions":[4711]}` {
		t.Fatalf("%s, %v", now, err)
	}
	for _, stored := range []string{
		string(now), `{"generation":7,"position":4711}` + "\n", "7\n4711\n", string(binary.AppendUvarint(binary.AppendUvarint(nil, 7), 4711)),
	} {
		if c, err := ParseCursor([]byte(stored)); err != nil || !c.Equal(At(7, 4711)) {
			t.Errorf("%q is %+v, %v", stored, c, err)
		}
	}
	brace := binary.AppendUvarint(binary.AppendUvarint(nil, '{'), 5) // an old one of generation 123 begins as JSON does
	if c, err := ParseCursor(brace); err != nil || !c.Equal(At('{', 5)) {
		t.Errorf("%q is %+v, %v", brace, c, err)
	}
	for _, damaged := range []string{"", "x", "{", `{"generation":-1}`, `{"positions":[-1]}`, "1\n-2\n", "\x80", "\x01\x02\x03"} {
		if c, err := ParseCursor([]byte(damaged)); err == nil {
			t.Errorf("%q is %+v", damaged, c)
		}
	}
}

func TestCursorCompares(t *testing.T) {
	one, two := At(1, 10), At(1, 10).With(2, 5)
	if !two.Covers(one) || one.Covers(two) || one.Equal(two) || !one.Equal(Cursor{1, []int64{10, 0}}) || two.Covers(At(2, 0)) || !(Cursor{}).Equal(At(0, 0)) {
		t.Error("cursors of one and two writers are taken for each other")
	}
	if two.With(1, 99); two.Of(1) != 10 || two.Of(2) != 5 || two.Of(3) != 0 {
		t.Errorf("%+v", two)
	}
}

func TestWriters(t *testing.T) {
	fs := vfs.NewMem()
	for _, writer := range []int{10, 2, 1} {
		l, err := Open(fs, File(fs, "log", 3, writer))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := Open(fs, "log/000003/rebuilding.jsonl"); err != nil || l.Close() != nil {
		t.Fatal(err)
	}
	if got := Writers(fs, "log", 3); !slices.Equal(got, []int{1, 2, 10}) || Newest(fs, "log") != 3 || Newest(fs, "none") != 0 {
		t.Errorf("writers %v of generation %d", got, Newest(fs, "log"))
	}
}

func FuzzParseCursor(f *testing.F) {
	f.Add([]byte(`{"generation":7,"positions":[4711,2]}`))
	f.Add([]byte("7\n4711\n"))
	f.Fuzz(func(t *testing.T, stored []byte) {
		c, err := ParseCursor(stored)
		if err != nil {
			return
		}
		again, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := ParseCursor(again); err != nil || !d.Equal(c) || d.Generation < 0 || d.Of(1) < 0 {
			t.Fatalf("%q is %+v, then %+v, %v", stored, c, d, err)
		}
	})
}
