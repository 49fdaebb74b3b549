package frontier

import (
	"fmt"

	"kavosh"
	"kavosh/frontier/order"
	"kavosh/frontier/scope"
	"kavosh/frontier/seen"
)

// This file gives URLs that wait new scores, which people or the order set.

// Change is a new score for a URL that waits.
type Change = order.Change

// Reprioritise gives queued URLs new scores, durably, and returns how many it changed. A change costs one look-up, one
// read and three small writes, however long the queue is. URLs that are leased (requested now), done, rejected or
// unknown are left alone. If one URL has several changes, the last one counts.
func (f *Frontier) Reprioritise(changes []Change) (changed int, err error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return 0, err
	}
	return f.reprioritise(changes, nil, false)
}

// reprioritise is Reprioritise for a caller that holds Frontier.applying. If as is not nil, it has one task for each
// change: from now on the URL waits as this task says (its kind, path and hops, not its score). learned means that the scores
// are the order's: what is added to those of new links is added to them, too.
func (f *Frontier) reprioritise(changes []Change, as []kavosh.Task, learned bool) (changed int, err error) {
	moves, err := f.planMoves(changes)
	for i := range moves {
		if err == nil {
			err = moves[i].rescore(f, changes, as, learned)
		}
	}
	hosts := standings{f: f}
	if err == nil && len(moves) > 0 {
		err = f.writeMoves(moves, &hosts)
	}
	if err != nil {
		f.fail(err)
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock.now()
	hosts.learn()
	for i := range moves {
		m := &moves[i]
		delete(f.mu.leases.moving, m.to.id)
		if h := f.mu.bench.hosts[m.host]; h != nil && m.to.limit == 0 {
			h.enqueue(m.to, now)
			h.arrange(now)
		}
	}
	f.wakeNext()
	return len(moves), nil
}

// move is a queued task that gets another place.
type move struct {
	key  seen.Key
	host string
	from place
	to   queued
	by   int // index of the change that moves it
}

// planMoves finds the tasks that changes speak of, and sets them aside in memory, so that Next does not hand them out
// before they have their new places.
func (f *Frontier) planMoves(changes []Change) ([]move, error) {
	var moves []move
	at := make(map[seen.Key]int, len(changes)) // in moves
	for i := range changes {
		c := &changes[i]
		p, ok := scope.Split(c.URL)
		if !ok {
			continue // never accepted
		}
		key := seenKey(c.URL, &f.scratch.url)
		if j, twice := at[key]; twice {
			moves[j].by = i
			continue
		}
		s, err := f.known.status(key)
		if err != nil {
			return nil, err
		}
		if s.state == stateQueued {
			at[key] = len(moves)
			moves = append(moves, move{key: key, host: p.Name, from: s.place, by: i})
		}
	}
	f.mu.Lock()
	n := 0
	for i := range moves {
		m := moves[i]
		if f.mu.leases.out[m.from.id] != nil {
			continue
		}
		f.mu.leases.moving[m.from.id] = struct{}{}
		if h := f.mu.bench.hosts[m.host]; h != nil {
			h.drop(m.from.id)
		}
		moves[n] = m
		n++
	}
	f.mu.Unlock()
	return moves[:n], nil
}

// rescore sets m.to, the task with its new score and its new place.
func (m *move) rescore(f *Frontier, changes []Change, as []kavosh.Task, learned bool) error {
	t, _, err := f.db.task(m.from.key(nil, m.host), m.from.rank)
	if err != nil {
		return err
	}
	t.Score, t.Why = changes[m.by].Score, changes[m.by].Why
	if learned {
		t.Score, t.Why = f.favours.add(t.URL, t.Seed, t.Score, t.Why)
		t.Score, t.Why = f.expiring.add(t.URL, m.host, t.Kind == kavosh.Seed, f.clock.Now(), t.Score, t.Why)
	}
	if as != nil {
		a := &as[m.by]
		if m.from.limit == 0 { // else it waits beyond a limit that may be of its seed
			t.Seed = a.Seed
		}
		t.Kind, t.Via, t.From, t.Path, t.Hops, t.Embeds, t.Listed, t.Guessed, t.Extra = a.Kind, a.Via, a.From, a.Path, a.Hops, a.Embeds, a.Listed, a.Guessed, a.Extra
	}
	if t.Score != t.Score {
		t.Score = 0
	}
	m.to = queued{place{f.parts.rankOf(&t), m.from.after, m.from.limit}, appendTask(nil, &t)}
	return nil
}

// writeMoves makes moves durable, and changes the standings of their hosts on disk with them.
func (f *Frontier) writeMoves(moves []move, hosts *standings) error {
	f.mu.Lock()
	round := f.mu.sums.round
	f.mu.Unlock()
	b, err := f.known.begin()
	if err != nil {
		return err
	}
	for i := range moves {
		m := &moves[i]
		err := b.Delete(m.from.key(nil, m.host), nil)
		if err == nil {
			err = b.Set(m.to.key(nil, m.host), m.to.value, nil)
		}
		f.known.add(&m.key, status{state: stateQueued, place: m.to.place}.append(nil))
		if err != nil {
			return fmt.Errorf("frontier: %w", err)
		}
		if m.to.limit != 0 {
			continue // in no queue of its host
		}
		c, err := hosts.of(m.host)
		if err != nil {
			return err
		}
		c.add(m.to.place, round)
	}
	if _, err := hosts.write(b); err != nil {
		return err
	}
	return f.known.commit(b)
}
