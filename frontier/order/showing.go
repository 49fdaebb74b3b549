package order

// This file decides which scores in the frontier's queue are put right after a visit, so that a policy whose scores
// change all the time changes only a few in the queue. waiting.go, which it builds on, knows what each URL is worth
// now.

// showing is waiting whose scores stand in the queue, too. What URLs are worth changes faster than scores in the queue
// may, so only that is put right which matters: after every visit the URL that is worth most stands first in the queue,
// a few are put right that rose much, and a few others in turn. With one worker the queue gives out what a queue would
// that knew everything; with many the URLs behind the first may stand where they belonged a while ago.
//
// When it is full, a URL from the lower half gives way. It keeps the score that it has in the queue.
type showing[G any] struct {
	*waiting[G]
	why     func(s int32) string  // for a changed score
	own     func(s int32) float64 // finds what s is worth by itself anew; nil when set does all
	slack   float64               // what differs by no more is not put right
	exact   bool                  // the first's score is used by another policy, and must be its worth
	looks   int                   // URLs looked at in turn after a visit
	shown   []shownURL            // by slot
	order   ranking               // slots, by score in the queue
	given   []int32               // slots that were first, the oldest first: they are on their way, or were refused
	risen   []int32               // slots
	turn    int                   // slot
	changes []Change
}

type shownURL struct {
	score float64
	place int32 // in order; -1 for none
	given bool
	serie uint32 // of the URL, so that a slot used again is told apart
}

// What one visit may cost.
const (
	mostPut    = 32   // changes that put the first right
	mostRisen  = 8    // URLs put right because they rose to twice their score
	mostTurned = 1    // URLs looked at in turn that are put right
	mostGiven  = 4096 // URLs remembered that were first and have not come back
)

func newShowing[G any](a *Args, value func(g *G, own float64) float64) *showing[G] {
	return &showing[G]{waiting: newWaiting(a.Memory, value), exact: a.part, looks: 16}
}

// add remembers a URL whose score in the queue will be the one returned.
func (w *showing[G]) add(url string, g int32, own float64) (s int32, score float64) {
	score = w.value(&w.groups[g].data, own)
	if s, ok := w.at[url]; ok { // queued again after a crash
		w.move(s, g, own)
		w.show(s, score)
		return s, score
	}
	if len(w.at) >= w.max {
		last := int32(-1)
		if n := len(w.order.ids); n > 0 {
			last = w.order.ids[n-1] // a leaf
		}
		if last < 0 || w.shown[last].score >= score {
			return -1, score
		}
		w.groups[g].size++ // it may be last's group, and must stay
		w.forget(last)
		w.groups[g].size--
	}
	s = w.put(url, g, own)
	for len(w.shown) <= int(s) {
		w.shown = append(w.shown, shownURL{place: -1})
	}
	w.shown[s] = shownURL{score: score, place: -1, serie: w.urls[s].serie}
	w.order.push(shown[G]{w}, s)
	if n := len(w.given); n > 0 { // the new one goes first, so that the one before it is still to be had
		if last := w.given[n-1]; last >= 0 && w.shown[last].given && score > w.shown[last].score {
			w.given[n-1] = -1
			w.back(last)
		}
	}
	return s, score
}

// take forgets a URL that was fetched, and returns what its group had; ok is false for one not remembered.
func (w *showing[G]) take(url string) (data G, g int32, ok bool) {
	s, ok := w.at[url]
	if !ok {
		return data, 0, false
	}
	g = w.urls[s].group
	data = w.groups[g].data
	w.forget(s)
	return data, g, true
}

func (w *showing[G]) forget(s int32) {
	if w.shown[s].place >= 0 {
		w.order.remove(shown[G]{w}, s)
	}
	w.shown[s] = shownURL{place: -1}
	w.waiting.forget(s)
}

// back gives a URL that was first its place in the order again.
func (w *showing[G]) back(s int32) {
	w.shown[s].given = false
	w.order.push(shown[G]{w}, s)
	w.join(s)
}

