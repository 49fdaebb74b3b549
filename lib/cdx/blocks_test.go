package cdx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// written is a compressed index of lines.
func written(t testing.TB, lines []string) (directory, data []byte) {
	t.Helper()
	var d, b bytes.Buffer
	w := NewBlockWriter(&d, &b, "000001.cdxj.gz")
	for _, l := range lines {
		if err := w.Add([]byte(strings.TrimSuffix(l, "\n"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return d.Bytes(), b.Bytes()
}

func blocks(t testing.TB, directory, data []byte) *Blocks {
	t.Helper()
	b, err := OpenBlocks(bytes.NewReader(directory), int64(len(directory)), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Whatever the number of blocks, and however long keys and lines are, a range is found, forward and backward.
func TestBlocksFindWhatAScanFinds(t *testing.T) {
	long := strings.Repeat("/long", 100)
	for _, n := range []int{0, 1, 2, 30, 1200} {
		for _, tail := range []string{"", long} {
			ls := lines(n, uint64(n))
			for i, l := range ls { // keys that are the same for longer than is held of them in memory
				ls[i] = strings.Replace(l, ")/p", ")/p"+tail, 1)
			}
			slices.Sort(ls)
			directory, data := written(t, ls)
			b := blocks(t, directory, data)
			rs, bound := ranges(), func(i int) string { return strings.TrimSuffix(ls[i], "\n") }
			for i := 0; i < n; i += n/6 + 1 {
				key, _, _ := strings.Cut(ls[i], " ")
				rs = append(rs, [2]string{key + " ", key + "!"}, [2]string{bound(i), bound(min(i+n/5, n-1))}, [2]string{"", bound(i)}, [2]string{bound(i), ""})
			}
			for _, r := range rs {
				want := between(ls, r)
				if got := collect(t, b.Search(r[0], r[1], false)); !slices.Equal(got, want) {
					t.Fatalf("n=%d, %q: %d entries, want %d", n, r, len(got), len(want))
				}
				got := collect(t, b.Search(r[0], r[1], true))
				if slices.Reverse(got); !slices.Equal(got, want) {
					t.Fatalf("n=%d, %q: %d entries backward, want %d", n, r, len(got), len(want))
				}
			}
		}
	}
}

// Any program that reads gzip reads the lines, and the directory says where each block begins.
func TestBlocksAreGzip(t *testing.T) {
	ls := lines(400, 1)
	directory, data := written(t, ls)
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil || string(text) != strings.Join(ls, "") {
		t.Errorf("%d bytes, %v, of %d", len(text), err, len(strings.Join(ls, "")))
	}
	whole := string(text)
	rows := strings.Split(strings.TrimSuffix(string(directory), "\n"), "\n")
	if len(rows) < 10 {
		t.Fatalf("%d blocks are too few for this test", len(rows))
	}
	for i, row := range rows {
		var offset, length, number int
		f := strings.Split(row, "\t")
		if len(f) != 5 || f[1] != "000001.cdxj.gz" {
			t.Fatalf("line %q of the directory", row)
		}
		fmt.Sscan(f[2], &offset)
		fmt.Sscan(f[3], &length)
		fmt.Sscan(f[4], &number)
		z, err := gzip.NewReader(bytes.NewReader(data[offset : offset+length]))
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(z)
		if err != nil || number != i+1 || !strings.HasPrefix(whole, string(block)) || !strings.HasPrefix(string(block), f[0]+" ") {
			t.Fatalf("line %q of the directory: %v", row, err)
		}
		whole = whole[len(block):]
	}
	if whole != "" {
		t.Errorf("%d bytes are in no block", len(whole))
	}
}

func TestBlocksPassOverWhatIsNoEntry(t *testing.T) {
	ls := []string{" CDX N b a m s k r M S V g", `a,b)/ 2020 {"url": "u"}`, "a,b)/ not a line", "b " + strings.Repeat("y", 2<<20), "c,d)/ 2020 {}"}
	b := blocks(t, nil, nil)
	if got := collect(t, b.Search("", "", true)); len(got) != 0 {
		t.Errorf("an empty index has %d entries", len(got))
	}
	directory, data := written(t, ls)
	b = blocks(t, directory, data)
	if got := collect(t, b.Search("", "", false)); len(got) != 2 {
		t.Errorf("%d entries, want 2", len(got))
	}
	if got := collect(t, b.Search("c", "d", false)); len(got) != 1 {
		t.Errorf("after the long line: %d entries, want 1", len(got))
	}
}

type brokenFile struct{}

func (brokenFile) ReadAt(p []byte, off int64) (int, error) { return 0, errors.New("disk gone") }

func TestBlocksTellOfAFailure(t *testing.T) {
	directory, data := written(t, lines(400, 1))
	good := blocks(t, directory, data)
	noData, err := OpenBlocks(bytes.NewReader(directory), int64(len(directory)), brokenFile{}, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	damaged := slices.Clone(data)
	for i := range damaged {
		damaged[i] ^= 0x55
	}
	for name, b := range map[string]*Blocks{
		"no directory":      {directory: brokenFile{}, directorySize: good.directorySize, data: good.data, dataSize: good.dataSize, sample: good.sample},
		"damaged":           blocks(t, directory, damaged),
		"no data":           noData,
		"cut":               blocks(t, directory, data[:len(data)/2]),
		"another directory": blocks(t, []byte("a\tb\n"), data),
	} {
		for _, backward := range []bool{false, true} {
			var failed error
			for _, err := range b.Search("", "", backward) {
				failed = err
			}
			if failed == nil {
				t.Errorf("%s, backward %v: no error", name, backward)
			}
		}
	}
	if _, err := OpenBlocks(brokenFile{}, 1000, brokenFile{}, 1000); err == nil || !strings.Contains(err.Error(), "disk gone") {
		t.Errorf("open: %v", err)
	}
}

func BenchmarkBlocks(b *testing.B) {
	directory, data := written(b, lines(50000, 1))
	ix := blocks(b, directory, data)
	b.ReportAllocs()
	for b.Loop() {
		for range ix.Search("com,host3)/p7 ", "com,host3)/p7!", false) {
			break
		}
	}
}
