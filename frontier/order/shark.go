package order

import "kavosh"

// newShark is shark-search (Hersovici et al., "The shark-search algorithm. An application: tailored Web site mapping",
// 1998): fish-search with numbers instead of yes and no. A page hands down decay times its relevance, or, when it has
// none, decay times what it was handed. A link's neighbourhood is beta times what the topic makes of its anchor, and the
// rest what it makes of the text around it, which counts as all relevant where the anchor has any relevance. The score is
// gamma parts inherited, the rest neighbourhood.
func newShark(a *Args) (Policy, error) {
	if err := a.NeedTopic(); err != nil {
		return nil, err
	}
	topic, decay, beta, gamma := a.Topic, a.Value("decay"), a.Value("beta"), a.Value("gamma")
	f := newInheriting("shark", a, 1)
	f.hands = func(v *Visit, had float64) float64 {
		if v.Verdict.Score > 0 {
			return decay * v.Verdict.Score
		}
		return decay * had
	}
	f.score = func(_ *Visit, l *kavosh.Link, had float64) (float64, string) {
		anchor, around := topic(l.Anchor), 1.0
		if anchor <= 0 {
			around = topic(l.Around)
		}
		inherited, near := gamma*had, (1-gamma)*(beta*anchor+(1-beta)*around)
		return inherited + near, new(reasons).and("inherited", inherited).and("anchor and text around", near).String()
	}
	return f, nil
}
