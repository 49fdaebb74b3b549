package quality

// This file estimates how many pages there are where nobody knows it, by two crawls that found pages each on its own, as
// those who count animals do by marking and catching them again.

import "math"

// Estimate is how many pages there most likely are.
type Estimate struct {
	Pages float64 `json:"pages"`
	Least int64   `json:"least"` // the truth lies between both in at least 95 of 100 cases, if crawls find pages by chance, and each on its own
	Most  int64   `json:"most"`
	Seen  int64   `json:"seen"`  // by one of the crawls, or by both
	Share float64 `json:"share"` // of Pages that were seen
}

// rare is the chance below which what was seen speaks against a number of pages, on each side.
const rare = 0.025

// Recapture estimates how many pages there are, of which one crawl found first, another second, and both found both, at least
// one. It is Chapman's form of the estimator of Lincoln and Petersen ("Some properties of the hypergeometric distribution with
// applications to zoological sample censuses", 1951). The bounds are exact: of fewer or of more pages, two crawls would seldom
// have so many in common. Crawls that follow the same links miss the same pages: then it is too low.
func Recapture(first, second, both int64) Estimate {
	e := Estimate{Seen: first + second - both}
	e.Pages = max(float64(e.Seen), float64(first+1)*float64(second+1)/float64(both+1)-1)
	e.Share = float64(e.Seen) / e.Pages
	fits := func(pages int64, up bool) bool { return tail(pages, first, second, both, up) >= rare }
	e.Least = e.Seen + search(func(n int64) bool { return fits(e.Seen+n, false) })
	e.Most = e.Seen + max(0, search(func(n int64) bool { return !fits(e.Seen+n, true) })-1)
	return e
}

// search returns the least number from 0 for which is is true. It is true for all above.
func search(is func(int64) bool) int64 {
	if is(0) {
		return 0
	}
	low, high := int64(0), int64(1) // it is false for low
	for !is(high) {
		low, high = high, 2*high
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; is(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// tail returns the chance that of so many pages two crawls, which find first and second by chance, both find at most so many, or at least, if
// up: the hypergeometric distribution, summed from the middle outwards.
func tail(pages, first, second, both int64, up bool) float64 {
	n, a, b := float64(pages), float64(first), float64(second)
	k := float64(both)
	term := math.Exp(choose(a, k) + choose(n-a, b-k) - choose(n, b))
	sum := term
	for term > 0 {
		was := term
		if up {
			term *= (a - k) * (b - k) / ((k + 1) * (n - a - b + k + 1))
			k++
		} else {
			term *= k * (n - a - b + k) / ((a - k + 1) * (b - k + 1))
			k--
		}
		if sum += term; term < was && term < sum*1e-15 || sum > 2*rare {
			break
		}
	}
	return sum
}

// choose returns the logarithm of the number of ways to choose k of n.
func choose(n, k float64) float64 {
	log := func(x float64) float64 { v, _ := math.Lgamma(x + 1); return v }
	return log(n) - log(k) - log(n-k)
}
