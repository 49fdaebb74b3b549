package order

import "kavosh"

// newBayes makes an ordering policy, the focused crawler of Chakrabarti, van den Berg and Dom ("Focused crawling: a new
// approach to topic-specific Web resource discovery", 1999). The source uses a naive Bayes classifier to tell which
// pages are relevant; here the judge of the crawl does that. A link is as good as the best page that holds it, by the
// probability that this page is relevant. With soft focus that probability is the score. With hard focus the links of
// pages that are probably irrelevant come after all others; the source drops them. The source also finds hubs
// ("distillation"); this policy does not, but wire has hubs.
func newBayes(a *Args) (Policy, error) {
	hard := a.Value("hard") == 1
	f := newInheriting("bayes", a, 1)
	f.hands = func(v *Visit, _ float64) float64 { return v.Verdict.Score }
	f.score = func(v *Visit, _ *kavosh.Link, had float64) (float64, string) {
		if hard && !v.Verdict.Relevant() {
			return had - 1, because("parent irrelevant, hard focus", had-1)
		}
		return had, because("parent relevant", had)
	}
	return f, nil
}
