package order

// This file remembers, for one ordering policy, the URLs that wait in the frontier's queue to be fetched, in groups
// whose scores rise and fall together, and tells which URL is worth most. It changes no score in the queue; showing.go
// does.

// waiting remembers URLs that wait in the frontier's queue, at most max of them. They are in groups whose worth rises
// and falls together, such as the links of a page or the URLs of a host. A policy without groups has all URLs in one.
//
// Each URL has a number of its own. Within a group the URL with the greatest own number comes first; of equal ones, the
// one that was remembered first. Groups are ordered by the worth of their first URLs: value computes the worth of a URL
// from its group and its own number. So a change of a group, whatever its size, costs one step in a heap.
//
// A URL is known by its slot, which is an index in urls; a group is known by its index in groups.
type waiting[G any] struct {
	max    int
	value  func(g *G, own float64) float64 // must not fall when own grows
	urls   []waitingURL                    // by slot
	free   []int32                         // slots without a URL
	at     map[string]int32                // slot of each URL
	groups []group[G]
	spare  []int32          // groups that are free
	named  map[uint64]int32 // group of each key
	ranks  ranking          // the groups that have members
	last   int32            // the group that was made last
	count  uint32           // how many URLs were remembered so far
}

// waitingURL is what a slot holds.
type waitingURL struct {
	url   string  // "" in a free slot
	own   float64 // the URL's own number
	group int32
	place int32  // place in the group's members; -1 if it is taken out of the order
	serie uint32 // number of the URL, from 1: URLs remembered earlier have lower numbers
}

// group is a group of URLs. data is what the policy keeps for it.
type group[G any] struct {
	key     uint64
	data    G
	size    int32   // how many URLs it has, in the order or not
	members ranking // slots of the URLs in the order
	worth   float64 // worth of the first member
	place   int32   // place in ranks; -1 if it has no members
}

func newWaiting[G any](most int, value func(g *G, own float64) float64) *waiting[G] {
	return &waiting[G]{max: most, value: value, at: map[string]int32{}, named: map[uint64]int32{}}
}

// group returns the number of the group with that key, and makes it if there is none. A group without URLs is dropped:
// after its last URL is forgotten, or, if it never had one, when the next group is made.
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

// put remembers a new URL and returns its slot. The caller has made room for it.
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

// join puts s into the order of its group, if it is not there.
func (w *waiting[G]) join(s int32) {
	if u := &w.urls[s]; u.place < 0 {
		w.groups[u.group].members.push(members[G]{w}, s)
		w.touch(u.group)
	}
}

// leave takes s out of the order. The URL is still remembered.
func (w *waiting[G]) leave(s int32) {
	if u := &w.urls[s]; u.place >= 0 {
		w.groups[u.group].members.remove(members[G]{w}, s)
		w.touch(u.group)
	}
}

// forget forgets the URL in the slot s.
func (w *waiting[G]) forget(s int32) {
	w.leave(s)
	g := w.urls[s].group
	delete(w.at, w.urls[s].url)
	w.urls[s] = waitingURL{place: -1}
	w.free = append(w.free, s)
	w.groups[g].size--
	w.drop(g)
}

// move puts s into another group, with another number of its own.
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

// drop frees a group that has no URL.
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

// touch ranks a group anew. Call it when its data or its first member has changed.
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

// first returns the slot of the URL that comes before all others; -1 if there is none. It notices groups whose worth
// fell without a call of touch.
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

// worth returns what s is worth now.
func (w *waiting[G]) worth(s int32) float64 {
	u := &w.urls[s]
	return w.value(&w.groups[u.group].data, u.own)
}

// members ranks the slots of a group, for group.members.
type members[G any] struct{ w *waiting[G] }

func (m members[G]) before(a, b int32) bool {
	x, y := &m.w.urls[a], &m.w.urls[b]
	return x.own > y.own || x.own == y.own && x.serie < y.serie
}
func (m members[G]) place(s int32) *int32 { return &m.w.urls[s].place }

// groups ranks the groups, for waiting.ranks.
type groups[G any] struct{ w *waiting[G] }

func (o groups[G]) before(a, b int32) bool {
	x, y := &o.w.groups[a], &o.w.groups[b]
	if x.worth != y.worth {
		return x.worth > y.worth
	}
	return o.w.urls[x.members.ids[0]].serie < o.w.urls[y.members.ids[0]].serie
}
func (o groups[G]) place(g int32) *int32 { return &o.w.groups[g].place }
