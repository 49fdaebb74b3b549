package order

// This file is logistic regression over hashed features, which chance.go joins with a few signals. It keeps a weight
// for each hash, and how often it met each.

import "math"

// linear is logistic regression on hashed features, learned by stochastic gradient descent with a step of its own for
// every weight (Duchi, Hazan and Singer, "Adaptive subgradient methods", 2011: AdaGrad). It also knows how often it met a
// feature, so that it can say how unsure it is.
type linear struct {
	weights []float32 // by feature
	squares []float32 // of gradients, summed
	met     []float32
	step    float64
}

// linearBits is the logarithm of the number of weights: 65,536. Features that share one are rare enough not to matter.
const linearBits = 16

func newLinear(step float64) *linear {
	const n = 1 << linearBits
	return &linear{weights: make([]float32, n), squares: make([]float32, n), met: make([]float32, n), step: step}
}

// feature is the place of a weight, for what was named by hash.
func feature(kind uint64, hash uint64) uint16 { return uint16(joined(kind, hash) >> (64 - linearBits)) }

// sum is the weights of features.
func (l *linear) sum(features []uint16) float64 {
	var sum float32
	for _, f := range features {
		sum += l.weights[f]
	}
	return float64(sum)
}

// unsure is how little is known of features: 1 when none was ever met, near 0 when all were often.
func (l *linear) unsure(features []uint16) float64 {
	var sum float32
	for _, f := range features {
		sum += 1 / (1 + l.met[f])
	}
	return math.Sqrt(float64(sum) / float64(max(len(features), 1)))
}

// learn moves the weights of features against a gradient: by step times it at first, and less as more has come in.
func (l *linear) learn(features []uint16, gradient float64) {
	g := float32(gradient)
	for _, f := range features {
		l.squares[f] += g * g
		l.met[f]++
		l.weights[f] -= float32(l.step) * g / float32(math.Sqrt(1+float64(l.squares[f])))
	}
}

// logistic maps all numbers to 0 to 1.
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// logOdds is its inverse, for shares that may be 0 or 1.
func logOdds(p float64) float64 {
	p = min(max(p, 0.01), 0.99)
	return math.Log(p / (1 - p))
}
