package order

// This file is the ordering policy mix, in which several policies choose in turn; tianwang uses it too. It keeps, for
// each part, its scores of the URLs that wait.

import (
	"strconv"

	"kavosh"
)

// turns is a policy in which several policies (parts) choose in turn: some picks by the first, then some by the second,
// and so on.
//
// The frontier's queue has only one score for each URL: that of the first part, so that the queue itself gives out what
// the first part likes best. For the others turns keeps heaps of the waiting URLs. When it is the turn of one of them, it
// moves that part's first URL to the front of the queue after a visit (a pick). If the visit found a link which the part
// likes better, the link goes before the pick. With one worker these are exactly the picks; with more, each visit makes
// one pick for the worker that comes next. URLs that do not fit into the memory, or that waited already when the crawl
// was resumed, have only a score by the first part, and come by its turns.
type turns struct {
	parts []turn
	first []float64 // what the first part gives waiting URLs, by slot
	now   int       // number of the part whose turn it is
	left  int       // how many picks it still has
	picks float64   // picks made so far
	max   int       // how many URLs are remembered

	last  pick      // the last pick; "" if there is none since the last visit, as in turns of the first part
	over  float64   // how often a better URL took its place
	undo  []string  // picks that lost their place to a better URL, and still stand in front in the queue
	out   []Change  // what Learn returns
	fresh []float64 // scores of the URL that is scored now, by part
}

// turn is a part, how many picks it has in each turn, and the waiting URLs with its scores, which have the same slots
// for all parts.
type turn struct {
	Part
	picks   int
	waiting *waiting[struct{}] // nil for the first part
}

// pick is a URL with the scores that the parts give it. An empty URL stands for none.
type pick struct {
	url    string
	scores []float64
}

// firstPick is the score of the first pick in the queue. Each later pick has a lower score, far above those of all
// other URLs, which are between 0 and 1 (squashed).
const firstPick = 1e9

// newTurns makes the policy from its parts, whose waiting URLs it sets up. memory is how many URLs it remembers.
func newTurns(memory int, parts []turn) *turns {
	for i := range parts[1:] {
		parts[1+i].waiting = newWaiting(memory, func(_ *struct{}, own float64) float64 { return own })
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
	waits := t.parts[1].waiting.at
	if c.Task.Kind == kavosh.Speculative || len(waits) >= t.max {
		return base, first
	}
	if _, ok := waits[c.Task.URL]; ok || c.Task.URL == t.last.url { // queued again after a crash
		return base, first
	}
	p := pick{c.Task.URL, append([]float64(nil), t.fresh...)}
	if t.now == 0 || t.last.url != "" && p.scores[t.now] <= t.last.scores[t.now] {
		t.put(p)
		return base, first
	}
	if t.last.url != "" {
		t.put(t.last)
		t.undo = append(t.undo, t.last.url)
		t.over++
	}
	t.last = p
	return t.pickScore(), t.because(why)
}

// put adds p to the URLs from which the parts choose.
func (t *turns) put(p pick) {
	var s int32
	for i, part := range t.parts[1:] {
		s = part.waiting.put(p.url, part.waiting.group(0), p.scores[1+i])
	}
	for len(t.first) <= int(s) {
		t.first = append(t.first, 0)
	}
	t.first[s] = p.scores[0]
}

// take removes a URL from those from which the parts choose, and returns it with their scores; none if it is not there.
func (t *turns) take(url string) pick {
	s, ok := t.parts[1].waiting.at[url]
	if !ok {
		return pick{}
	}
	p := pick{url, []float64{t.first[s]}}
	for _, part := range t.parts[1:] {
		p.scores = append(p.scores, part.waiting.urls[s].own)
		part.waiting.forget(s)
	}
	return p
}

// Learn implements Learner.
func (t *turns) Learn(v *Visit) []Change {
	t.out = t.out[:0]
	if v.Task.Kind == kavosh.Prerequisite {
		return nil
	}
	waits := t.parts[1].waiting.at
	for i, part := range t.parts {
		l, ok := part.Policy.(Learner)
		if !ok {
			continue
		}
		for _, c := range l.Learn(v) {
			s, ok := waits[c.URL]
			switch {
			case !ok:
			case i == 0:
				t.first[s] = c.Score
				t.out = append(t.out, Change{c.URL, squashed(c.Score), c.Why})
			default:
				part.waiting.set(s, c.Score)
			}
		}
	}
	t.take(v.Task.URL)
	if t.left--; t.left == 0 {
		t.now = (t.now + 1) % len(t.parts)
		t.left = t.parts[t.now].picks
	}
	t.last, t.over = pick{}, 0
	if w := t.parts[t.now].waiting; t.now > 0 && len(waits) > 0 {
		t.last = t.take(w.urls[w.first()].url)
		t.picks++
	}
	for _, url := range t.undo {
		if s, ok := waits[url]; ok {
			t.out = append(t.out, Change{url, squashed(t.first[s]), because(t.parts[0].Name, t.first[s])})
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
	Now   int      `json:"now"`
	Left  int      `json:"left"`
	Picks float64  `json:"picks"`
	Parts [][]byte `json:"parts"`
}

// Save implements Keeper. It saves whose turn it is, and what the parts know. URLs that wait keep the scores that they
// have in the queue.
func (t *turns) Save() ([]byte, error) {
	s := savedTurns{Now: t.now, Left: t.left, Picks: t.picks}
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
