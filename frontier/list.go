package frontier

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"kavosh"
	"kavosh/frontier/scope"
)

// This file lists what waits. It reads the queues as they were at one moment, a host after the other, and holds one task
// at a time in memory.

// Waits is a task that waits, and why.
type Waits struct {
	Wait
	Host string
	Task kavosh.Task
	Add  float64 // what the Priority of its host adds to Task.Score
}

// Waits returns the task that waits for url, a seen-key, or with variant for its RDF form. found is false if none does.
func (f *Frontier) Waits(url string, variant bool) (w Waits, found bool, err error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	s, err := f.status(url, variant)
	if err != nil {
		return w, false, err
	}
	p, _ := scope.Split(url)
	switch s.state {
	case stateQueued:
		if w.Task, _, err = f.db.task(s.key(nil, p.Name), s.rank); err != nil {
			return w, false, err
		}
		of, err := f.readStanding(p.Name)
		if err != nil {
			return w, false, err
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		w.Host, w.Add, w.Wait = p.Name, of.add, f.taskWait(f.hostWait(p.Name, &of), p.Name, &w.Task, s.place)
		return w, true, nil
	case stateAgain:
		w.Task, _, err = f.db.task(againKey(s.place), s.rank)
		w.Host, w.Wait = p.Name, againWait(s.place)
		return w, err == nil, err
	}
	return w, false, nil
}

// againWait is the Wait of a task that is done and queued anew.
func againWait(p place) Wait {
	at := time.Unix(0, p.after).UTC()
	if at.Equal(Someday()) {
		return Wait{State: WaitAgain, Why: "it is done, and asked for again when its schedule says, as long as the crawl goes on"}
	}
	return Wait{State: WaitAgain, Until: at, Why: "it is done, and asked for again from " + utc(at) + " on, as long as the crawl goes on"}
}

// List yields what waits, as it is queued at this moment, until yield returns false or an error. Hosts come in the order
// of their names. Of each host first come the tasks that wait for their turn, in the order of their turns, and then
// those that wait for a time. After all hosts come the tasks that wait beyond limits, a limit after the other. Last come the tasks that are done and queued anew later, by that time. If host is not
// empty, only its tasks are yielded; with a dot before it, those of a domain: that host and all below it. begin is
// called first, with the counts of that moment.
//
// The frontier must not be closed before List returns. Tasks and hosts change meanwhile, but not what List yields; why
// something waits is told as it is when it is yielded.
func (f *Frontier) List(host string, begin func(Stats), yield func(*Waits) (more bool, err error)) error {
	if err := f.usable(); err != nil {
		return err
	}
	snap := f.db.NewSnapshot()
	defer snap.Close()
	begin(f.Stats())
	l := listing{f: f, host: host, yield: yield}
	err := l.read(snap)
	for _, q := range l.queues {
		if closed := q.Close(); closed != nil && err == nil {
			err = fmt.Errorf("frontier: list the queues: %w", closed)
		}
	}
	if err != nil || l.enough {
		return err
	}
	if err := l.limited(snap); err != nil || l.enough {
		return err
	}
	return l.again(snap)
}

// listing is a List under way.
type listing struct {
	f      *Frontier
	host   string
	yield  func(*Waits) (bool, error)
	enough bool
	queues []*pebble.Iterator // over the tasks that wait for their turn, and over those that wait for a time
}

// wants reports whether the tasks of a host are wanted.
func (l *listing) wants(host string) bool {
	if strings.HasPrefix(l.host, ".") {
		return below(host, l.host)
	}
	return l.host == "" || l.host == host
}

// read yields all tasks in the queues of hosts.
func (l *listing) read(snap *pebble.Snapshot) error {
	for _, tag := range [...]byte{tagQueue, tagDeferred} {
		lo, hi := []byte{tag}, []byte{tag + 1}
		if l.host != "" && l.host[0] != '.' {
			lo, hi = hostRange(tag, l.host)
		}
		it, err := snap.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: hi})
		if err != nil {
			return fmt.Errorf("frontier: %w", err)
		}
		l.queues = append(l.queues, it)
		it.First()
	}
	for !l.enough {
		var host []byte // the first one of both queues
		for _, it := range l.queues {
			if it.Valid() {
				if name := hostOfKey(it.Key()); host == nil || bytes.Compare(name, host) < 0 {
					host = bytes.Clone(name)
				}
			}
		}
		if host == nil {
			return nil
		}
		if err := l.readHost(string(host)); err != nil {
			return err
		}
	}
	return nil
}

