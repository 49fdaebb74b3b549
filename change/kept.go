package change

// This file keeps blocks of pages, and what differs between them, so that nothing is cut or compared twice.

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
	"kavosh/internal/store"
	"kavosh/lib/segment"
)

// Names of the folders below an archive's folder derived.
const (
	BlocksName = "blocks@1"
	DeltasName = "change@1"
)

// Kept has the blocks of versions and the differences between them (docs/formats/change.md):
//
//	blocks@1   maker 0 digest 0 URL                  → segment.Page, as JSON
//	change@1   maker 0 old digest 0 new digest 0 URL → Report without times, as JSON
//
// What is kept follows from the keys alone, so it is never out of date, and anything may be lost of it. Only one process
// can have it open.
type Kept struct{ blocks, deltas *store.DB }

// Bounds of what is kept.
const (
	maxKept   = 4 << 20 // bytes of one value; larger ones are made again each time
	keptTable = 4 << 20
)

// OpenKept opens what is kept below the folder derived of an archive. What is damaged there is emptied. The error is a
// disk.ErrInUse while another process has it open.
func OpenKept(fs vfs.FS, derived string) (*Kept, error) {
	blocks, err := openKept(fs, fs.PathJoin(derived, BlocksName))
	if err != nil {
		return nil, err
	}
	deltas, err := openKept(fs, fs.PathJoin(derived, DeltasName))
	if err != nil {
		return nil, errors.Join(err, blocks.Close())
	}
	return &Kept{blocks, deltas}, nil
}

func openKept(fs vfs.FS, dir string) (*store.DB, error) {
	if err := disk.MkdirAll(fs, fs.PathDir(dir)); err != nil {
		return nil, err
	}
	open := func() (*store.DB, error) {
		opts := &pebble.Options{MemTableSize: keptTable, CacheSize: 4 * keptTable, MaxOpenFiles: 100, DisableWAL: true}
		for i := range opts.Levels {
			opts.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.ZstdCompression }
			opts.Levels[i].BlockSize = 32 << 10
		}
		return store.Open(fs, dir, opts)
	}
	db, err := open()
	switch {
	case err != nil && disk.InUse(err):
		return nil, fmt.Errorf("%s: %w", dir, disk.ErrInUse)
	case err != nil && store.Damaged(err):
		if err := fs.RemoveAll(dir); err != nil {
			return nil, err
		}
		return open()
	}
	return db, err
}

// Close makes what was put durable.
func (k *Kept) Close() (err error) {
	for _, db := range [...]*store.DB{k.blocks, k.deltas} {
		err = errors.Join(err, db.Flush(), db.Close())
	}
	return err
}

// page returns the blocks of a version; nil if they are not kept.
func (k *Kept) page(key string) *segment.Page { return kept[segment.Page](k.blocks, key) }

// delta returns a difference without its times; nil if it is not kept.
func (k *Kept) delta(key string) *Report { return kept[Report](k.deltas, key) }

// kept returns a value; nil if it is not there, or damaged: it is made again.
func kept[T any](db *store.DB, key string) *T {
	data, err := db.Value([]byte(key))
	v := new(T)
	if err != nil || data == nil || json.Unmarshal(data, v) != nil {
		return nil
	}
	return v
}

// put keeps a value.
func put(db *store.DB, key string, v any) error {
	data, err := json.Marshal(v)
	if err != nil || len(data) > maxKept {
		return err
	}
	b := db.NewBatch()
	if err := b.Set([]byte(key), data, nil); err != nil {
		return err
	}
	return db.Commit(b, pebble.NoSync)
}
