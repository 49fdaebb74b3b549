package frontier

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"kavosh/frontier/seen"
)

// What the crawl knows of every URL that it met is in a seen.Set, which Apply asks by the group; so are the standings
// of hosts (standing.go) and what is counted against budgets (budget.go), by the hash of a name that is no URL. The
// newest entries, which the Set has in memory alone, are in Pebble, too, under s: in the same batch as all else, so
// that an Apply is one write. Open gives them back to the Set; once the Set has them in its files they are dropped. All
// of an Apply are one value, so that Pebble has one key to sort and not thousands.

// status is what the crawl knows of a URL.
type status struct {
	state byte
	place // of a queued one, or of one that waits again
}

// done says that the URL was finished, whether or not it waits again.
func (s *status) done() bool { return s.state == stateDone || s.state == stateAgain }

const (
	stateUnseen   byte = 0 // never stored
	stateQueued   byte = 'q'
	stateDeferred byte = 'd' // queued, with a time; only in the stored form
	stateDone     byte = 'f'
	stateAgain    byte = 'a' // done, and queued anew at a time
	stateRejected byte = 'x'
)

func (s status) append(b []byte) []byte {
	switch {
	case s.state == stateAgain, s.state == stateQueued && s.after != 0:
		state := s.state
		if state == stateQueued {
			state = stateDeferred
		}
		b = binary.BigEndian.AppendUint64(append(b, state), uint64(s.after))
		return appendRank(b, s.rank)
	case s.state == stateQueued:
		return appendRank(append(b, stateQueued), s.rank)
	}
	return append(b, s.state)
}

func parseStatus(v []byte) (status, error) {
	if len(v) == 0 {
		return status{}, errMalformed
	}
	s, rest := status{state: v[0]}, v[1:]
	switch {
	case (s.state == stateDone || s.state == stateRejected) && len(rest) == 0:
		return s, nil
	case s.state == stateQueued && len(rest) == rankLen:
		s.rank = parseRank(rest)
		return s, nil
	case (s.state == stateDeferred || s.state == stateAgain) && len(rest) == 8+rankLen:
		if s.state == stateDeferred {
			s.state = stateQueued
		}
		if s.after, s.rank = int64(binary.BigEndian.Uint64(rest)), parseRank(rest[8:]); s.after > 0 {
			return s, nil
		}
	}
	return status{}, errMalformed
}

// Met reports whether a URL of host was ever queued.
func (f *Frontier) Met(host string) (bool, error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return false, err
	}
	f.mu.Lock()
	here := f.mu.hosts[host] != nil
	f.mu.Unlock()
	if here {
		return true, nil
	}
	e, err := f.entry(hostKey(host, &f.scratch.url))
	return err == nil && e.Met(), err
}

// seenKey returns the key under which a URL, or another name, is stored. buf is a buffer for it.
func seenKey(url string, buf *[]byte) seen.Key {
	*buf = append((*buf)[:0], url...)
	sum := sha256.Sum256(*buf)
	return seen.Key(sum[:16])
}

// taskKey is what a URL as a task asks for it is known by: its form in RDF is another one than its page.
func taskKey(url string, variant bool, buf *[]byte) seen.Key {
	if variant {
		url = "rdf " + url
	}
	return seenKey(url, buf)
}

// newestKey is where the entries of the n-th Apply lie while the Set has them in memory alone.
func newestKey(generation, n uint64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64([]byte{tagSeen}, generation), n)
}

