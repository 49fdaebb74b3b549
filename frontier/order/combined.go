package order

// This file is the ordering policies sum and then, which make one score of the scores of several other policies. It
// keeps the scores of the parts for URLs that wait, if one of the parts learns.

import (
	"errors"
	"math"
	"strings"

	"kavosh"
)

// combined is a policy that makes one score from the scores of its parts. When a part changes a score, combined joins
// it with the scores of the other parts, which it remembers. A URL that it has forgotten keeps the score that it has in
// the queue.
type combined struct {
	name   string
	parts  []Part
	join   func(scores []float64) float64 // makes one score of those of the parts
	scores *known[[]float64]              // the scores of the parts, by URL; nil if no part learns
	fresh  []float64                      // the scores of the URL that is scored now
	out    []Change                       // what Learn returns
	at     map[string]int                 // where in out a URL is
}

func newCombined(name string, a *Args, join func(scores []float64) float64) *combined {
	c := &combined{name: name, parts: a.Parts, join: join, fresh: make([]float64, len(a.Parts)), at: map[string]int{}}
	for _, p := range a.Parts {
		if _, ok := p.Policy.(Learner); ok {
			c.scores = newKnown[[]float64](a.Memory)
		}
	}
	return c
}

// newSum makes the policy sum, which adds the scores of its parts, each times the number before the part.
func newSum(a *Args) (Policy, error) {
	parts := a.Parts
	return newCombined("sum", a, func(scores []float64) (sum float64) {
		for i, s := range scores {
			sum += parts[i].Weight * s
		}
		return sum
	}), nil
}

// newThen makes the policy then, which orders URLs by its first part, and by its second part where the first gives
// equal scores.
func newThen(a *Args) (Policy, error) {
	if len(a.Parts) != 2 {
		return nil, errors.New("then takes two parts; write then(a,then(b,c)) for more")
	}
	return newCombined("then", a, func(scores []float64) float64 { return before(scores[0], scores[1]) }), nil
}

// before returns a score that orders URLs by a, and among equal a by b. It packs both into one float64: a keeps about 7
// digits, as a number of 32 bits; the 29 bits that are left hold the first bits of b.
func before(a, b float64) float64 {
	const free = 29
	bits := math.Float64bits(float64(float32(min(max(a, -math.MaxFloat32), math.MaxFloat32))))
	if a == 0 {
		bits = 0 // not -0
	}
	second := uint64(ordered(float32(b)) >> (32 - free))
	if bits>>63 != 0 { // the greater the bits, the less the number
		second = 1<<free - 1 - second
	}
	return math.Float64frombits(bits | second)
}

// ordered returns the bits of f, changed so that they compare as the numbers do.
func ordered(f float32) uint32 {
	bits := math.Float32bits(f)
	if bits>>31 != 0 {
		return ^bits
	}
	return bits | 1<<31
}

// Score implements Policy.
func (c *combined) Score(x *Candidate) (float64, string) {
	var why strings.Builder
	for i, p := range c.parts {
		score, text := p.Policy.Score(x)
		if score != score {
			score = 0
		}
		c.fresh[i] = score
		if i > 0 {
			why.WriteString("; ")
		}
		why.WriteString(because(p.Name, score))
		if text != "" {
			why.WriteString(" (" + text + ")")
		}
	}
	if c.scores != nil {
		c.scores.set(hash(x.Task.URL), append([]float64(nil), c.fresh...))
	}
	return c.join(c.fresh), why.String()
}

// Learn implements Learner.
func (c *combined) Learn(v *Visit) []Change {
	c.out = c.out[:0]
	clear(c.at)
	for i, p := range c.parts {
		l, ok := p.Policy.(Learner)
		if !ok {
			continue
		}
		for _, change := range l.Learn(v) {
			scores, ok := c.scores.get(hash(change.URL))
			if !ok {
				continue
			}
			scores[i] = change.Score
			whole := Change{change.URL, c.join(scores), p.Name + " now: " + change.Why}
			if j, twice := c.at[change.URL]; twice {
				c.out[j] = whole
				continue
			}
			c.at[change.URL] = len(c.out)
			c.out = append(c.out, whole)
		}
	}
	if c.scores != nil {
		c.scores.delete(hash(v.Task.URL))
	}
	return c.out
}

// Needs implements Reader.
func (c *combined) Needs() (n kavosh.Needs) {
	for _, p := range c.parts {
		n = n.Or(needs(p.Policy))
	}
	return n
}

// Save implements Keeper. It saves what the parts know.
func (c *combined) Save() ([]byte, error) {
	var parts [][]byte
	for _, p := range c.parts {
		part, err := savePart(p.Policy)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return save(c.name, 1, parts)
}

// Restore implements Keeper.
func (c *combined) Restore(data []byte) error {
	parts, err := restore[[][]byte](c.name, 1, data)
	if err == nil && len(parts) != len(c.parts) {
		err = errParts
	}
	for i, p := range c.parts {
		if err != nil {
			return err
		}
		err = restorePart(p.Policy, parts[i])
	}
	return err
}
