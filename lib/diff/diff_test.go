package diff

import (
	"slices"
	"strings"
	"testing"
)

// rebuild is what runs say the two sequences were, and how many elements differ.
func rebuild(runs []Run) (a, b []string, differ int) {
	for _, r := range runs {
		a, b = append(a, r.A...), append(b, r.B...)
		if !r.Same {
			differ += len(r.A) + len(r.B)
		}
	}
	return a, b, differ
}

// Whatever runs are found, they are the two sequences, and no more differs than must.
func TestRuns(t *testing.T) {
	for _, c := range []struct {
		a, b   string
		differ int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "a b", 2}, {"a b c", "a b c", 0}, {"a b c", "a x c", 2}, {"a b c a b b a", "c b a b a c", 5},
		{"a b c d", "b c d a", 2}, {"x a a a", "a a a y", 2}, {"the old town hall", "the new town hall opened", 3},
	} {
		a, b := strings.Fields(c.a), strings.Fields(c.b)
		runs := Runs(a, b, 100)
		gotA, gotB, differ := rebuild(runs)
		if !slices.Equal(a, gotA) || !slices.Equal(b, gotB) || differ != c.differ {
			t.Errorf("%q, %q: %d differ, want %d: %v", c.a, c.b, differ, c.differ, runs)
		}
	}
}

// What differs by more than the bound is one run between what is common at both ends.
func TestBound(t *testing.T) {
	runs := Runs(strings.Fields("s a b c d e"), strings.Fields("s 1 b 2 d 3 e"), 2)
	if len(runs) != 3 || !runs[0].Same || runs[1].Same || len(runs[1].A) != 4 || !runs[2].Same {
		t.Errorf("%v", runs)
	}
}

func FuzzRuns(f *testing.F) {
	f.Add("a b c a", "b c a d", 9)
	f.Fuzz(func(t *testing.T, x, y string, most int) {
		a, b := strings.Split(x, " "), strings.Split(y, " ")
		if len(a)+len(b) > 300 {
			return
		}
		runs := Runs(a, b, most%200)
		gotA, gotB, _ := rebuild(runs)
		if !slices.Equal(a, gotA) || !slices.Equal(b, gotB) {
			t.Errorf("%q, %q: %v", a, b, runs)
		}
		for i, r := range runs {
			if r.Same && !slices.Equal(r.A, r.B) || i > 0 && r.Same == runs[i-1].Same && r.Same {
				t.Errorf("%q, %q: %v", a, b, runs)
			}
		}
	})
}
