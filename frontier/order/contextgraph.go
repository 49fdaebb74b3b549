package order

import (
	"errors"

	"kavosh"
)

// newContextGraph asks those URLs first whose page looks like pages that were, on another web, the fewest links away from
// a target (Diligenti, Coetzee, Lawrence, Giles and Gori, "Focused crawling using context graphs", 2000). Every page
// fetched is put into one of the levels of Setup.ContextGraph, or into none; its links wait in that level's queue, and
// the lowest queue is served first. Within a level the surer page's links come first.
func newContextGraph(a *Args) (Policy, error) {
	if a.ContextGraph == nil {
		return nil, errors.New("context-graph goes by a model of another web: give one by --context-graph FILE, or in the lab by --train WEB")
	}
	model, sure := a.ContextGraph, a.Value("sure")
	c := newInheriting("context-graph", a, 0) // handed down: minus the level, plus how sure that is, from 0 to below 1
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

type contextGraph struct{ *inheriting }

// Needs implements Reader.
func (contextGraph) Needs() kavosh.Needs { return kavosh.Needs{Text: true} }
