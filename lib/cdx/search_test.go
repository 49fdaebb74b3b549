package cdx

import (
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

// entries are lines, read.
func entries(t testing.TB, lines []string) []Entry {
	var es []Entry
	for _, l := range lines {
		e, err := ParseLine([]byte(l))
		if err != nil {
			t.Fatal(err)
		}
		es = append(es, e)
	}
	return es
}

func TestSearchFindsWhatAScanFinds(t *testing.T) {
	for n := range 60 {
		ls := lines(n, uint64(n))
		es := entries(t, ls)
		slices.SortFunc(es, func(a, b Entry) int { return Compare(&a, &b) })
		for _, r := range ranges() {
			want := between(ls, r)
			got := collect(t, Search(es, r[0], r[1], false))
			back := collect(t, Search(es, r[0], r[1], true))
			slices.Reverse(back)
			if !slices.Equal(got, back) {
				t.Fatalf("n=%d, %q: backward %v, forward %v", n, r, back, got)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Fatalf("n=%d, %q: %d entries, want %d", n, r, len(got), len(want))
			}
		}
	}
}

// ranges are some that lines has something in, and some that it has not.
func ranges() [][2]string {
	return [][2]string{
		{"", ""}, {"com,host3)/", "com,host3*"}, {"com,host0)/p1 ", "com,host0)/p1!"}, {"a", "b"}, {"x", ""}, {"com,host7)/p9 ", ""},
		{"com,host2)/p10 20000101000500", "com,host6)/"}, {"com,host5)/", "com,host4)/"},
	}
}

// between are the lines of a range.
func between(lines []string, r [2]string) (in []string) {
	for _, l := range lines {
		if l >= r[0] && (r[1] == "" || l < r[1]) {
			in = append(in, l)
		}
	}
	return in
}

func TestMergeKeepsOrderAndEverything(t *testing.T) {
	var want []string
	var seqs, backs []iter.Seq2[Entry, error]
	for i := range 5 {
		ls := lines(20*i, uint64(i))
		want = append(want, ls...)
		es := entries(t, ls)
		slices.SortFunc(es, func(a, b Entry) int { return Compare(&a, &b) })
		seqs = append(seqs, Search(es, "", "", false))
		backs = append(backs, Search(es, "", "", true))
	}
	got, back := collect(t, Merge(false, seqs...)), collect(t, Merge(true, backs...))
	if slices.Reverse(back); !slices.Equal(got, back) {
		t.Error("backward it is another sequence")
	}
	key := func(l string) string { k, _, _ := strings.Cut(l, " {"); return k }
	if !slices.IsSortedFunc(got, func(a, b string) int { return strings.Compare(key(a), key(b)) }) {
		t.Error("the result is not sorted")
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
	for range Merge(false, seqs...) {
		break // stopping early must not hang
	}
	if got := collect(t, Merge(false)); len(got) != 0 {
		t.Errorf("merging nothing gives %d entries", len(got))
	}
}
