package order

// This file is the ordering policy context-graph: URLs come first that are linked from pages which look as if a target
// were few links away. It keeps what inheriting.go keeps: a number for each waiting URL.

import (
	"errors"

	"kavosh"
)

// newContextGraph makes an ordering policy that learned on another web how pages near a target look (Diligenti,
// Coetzee, Lawrence, Giles and Gori, "Focused crawling using context graphs", 2000). The model, Setup.ContextGraph,
// tells by the words of a fetched page how many links away a target is: that is the page's level, 0 for a target. A
// page has no level if the level's probability is below the parameter "sure". URLs linked from pages of the lowest
// level come first. Within a level, those from pages with the greatest probability come first. Those from pages without
// a level come last.
//
// The score of a link is the number that its page hands down: half the probability of its level, minus the level.
func newContextGraph(a *Args) (Policy, error) {
	if a.ContextGraph == nil {
		return nil, errors.New("context-graph goes by a model of another web: give one by --context-graph FILE, or in the lab by --train WEB")
	}
	model, sure := a.ContextGraph, a.Value("sure")
	c := newInheriting("context-graph", a, 0)
	c.hands = func(v *Visit, _ float64) float64 {
		level, p := model.Level(v.Page.Title + "\n" + v.Page.Text)
		if p < sure {
			level, p = model.Levels(), 0
		}
		return -float64(level) + min(p, 1)/2
	}
	c.score = func(_ *Visit, _ *kavosh.Link, had float64) (float64, string) {
		level := -int(had - 0.5)
		if level >= model.Levels() {
			return had, because("parent like no level", had)
		}
		return had, new(reasons).count("level of parent", float64(level)).and("sure", 2*(had+float64(level))).String()
	}
	return &contextGraph{c}, nil
}

// contextGraph adds to inheriting that the policy needs the text of pages.
type contextGraph struct{ *inheriting }

// Needs implements Reader.
func (contextGraph) Needs() kavosh.Needs { return kavosh.Needs{Text: true} }
