package cdx

import (
	"slices"
	"strings"
	"testing"
)

// A range is found in a plain file as in a scan of it, forward and backward, with or without a line feed at its end.
func TestLinesFindWhatAScanFinds(t *testing.T) {
	long := strings.Repeat("/long", 900)
	for _, n := range []int{0, 1, 2, 60} {
		for _, tail := range []string{"", long} {
			ls := lines(n, uint64(n))
			for i, l := range ls {
				if i%3 == 0 {
					ls[i] = strings.Replace(l, ")/p", ")/p"+tail, 1)
				}
			}
			slices.Sort(ls)
			for _, end := range []string{"", "\n", "\n\n"} {
				text := strings.TrimSuffix(strings.Join(ls, ""), "\n") + end
				l := OpenLines(strings.NewReader(text), int64(len(text)))
				rs := append(ranges(), [2]string{"", ""})
				for i := 0; i < n; i += n/6 + 1 {
					key, _, _ := strings.Cut(ls[i], " ")
					rs = append(rs, [2]string{key + " ", key + "!"}, [2]string{"", strings.TrimSuffix(ls[i], "\n")})
				}
				for _, r := range rs {
					want := between(ls, r)
					if got := collect(t, l.Search(r[0], r[1], false)); !slices.Equal(got, want) {
						t.Fatalf("n=%d, end %q, %q: %d entries, want %d", n, end, r, len(got), len(want))
					}
					got := collect(t, l.Search(r[0], r[1], true))
					slices.Reverse(got)
					if !slices.Equal(got, want) {
						t.Fatalf("n=%d, end %q, %q backward: %d entries, want %d", n, end, r, len(got), len(want))
					}
				}
			}
		}
	}
}
