package order

// This file is logistic regression over hashed features, which chance.go joins with a few signals. It keeps a weight
// for each hash, and how often it met each.

import "math"

// linear is logistic regression on hashed features. It learns by stochastic gradient descent with a step of its own for
// each weight (Duchi, Hazan and Singer, "Adaptive subgradient methods", 2011: AdaGrad). It also counts how often it met
// each feature, so that it can say how unsure it is.
type linear struct {
	weights []float32 // by feature
	squares []float32 // sum of the squares of the gradients, by feature
	met     []float32 // how often it was met, by feature
	step    float64   // the first step of each weight
}

// linearBits is the logarithm to base 2 of the number of weights, which is 65,536. Few features share a weight, so that
// this does not matter.
const linearBits = 16

func newLinear(step float64) *linear {
	const n = 1 << linearBits
	return &linear{weights: make([]float32, n), squares: make([]float32, n), met: make([]float32, n), step: step}
}

// feature returns the number of a feature, which is the place of its weight. kind tells features of different meaning
// apart; hash names the feature.
func feature(kind uint64, hash uint64) uint16 { return uint16(joined(kind, hash) >> (64 - linearBits)) }

// sum returns the sum of the weights of features.
func (l *linear) sum(features []uint16) float64 {
	var sum float32
	for _, f := range features {
		sum += l.weights[f]
	}
	return float64(sum)
}

// unsure returns how little is known of features: 1 if none was ever met, near 0 if all were met often.
func (l *linear) unsure(features []uint16) float64 {
	var sum float32
	for _, f := range features {
		sum += 1 / (1 + l.met[f])
	}
	return math.Sqrt(float64(sum) / float64(max(len(features), 1)))
}

// learn moves the weights of features against a gradient: at first by step times the gradient, later by less.
func (l *linear) learn(features []uint16, gradient float64) {
	g := float32(gradient)
	for _, f := range features {
		l.squares[f] += g * g
		l.met[f]++
		l.weights[f] -= float32(l.step) * g / float32(math.Sqrt(1+float64(l.squares[f])))
	}
}

// logistic maps each number to a probability between 0 and 1.
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// logOdds is the inverse of logistic. p may be 0 or 1: it counts as at least 0.01 and at most 0.99.
func logOdds(p float64) float64 {
	p = min(max(p, 0.01), 0.99)
	return math.Log(p / (1 - p))
}