// move gives s another group.
func (w *showing[G]) move(s, g int32, own float64) {
	if w.shown[s].given {
		w.back(s)
	}
	w.waiting.move(s, g, own)
}

// set gives s another number of its own, and notes when that makes much of a difference.
func (w *showing[G]) set(s int32, own float64) {
	if w.urls[s].own == own {
		return
	}
	if w.shown[s].given { // it was not asked after all
		w.back(s)
	}
	w.waiting.set(s, own)
	if len(w.risen) < mostRisen && w.shown[s].score > 0 && w.worth(s) >= 2*w.shown[s].score {
		w.risen = append(w.risen, s)
	}
}

// settle ends a visit: it returns the changes that put the queue right, and takes the first for given out.
func (w *showing[G]) settle() []Change {
	w.changes = w.changes[:0]
	for _, s := range w.risen {
		if w.urls[s].url != "" && w.worth(s) >= 2*w.shown[s].score {
			w.change(s)
		}
	}
	w.risen = w.risen[:0]
	w.look()
	for range mostPut {
		best := w.first()
		if best < 0 {
			return w.changes
		}
		if w.own != nil {
			if own := w.own(best); own < w.urls[best].own {
				w.waiting.set(best, own)
				continue
			}
		}
		top := w.order.ids[0]
		worth, now := w.worth(best), w.worth(top)
		switch {
		case best == top || worth-now <= w.slack:
		case w.shown[top].score >= worth:
			w.change(top)
			continue
		default:
			w.change(best)
			continue
		}
		break
	}
	first := w.order.ids[0]
	if w.exact && w.worth(first) != w.shown[first].score {
		w.change(first)
		first = w.order.ids[0]
	}
	w.give(first)
	return w.changes
}

// look puts a few URLs right, in turn.
func (w *showing[G]) look() {
	put := 0
	for range min(w.looks, len(w.urls)) {
		w.turn = (w.turn + 1) % len(w.urls)
		s := int32(w.turn)
		if w.urls[s].url == "" {
			continue
		}
		if w.own != nil {
			w.waiting.set(s, w.own(s))
		}
		w.touchOf(s)
		score, worth := w.shown[s].score, w.worth(s)
		if d := worth - score; put < mostTurned && (d > w.slack || -d > w.slack) && d*d > (score*score+worth*worth)/16 {
			w.change(s)
			put++
		}
	}
}

// touchOf finds the place of s's group anew if it has one.
func (w *showing[G]) touchOf(s int32) {
	if g := w.urls[s].group; w.groups[g].place >= 0 {
		w.touch(g)
	}
}

// change lets the queue have what s is worth.
func (w *showing[G]) change(s int32) {
	worth := w.worth(s)
	w.show(s, worth)
	w.changes = append(w.changes, Change{URL: w.urls[s].url, Score: worth, Why: w.why(s)})
}

func (w *showing[G]) show(s int32, score float64) {
	w.shown[s].score = score
	if w.shown[s].place >= 0 {
		w.order.fix(shown[G]{w}, s)
	}
}

// give takes s out of the order: it is the next to be asked.
func (w *showing[G]) give(s int32) {
	w.order.remove(shown[G]{w}, s)
	w.shown[s].given = true
	w.leave(s)
	w.given = append(w.given, s)
	if len(w.given) >= 2*mostGiven {
		for _, s := range w.given[:mostGiven] {
			if s >= 0 && w.shown[s].given {
				w.forget(s)
			}
		}
		w.given = append(w.given[:0], w.given[mostGiven:]...)
	}
}

// shown ranks slots by their scores in the queue.
type shown[G any] struct{ w *showing[G] }

func (o shown[G]) before(a, b int32) bool {
	x, y := &o.w.shown[a], &o.w.shown[b]
	return x.score > y.score || x.score == y.score && x.serie < y.serie
}
func (o shown[G]) place(s int32) *int32 { return &o.w.shown[s].place }
