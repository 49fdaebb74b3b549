package quality

// This file estimates how many pages there are where nobody knows it, by two crawls that found pages each on its own, as
// those who count animals do by marking and catching them again.

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
	a, b, seen := int(first), int(second), int(e.Seen)
	e.Least = e.Seen + search(func(n int64) bool { return atLeast(b-int(both), b, seen+int(n)-a, seen+int(n)) >= rare }) // as few as these in common
	e.Most = e.Seen + max(0, search(func(n int64) bool { return atLeast(int(both), a, b, seen+int(n)) < rare })-1)       // as many
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
