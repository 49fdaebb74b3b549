package frontier

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/store"
)

// database is where the frontier keeps what store.go describes.
type database struct{ *store.DB }

func openDatabase(fs vfs.FS, dir string, cacheBytes int64, readOnly bool) (*database, error) {
	opts := &pebble.Options{
		ReadOnly:                    readOnly,
		FormatMajorVersion:          pebble.FormatValueSeparation,
		CacheSize:                   cacheBytes,
		MemTableSize:                8 << 20,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       8,
		MaxOpenFiles:                500,
	}
	for i := range opts.Levels {
		// Most hosts and origins that are looked up are new: the filter answers without reading a block.
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		if i < len(opts.Levels)-1 { // what is soon written again is not worth packing; the last level has nine tenths of all
			opts.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
		}
	}
	db, err := store.Open(fs, dir, opts)
	if err != nil {
		return nil, fmt.Errorf("frontier: %w", err)
	}
	return &database{db}, nil
}

// commit makes b durable.
func (d *database) commit(b *pebble.Batch) error {
	if err := d.Commit(b, pebble.Sync); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return b.Close()
}

// value is a copy of what key holds; nil for nothing.
func (d *database) value(key []byte) ([]byte, error) {
	v, err := d.Value(key)
	if err != nil {
		return nil, fmt.Errorf("frontier: %w", err)
	}
	return v, nil
}

// Close closes the database.
func (d *database) Close() error {
	if err := d.DB.Close(); err != nil {
		return fmt.Errorf("frontier: %w", err)
	}
	return nil
}
