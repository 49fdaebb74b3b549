package order

// This file is the policy mix, in which several policies choose in turn; tianwang uses it too. It keeps, for each part,
// its scores of the URLs that wait.

import (
	"strconv"

	"kavosh"
)

// turns lets several policies choose in turn: so many picks by the first, then so many by the second, and so on.
//
// The queue has one score for a URL, so that of the waiting URLs each part has a heap of its own here, and after every
// visit the first of the part whose turn it is goes before all others in the queue. A link of that visit which the part
// likes better goes before it in turn. With one worker these are exactly the picks; with more, each visit makes one pick
// for some worker to come. URLs that do not fit into the memory have their score by the first part alone, which lies
// below all picks: they are asked when the queue has no other.
type turns struct {
	parts []turn
	now   int     // whose turn it is
	left  int     // of its picks
	picks float64 // made so far
	max   int

	last  pick     // nothing else was chosen since
	over  float64  // how often a better one came after it
	undo  []pick   // that better ones came after, to lose their places in the queue
	out   []Change // of one visit
	fresh []float64
}

// turn is a part.
type turn struct {
	Part
	picks   int
	waiting *waiting[struct{}]
}

// pick is a URL with what the parts make of it; "" for none.
type pick struct {
	url    string
	scores []float64
}

// Scores of picks lie at firstPick and, the later the less, below it; those of all else between 0 and 1.
const firstPick = 1e9

func newTurns(memory int, parts []turn) *turns {
	for i := range parts {
		parts[i].waiting = newWaiting(memory, func(_ *struct{}, own float64) float64 { return own })
	}
	return &turns{parts: parts, left: parts[0].picks, max: memory, fresh: make([]float64, len(parts))}
}

// newMix chooses by its parts in turn, each as often as the number before it says.
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

// squashed maps all scores to numbers between 0 and 1, in their order.
func squashed(score float64) float64 {
	if score < 0 {
		return 0.5 / (1 - score)
	}
	return 1 - 0.5/(1+score)
}

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
	return t.pickScore(), t.because(why)
}

// put gives p to the parts to choose from.
func (t *turns) put(p pick) {
	for i := range t.parts {
		w := t.parts[i].waiting
		w.put(p.url, w.group(0), p.scores[i])
	}
}

// take takes a URL from the parts, and says what they made of it.
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
	if t.left--; t.left == 0 {
		t.now = (t.now + 1) % len(t.parts)
		t.left = t.parts[t.now].picks
	}
	t.last, t.over = pick{}, 0
	s := t.parts[t.now].waiting.first()
	if s >= 0 {
		t.last, _ = t.take(t.parts[t.now].waiting.urls[s].url)
		t.picks++
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
	Now   int      `json:"now"`
	Left  int      `json:"left"`
	Picks float64  `json:"picks"`
	Parts [][]byte `json:"parts"`
}

// Save implements Keeper: whose turn it is, and what the parts know. What waits keeps its score.
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
