package judge

// This file judges pages by a trained model. judge works in memory alone: it reads no file and asks no server.

import (
	"cmp"
	"math"
	"slices"

	"kavosh"
)

// Model tells pages of a class from others by their words. It is a hyperplane in the space of words; a page's distance
// from it says how certain the answer is. Train makes a model, ReadModel reads one. It does not change.
type Model struct {
	Method          string    // "bayes" or "logistic"
	Relevant, Other int       // number of pages it was trained on
	bias            float64   // margin of a page without words
	weights         []float32 // of the buckets; with bias they give a page's margin
	slope, offset   float64   // turn a margin into a probability (Platt)
}

// Class judges by a model. The score is the probability that a page is of the class, if the class is as frequent as in
// the training pages.
func Class(m *Model) Judge { return &whole{kind: m} }

// margin returns the distance of a page from the hyperplane; it is positive for the class.
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
	var top [maxReasons]feature // the strongest features, with their contribution as value
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

// nameOf returns the name of a feature for people.
func nameOf(bucket uint32, word []byte) string {
	if bucket != bucketOf(hashOf(fnvStart, word)) {
		return "title: " + string(word)
	}
	return string(word)
}

// name returns the first word of the page that falls into a bucket.
func (d *document) name(bucket uint32) string {
	for b, word := range d.features {
		if b == bucket {
			return `"` + nameOf(bucket, word) + `"`
		}
	}
	return ""
}
