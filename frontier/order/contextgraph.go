package order

import (
	"errors"

	"kavosh"
)

// newContextGraph makes an ordering policy that learned on another web how pages near a target look (Diligenti,
// Coetzee, Lawrence, Giles and Gori, "Focused crawling using context graphs", 2000). The model, Setup.ContextGraph,
// puts every fetched page into one of its levels, or into none; the level is the number of links to a target. URLs
// linked from pages of the lowest level come first. Within a level, the links of pages whose level is surer come first.
func newContextGraph(a *Args) (Policy, error) {
	if a.ContextGraph == nil {
		return nil, errors.New("context-graph goes by a model of another web: give one by --context-graph FILE, or in the lab by --train WEB")
	}
	model, sure := a.ContextGraph, a.Value("sure")
	c := newInheriting("context-graph", a, 0) // handed down: minus the level, plus half the probability of that level
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

// contextGraph is inheriting, for a policy that also needs the text of pages.
type contextGraph struct{ *inheriting }

// Needs implements Reader.
func (contextGraph) Needs() kavosh.Needs { return kavosh.Needs{Text: true} }
