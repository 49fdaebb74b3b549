package order

import "kavosh"

// newShark makes an ordering policy, shark-search (Hersovici et al., "The shark-search algorithm. An application:
// tailored Web site mapping", 1998), which is fish-search with numbers instead of yes and no. The judge of the crawl
// says how relevant pages and words are. A page hands down decay times its relevance, or, if it has none, decay times
// what it was handed itself. The score of a link is gamma times what it was handed, plus 1 − gamma times the verdict on
// the words near it. That verdict is beta times the relevance of its anchor, plus 1 − beta times the relevance of the
// text around it. The text around counts as fully relevant if the anchor has any relevance.
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