// hostOfKey returns the part of the key of a task that is the name of its host.
func hostOfKey(key []byte) []byte {
	name, _, _ := bytes.Cut(key[1:], []byte{0})
	return name
}

// readHost yields the tasks of one host, or passes over them.
func (l *listing) readHost(host string) error {
	wanted := l.wants(host)
	var w Waits
	var all Wait
	if wanted {
		l.f.mu.Lock()
		err := l.f.mu.failed
		var s standing
		if err == nil {
			s, err = l.f.readStanding(host)
		}
		w.Host, w.Add, all = host, s.add, l.f.hostWait(host, &s)
		l.f.mu.Unlock()
		if err != nil {
			return err
		}
	}
	for _, it := range l.queues {
		if !wanted {
			if it.Valid() && string(hostOfKey(it.Key())) == host {
				_, hi := hostRange(it.Key()[0], host)
				it.SeekGE(hi)
			}
			continue
		}
		for ; !l.enough && it.Valid() && string(hostOfKey(it.Key())) == host; it.Next() {
			_, p, err := parsePlace(it.Key())
			if err != nil {
				return err
			}
			if w.Task, err = taskOf(it, p); err != nil {
				return err
			}
			l.f.mu.Lock()
			w.Wait = l.f.taskWait(all, host, &w.Task, p)
			l.f.mu.Unlock()
			more, err := l.yield(&w)
			if l.enough = !more; err != nil {
				return err
			}
		}
	}
	return nil
}

// limited yields the tasks in the lists of limits.
func (l *listing) limited(snap *pebble.Snapshot) error {
	it, err := snap.NewIter(&pebble.IterOptions{LowerBound: []byte{tagLimited}, UpperBound: []byte{tagLimited + 1}})
	if err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	for ok := it.First(); ok && err == nil && !l.enough; ok = it.Next() {
		var p place
		var w Waits
		if p, err = parseListed(it.Key()); err == nil {
			w.Task, err = taskOf(it, p)
		}
		of, _ := scope.Split(w.Task.URL)
		if err != nil || !l.wants(of.Name) {
			continue
		}
		l.f.mu.Lock()
		var s standing
		s, err = l.f.readStanding(of.Name)
		w.Host, w.Add = of.Name, s.add
		w.Wait = l.f.taskWait(l.f.hostWait(of.Name, &s), of.Name, &w.Task, p)
		l.f.mu.Unlock()
		if err == nil {
			var more bool
			more, err = l.yield(&w)
			l.enough = !more
		}
	}
	if closed := it.Close(); closed != nil && err == nil {
		err = fmt.Errorf("frontier: list what lies beyond limits: %w", closed)
	}
	return err
}

// again yields the tasks that are done and queued anew later.
func (l *listing) again(snap *pebble.Snapshot) error {
	it, err := snap.NewIter(&pebble.IterOptions{LowerBound: []byte{tagAgain}, UpperBound: []byte{tagAgain + 1}})
	if err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	for ok := it.First(); ok && err == nil && !l.enough; ok = it.Next() {
		var p place
		var w Waits
		if p, err = parseAgain(it.Key()); err == nil {
			w.Task, err = taskOf(it, p)
		}
		of, _ := scope.Split(w.Task.URL)
		if w.Host, w.Wait = of.Name, againWait(p); err != nil || !l.wants(w.Host) {
			continue
		}
		var more bool
		more, err = l.yield(&w)
		l.enough = !more
	}
	if closed := it.Close(); closed != nil && err == nil {
		err = fmt.Errorf("frontier: list the queues: %w", closed)
	}
	return err
}

// taskOf reads the task that it stands at. p is its place.
func taskOf(it *pebble.Iterator, p place) (kavosh.Task, error) {
	v, err := it.ValueAndErr()
	if err != nil {
		return kavosh.Task{}, fmt.Errorf("frontier: read a queue: %w", err)
	}
	t, err := parseTask(p.rank, v)
	if err != nil {
		return t, corrupt(it.Key(), err)
	}
	return t, nil
}
