package order

// This file is the ordering policy mix, in which several policies choose in turn; tianwang and contest use it too. It
// keeps, for each part, its scores of the URLs that wait.

import (
	"strconv"

	"kavosh"
)

// turns is a policy in which several policies (parts) choose in turn: some picks by the first, then some by the second,
// and so on.
//
// The frontier's queue has only one score for each URL. So turns keeps a heap of the waiting URLs for each part, and
// after every visit it moves one URL to the front of the queue: the first URL of the part whose turn it is (a pick). If
// that visit found a link which the part likes better, the link goes before the pick. With one worker these are exactly
// the picks; with more, each visit makes one pick for the worker that comes next. URLs that do not fit into the memory
// have only a score by the first part, below all picks: they are fetched when the queue has no others.
type turns struct {
	parts []turn
	now   int     // number of the part whose turn it is
	left  int     // how many picks it still has
	gains *gains  // chooses whose turn it is, in contest; nil: the parts choose in turn
	picks float64 // picks made so far
	max   int     // how many URLs are remembered

	last  pick      // the last pick; "" if there is none since the last visit
	over  float64   // how often a better URL took its place
	undo  []pick    // picks that lost their place to a better URL, and still stand in front in the queue
	out   []Change  // what Learn returns
	fresh []float64 // scores of the URL that is scored now, by part
}

// turn is a part, how many picks it has in each turn, and the waiting URLs with its scores.
type turn struct {
	Part
	picks   int
	waiting *waiting[struct{}]
}

// pick is a URL with the scores that the parts give it. An empty URL stands for none.
type pick struct {
	url    string
	scores []float64
}

// firstPick is the score of the first pick in the queue. Each later pick has a lower score, far above those of all
// other URLs, which are between 0 and 1.
const firstPick = 1e9

// newTurns makes the policy from its parts, whose waiting URLs it sets up. memory is how many URLs it remembers.
func newTurns(memory int, parts []turn) *turns {
	for i := range parts {
		parts[i].waiting = newWaiting(memory, func(_ *struct{}, own float64) float64 { return own })
	}
	return &turns{parts: parts, left: parts[0].picks, max: memory, fresh: make([]float64, len(parts))}
}

// newMix makes the policy mix, in which parts choose in turn, each as often as the number before it says.
func newMix(a *Args) (Policy, error) {
	parts := make([]turn, len(a.Parts))
	for i, p := range a.Parts {
		if p.Weight != float64(int(p.Weight)) {
			return nil, errWhole(p.Weight)
		}
		parts[i] = turn{Part: p, picks: int(p.Weight)}
	}
	return newTurns(a.Memory, parts), nil
}

// squashed maps each score to a number between 0 and 1. Greater scores get greater numbers.
func squashed(score float64) float64 {
	if score < 0 {
		return 0.5 / (1 - score)
	}
	return 1 - 0.5/(1+score)
}

// pickScore returns the score in the queue of the pick that is made now.
func (t *turns) pickScore() float64 { return firstPick - t.picks + t.over/(t.over+1) }

func (t *turns) because(why string) string {
	if t.gains != nil {
		return because("turn of "+t.parts[t.now].Name+", which gave", t.gains.mean(t.now)) + ": " + why
	}
	text := "turn of " + t.parts[t.now].Name + " " + strconv.Itoa(t.parts[t.now].picks-t.left+1) + " of " + strconv.Itoa(t.parts[t.now].picks)
	if why != "" {
		text += ": " + why
	}
	return text
}

// Score implements Policy.
func (t *turns) Score(c *Candidate) (float64, string) {
	var first, why string
	for i := range t.parts {
		var w string
		t.fresh[i], w = t.parts[i].Policy.Score(c)
		if i == 0 {
			first = w
		}
		if i == t.now {
			why = w
		}
	}
	base := squashed(t.fresh[0])
	if c.Task.Kind == kavosh.Speculative || len(t.parts[0].waiting.at) >= t.max {
		return base, first
	}
	if _, ok := t.parts[0].waiting.at[c.Task.URL]; ok || c.Task.URL == t.last.url { // queued again after a crash
		return base, first
	}
	p := pick{c.Task.URL, append([]float64(nil), t.fresh...)}
	if t.last.url != "" && p.scores[t.now] <= t.last.scores[t.now] {
		t.put(p)
		return base, first
	}
	if t.last.url != "" {
		t.put(t.last)
		t.undo = append(t.undo, t.last)
		t.over++
	}
	t.last = p
	t.note()
	return t.pickScore(), t.because(why)
}