// eachNewest yields the entries that the Set may have in memory alone, the oldest first, and returns the number of the
// last Apply among them.
func (f *Frontier) eachNewest(yield func(generation uint64, key *seen.Key, entry []byte)) (last uint64, err error) {
	it, err := f.db.NewIter(&pebble.IterOptions{LowerBound: newestKey(f.seen.Flushed()+1, 0), UpperBound: []byte{tagSeen + 1}})
	if err != nil {
		return 0, fmt.Errorf("frontier: %w", err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		k, v := it.Key(), it.Value()
		whole := len(k) == 1+8+8 && len(v) > 0 && v[0] == newestVersion
		for v = v[min(len(v), 1):]; whole && len(v) > 0; {
			const head = len(seen.Key{}) + 1
			if whole = len(v) > head && v[head-1] > 0 && v[head-1] <= seen.MaxEntry && len(v) >= head+int(v[head-1]); whole {
				end := head + int(v[head-1])
				yield(binary.BigEndian.Uint64(k[1:]), (*seen.Key)(v), v[head:end])
				v = v[end:]
			}
		}
		if !whole {
			it.Close()
			return 0, corrupt(k, errMalformed)
		}
		last = max(last, binary.BigEndian.Uint64(k[9:]))
	}
	if err := it.Close(); err != nil {
		return 0, fmt.Errorf("frontier: read what is known: %w", err)
	}
	return last, nil
}

const newestVersion = 1

// openSeen opens the Set and gives the newest entries back to it.
func (f *Frontier) openSeen() (err error) {
	if f.seen, err = seen.Open(seen.Options{FS: f.o.FS, Dir: f.o.FS.PathJoin(f.o.Dir, "seen"), Table: f.o.seenTable}); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	f.dropped = f.seen.Flushed()
	f.news.number, err = f.eachNewest(func(generation uint64, key *seen.Key, entry []byte) {
		f.seen.Restore(generation, *key, seen.EntryOf(entry))
	})
	return err
}

// entry is what is kept under one key.
func (f *Frontier) entry(key seen.Key) (seen.Entry, error) {
	var e [1]seen.Entry
	if err := f.seen.Get([]seen.Key{key}, e[:]); err != nil {
		return e[0], fmt.Errorf("frontier: %w", err)
	}
	return e[0], nil
}

// lookUpOne is what is known of one URL.
func (f *Frontier) lookUpOne(key seen.Key) (status, error) {
	e, err := f.entry(key)
	if err != nil {
		return status{}, err
	}
	return statusOf(&key, &e)
}

func statusOf(key *seen.Key, e *seen.Entry) (status, error) {
	if !e.Met() {
		return status{}, nil
	}
	s, err := parseStatus(e.Bytes())
	if err != nil {
		return s, corrupt(append([]byte{tagSeen}, key[:]...), err)
	}
	return s, nil
}

// news are entries on their way: in a batch, then, when that is written, to the Set. Frontier.applying is held all the
// while, so that the generation stays the same.
type news struct {
	keys    []seen.Key
	entries []seen.Entry
	value   []byte // of all of them
	number  uint64 // of batches
}

// add takes an entry along.
func (n *news) add(key *seen.Key, entry []byte) {
	n.value = append(append(append(n.value, key[:]...), byte(len(entry))), entry...)
	n.keys = append(n.keys, *key)
	n.entries = append(n.entries, seen.EntryOf(entry))
}

// begin starts a batch, with which commit or commitEarly writes what was added to f.news meanwhile. It drops what the
// Set has in its files by now.
func (f *Frontier) begin() (*pebble.Batch, error) {
	b, n := f.db.NewBatch(), &f.news
	n.keys, n.entries, n.value = n.keys[:0], n.entries[:0], append(n.value[:0], newestVersion)
	flushed := f.seen.Flushed()
	if flushed == f.dropped {
		return b, nil
	}
	f.dropped = flushed
	return b, b.DeleteRange([]byte{tagSeen}, newestKey(flushed+1, 0), nil)
}

// commit makes b durable, and all that was written early. It waits when the Set cannot write its files as fast as it
// learns.
func (f *Frontier) commit(b *pebble.Batch) error {
	if b.Empty() && len(f.news.keys) == 0 { // which Pebble would not sync
		if err := b.LogData(nil, nil); err != nil {
			return fmt.Errorf("frontier: %w", err)
		}
	}
	return f.finish(b, pebble.Sync, f.seen.Add)
}

// commitEarly writes b, which a power cut may take until the next commit.
func (f *Frontier) commitEarly(b *pebble.Batch) error {
	return f.finish(b, pebble.NoSync, f.seen.AddEarly)
}

func (f *Frontier) finish(b *pebble.Batch, sync *pebble.WriteOptions, tell func([]seen.Key, []seen.Entry) error) error {
	n := &f.news
	if len(n.keys) > 0 {
		n.number++
		if err := b.Set(newestKey(f.seen.Generation(), n.number), n.value, nil); err != nil {
			return err
		}
	}
	if err := f.db.commit(b, sync); err != nil {
		return err
	}
	if err := tell(n.keys, n.entries); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return nil
}
