package order

import (
	"math"
	"strings"
)

// newTianwang makes an ordering policy, the strategy of TianWang, the search engine of Peking University: n picks by
// weight, then m picks at random, since a low weight does not prove that a page is worthless. The weight is
// directoryWeight. With links=X the weight grows by X times the logarithm of 1 + the number of fetched pages that link
// to the URL; with father=X by X times that of the page in which the URL was found, as it was when that was fetched. The
// source names mirrors, too: they are known only of fetched pages, so that no order can go by them.
func newTianwang(a *Args) (Policy, error) {
	start, word := a.Value("start"), a.Value("word")
	weight := func(url string) float64 { return directoryWeight(url, start, word) }
	var byWeight Policy = Func(func(c *Candidate) (float64, string) {
		w := weight(c.Task.URL)
		return w, because("weight", w)
	})
	if links, father := a.Value("links"), a.Value("father"); links > 0 || father > 0 {
		a.part = true
		byLinks := linked(a, weight, func(n float64) float64 { return links * math.Log1p(n) })
		byLinks.father = father
		byWeight = byLinks
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

// directoryWeight returns start, minus 1 for each segment of the path and each ? and &, minus word for each "search",
// "proxy" or "gate" anywhere in the URL; but at least 0. The source has 10 and 2.
func directoryWeight(url string, start, word float64) float64 {
	_, path, query := split(url)
	w := start - float64(len(segments(path))+strings.Count(query, "&"))
	if query != "" || strings.Contains(url, "?") {
		w--
	}
	low := strings.ToLower(url)
	for _, bad := range []string{"search", "proxy", "gate"} {
		w -= word * float64(strings.Count(low, bad))
	}
	return max(w, 0)
}
