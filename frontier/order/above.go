package order

// This file is the ordering policy above(NUMBER,part): it leaves out each URL whose score by the part is not above the
// number.

import (
	"errors"
	"math"

	"kavosh"
)

// newAbove makes the policy above. It takes the score of its part, and leaves a URL out if that score is not greater
// than the number. So above(0,tunnel,limit=0) is "hard focus", which drops the links of irrelevant pages. With a
// greater limit of tunnel, a path ends after that many irrelevant pages in a row.
func newAbove(a *Args) (Policy, error) {
	if len(a.Parts) != 1 {
		return nil, errors.New("above takes a number and one part, as in above(0,tunnel,limit=3)")
	}
	return &above{least: a.Number, part: a.Parts[0].Policy}, nil
}

type above struct {
	least float64 // scores up to this one are left out
	part  Policy
	out   []Change // what Learn returns
}

// of returns the score of a URL whose part gives it this score.
func (x *above) of(score float64) float64 {
	if math.IsNaN(score) {
		score = 0
	}
	if score > x.least {
		return score
	}
	return LeftOut()
}

// Score implements Policy.
func (x *above) Score(c *Candidate) (float64, string) {
	score, why := x.part.Score(c)
	return x.of(score), why
}

// Learn implements Learner.
func (x *above) Learn(v *Visit) []Change {
	l, ok := x.part.(Learner)
	if !ok {
		return nil
	}
	x.out = x.out[:0]
	for _, c := range l.Learn(v) {
		c.Score = x.of(c.Score)
		x.out = append(x.out, c)
	}
	return x.out
}

// Needs implements Reader.
func (x *above) Needs() kavosh.Needs { return needs(x.part) }

// Save implements Keeper. It saves what the part knows.
func (x *above) Save() ([]byte, error) {
	part, err := savePart(x.part)
	if err != nil {
		return nil, err
	}
	return save("above", 1, part)
}

// Restore implements Keeper.
func (x *above) Restore(data []byte) error {
	part, err := restore[[]byte]("above", 1, data)
	if err != nil {
		return err
	}
	return restorePart(x.part, part)
}
