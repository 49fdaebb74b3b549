package quality

// This file tells what is odd in a series of crawls of the same pages.

import (
	"math"
	"slices"
)

// Crawled is what is told of a crawl of a series.
type Crawled struct {
	New, Changed, Unchanged, Gone int64   // its pages, beside what the archive had before
	Slight                        int64   // of Changed, those that are known to be hardly another
	Answers                       int64   // of servers
	Moved                         int64   // of them, redirects
	Failed                        int64   // requests without an answer
	Seconds                       float64 // that it took
}

// pages returns how many pages it has.
func (c *Crawled) pages() float64 { return float64(c.New + c.Changed + c.Unchanged) }

// Odd says what happened to a crawl that is unlike those before it.
type Odd string

// What may have happened.
const (
	Usual      Odd = ""
	Redesigned Odd = "redesigned" // the site: many pages changed, or others came in their place
	Cut        Odd = "cut"        // the crawl: pages are missing that nothing replaces
	Down       Odd = "down"       // the server: most requests had no answer
	Away       Odd = "away"       // the site: it redirects to elsewhere
)

// Bounds of what is usual.
const (
	usualCrawls = 12  // before a crawl, of which the usual is learnt
	fewestUsual = 3   // without so many nothing is odd
	faster      = 0.7 // of the usual time: so fast a crawl did not do all
)

// Anomalies tells of each crawl of a series, the oldest first, whether it is odd, and how. Each number is held against the median of those
// before whose site was there, and has to leave it by six times their median deviation, and by a least share of all pages: 15 % for pages that
// are gone, 25 % for those that changed or came. Nor may two of them have had as much: what comes again is how the site is. A site that was redesigned has other pages in place of those that are gone, and takes as long
// as ever to be fetched; one that was cut short has none, and most often took less time (as Spaniol and others, 2009, tell the two
// apart by download time).
func Anomalies(series []Crawled) []Odd {
	odd := make([]Odd, len(series))
	var usual []*Crawled
	for i := range series {
		c := &series[i]
		if c.pages() == 0 && c.Gone == 0 && (i == 0 || c.Failed == 0) { // the first, or one that asked for no page
			continue
		}
		if len(usual) >= fewestUsual {
			odd[i] = c.beside(usual[max(0, len(usual)-usualCrawls):])
		}
		if odd[i] == Usual || odd[i] == Redesigned || i >= 2 && odd[i] == Cut && odd[i-1] == Cut && odd[i-2] == Cut { // then it stays so
			usual = append(usual, c)
		}
	}
	return odd
}

// beside tells how a crawl is odd beside usual ones.
func (c *Crawled) beside(usual []*Crawled) Odd {
	const deviations = 6
	// far reports whether a number is greater than usual by so much at least.
	far := func(of func(*Crawled) float64, least float64) bool {
		middle, spread := spreadOf(usual, of)
		return of(c) > middle+max(least, deviations*spread) && of(c) > secondOf(usual, of)
	}
	pages, _ := spreadOf(usual, (*Crawled).pages)
	pages = min(pages, usual[len(usual)-1].pages()) // the site may have become smaller
	seconds, _ := spreadOf(usual, func(c *Crawled) float64 { return c.Seconds })
	lost := far(func(c *Crawled) float64 { return share(c.Gone, c.Gone+c.Changed+c.Unchanged) }, 0.15) || c.pages() < 0.7*pages
	changed := far(func(c *Crawled) float64 { return share(c.New+c.Changed-c.Slight, c.New+c.Changed+c.Unchanged) }, 0.25)
	switch {
	case far(func(c *Crawled) float64 { return share(c.Failed, c.Failed+c.Answers) }, 0.5):
		return Down
	case lost && far(func(c *Crawled) float64 { return share(c.Moved, c.Answers) }, 0.4):
		return Away
	case changed && (!lost || c.pages() >= 0.7*pages || c.Seconds >= faster*seconds && c.pages() >= 0.5*pages):
		return Redesigned
	case lost:
		return Cut
	}
	return Usual
}

func share(n, of int64) float64 { return float64(n) / float64(max(1, of)) }

// secondOf returns the second greatest of a number.
func secondOf(crawls []*Crawled, of func(*Crawled) float64) float64 {
	first, second := math.Inf(-1), math.Inf(-1)
	for _, c := range crawls {
		first, second = max(first, of(c)), max(second, min(first, of(c)))
	}
	return second
}

// spreadOf returns the median of a number, and the median of how far it is from that.
func spreadOf(crawls []*Crawled, of func(*Crawled) float64) (middle, spread float64) {
	median := func(of func(*Crawled) float64) float64 {
		var all []float64
		for _, c := range crawls {
			all = append(all, of(c))
		}
		slices.Sort(all)
		return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	}
	middle = median(of)
	return middle, median(func(c *Crawled) float64 { return max(of(c)-middle, middle-of(c)) })
}
