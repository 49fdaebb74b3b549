package frontier

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/frontier/seen"
)

// This file asks what is known of the URLs in an Apply, all in one pass over the seen set.

// offer is a URL that an update speaks of.
type offer struct {
	key  seen.Key
	hi   uint64       // the first 8 bytes of key, to sort by
	at   int          // its index among all URLs of the updates
	task *kavosh.Task // nil for a link
}

// lookUp finds what is known of every URL in a.updates. It looks each URL up once, in the order of the keys, so that
// neighbours on disk are read together. Two kinds of URLs need no look-up: tasks that are leased, whose place is in
// memory, and links that were accepted lately (recent.go), which only need to count as known.
func (a *application) lookUp() error {
	offers := a.f.scratch.offers[:0]
	add := func(url string, variant bool, task *kavosh.Task) {
		key := taskKey(url, variant, &a.f.scratch.url)
		offers = append(offers, offer{key, binary.BigEndian.Uint64(key[:]), len(offers), task})
	}
	for i := range a.updates {
		u := &a.updates[i]
		if u.Task.URL != "" {
			add(u.Task.URL, u.Task.Variant, &u.Task)
		}
		for j := range u.Links {
			add(u.Links[j].URL, u.Links[j].Variant, nil)
		}
		for _, url := range u.Rejected {
			add(url, false, nil)
		}
	}
	sortOffers(offers)
	keys, asked := a.f.scratch.keys[:0], a.f.scratch.asked[:0]
	a.slots, a.slotOf = a.f.scratch.slots[:0], slices.Grow(a.f.scratch.slotOf[:0], len(offers))[:len(offers)]
	for i := range offers {
		o := &offers[i]
		if i == 0 || o.key != offers[i-1].key {
			s := slot{key: o.key}
			switch p, leased := a.leased(o.task); {
			case leased:
				s.status = status{state: stateQueued, place: p}
			case o.task == nil && a.f.recent.has(&o.key):
				s.status = status{state: stateDone}
			default:
				keys, asked = append(keys, o.key), append(asked, len(a.slots))
			}
			a.slots = append(a.slots, s)
		}
		a.slotOf[o.at] = len(a.slots) - 1
	}
	clear(offers) // the tasks are the caller's
	entries := slices.Grow(a.f.scratch.entries[:0], len(keys))[:len(keys)]
	a.f.scratch = scratch{offers, keys, asked, entries, a.slots, a.slotOf, a.f.scratch.names, a.f.scratch.url}
	if err := a.f.known.get(keys, entries); err != nil {
		return err
	}
	for i, at := range asked {
		var err error
		if a.slots[at].status, err = statusOf(&keys[i], &entries[i]); err != nil {
			return err
		}
	}
	return nil
}

// lookUpHosts finds what the disk keeps of the hosts (their standings) of all links that are new.
func (a *application) lookUpHosts() error {
	names, offer := a.f.scratch.names[:0], 0
	for i := range a.updates {
		u := &a.updates[i]
		if u.Task.URL != "" {
			offer++
		}
		for j := range u.Links {
			if s := &a.slots[a.slotOf[offer]]; s.status.state == stateUnseen || s.status.state == stateRejected || s.status.state == stateStale {
				if p, ok := scope.Split(u.Links[j].URL); ok {
					names = append(names, p.Name)
				}
			}
			offer++
		}
		offer += len(u.Rejected)
	}
	err := a.hosts.find(names)
	clear(names) // they are the caller's
	a.f.scratch.names = names
	return err
}

// sortOffers sorts offers by key. Among offers of one key, tasks come first, because more must be known of a task than
// of a link; then the order of the updates decides. Keys are hashes and so spread evenly: they are put into buckets by
// their first bits, about eight into each, and each bucket is sorted.
func sortOffers(offers []offer) {
	width := bits.Len(uint(len(offers)) / 8)
	bucket := func(at int) int { return int(offers[at].hi >> (64 - width)) }
	next, ends := make([]int, 1<<width), make([]int, 1<<width)
	for i := range offers {
		ends[bucket(i)]++
	}
	for b, start := 0, 0; b < len(ends); b++ {
		next[b] = start
		start += ends[b]
		ends[b] = start
	}
	for b := range ends {
		for next[b] < ends[b] {
			at := next[b]
			to := bucket(at)
			offers[at], offers[next[to]] = offers[next[to]], offers[at]
			next[to]++
		}
	}
	for from, b := 0, 0; b < len(ends); b++ {
		slices.SortFunc(offers[from:ends[b]], compareOffers)
		from = ends[b]
	}
}

func compareOffers(x, y offer) int {
	if c := cmp.Compare(x.hi, y.hi); c != 0 {
		return c
	}
	if c := bytes.Compare(x.key[:], y.key[:]); c != 0 {
		return c
	}
	if (x.task != nil) != (y.task != nil) {
		if x.task != nil {
			return -1
		}
		return 1
	}
	return cmp.Compare(x.at, y.at)
}

// scratch is memory that the next Apply uses again, so that it need not be allocated.
type scratch struct {
	offers  []offer
	keys    []seen.Key
	asked   []int
	entries []seen.Entry
	slots   []slot
	slotOf  []int
	names   []string
	url     []byte
}

// leased returns where t lies in the queue, if it is leased. t may be nil.
func (a *application) leased(t *kavosh.Task) (p place, leased bool) {
	if t == nil {
		return p, false
	}
	a.f.mu.Lock()
	defer a.f.mu.Unlock()
	return a.f.mu.leases.place(t)
}
