package order

// This file is the model of the policies reinforce-linear and rdf-learn: it predicts how likely a link is good, and
// learns from what came of the link. It keeps the weights of the model.

import "errors"

// chance is a logistic regression on signals and features. It foretells how a link differs from all: log odds less those
// of all pages.
type chance struct {
	weights signals
	bias    float64
	words   *linear
}

// signalStep is how far the weight of a signal moves for a whole error.
const signalStep = 0.02

func newChance(step float64, first signals) *chance {
	return &chance{weights: first, words: newLinear(step)}
}

func (c *chance) logOdds(x *signals, features []uint16) float64 {
	sum := c.bias + c.words.sum(features)
	for i := range x {
		sum += c.weights[i] * x[i]
	}
	return sum
}

// learn takes in that what was foretold, beside all pages' log odds, came out as target, from 0 to 1.
func (c *chance) learn(x *signals, features []uint16, odds, target float64) {
	g := logistic(odds+c.logOdds(x, features)) - target
	for i := range x {
		c.weights[i] -= signalStep * g * x[i]
	}
	c.bias -= signalStep * g
	c.words.learn(features, g)
}

// savedChance has the weights that are not 0.
type savedChance struct {
	Weights signals            `json:"weights"`
	Bias    float64            `json:"bias"`
	Words   []fact[[3]float32] `json:"words"` // weight, squares, met
}

func (c *chance) save() savedChance {
	s := savedChance{Weights: c.weights, Bias: c.bias}
	for f, n := range c.words.met {
		if n > 0 {
			s.Words = append(s.Words, fact[[3]float32]{uint64(f), [3]float32{c.words.weights[f], c.words.squares[f], n}})
		}
	}
	return s
}

func (c *chance) restore(s savedChance) error {
	c.weights, c.bias = s.Weights, s.Bias
	for _, f := range s.Words {
		if f.Key >= 1<<linearBits || f.Value[1] < 0 || f.Value[2] < 0 {
			return errors.New("reinforce-linear: what it knew has a feature that cannot be")
		}
		c.words.weights[f.Key], c.words.squares[f.Key], c.words.met[f.Key] = f.Value[0], f.Value[1], f.Value[2]
	}
	return nil
}