// first returns the waiting URL that a part likes best; "" if none waits.
func (t *turns) first(part int) string {
	w := t.parts[part].waiting
	if s := w.first(); s >= 0 {
		return w.urls[s].url
	}
	return ""
}

// note notes the last pick, for contest.
func (t *turns) note() {
	if t.gains != nil {
		t.gains.picked.set(hash(t.last.url), picked{t.now, t.last.scores})
	}
}

// likes reports whether a part gives no waiting URL a greater score than this.
func (t *turns) likes(part int, score float64) bool {
	w := t.parts[part].waiting
	s := w.first()
	return s < 0 || score >= w.worth(s)
}

// put adds p to the URLs from which the parts choose.
func (t *turns) put(p pick) {
	for i := range t.parts {
		w := t.parts[i].waiting
		w.put(p.url, w.group(0), p.scores[i])
	}
}

// take removes a URL from those from which the parts choose, and returns it with their scores.
func (t *turns) take(url string) (p pick, ok bool) {
	p = pick{url: url}
	for i := range t.parts {
		w := t.parts[i].waiting
		s, ok := w.at[url]
		if !ok {
			return p, false
		}
		p.scores = append(p.scores, w.urls[s].own)
		w.forget(s)
	}
	return p, true
}

// Learn implements Learner.
func (t *turns) Learn(v *Visit) []Change {
	t.out = t.out[:0]
	if v.Task.Kind == kavosh.Prerequisite {
		return nil
	}
	if t.gains != nil {
		t.gains.learn(v, t.likes)
	}
	for i := range t.parts {
		l, ok := t.parts[i].Policy.(Learner)
		if !ok {
			continue
		}
		w := t.parts[i].waiting
		for _, c := range l.Learn(v) {
			if s, ok := w.at[c.URL]; ok {
				w.set(s, c.Score)
				if i == 0 {
					t.out = append(t.out, Change{c.URL, squashed(c.Score), c.Why})
				}
			}
		}
	}
	t.take(v.Task.URL)
	if t.gains != nil {
		t.now = t.gains.choose()
	} else if t.left--; t.left == 0 {
		t.now = (t.now + 1) % len(t.parts)
		t.left = t.parts[t.now].picks
	}
	t.last, t.over = pick{}, 0
	if url := t.first(t.now); url != "" {
		t.last, _ = t.take(url)
		t.picks++
		t.note()
	}
	for _, p := range t.undo {
		if p.url != t.last.url {
			t.out = append(t.out, Change{p.url, squashed(p.scores[0]), ""})
		}
	}
	t.undo = t.undo[:0]
	if t.last.url != "" {
		t.out = append(t.out, Change{t.last.url, t.pickScore(), t.because(because(t.parts[t.now].Name, t.last.scores[t.now]))})
	}
	return t.out
}

// Needs implements Reader.
func (t *turns) Needs() (n kavosh.Needs) {
	for i := range t.parts {
		n = n.Or(needs(t.parts[i].Policy))
	}
	return n
}

type savedTurns struct {
	Now   int         `json:"now"`
	Left  int         `json:"left"`
	Picks float64     `json:"picks"`
	Gains *savedGains `json:"gains,omitempty"` // of contest
	Parts [][]byte    `json:"parts"`
}

// Save implements Keeper. It saves whose turn it is, and what the parts know. URLs that wait keep the scores that they
// have in the queue.
func (t *turns) Save() ([]byte, error) {
	s := savedTurns{Now: t.now, Left: t.left, Picks: t.picks}
	if t.gains != nil {
		s.Gains = t.gains.save()
	}
	for i := range t.parts {
		part, err := savePart(t.parts[i].Policy)
		if err != nil {
			return nil, err
		}
		s.Parts = append(s.Parts, part)
	}
	return save("turns", 1, s)
}

// Restore implements Keeper.
func (t *turns) Restore(data []byte) error {
	s, err := restore[savedTurns]("turns", 1, data)
	if err == nil && (len(s.Parts) != len(t.parts) || s.Now < 0 || s.Now >= len(t.parts) || s.Left < 1 || s.Left > t.parts[s.Now].picks) {
		err = errParts
	}
	if err == nil && t.gains != nil {
		err = t.gains.restore(s.Gains)
	}
	for i := range t.parts {
		if err != nil {
			return err
		}
		err = restorePart(t.parts[i].Policy, s.Parts[i])
	}
	if err == nil {
		t.now, t.left, t.picks = s.Now, s.Left, s.Picks
	}
	return err
}
