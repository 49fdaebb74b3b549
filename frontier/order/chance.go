package order

// This file is the model of the ordering policies reinforce-linear and rdf-learn: it predicts how likely a link is
// good, and learns from what came of the link. It keeps the weights of the model.

import "errors"

// chance is a logistic regression on signals (numbers) and features (hashed words and the like). It predicts how far a
// link differs from all links: the log odds that it is good, minus the log odds for all pages.
type chance struct {
	weights signals // one for each signal
	bias    float64
	words   *linear // the weights of features
}

// signalStep is how far the weight of a signal moves when the prediction is wrong by 1.
const signalStep = 0.02

// newChance makes a model: step is how fast it learns words, first are the weights of the signals before it learned
// anything.
func newChance(step float64, first signals) *chance {
	return &chance{weights: first, words: newLinear(step)}
}

// logOdds returns the prediction for a link with these signals and features.
func (c *chance) logOdds(x *signals, features []uint16) float64 {
	sum := c.bias + c.words.sum(features)
	for i := range x {
		sum += c.weights[i] * x[i]
	}
	return sum
}

// learn adjusts the weights to what came of a link. target, from 0 to 1, is what came; odds are the log odds for all
// pages, to which logOdds adds its prediction.
func (c *chance) learn(x *signals, features []uint16, odds, target float64) {
	g := logistic(odds+c.logOdds(x, features)) - target
	for i := range x {
		c.weights[i] -= signalStep * g * x[i]
	}
	c.bias -= signalStep * g
	c.words.learn(features, g)
}

// savedChance is a chance as it is saved. It holds only features that were met.
type savedChance struct {
	Weights signals            `json:"weights"`
	Bias    float64            `json:"bias"`
	Words   []fact[[3]float32] `json:"words"` // weight, sum of squares, how often met
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
