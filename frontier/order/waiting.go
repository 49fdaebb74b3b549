package order

// This file remembers, for one policy, the URLs that wait in the frontier's queue, in groups whose scores rise and fall
// together, and tells which URL is worth most. It changes no score in the queue; showing.go does.

// waiting remembers URLs that wait in the queue, at most max of them, in groups that rise and fall together: the links of
// a page, the URLs of a host. A policy without groups has all in one.
//
// Within a group the URL with the greatest own number comes first, of equal ones the one remembered first. Between groups
// it is what value makes of the group and of that number. So a group of any size changes its worth at the cost of one
// step in a heap.
type waiting[G any] struct {
	max    int
	value  func(g *G, own float64) float64 // must not fall when own grows
	urls   []waitingURL                    // by slot
	free   []int32                         // slots
	at     map[string]int32                // slots
	groups []group[G]
	spare  []int32 // groups
	named  map[uint64]int32
	ranks  ranking // groups
	last   int32   // the group made last
	count  uint32
}

// waitingURL is a slot.
type waitingURL struct {
	url   string // "" in a free slot
	own   float64
	group int32
	place int32  // in the group's members; -1 for none
	serie uint32 // which came first
}

type group[G any] struct {
	key     uint64
	data    G
	size    int32   // URLs remembered
	members ranking // slots
	worth   float64 // of the first member
	place   int32   // in ranks; -1 for an empty group
}

func newWaiting[G any](most int, value func(g *G, own float64) float64) *waiting[G] {
	return &waiting[G]{max: most, value: value, at: map[string]int32{}, named: map[uint64]int32{}}
}

// group is the number of the group called key, which is made if it is not there. A group goes with its last URL, and one
// that never had any with the next call.
func (w *waiting[G]) group(key uint64) int32 {
	if g, ok := w.named[key]; ok {
		return g
	}
	if w.groups != nil && w.last < int32(len(w.groups)) {
		w.drop(w.last)
	}
	var g int32
	if n := len(w.spare); n > 0 {
		g, w.spare = w.spare[n-1], w.spare[:n-1]
		w.groups[g] = group[G]{key: key, place: -1, members: ranking{w.groups[g].members.ids[:0]}}
	} else {
		g = int32(len(w.groups))
		w.groups = append(w.groups, group[G]{key: key, place: -1})
	}
	w.named[key], w.last = g, g
	return g
}

// put remembers a URL that is not remembered yet; the caller has made room.
func (w *waiting[G]) put(url string, g int32, own float64) int32 {
	var s int32
	if n := len(w.free); n > 0 {
		s, w.free = w.free[n-1], w.free[:n-1]
	} else {
		s = int32(len(w.urls))
		w.urls = append(w.urls, waitingURL{})
	}
	w.count++
	w.urls[s] = waitingURL{url: url, group: g, own: own, place: -1, serie: w.count}
	w.at[url] = s
	w.groups[g].size++
	w.join(s)
	return s
}

// join lets s take its place in its group, if it has none.
func (w *waiting[G]) join(s int32) {
	if u := &w.urls[s]; u.place < 0 {
		w.groups[u.group].members.push(members[G]{w}, s)
		w.touch(u.group)
	}
}

// leave takes s out of the order; it is still remembered.
func (w *waiting[G]) leave(s int32) {
	if u := &w.urls[s]; u.place >= 0 {
		w.groups[u.group].members.remove(members[G]{w}, s)
		w.touch(u.group)
	}
}

// forget takes s out altogether.
func (w *waiting[G]) forget(s int32) {
	w.leave(s)
	g := w.urls[s].group
	delete(w.at, w.urls[s].url)
	w.urls[s] = waitingURL{place: -1}
	w.free = append(w.free, s)
	w.groups[g].size--
	w.drop(g)
}

// move gives s another group.
func (w *waiting[G]) move(s, g int32, own float64) {
	u := &w.urls[s]
	old, ranked := u.group, u.place >= 0
	w.leave(s)
	u.group, u.own = g, own
	w.groups[old].size--
	w.groups[g].size++
	if ranked {
		w.join(s)
	}
	w.drop(old)
}

// drop lets a group go that has no URL.
func (w *waiting[G]) drop(g int32) {
	if x := &w.groups[g]; x.size == 0 {
		if at, ok := w.named[x.key]; ok && at == g {
			delete(w.named, x.key)
			w.spare = append(w.spare, g)
		}
	}
}

// set gives s another number of its own.
func (w *waiting[G]) set(s int32, own float64) {
	u := &w.urls[s]
	if u.own == own {
		return
	}
	u.own = own
	if u.place >= 0 {
		w.groups[u.group].members.fix(members[G]{w}, s)
		w.touch(u.group)
	}
}

// touch finds the group's place anew: what value makes of it has changed, or its first member.
func (w *waiting[G]) touch(g int32) {
	x := &w.groups[g]
	if len(x.members.ids) == 0 {
		if x.place >= 0 {
			w.ranks.remove(groups[G]{w}, g)
		}
		return
	}
	x.worth = w.value(&x.data, w.urls[x.members.ids[0]].own)
	if x.place < 0 {
		w.ranks.push(groups[G]{w}, g)
	} else {
		w.ranks.fix(groups[G]{w}, g)
	}
}

// first is the URL that comes before all others, -1 for none. Groups whose worth fell without a touch are found out.
func (w *waiting[G]) first() int32 {
	for range 64 {
		if len(w.ranks.ids) == 0 {
			return -1
		}
		g := w.ranks.ids[0]
		before := w.groups[g].worth
		if w.touch(g); w.groups[g].worth >= before {
			break
		}
	}
	return w.groups[w.ranks.ids[0]].members.ids[0]
}

// worth is what s is worth now.
func (w *waiting[G]) worth(s int32) float64 {
	u := &w.urls[s]
	return w.value(&w.groups[u.group].data, u.own)
}

// members ranks the slots of a group.
type members[G any] struct{ w *waiting[G] }

func (m members[G]) before(a, b int32) bool {
	x, y := &m.w.urls[a], &m.w.urls[b]
	return x.own > y.own || x.own == y.own && x.serie < y.serie
}
func (m members[G]) place(s int32) *int32 { return &m.w.urls[s].place }

// groups ranks groups.
type groups[G any] struct{ w *waiting[G] }

func (o groups[G]) before(a, b int32) bool {
	x, y := &o.w.groups[a], &o.w.groups[b]
	if x.worth != y.worth {
		return x.worth > y.worth
	}
	return o.w.urls[x.members.ids[0]].serie < o.w.urls[y.members.ids[0]].serie
}
func (o groups[G]) place(g int32) *int32 { return &o.w.groups[g].place }
