package cdx

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// lines is a sorted index of n entries with lines of very different lengths.
func lines(n int, seed uint64) []string {
	rnd := rand.New(rand.NewPCG(seed, 1))
	ls := make([]string, n)
	for i := range ls {
		e := Entry{
			Key:       fmt.Sprintf("com,host%d)/p%d", rnd.IntN(8), rnd.IntN(20)),
			Timestamp: fmt.Sprint(20000101000000 + rnd.IntN(1000)),
			URL:       "http://h/" + strings.Repeat("x", rnd.IntN(3)*rnd.IntN(3000)),
			Offset:    int64(i),
			Filename:  "f",
		}
		ls[i] = string(e.AppendLine(nil))
	}
	slices.Sort(ls)
	return ls
}

func collect(t *testing.T, seq iter.Seq2[Entry, error]) (out []string) {
	t.Helper()
	for e, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(e.AppendLine(nil)))
	}
	return out
}

func TestSearchFindsWhatAScanFinds(t *testing.T) {
	for n := range 60 {
		ls := lines(n, uint64(n))
		file := strings.Join(ls, "")
		if n%3 == 0 {
			file = strings.TrimSuffix(file, "\n")
		}
		for _, r := range [][2]string{
			{"", ""}, {"com,host3)/", "com,host3*"}, {"com,host0)/p1 ", "com,host0)/p1!"}, {"a", "b"}, {"x", ""}, {"com,host7)/p9 ", ""},
			{"com,host2)/p10 20000101000500", "com,host6)/"},
		} {
			var want []string
			for _, l := range ls {
				if l >= r[0] && (r[1] == "" || l < r[1]) {
					want = append(want, l)
				}
			}
			got := collect(t, Search(strings.NewReader(file), int64(len(file)), r[0], r[1]))
			if !slices.Equal(got, want) {
				t.Fatalf("n=%d, %q to %q: %d entries, want %d", n, r[0], r[1], len(got), len(want))
			}
		}
	}
}

func TestSearchPassesOverWhatIsNoEntry(t *testing.T) {
	ls := []string{" CDX N b a m s k r M S V g\n", "a,b)/ 2020 {\"url\": \"u\"}\n", "a,b)/ not a line\n", "b " + strings.Repeat("y", 2<<20) + "\n", "c,d)/ 2020 {}\n"}
	file := strings.Join(ls, "")
	if got := collect(t, Search(strings.NewReader(file), int64(len(file)), "", "")); len(got) != 2 {
		t.Errorf("%d entries, want 2", len(got))
	}
	if got := collect(t, Search(strings.NewReader(file), int64(len(file)), "c", "d")); len(got) != 1 {
		t.Errorf("after the long line: %d entries, want 1", len(got))
	}
}

type brokenFile struct{}

func (brokenFile) ReadAt(p []byte, off int64) (int, error) { return 0, errors.New("disk gone") }

func TestSearchTellsOfAFailure(t *testing.T) {
	for _, err := range Search(brokenFile{}, 1000, "a", "b") {
		if err == nil || !strings.Contains(err.Error(), "disk gone") {
			t.Fatalf("err = %v", err)
		}
		return
	}
	t.Fatal("no error")
}

func TestMergeKeepsOrderAndEverything(t *testing.T) {
	var want []string
	var seqs []iter.Seq2[Entry, error]
	for i := range 5 {
		ls := lines(20*i, uint64(i))
		want = append(want, ls...)
		file := []byte(strings.Join(ls, ""))
		seqs = append(seqs, Search(bytes.NewReader(file), int64(len(file)), "", ""))
	}
	got := collect(t, Merge(seqs...))
	key := func(l string) string { k, _, _ := strings.Cut(l, " {"); return k }
	if !slices.IsSortedFunc(got, func(a, b string) int { return strings.Compare(key(a), key(b)) }) {
		t.Error("the result is not sorted")
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
	for range Merge(seqs...) {
		break // stopping early must not hang
	}
	if got := collect(t, Merge()); len(got) != 0 {
		t.Errorf("merging nothing gives %d entries", len(got))
	}
}

func BenchmarkSearch(b *testing.B) {
	ls := lines(50000, 1)
	file := strings.NewReader(strings.Join(ls, ""))
	b.ReportAllocs()
	for b.Loop() {
		for range Search(file, file.Size(), "com,host3)/p7 ", "com,host3)/p7!") {
			break
		}
	}
}
