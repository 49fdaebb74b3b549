package frontier

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/frontier/seen"
)

// Look finds the task that waits for url, a seen-key, in the frontier in dir, without changing anything; queued is false
// when none does. It fails while a crawl has the frontier open.
func Look(fs vfs.FS, dir, url string) (t kavosh.Task, queued bool, err error) {
	const cache = 1 << 20
	f := &Frontier{}
	if f.db, err = openDatabase(fs, dir, cache, true); err != nil {
		return t, false, err
	}
	defer f.closeFiles()
	if f.seen, err = seen.Open(seen.Options{FS: fs, Dir: fs.PathJoin(dir, "seen"), ReadOnly: true}); err != nil {
		return t, false, err
	}
	if err := f.recall(seenKey(url, &f.scratch.url)); err != nil {
		return t, false, err
	}
	return f.Task(url)
}

// recall gives what Pebble has of one URL to the Set.
func (f *Frontier) recall(key seen.Key) error {
	it, err := f.db.NewIter(&pebble.IterOptions{LowerBound: []byte{tagSeen}, UpperBound: []byte{tagSeen + 1}})
	if err != nil {
		return err
	}
	last := uint64(0)
	if it.Last() && len(it.Key()) == 1+8+16 {
		last = binary.BigEndian.Uint64(it.Key()[1:])
	}
	if err := it.Close(); err != nil {
		return err
	}
	for generation := f.seen.Flushed() + 1; generation <= last; generation++ {
		at := newestKey(nil, generation, &key)
		v, err := f.db.value(at)
		switch {
		case err != nil:
			return err
		case v == nil:
		case len(v) == 0 || len(v) > seen.MaxEntry:
			return corrupt(at, errMalformed)
		default:
			f.seen.Restore(generation, key, seen.EntryOf(v))
		}
	}
	return nil
}
