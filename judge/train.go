package judge

// This file makes models from pages that people labelled.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"kavosh"
)

// Methods are the ways in which Train makes a model.
var Methods = []string{"logistic", "bayes"}

// Trainer collects labelled pages and trains a model with them. The zero value is ready. It keeps about 8 bytes for
// each distinct word of each page, and one word for each bucket. It is for one goroutine.
//
// The same pages in the same order give the same model.
type Trainer struct {
	d        document
	pages    []example
	groups   map[string]int // group to its number, in order of appearance
	names    map[uint32]string
	relevant int
}

// example is a labelled page.
type example struct {
	vector   []feature
	group    int
	relevant bool
}

// Add adds a page. Pages of one group, such as a host, resemble each other; so when the model is tested, they are never
// split between training and test pages. Add ignores a page without words and returns false.
func (t *Trainer) Add(p *kavosh.Page, group string, relevant bool) bool {
	if t.groups == nil {
		t.groups, t.names = map[string]int{}, map[uint32]string{}
	}
	t.d.read(p)
	vector := slices.Clone(t.d.vectorOf())
	if len(vector) == 0 {
		return false
	}
	for b, word := range t.d.features {
		if t.names[b] == "" {
			t.names[b] = nameOf(b, word)
		}
	}
	g, known := t.groups[group]
	if !known {
		g = len(t.groups)
		t.groups[group] = g
	}
	t.pages = append(t.pages, example{vector, g, relevant})
	if relevant {
		t.relevant++
	}
	return true
}

// leastPages is the number of pages of each kind that training requires.
const leastPages = 10

// Train trains a model with one of Methods, and tests the method by cross-validation: on pages of groups that were left
// out of training.
func (t *Trainer) Train(method string) (*Model, *Report, error) {
	if !slices.Contains(Methods, method) {
		return nil, nil, fmt.Errorf("method %q is not known, but %s", method, orList(Methods))
	}
	if other := len(t.pages) - t.relevant; t.relevant < leastPages || other < leastPages {
		return nil, nil, fmt.Errorf("%d relevant pages and %d others with words in them: a model needs at least %d of each",
			t.relevant, other, leastPages)
	}
	r := t.validate(method)
	m := trainModel(method, t.pages)
	m.slope, m.offset = platt(r.scored)
	r.For, r.Against = t.tellingWords(m)
	return m, r, nil
}

// trainModel trains a model on pages. Its slope and offset are not calibrated.
func trainModel(method string, pages []example) *Model {
	m := &Model{Method: method, weights: make([]float32, buckets), slope: 1}
	for i := range pages {
		if pages[i].relevant {
			m.Relevant++
		} else {
			m.Other++
		}
	}
	m.bias = math.Log(float64(m.Relevant) / float64(m.Other)) // the estimate for a page without words
	if method == "bayes" {
		m.bayes(pages)
	} else {
		m.logistic(pages)
	}
	return m
}

// bayes trains multinomial naive Bayes on vectors of length 1, which corrects for long pages and for words that occur
// in bursts (Rennie et al., "Tackling the Poor Assumptions of Naive Bayes Text Classifiers", 2003).
func (m *Model) bayes(pages []example) {
	const smoothing = 0.01
	sums := [2][]float64{make([]float64, buckets), make([]float64, buckets)}
	var all [2]float64
	met := 0
	for i := range pages {
		kind := side(pages[i].relevant)
		for _, f := range pages[i].vector {
			if sums[0][f.bucket] == 0 && sums[1][f.bucket] == 0 {
				met++
			}
			sums[kind][f.bucket] += float64(f.value)
			all[kind] += float64(f.value)
		}
	}
	for b := range m.weights {
		if sums[0][b] > 0 || sums[1][b] > 0 {
			m.weights[b] = float32(math.Log((sums[1][b]+smoothing)/(all[1]+smoothing*float64(met))) -
				math.Log((sums[0][b]+smoothing)/(all[0]+smoothing*float64(met))))
		}
	}
}

// logistic trains logistic regression by stochastic gradient descent (Bottou, "Stochastic Gradient Descent Tricks",
// 2012). The pages come in a fixed order; a common factor shrinks all weights.
func (m *Model) logistic(pages []example) {
	const (
		rounds = 20
		first  = 4.0  // learning rate of the first step
		shrink = 3e-5 // λ of the L2 penalty
	)
	order := make([]int, len(pages))
	for i := range order {
		order[i] = i
	}
	shuffle := rand.New(rand.NewPCG(1, 2))
	scale, step := 1.0, 0
	for range rounds {
		shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			p := &pages[i]
			sum := m.bias
			for _, f := range p.vector {
				sum += scale * float64(m.weights[f.bucket]) * float64(f.value)
			}
			miss := -sigmoid(sum)
			if p.relevant {
				miss++
			}
			rate := first / (1 + first*shrink*float64(step))
			step++
			scale *= 1 - rate*shrink
			for _, f := range p.vector {
				m.weights[f.bucket] += float32(rate * miss * float64(f.value) / scale)
			}
			if scale < 1e-3 {
				m.rescale(scale)
				scale = 1
			}
		}
	}
	m.rescale(scale)
}

func (m *Model) rescale(by float64) {
	for b := range m.weights {
		m.weights[b] *= float32(by)
	}
}
