package judge

// This file is a kind of judge: it scores how similar a page is to some words or a text.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"kavosh"
	"kavosh/lib/words"
)

// query measures how similar a page is to a few words or a text.
type query struct {
	terms []term
	index map[string]int // word to index in terms
	all   float64        // sum of all weights
	half  float64        // the similarity that scores 0.5
}

// term is a word of the query.
type term struct {
	word   string
	weight float64
}

// Bounds and constants of a query.
const (
	maxTerms   = 64      // words of a query that count, the weightiest first
	maxQuery   = 1 << 20 // bytes of a query that are read
	saturation = 1.2     // k1 of BM25: how slowly repeats of a word add less
	lengthened = 0.75    // b of BM25: how much long pages are discounted
	usual      = 400.0   // words of a page of ordinary length
)

// Query judges by similarity to text: two words, or a whole text about the topic. It uses BM25 (Robertson and Zaragoza,
// "The Probabilistic Relevance Framework: BM25 and Beyond", 2009) as a share of the maximum. Each word adds its part,
// and common words weigh less (by background; nil uses a list of the most common words in some languages). The sum is
// multiplied by the share of query words on the page, to the power of 3/4: one of two words, however often, makes
// another topic. A word in the title counts as three in the text. Only the 64 weightiest words of a long text count.
//
// The similarity s gives the score s²/(s²+h²). h falls from 0.4 as the number of words grows: a page is relevant if it
// has a single word twice, both of two words, or about a quarter of a long list. TestQueryIsCalibrated shows it.
func Query(text string, background *Background) (Judge, error) {
	counts := map[string]int{}
	for w := range words.All(text[:min(len(text), maxQuery)]) {
		counts[string(w)]++
	}
	if len(counts) == 0 {
		return nil, errors.New("there is no word in it")
	}
	q := &query{index: map[string]int{}}
	for w, n := range counts {
		q.terms = append(q.terms, term{w, background.weight(w) * (1 + math.Log(float64(n)))})
	}
	slices.SortFunc(q.terms, func(a, b term) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.word, b.word))
	})
	q.terms = q.terms[:min(len(q.terms), maxTerms)]
	squares := 0.0
	for i, t := range q.terms {
		q.index[t.word] = i
		q.all += t.weight
		squares += t.weight * t.weight
	}
	q.half = 0.4 * math.Pow(q.all*q.all/squares, -0.35) // words without weight do not count
	return &whole{kind: q}, nil
}

func (q *query) judge(d *document) kavosh.Verdict {
	var found [maxTerms]int
	length := q.count(d.text, &found, 1) + q.count(d.title, &found, inTitle)
	k := saturation * (1 - lengthened + lengthened*float64(length)/usual)
	var got [maxTerms]float64
	sum, has := 0.0, 0.0
	for i, t := range q.terms {
		if n := float64(found[i]); n > 0 {
			got[i] = t.weight * n / (n + k)
			sum += got[i]
			has += t.weight
		}
	}
	if sum == 0 {
		return kavosh.Verdict{Reasons: []kavosh.Reason{{Text: "none of the words asked for"}}}
	}
	s := sum / q.all * math.Pow(has/q.all, 0.75)
	v := kavosh.Verdict{Score: s * s / (s*s + q.half*q.half)}
	for i, t := range q.terms {
		if got[i] > 0 {
			v.Reasons = append(v.Reasons, kavosh.Reason{Text: fmt.Sprintf(`"%s" %s`, t.word, times(found[i])), Weight: v.Score * got[i] / sum})
		}
	}
	weightiest(v.Reasons)
	return v
}

// count adds to found how often each term occurs in text, times worth, and returns the number of words in text.
func (q *query) count(text []byte, found *[maxTerms]int, worth int) (length int) {
	for w := range each(text) {
		length++
		if i, ok := q.index[string(w)]; ok {
			found[i] += worth
		}
	}
	return length
}
