package frontier

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"kavosh/frontier/seen"
)

// This file remembers every URL that the crawl met, and what became of it.

// What the crawl knows of every URL is in a seen.Set, which Apply asks a group at a time. The Set also keeps the standings
// of hosts (standing.go) and the counts of traps (budget.go), under the hash of a name that is no URL. The newest entries
// are in the memory of the Set alone. Therefore they are in Pebble, too, under the tag s, in the same batch as all else:
// an Apply is one write. Open gives them back to the Set. They are dropped when the Set has them in its files. All
// entries of an Apply are one value, so that Pebble has one key to sort and not thousands.

// status is what the crawl knows of a URL.
type status struct {
	state byte
	place // where its task lies, if it is queued or waits to be queued again
}

// done reports whether the URL was finished, whether or not it is to be queued again.
func (s *status) done() bool { return s.state == stateDone || s.state == stateAgain }

const (
	stateUnseen   byte = 0 // never stored
	stateQueued   byte = 'q'
	stateDeferred byte = 'd' // queued with a not-before time; used in the stored form alone
	stateDone     byte = 'f'
	stateAgain    byte = 'a' // done, and to be queued again at a time
	stateRejected byte = 'x'
	stateStale    byte = 'o' // a sitemap said that it is old (Update.Stale)
	stateLimited  byte = 'l' // queued in the list of a limit; used in the stored form alone
)

func (s status) append(b []byte) []byte {
	switch {
	case s.state == stateQueued && s.limit != 0:
		return appendRank(binary.BigEndian.AppendUint64(append(b, stateLimited), s.limit), s.rank)
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
	case (s.state == stateDone || s.state == stateRejected || s.state == stateStale) && len(rest) == 0:
		return s, nil
	case s.state == stateQueued && len(rest) == rankLen:
		s.rank = parseRank(rest)
		return s, nil
	case s.state == stateLimited && len(rest) == 8+rankLen:
		s.state, s.limit, s.rank = stateQueued, binary.BigEndian.Uint64(rest), parseRank(rest[8:])
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
	here := f.mu.bench.hosts[host] != nil
	f.mu.Unlock()
	if here {
		return true, nil
	}
	e, err := f.known.entry(hostKey(host, &f.scratch.url))
	return err == nil && e.Met(), err
}

// seenKey returns the key under which a URL, or another name, is stored. buf is a buffer for it.
func seenKey(url string, buf *[]byte) seen.Key {
	*buf = append((*buf)[:0], url...)
	sum := sha256.Sum256(*buf)
	return seen.Key(sum[:16])
}

// taskKey returns the key of a task. The RDF form of a URL (variant) has another key than its page.
func taskKey(url string, variant bool, buf *[]byte) seen.Key {
	if variant {
		url = "rdf " + url
	}
	return seenKey(url, buf)
}

// newestKey returns the key in Pebble of the entries of the n-th batch, while the Set has them in memory alone.
// generation is that of the Set: the entries that it writes to its files together.
func newestKey(generation, n uint64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64([]byte{tagSeen}, generation), n)
}

// known is what the crawl knows, by key: in the Set, and in Pebble what the Set has in memory alone. Frontier.applying
// guards it; entry may also be called with Frontier.mu held.
type known struct {
	db      *database
	set     *seen.Set
	dropped uint64 // Pebble keeps nothing of this generation of set and those before

	// Entries that are being written: first they go into a batch, and when that is written, to the Set. applying is
	// held all the while, so that the generation stays the same.
	keys    []seen.Key
	entries []seen.Entry
	value   []byte // all entries as one stored value
	number  uint64 // the number of the last batch with entries
}

// openKnown opens the Set and gives the newest entries back to it. If only is not empty, it gives back the entries of
// these keys alone.
func openKnown(db *database, o seen.Options, only ...seen.Key) (k known, err error) {
	k.db = db
	if k.set, err = seen.Open(o); err != nil {
		return k, fmt.Errorf("frontier: %w", err)
	}
	k.dropped = k.set.Flushed()
	k.number, err = k.eachNewest(func(generation uint64, key *seen.Key, entry []byte) {
		if len(only) == 0 || slices.Contains(only, *key) {
			k.set.Restore(generation, *key, seen.EntryOf(entry))
		}
	})
	return k, err
}

