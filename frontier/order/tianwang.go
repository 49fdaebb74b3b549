package order

import (
	"math"
	"strings"
)

// newTianwang makes an ordering policy, the strategy of TianWang, the search engine of Peking University: n picks by
// weight, then m picks at random, since a low weight does not prove that a page is worthless. The weight is
// directoryWeight. With links=X the weight grows by X times the logarithm of 1 + the number of fetched pages that link
// to the URL.
func newTianwang(a *Args) (Policy, error) {
	var byWeight Policy = Func(func(c *Candidate) (float64, string) {
		w := directoryWeight(c.Task.URL)
		return w, because("weight", w)
	})
	if links := a.Value("links"); links > 0 {
		a.part = true
		byWeight = linked(a, directoryWeight, func(n float64) float64 { return links * math.Log1p(n) })
	}
	random, err := newRandom(a)
	if err != nil {
		return nil, err
	}
	return newTurns(a.Memory, []turn{
		{Part: Part{Name: "weight", Policy: byWeight}, picks: int(a.Value("n"))},
		{Part: Part{Name: "random", Policy: random}, picks: int(a.Value("m"))},
	}), nil
}

// directoryWeight returns 10, minus 1 for each segment of the path and each ? and &, minus 2 for each "search", "proxy"
// or "gate" anywhere in the URL; but at least 0.
func directoryWeight(url string) float64 {
	_, path, query := split(url)
	w := 10 - len(segments(path)) - strings.Count(query, "&")
	if query != "" || strings.Contains(url, "?") {
		w--
	}
	low := strings.ToLower(url)
	for _, word := range []string{"search", "proxy", "gate"} {
		w -= 2 * strings.Count(low, word)
	}
	return float64(max(w, 0))
}
