package order

import "kavosh"

// newBayes is the focused crawler of Chakrabarti, van den Berg and Dom ("Focused crawling: a new approach to
// topic-specific Web resource discovery", 1999), whose naive Bayes classifier is the crawl's judge: a link is as good as
// the most probably relevant page seen with it. With soft focus that probability is the score; with hard focus links of
// pages more probably irrelevant, which the source drops, come after all others. The source's distillation of hubs is
// not part of it; wire has hubs.
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