func (k *known) close() error {
	if k.set == nil {
		return nil
	}
	if err := k.set.Close(); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return nil
}

// eachNewest yields the entries that the Set may not have in its files yet, the oldest first, and returns the number of
// the last batch among them.
func (k *known) eachNewest(yield func(generation uint64, key *seen.Key, entry []byte)) (last uint64, err error) {
	from := newestKey(k.set.Flushed()+1, 0)
	err = k.db.each(from, []byte{tagSeen + 1}, "what is known", func(key, v []byte) (bool, error) {
		whole := len(key) == 1+8+8 && len(v) > 0 && v[0] == newestVersion
		for v = v[min(len(v), 1):]; whole && len(v) > 0; {
			const head = len(seen.Key{}) + 1
			if whole = len(v) > head && v[head-1] > 0 && v[head-1] <= seen.MaxEntry && len(v) >= head+int(v[head-1]); whole {
				end := head + int(v[head-1])
				yield(binary.BigEndian.Uint64(key[1:]), (*seen.Key)(v), v[head:end])
				v = v[end:]
			}
		}
		if !whole {
			return false, corrupt(key, errMalformed)
		}
		last = max(last, binary.BigEndian.Uint64(key[9:]))
		return true, nil
	})
	return last, err
}

const newestVersion = 1

// get reads what is kept under each of keys into entries, which is as long as keys.
func (k *known) get(keys []seen.Key, entries []seen.Entry) error {
	if err := k.set.Get(keys, entries); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return nil
}

// entry returns what is kept under one key.
func (k *known) entry(key seen.Key) (seen.Entry, error) {
	var e [1]seen.Entry
	err := k.get([]seen.Key{key}, e[:])
	return e[0], err
}

// status returns what is known of one URL.
func (k *known) status(key seen.Key) (status, error) {
	e, err := k.entry(key)
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

// begin starts a batch. commit or commitEarly writes it, together with the entries that are added until then. The batch
// also deletes from Pebble the entries that the Set has in its files by now.
func (k *known) begin() (*pebble.Batch, error) {
	b := k.db.NewBatch()
	k.keys, k.entries, k.value = k.keys[:0], k.entries[:0], append(k.value[:0], newestVersion)
	flushed := k.set.Flushed()
	if flushed == k.dropped {
		return b, nil
	}
	k.dropped = flushed
	return b, b.DeleteRange([]byte{tagSeen}, newestKey(flushed+1, 0), nil)
}

// add adds an entry to the batch.
func (k *known) add(key *seen.Key, entry []byte) {
	k.value = append(append(append(k.value, key[:]...), byte(len(entry))), entry...)
	k.keys = append(k.keys, *key)
	k.entries = append(k.entries, seen.EntryOf(entry))
}

// changed reports whether there is anything to be written with b.
func (k *known) changed(b *pebble.Batch) bool { return !b.Empty() || len(k.keys) > 0 }

// commit makes b durable, and with it all that commitEarly wrote before. It waits if the Set cannot write its files as
// fast as entries come.
func (k *known) commit(b *pebble.Batch) error {
	if !k.changed(b) { // Pebble would not sync an empty batch
		if err := b.LogData(nil, nil); err != nil {
			return fmt.Errorf("frontier: %w", err)
		}
	}
	return k.finish(b, pebble.Sync, k.set.Add)
}

// commitEarly writes b without syncing it. Until the next commit, a power cut may undo it.
func (k *known) commitEarly(b *pebble.Batch) error { return k.finish(b, pebble.NoSync, k.set.AddEarly) }

func (k *known) finish(b *pebble.Batch, sync *pebble.WriteOptions, tell func([]seen.Key, []seen.Entry) error) error {
	if len(k.keys) > 0 {
		k.number++
		if err := b.Set(newestKey(k.set.Generation(), k.number), k.value, nil); err != nil {
			return err
		}
	}
	if err := k.db.commit(b, sync); err != nil {
		return err
	}
	if err := tell(k.keys, k.entries); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return nil
}
