package quality

// This file looks at some pages, picked at random, and says how far what they show is true of all.

import (
	"context"
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"
	"sort"

	"kavosh/lib/cdx"
)

// maxSample is how many pages a sample has at most.
const maxSample = 20_000

// Sample yields pages as Pages does, but in a random order that seed fixes, and at most 20,000 of them. count is called once, before
// the first is yielded, with the number of all pages. The whole index is read first.
func (r *Reader) Sample(ctx context.Context, q cdx.Query, of func(*cdx.Entry) bool, seed uint64, count func(int)) iter.Seq2[*Page, error] {
	return r.looked(ctx, func(yield func(cdx.Entry, error) bool) {
		picked, n, err := pick(r.newest(ctx, q, of), maxSample, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			yield(cdx.Entry{}, err)
			return
		}
		count(n)
		for _, e := range picked {
			if !yield(e, nil) {
				return
			}
		}
	})
}

// pick returns at most so many of all, each with the same probability, in a random order (Vitter's algorithm R, 1985), and how many there
// are.
func pick[T any](all iter.Seq2[T, error], most int, random *rand.Rand) (picked []T, n int, err error) {
	for one, err := range all {
		if err != nil {
			return nil, 0, err
		}
		if n++; len(picked) < most {
			picked = append(picked, one)
		} else if at := random.IntN(n); at < most {
			picked[at] = one
		}
	}
	random.Shuffle(len(picked), func(i, j int) { picked[i], picked[j] = picked[j], picked[i] })
	return picked, n, nil
}

// Mean is what is known of the mean of numbers from 0 to 1 when some of them were seen, picked at random. Whenever one stops looking,
// for whatever reason, the true mean is between Low and High with a probability of at least 97.5 %: the bounds hold for all moments
// together. They come from bets on each possible mean that a true one would lose ("Estimating means of bounded random variables by
// betting", Waudby-Smith and Ramdas, 2024: the hedged capital process, without replacement). Use NewMean.
type Mean struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`

	all, seen       int
	sum, squares    float64                // of what was seen; squares of its distance to the mean so far
	over, under     [meanSteps + 1]float64 // logarithm of what bets that the mean is greater, and less, have won, by possible mean
	lowest, highest int                    // possible means that are left
}

const (
	meanSteps = 1000 // possible means
	maxBet    = 0.75 // share of the capital
)

// mayFail is how probable it may be that what is said of a share, or of a mean, is wrong: of both together, twice as much.
const mayFail = 0.025

// meanLimit is the logarithm of the capital at which a possible mean is out: 40 times the stake, of which each side has half.
var meanLimit = math.Log(2 / mayFail)

// NewMean returns what is known of the mean of so many numbers, of which none was seen.
func NewMean(all int) *Mean {
	return &Mean{High: 1, all: all, highest: meanSteps}
}

// Add takes the next number.
func (m *Mean) Add(x float64) {
	t := float64(m.seen + 1)
	bet := math.Sqrt(2 * meanLimit / ((0.25 + m.squares) * math.Log(t+1)))
	left := float64(m.all - m.seen)
	for i := m.lowest; i <= m.highest; i++ {
		rest := min(1, max(0, (float64(m.all)*float64(i)/meanSteps-m.sum)/left)) // the mean of what was not seen, if this is that of all
		m.over[i] += math.Log1p(min(bet, maxBet/rest) * (x - rest))
		m.under[i] += math.Log1p(min(bet, maxBet/(1-rest)) * (rest - x))
	}
	m.seen++
	m.sum += x
	distance := x - (0.5+m.sum)/(t+1)
	m.squares += distance * distance
	// What was seen alone says how little and how much the mean can be.
	least, most := m.sum/float64(m.all), (m.sum+left-1)/float64(m.all)
	for m.lowest < m.highest && (float64(m.lowest+1)/meanSteps < least || m.out(m.lowest)) {
		m.lowest++
	}
	for m.highest > m.lowest && (float64(m.highest-1)/meanSteps > most || m.out(m.highest)) {
		m.highest--
	}
	m.Low = min(max(m.Low, least, float64(m.lowest-1)/meanSteps), 1)
	m.High = max(min(m.High, most, float64(m.highest+1)/meanSteps), 0)
}

func (m *Mean) out(i int) bool { return max(m.over[i], m.under[i]) >= meanLimit }

// Share is what is known of the share of pages that have a property when some were looked at, picked at random. After 50 pages, 100, 200
// and so on, and after all, it says between which bounds the share is: all it says is true together with a probability of at least
// 97.5 %. The bounds are exact (those of Clopper and Pearson, 1934, for a draw without replacement), and the error is shared out among
// the times that one may look. Use NewShare.
type Share struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`

	all, seen, have int
}

const (
	firstLook = 50
	looks     = 10 // 50 times two to the power of nine is more than a sample has
)

// NewShare returns what is known of a share of so many pages, of which none was looked at.
func NewShare(all int) *Share { return &Share{High: 1, all: all} }

// Add takes the next page.
func (s *Share) Add(has bool) {
	if s.seen++; has {
		s.have++
	}
	if n := s.seen; n == s.all || n == maxSample || n >= firstLook && n%firstLook == 0 && bits.OnesCount(uint(n/firstLook)) == 1 {
		s.look()
	}
}

// look finds the fewest and the most pages that can have the property.
func (s *Share) look() {
	const error = mayFail / looks / 2 // on each side
	lacking := s.seen - s.have
	fewest := s.have + sort.Search(s.all-s.seen, func(i int) bool { return atLeast(s.have, s.seen, s.have+i, s.all) > error })
	most := s.all - lacking - sort.Search(s.all-s.seen, func(i int) bool { return atLeast(lacking, s.seen, lacking+i, s.all) > error })
	s.Low = max(s.Low, float64(fewest)/float64(s.all))
	s.High = min(s.High, float64(most)/float64(s.all))
}

// atLeast returns how probable it is that of all things, of which some were seen and some have a property, so many or more have both; 1
// where that is as likely as not: the hypergeometric distribution.
func atLeast(both, seen, have, all int) float64 {
	if float64(both) <= float64(seen)*float64(have)/float64(all) {
		return 1
	}
	term, p := math.Exp(logChoose(have, both)+logChoose(all-have, seen-both)-logChoose(all, seen)), 0.0
	for k := both; term > p*1e-15; k++ {
		p += term
		term *= float64(have-k) * float64(seen-k) / (float64(k+1) * float64(all-have-seen+k+1))
	}
	return p
}

// logChoose returns the logarithm of the number of ways to choose k of n; that of 0 if there is none.
func logChoose(n, k int) float64 {
	if k < 0 || k > n {
		return math.Inf(-1)
	}
	whole, _ := math.Lgamma(float64(n + 1))
	chosen, _ := math.Lgamma(float64(k + 1))
	left, _ := math.Lgamma(float64(n - k + 1))
	return whole - chosen - left
}

// Within reports whether the share is known to so much on both sides.
func (s *Share) Within(margin float64) bool { return s.High-s.Low <= 2*margin }
