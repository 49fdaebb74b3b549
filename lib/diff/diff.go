// Package diff finds the differences between two sequences of texts, such as blocks of pages or words of blocks.
package diff

// Run is a part of both sequences: equal in both, or A in the first where the second has B; A or B may be empty.
type Run struct {
	Same bool
	A, B []string
}

// Runs splits a and b into runs with the fewest differences (Myers, An O(ND) Difference Algorithm and Its Variations,
// 1986). Time grows with the number of differences and memory with its square. If there are more than most, everything
// between the common beginning and end is one run.
func Runs(a, b []string, most int) []Run {
	begin := 0
	for begin < len(a) && begin < len(b) && a[begin] == b[begin] {
		begin++
	}
	end := 0
	for end < len(a)-begin && end < len(b)-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	var runs []Run
	add := func(same bool, a, b []string) {
		if len(a)+len(b) > 0 {
			runs = append(runs, Run{same, a, b})
		}
	}
	add(true, a[:begin], b[:begin])
	middleA, middleB := a[begin:len(a)-end], b[begin:len(b)-end]
	x, y := 0, 0
	for _, s := range snakes(middleA, middleB, most) {
		add(false, middleA[x:s.x], middleB[y:s.y])
		add(true, middleA[s.x:s.x+s.n], middleB[s.y:s.y+s.n])
		x, y = s.x+s.n, s.y+s.n
	}
	add(false, middleA[x:], middleB[y:])
	add(true, a[len(a)-end:], b[len(b)-end:])
	return runs
}

// snake is n equal elements, from x in the first sequence and y in the second.
type snake struct{ x, y, n int }

// snakes returns the equal parts of a and b; nil if there are more than most differences.
func snakes(a, b []string, most int) []snake {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	// reach[k] is how far along a the path on diagonal k (x-y) gets with d differences; trace keeps it for each d.
	reach := map[int]int{1: 0}
	var trace []map[int]int
	for d := 0; d <= min(most, len(a)+len(b)); d++ {
		now := make(map[int]int, d+1)
		for k := -d; k <= d; k += 2 {
			x := from(reach, k, d)
			for x < len(a) && x-k < len(b) && x-k >= 0 && a[x] == b[x-k] {
				x++
			}
			now[k] = x
			if x >= len(a) && x-k >= len(b) {
				return back(trace, len(a), len(b))
			}
		}
		trace = append(trace, now)
		reach = now
	}
	return nil
}

// from returns where a path enters diagonal k with its d-th difference.
func from(reach map[int]int, k, d int) int {
	if d == 0 {
		return 0
	}
	if k == -d || k != d && reach[k-1] < reach[k+1] {
		return reach[k+1]
	}
	return reach[k-1] + 1
}

// back walks from the end to the beginning along what each number of differences reached.
func back(trace []map[int]int, x, y int) []snake {
	var found []snake
	for d := len(trace); d >= 0; d-- {
		k := x - y
		start := 0
		if d > 0 {
			start = from(trace[d-1], k, d)
		}
		if n := x - start; n > 0 {
			if last := len(found) - 1; last >= 0 && found[last].x == x && found[last].y == y {
				found[last] = snake{start, start - k, n + found[last].n}
			} else {
				found = append(found, snake{start, start - k, n})
			}
		}
		if d == 0 {
			break
		}
		x, y = start, start-k
		if k == -d || k != d && trace[d-1][k-1] < trace[d-1][k+1] {
			y--
		} else {
			x--
		}
	}
	for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
		found[i], found[j] = found[j], found[i]
	}
	return found
}
