package scope

// This file keeps what people said of single seeds: rules of their own, how deep to go, and how far beyond the scope.

import (
	"fmt"
	"sync"
	"sync/atomic"

	"kavosh"
)

// plans are those of seeds. They are safe for concurrent use.
type plans struct {
	any atomic.Bool // there is one
	mu  struct {
		sync.RWMutex
		bySeed map[string]*seedPlan // never changed, but replaced
	}
}

// seedPlan is a kavosh.SeedPlan, compiled.
type seedPlan struct {
	rules    []named
	byAnswer bool // one of rules asks for what only an answer tells
	depth    int  // most navigation steps from the seed, if deep
	deep     bool // depth is said
	extra    int  // kavosh.SeedPlan.ExtraHops
}

// maxSteps bounds the depth and the extra hops of a seed.
const maxSteps = 1_000_000

// CheckPlan returns an error that says what to write if a part of a seed's plan is wrong.
func CheckPlan(p *kavosh.SeedPlan) error {
	_, err := compilePlan(p)
	return err
}

func compilePlan(p *kavosh.SeedPlan) (*seedPlan, error) {
	c := &seedPlan{extra: p.ExtraHops}
	if p.Depth != nil {
		c.depth, c.deep = *p.Depth, true
	}
	switch {
	case c.depth < 0 || c.depth > maxSteps:
		return nil, fmt.Errorf("depth %d: write 0 for the seed alone, 1, 2 … %d", c.depth, maxSteps)
	case c.extra < 0 || c.extra > maxSteps:
		return nil, fmt.Errorf("extra-hops %d: write 0, 1, 2 … %d", c.extra, maxSteps)
	case !(p.Priority >= -mostPriority && p.Priority <= mostPriority):
		return nil, fmt.Errorf("priority %g: write a number from -%.0[2]f to %.0[2]f", p.Priority, mostPriority)
	case len(p.Rules) > MaxRules:
		return nil, fmt.Errorf("%d rules are more than %d: join some by | in a regular expression", len(p.Rules), MaxRules)
	}
	rules := make([]Rule, len(p.Rules))
	for i, line := range p.Rules {
		var err error
		if rules[i], err = ParseRule(line); err != nil {
			return nil, err
		}
	}
	c.rules, c.byAnswer = numbered(rules, " of its seed")
	return c, nil
}

// mostPriority is the largest priority of a seed, positive or negative.
const mostPriority = 1e9

// SetPlan sets what was said of a seed, a seen-key, in place of what was said before. It may be called while links are
// judged; Late judges what waits by it. The error is CheckPlan's.
func (s *Scope) SetPlan(seed string, p *kavosh.SeedPlan) error {
	c, err := compilePlan(p)
	if err != nil {
		return fmt.Errorf("seed %s: %w", seed, err)
	}
	s.plans.mu.Lock()
	defer s.plans.mu.Unlock()
	if s.plans.mu.bySeed == nil {
		s.plans.mu.bySeed = map[string]*seedPlan{}
	}
	s.plans.mu.bySeed[seed] = c
	s.plans.any.Store(true)
	s.repealed.Store(true)
	return nil
}

// of returns the plan of a seed; nil if nothing was said of it.
func (ps *plans) of(seed string) *seedPlan {
	if !ps.any.Load() {
		return nil
	}
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	return ps.mu.bySeed[seed]
}

// planOf returns the plan of the seed from which a link of parent descends, or nil. parent may be nil.
func (s *Scope) planOf(link *kavosh.Link, parent *kavosh.Task) *seedPlan {
	if parent == nil {
		return s.plans.of(link.URL)
	}
	return s.plans.of(parent.Seed)
}

func (s *Scope) planOfTask(t *kavosh.Task) *seedPlan { return s.plans.of(t.Seed) }

// maxHops is Options.MaxHops, or what a plan says instead. plan may be nil.
func (s *Scope) maxHops(plan *seedPlan) int {
	if plan != nil && plan.deep {
		return plan.depth
	}
	return s.o.MaxHops
}

// latePlan judges a task whose turn has come by the depth and the extra hops of its seed.
func (s *Scope) latePlan(plan *seedPlan, t *kavosh.Task) Decision {
	switch {
	case plan.deep && t.Hops > plan.depth:
		return out(TooManyHops, tooManyHops(plan.depth))
	case t.Extra > plan.extra:
		return out(OutOfScope, fmt.Sprintf("extra hop %d, and its seed may have %d", t.Extra, plan.extra))
	}
	return in("it was in scope when it was queued")
}

// tooManyHops is the rule that leaves out what lies deeper.
func tooManyHops(most int) string { return fmt.Sprintf("more than %d hops from its seed", most) }
