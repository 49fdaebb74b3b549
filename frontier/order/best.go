package order

// newBest makes an ordering policy, best-first search: links come first whose words are most like the topic (Cho,
// Garcia-Molina and Page, "Efficient crawling through URL ordering", 1998; Pant, Srinivasan and Menczer, "Crawling the
// Web", 2004). The score is a weighted mean of four numbers: how relevant the anchor is to the topic, the text around
// it, the words in the URL, and the page that holds the link. The topic and the verdict on the page come from the judge
// of the crawl.
func newBest(a *Args) (Policy, error) {
	if err := a.NeedTopic(); err != nil {
		return nil, err
	}
	topic := a.Topic
	anchor, around, url, parent := a.Value("anchor"), a.Value("around"), a.Value("url"), a.Value("parent")
	all := max(anchor+around+url+parent, 1e-9)
	return Func(func(c *Candidate) (float64, string) {
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
	}), nil
}
