package schedule

// This file is the policy uniform: all pages are visited equally often, in another order each round.

import "math/rand/v2"

type uniform struct{}

func newUniform(*Args) any { return uniform{} }

// Sweep implements Sweeper.
func (uniform) Sweep(pages []Page, o *Outlook) []ID {
	order := ids(len(pages))
	rand.New(rand.NewPCG(o.s.Seed, o.number)).Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	return order
}

// Why implements Sweeper.
func (uniform) Why(*Page, *Outlook) string { return "its turn comes once a round, by chance" }
