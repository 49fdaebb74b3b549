package order

// This file decides which scores in the frontier's queue (of all URLs that wait to be fetched) are put right after a
// page was fetched, so that a policy whose scores change all the time changes only a few in the queue. waiting.go,
// which it builds on, knows what each URL is worth now.

// showing is waiting, and also knows the scores that URLs have in the frontier's queue. A policy may find new worths
// for many URLs after each visit, and each change in the queue costs time. So showing puts right only what matters:
// after each visit, the URL that is worth most stands first in the queue, and a few other scores are put right as well:
// of URLs whose worth rose much, and of some URLs in turn. With one worker, the queue gives out the same URLs as a
// queue that is always right. With many workers, the URLs behind the first may be in the places that they had a while
// ago.
//
// When showing is full and a better URL comes, it forgets a URL from the lower half. That URL keeps the score that it
// has in the queue.
type showing[G any] struct {
	*waiting[G]
	why     func(s int32) string  // explains a changed score to people
	own     func(s int32) float64 // computes anew what s is worth by itself; nil if every change comes by set
	slack   float64               // a difference up to this is not put right
	exact   bool                  // another policy uses the score of the first URL, so it must be exact
	looks   int                   // how many URLs are looked at in turn after a visit
	shown   []shownURL            // what is shown in the queue, by slot (see waiting)
	order   ranking               // the slots of waiting URLs, by score in the queue
	given   []int32               // slots that stood first, the oldest first: their URLs are being fetched, or were refused
	risen   []int32               // slots of URLs whose worth rose much since the last settle
	turn    int                   // slot that was looked at last in turn
	changes []Change              // what settle returns
}

// shownURL is what is known of a slot besides what waiting knows.
type shownURL struct {
	score float64 // in the queue
	place int32   // in order; -1 for none
	given bool    // it stood first and was taken out of the order
	serie uint32  // number of the URL, which breaks ties: URLs remembered earlier come first
}

// Bounds of the work and memory of one visit.
const (
	mostPut    = 32   // changes that put the first place right
	mostRisen  = 8    // URLs put right because their worth rose to twice their score
	mostTurned = 1    // URLs put right among those looked at in turn
	mostGiven  = 4096 // URLs remembered that stood first and were not heard of since
)

// newShowing makes an empty showing. value is as in waiting.
func newShowing[G any](a *Args, value func(g *G, own float64) float64) *showing[G] {
	return &showing[G]{waiting: newWaiting(a.Memory, value), exact: a.part, looks: 16}
}

// add remembers a URL, in the group g and with the number own, and returns the score that it is to have in the queue. s
// is its slot, or -1 if there is no room.
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
		w.groups[g].size++ // g may be the group of last: this keeps it
		w.forget(last)
		w.groups[g].size--
	}
	s = w.put(url, g, own)
	for len(w.shown) <= int(s) {
		w.shown = append(w.shown, shownURL{place: -1})
	}
	w.shown[s] = shownURL{score: score, place: -1, serie: w.urls[s].serie}
	w.order.push(shown[G]{w}, s)
	if n := len(w.given); n > 0 { // the new URL goes first, so the one that stood first still waits
		if last := w.given[n-1]; last >= 0 && w.shown[last].given && score > w.shown[last].score {
			w.given[n-1] = -1
			w.back(last)
		}
	}
	return s, score
}

// take forgets a URL that was fetched. It returns the data and the number of its group; ok is false if the URL was not
// remembered.
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

// forget forgets the URL in the slot s.
func (w *showing[G]) forget(s int32) {
	if w.shown[s].place >= 0 {
		w.order.remove(shown[G]{w}, s)
	}
	w.shown[s] = shownURL{place: -1}
	w.waiting.forget(s)
}

// back puts a URL that had been taken out as the first into the order again.
func (w *showing[G]) back(s int32) {
	w.shown[s].given = false
	w.order.push(shown[G]{w}, s)
	w.join(s)
}

// move puts s into another group.
func (w *showing[G]) move(s, g int32, own float64) {
	if w.shown[s].given {
		w.back(s)
	}
	w.waiting.move(s, g, own)
}

// set gives s another number of its own, and notes if its worth rose much.
func (w *showing[G]) set(s int32, own float64) {
	if w.urls[s].own == own {
		return
	}
	if w.shown[s].given { // it was not fetched after all
		w.back(s)
	}
	w.waiting.set(s, own)
	if len(w.risen) < mostRisen && w.shown[s].score > 0 && w.worth(s) >= 2*w.shown[s].score {
		w.risen = append(w.risen, s)
	}
}

// settle ends a visit: it returns the changes that put the queue right, and takes the first URL out of the order, since
// it is fetched next.
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

// look looks at some URLs in turn, and puts the scores of a few of them right.
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

// touchOf ranks the group of s anew, if that group has a place.
func (w *showing[G]) touchOf(s int32) {
	if g := w.urls[s].group; w.groups[g].place >= 0 {
		w.touch(g)
	}
}

// change puts the score of s in the queue right.
func (w *showing[G]) change(s int32) {
	worth := w.worth(s)
	w.show(s, worth)
	w.changes = append(w.changes, Change{URL: w.urls[s].url, Score: worth, Why: w.why(s)})
}

// show notes that s has this score in the queue.
func (w *showing[G]) show(s int32, score float64) {
	w.shown[s].score = score
	if w.shown[s].place >= 0 {
		w.order.fix(shown[G]{w}, s)
	}
}

// give takes s out of the order, since it is fetched next.
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

// shown ranks slots by their scores in the queue, for order.
type shown[G any] struct{ w *showing[G] }

func (o shown[G]) before(a, b int32) bool {
	x, y := &o.w.shown[a], &o.w.shown[b]
	return x.score > y.score || x.score == y.score && x.serie < y.serie
}
func (o shown[G]) place(s int32) *int32 { return &o.w.shown[s].place }
