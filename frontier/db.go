package frontier

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/internal/store"
)

// This file opens the Pebble database of a frontier, and reads and writes its values; store.go describes their form.

// database is the Pebble database of one frontier. store.go describes its keys and values.
type database struct{ *store.DB }

// Pebble gathers writes in tables in memory (memTableBytes each, at most memTables of them) before it writes them to
// disk. With larger tables, data is rewritten less often later (docs/decisions/0069-pebble-options.md).
const (
	memTableBytes = 32 << 20
	memTables     = 2
	tableBytes    = 8 << 20 // size of a table on disk in the topmost level; each level below has larger ones
)

func openDatabase(fs vfs.FS, dir string, cacheBytes int64, readOnly bool) (*database, error) {
	opts := &pebble.Options{
		ReadOnly:                    readOnly,
		FormatMajorVersion:          pebble.FormatValueSeparation,
		CacheSize:                   cacheBytes + memTables*memTableBytes, // Pebble takes them out of it
		MemTableSize:                memTableBytes,
		MemTableStopWritesThreshold: memTables,
		L0CompactionThreshold:       8,
		MaxOpenFiles:                500,
	}
	opts.Comparer = comparer()
	opts.Experimental.SpanPolicyFunc = func([]byte) (pebble.SpanPolicy, []byte, error) {
		return pebble.SpanPolicy{DisableValueSeparationBySuffix: true}, nil, nil // tasks of a host are no versions of one another
	}
	opts.TargetFileSizes[0] = tableBytes
	// A level inherits from the level above what is not set. Most tables hold nothing of the queue or origin that is
	// looked for: a Bloom filter says so without reading a block. Pebble does not ask a filter in the last level.
	opts.Levels[0].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
	opts.Levels[0].FilterPolicy = bloom.FilterPolicy(10)
	opts.Levels[len(opts.Levels)-1].FilterPolicy = pebble.NoFilterPolicy
	if !readOnly {
		lock, err := waitForLock(fs, dir)
		if err != nil {
			return nil, fmt.Errorf("frontier: %w", err)
		}
		defer lock.Close() // the database holds it, too
		opts.Lock = lock
	}
	db, err := store.Open(fs, dir, opts)
	if err != nil && strings.Contains(err.Error(), "comparer name from file") {
		return nil, fmt.Errorf("frontier: %s was made by another release of kavosh: use that one", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("frontier: %w", err)
	}
	return &database{db}, nil
}

// maxLook is how long waitForLock waits at most. Look has a frontier open for less time than that.
const maxLook = 5 * time.Second

// waitForLock locks the frontier in dir. While another process looks into it (Look), it waits, at most for maxLook. No
// other crawl can hold this lock, because a crawl's archive has a lock of its own.
func waitForLock(fs vfs.FS, dir string) (*pebble.Lock, error) {
	if err := disk.MkdirAll(fs, dir); err != nil {
		return nil, err
	}
	for until := time.Now().Add(maxLook); ; time.Sleep(20 * time.Millisecond) {
		lock, err := pebble.LockDirectory(dir, fs)
		if !disk.InUse(err) || time.Now().After(until) {
			return lock, err
		}
	}
}

// comparer orders keys by their bytes, and says which part of a key goes into Pebble's Bloom filters. For a task this
// is its host, so that a filter holds each host once and not each of its tasks. For kinds of keys that are only read in
// order it is nothing but the tag.
func comparer() *pebble.Comparer {
	c := *pebble.DefaultComparer
	c.Name = "kavosh.frontier"
	c.Split = func(key []byte) int {
		if len(key) == 0 {
			return 0
		}
		switch key[0] {
		case tagQueue, tagDeferred:
			if i := bytes.IndexByte(key, 0); i > 0 {
				return i + 1
			}
		case tagReady, tagWaiting, tagSeen, tagAgain, tagLimited:
			return 1
		}
		return len(key)
	}
	return &c
}

// commit writes b, durably if sync is pebble.Sync. A batch with entries of the seen set goes by known.commit instead.
func (d *database) commit(b *pebble.Batch, sync *pebble.WriteOptions) error {
	if err := d.Commit(b, sync); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return b.Close()
}

// value returns a copy of the value under key; nil if there is none.
func (d *database) value(key []byte) ([]byte, error) {
	v, err := d.Value(key)
	if err != nil {
		return nil, fmt.Errorf("frontier: %w", err)
	}
	return v, nil
}

// each yields the entries with keys from lo on and before hi, in order, until yield returns false. Both slices are
// valid only until yield returns. what names the entries in an error.
func (d *database) each(lo, hi []byte, what string, yield func(key, value []byte) (more bool, err error)) error {
	return d.read(lo, hi, what, func(it *pebble.Iterator) error {
		for ok := it.First(); ok; ok = ok && it.Next() {
			v, err := it.ValueAndErr()
			if err != nil {
				break // Close returns the error
			}
			if ok, err = yield(it.Key(), v); err != nil {
				return err
			}
		}
		return nil
	})
}

// read calls do with an iterator over the keys from lo on and before hi. It returns the error of do, or of the disk.
// what names the entries in an error.
func (d *database) read(lo, hi []byte, what string, do func(it *pebble.Iterator) error) error {
	it, err := d.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: hi})
	if err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	err = do(it)
	if closed := it.Close(); closed != nil && err == nil {
		return fmt.Errorf("frontier: read %s: %w", what, closed)
	}
	return err
}

// task reads the task under key, and its stored value. r is the task's rank, which is part of key.
func (d *database) task(key []byte, r rank) (t kavosh.Task, value []byte, err error) {
	if value, err = d.value(key); err != nil {
		return t, nil, err
	}
	if t, err = parseTask(r, value); err != nil {
		return t, nil, corrupt(key, err)
	}
	return t, value, nil
}

// counters reads the counters as they were stored last.
func (d *database) counters() (c counters, err error) {
	key := []byte{tagCounters}
	v, err := d.value(key)
	if err != nil {
		return c, err
	}
	if c, err = parseCounters(v); err != nil {
		return c, corrupt(key, err)
	}
	return c, nil
}

// Close closes the database.
func (d *database) Close() error {
	if err := d.DB.Close(); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return nil
}
