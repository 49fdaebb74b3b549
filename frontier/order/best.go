package order

// This file is the ordering policy best, which goes by the words of links. With answered=1 it keeps the chance of an
// answer, too.

// newBest makes an ordering policy, best-first search: links come first whose words are most like the topic (Cho,
// Garcia-Molina and Page, "Efficient crawling through URL ordering", 1998; Pant, Srinivasan and Menczer, "Crawling the
// Web", 2004). The score is a weighted mean of four numbers: how relevant the anchor is to the topic, the text around
// it, the words in the URL, and the page that holds the link. The topic and the verdict on the page come from the judge
// of the crawl.
//
// With answered=1 the score is that mean times the chance that the link is answered (answers.go), since a dead link
// costs a request, too. That is ours.
func newBest(a *Args) (Policy, error) {
	if err := a.NeedTopic(); err != nil {
		return nil, err
	}
	topic := a.Topic
	anchor, around, url, parent := a.Value("anchor"), a.Value("around"), a.Value("url"), a.Value("parent")
	all := max(anchor+around+url+parent, 1e-9)
	likeness := Func(func(c *Candidate) (float64, string) {
		var r reasons
		score := 0.0
		count := func(name string, weight, value float64) {
			if part := weight / all * value; part > 0 {
				score += part
				r.and(name, part)
			}
		}
		if parent > 0 && c.Parent != nil {
			count("parent", parent, c.Parent.Verdict.Score)
		}
		if anchor > 0 {
			count("anchor", anchor, topic(c.Link.Anchor))
		}
		if around > 0 {
			count("around", around, topic(c.Link.Around))
		}
		if url > 0 {
			count("url", url, topic(asWords(c.Task.URL)))
		}
		return score, r.String()
	})
	if a.Value("answered") == 0 {
		return likeness, nil
	}
	b := &bestAnswered{likeness: likeness, answers: newAnswers(a.Memory)}
	b.showing = newShowing(a, func(w *way, own float64) float64 { return own * b.chance(w) })
	b.why = func(s int32) string {
		u := &b.urls[s]
		return new(reasons).and("answered", b.chance(&b.groups[u.group].data)).and("like the topic", u.own).String()
	}
	return b, nil
}

// bestAnswered is the policy best with answered=1.
type bestAnswered struct {
	*showing[way] // the waiting URLs, each with its likeness to the topic; those of one page and shape are a group
	likeness      Policy
	answers       *answers
}

// chance returns the chance that links of that way are answered. A seed counts as answered, since somebody asked for it.
func (b *bestAnswered) chance(w *way) float64 {
	if w.n == 0 {
		return 1
	}
	return b.answers.chance(w)
}

// Score implements Policy.
func (b *bestAnswered) Score(c *Candidate) (float64, string) {
	likeness, why := b.likeness.Score(c)
	key := uint64(0)
	if c.Parent != nil {
		key = joined(hash(c.Parent.Task.URL), shapeOf(c.Task.URL))
	}
	g := b.group(key)
	if b.groups[g].size == 0 && c.Parent != nil {
		b.groups[g].data = wayOf(c)
	}
	_, score := b.add(c.Task.URL, g, likeness)
	text := because("answered", b.chance(&b.groups[g].data))
	if why != "" {
		text += ": " + why
	}
	return score, text
}

// Learn implements Learner.
func (b *bestAnswered) Learn(v *Visit) []Change {
	w, g, ok := b.take(v.Task.URL)
	if !ok || w.n == 0 {
		w = wayOf(&Candidate{Task: v.Task})
	}
	b.answers.learn(v, &w)
	if ok && len(b.groups[g].members.ids) > 0 {
		b.touch(g)
	}
	return b.settle()
}

// Save implements Keeper. It saves how often links were answered.
func (b *bestAnswered) Save() ([]byte, error) { return save("best", 1, b.answers.shares.save()) }

// Restore implements Keeper.
func (b *bestAnswered) Restore(data []byte) error {
	return restoreTo(b.answers.shares, "best", 1, data)
}
