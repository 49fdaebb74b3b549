package order

// This file is the ordering policy rules, which learns rules from parts of URLs to relevance. The judge of the crawl
// says which pages are relevant. The file keeps the counts behind these rules.

// newRules makes the policy that learns association rules from URLs to relevance (Umbrich, Karnstedt and Harth, "Fast
// and scalable pattern mining for media-type focused crawling", 2009; here for any class of pages, not only for media
// types). The condition of a rule is the file extension, a word of the path, or the host with a word of the path. Its
// confidence is the share of relevant pages among the pages fetched that fulfil the condition; it counts once there are
// at least least of them. The rules of a URL are tried in that order. The first confidence above a half is the score.
// If there is none, the score is the greatest confidence, which is at most a half.
func newRules(a *Args) (Policy, error) {
	r := &rules{least: a.Value("least"), shares: newShares(a.Memory)}
	r.showing = newShowing(a, func(_ *struct{}, own float64) float64 { return own })
	r.own = func(s int32) float64 { score, _ := r.confidence(r.urls[s].url); return score }
	r.why = func(s int32) string { return r.because(r.urls[s].url) }
	return r, nil
}

type rules struct {
	*showing[struct{}]
	least  float64  // pages that a rule needs before it counts
	shares *shares  // of relevant pages, by condition
	keys   []uint64 // memory of antecedents
}

// antecedents returns the keys of the conditions that a URL fulfils, in the order in which they are tried.
func (r *rules) antecedents(url string) []uint64 {
	r.keys = antecedents(r.keys, url)
	return r.keys
}

// antecedents writes these keys over the slice keys, and returns it.
func antecedents(keys []uint64, url string) []uint64 {
	host, path, _ := split(url)
	keys = append(keys[:0], joined(1, hash(extension(path))))
	eachWord(path, func(word uint64) {
		if len(keys) <= mostPathWords {
			keys = append(keys, joined(2, word))
		}
	})
	h := hash(host)
	for _, word := range keys[1:] {
		keys = append(keys, joined(h, word))
	}
	return keys
}

// mostPathWords is how many words of a path count.
const mostPathWords = 16

// confidence returns the score of a URL. kind says which condition its rule has: 0 for no rule, 1 for the extension, 2
// for a word, 3 for the host with a word.
func (r *rules) confidence(url string) (score float64, kind int) {
	keys := r.antecedents(url)
	for i, key := range keys {
		x, _ := r.shares.by.get(key)
		if x.N < r.least {
			continue
		}
		c := x.Hit / x.N
		if c > 0.5 {
			switch {
			case i == 0:
				return c, 1
			case i <= len(keys)/2:
				return c, 2
			}
			return c, 3
		}
		score = max(score, c)
	}
	return score, 0
}

func (r *rules) because(url string) string {
	score, kind := r.confidence(url)
	return because([...]string{"no rule holds, greatest confidence", "rule of its extension", "rule of a word in its path", "rule of its host with a word"}[kind], score)
}

// Score implements Policy.
func (r *rules) Score(c *Candidate) (float64, string) {
	score, _ := r.confidence(c.Task.URL)
	r.add(c.Task.URL, r.group(hostKey(c.Task.URL)), score)
	return score, r.because(c.Task.URL)
}

// Learn implements Learner. It scores anew some waiting URLs of the same host, and a few of all others in turn.
func (r *rules) Learn(v *Visit) []Change {
	r.take(v.Task.URL)
	if judged(v) {
		r.shares.learn(asNumber(v.Verdict.Relevant()), r.antecedents(v.Task.URL)...)
		if g, ok := r.named[hostKey(v.Task.URL)]; ok {
			ids := r.groups[g].members.ids
			for _, s := range append([]int32(nil), ids[:min(len(ids), mostRescored)]...) {
				r.set(s, r.showing.own(s))
			}
		}
	}
	return r.settle()
}

// mostRescored is how many URLs of a host one visit scores anew.
const mostRescored = 32

// Save implements Keeper.
func (r *rules) Save() ([]byte, error) { return save("rules", 1, r.shares.save()) }

// Restore implements Keeper.
func (r *rules) Restore(data []byte) error { return restoreTo(r.shares, "rules", 1, data) }
