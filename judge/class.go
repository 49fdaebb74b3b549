package judge

import (
	"cmp"
	"math"
	"slices"

	"kavosh"
)

// Model tells pages of a class from others by their words: a line between the two in the space of words, whichever method
// drew it, and how far from it means how sure. Train makes one, ReadModel reads it. It does not change.
type Model struct {
	Method          string    // "bayes" or "logistic"
	Relevant, Other int       // pages that it was made from
	bias            float64   // of the margin of a page without words
	weights         []float32 // of the buckets; by them and the bias a page has its margin
	slope, offset   float64   // which make a probability of a margin (Platt)
}

// Class judges by a model. The score is the probability that a page is of the class, by the shares of pages that the
// model was made from.
func Class(m *Model) Judge { return &whole{kind: m} }

// margin is on which side of the line a page lies, and how far from it.
func (m *Model) margin(page []feature) float64 {
	sum := m.bias
	for _, f := range page {
		sum += float64(m.weights[f.bucket]) * float64(f.value)
	}
	return sum
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func (m *Model) judge(d *document) kavosh.Verdict {
	page := d.vectorOf()
	v := kavosh.Verdict{Score: sigmoid(m.slope*m.margin(page) + m.offset)}
	all := 0.0
	var top [maxReasons]feature // those that say most, with what they say as their value
	for _, f := range page {
		says := m.weights[f.bucket] * f.value
		all += math.Abs(float64(says))
		if math.Abs(float64(says)) > math.Abs(float64(top[maxReasons-1].value)) {
			top[maxReasons-1] = feature{f.bucket, says}
			slices.SortStableFunc(top[:], func(a, b feature) int {
				return cmp.Compare(math.Abs(float64(b.value)), math.Abs(float64(a.value)))
			})
		}
	}
	if all == 0 {
		return kavosh.Verdict{Reasons: []kavosh.Reason{{Text: "no word that the model knows"}}}
	}
	for _, f := range top {
		if f.value != 0 {
			v.Reasons = append(v.Reasons, kavosh.Reason{Text: d.name(f.bucket), Weight: float64(f.value) / all})
		}
	}
	return v
}

// nameOf is a feature for people.
func nameOf(bucket uint32, word []byte) string {
	if bucket != bucketOf(hashOf(fnvStart, word)) {
		return "title: " + string(word)
	}
	return string(word)
}

// name is the first of the page's words that fell into a bucket.
func (d *document) name(bucket uint32) string {
	for b, word := range d.features {
		if b == bucket {
			return `"` + nameOf(bucket, word) + `"`
		}
	}
	return ""
}
