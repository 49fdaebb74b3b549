package index

// This file finds what a new capture need not store again: the earlier capture with the same payload, or of the same
// URL.

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/journal"
	"kavosh/internal/store"
	"kavosh/lib/warc"
)

// MinOriginal is the least payload in bytes of a capture that revisits may refer to.
const MinOriginal = 256

// Originals finds the complete 2xx captures of an archive by payload digest and by URL. Revisit records refer to them,
// and conditional requests need them. It follows the capture log, stores where in the log each capture is, and can be
// rebuilt from it.
//
// Stored form, in Pebble. A hash is the first 16 bytes of SHA-256; a place is the position of a capture's line, as
// uvarint:
//
//	"c"                    → a journal.Cursor
//	"d" hash of digest     → place of the newest response with that payload
//	"u" hash of URL        → place of the original of the newest capture of that URL [place of that capture, if a revisit]
//	"n" hash of URL        → place of the newest note on a visit of that URL that left no copy
//
// A look-up compares the found capture with the wanted digest or URL, so that equal hashes do no harm. On disk a
// capture takes about 45 bytes. Memory is originalsMemory, 4 MB for the filter, and about a hundred bytes for each 4 MB
// on disk.
type Originals struct {
	db   *store.DB
	met  filter // of "d" keys
	fs   vfs.FS
	logs string // the archive's log/

	batch *pebble.Batch // changes since the last Commit; nil if there are none
	added []placed      // the originals in batch
	key   [17]byte      // a buffer for a key

	mu struct {
		sync.Mutex
		log    vfs.File // the log of the cursor's generation; nil until a look-up needs it
		cursor journal.Cursor
	}
}

// placed is an original with the position of its line in the log.
type placed struct {
	key [17]byte
	at  int64
}

const (
	originalsTable = 8 << 20 // bytes collected in memory before they are sorted into files
	// originalsMemory is the bytes of blocks, filters and tables in memory. Pebble takes the tables, two as a rule, out
	// of its cache.
	originalsMemory = 32<<20 + 2*originalsTable
	originalsFiles  = 100       // tables kept open
	originalsBatch  = 128 << 10 // bytes that are added before they should be committed
)

// OpenOriginals opens the store in dir for the archive whose capture logs are in logs. If there is none, or it is
// damaged, it makes an empty store, which is filled again from the logs.
func OpenOriginals(fs vfs.FS, dir, logs string) (*Originals, error) {
	o, err := openOriginals(fs, dir, logs)
	if err == nil || !store.Damaged(err) {
		return o, err
	}
	if err := fs.RemoveAll(dir); err != nil {
		return nil, err
	}
	return openOriginals(fs, dir, logs)
}

func openOriginals(fs vfs.FS, dir, logs string) (*Originals, error) {
	opts := &pebble.Options{MemTableSize: originalsTable, CacheSize: originalsMemory, MaxOpenFiles: originalsFiles}
	for i := range opts.Levels {
		// Hashes do not compress. Most look-ups are for new keys, and a filter answers them without reading a block.
		// The last level has nine tenths of all keys but no filters: they would not fit into the cache, and reading a
		// block of 4 KiB is cheaper than reading the filter of a file.
		opts.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		opts.TargetFileSizes[i] = 4 << 20
	}
	opts.Levels[len(opts.Levels)-1].FilterPolicy = pebble.NoFilterPolicy
	db, err := store.Open(fs, dir, opts)
	if err != nil {
		return nil, err
	}
	o := &Originals{db: db, fs: fs, logs: logs}
	stored, err := db.Value([]byte("c"))
	if err == nil && stored != nil {
		o.mu.cursor, _ = journal.ParseCursor(stored) // if it is damaged, the log is read again from the start
	}
	if err == nil {
		err = o.met.fill(db, maxFiltered)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return o, nil
}

// Close closes the store.
func (o *Originals) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.forget()
	var err error
	if o.batch != nil {
		err = o.batch.Close()
	}
	return errors.Join(err, o.db.Close())
}

// forget closes the log; the next look-up opens it again.
func (o *Originals) forget() {
	if o.mu.log != nil {
		_ = o.mu.log.Close() // it was only read
		o.mu.log = nil
	}
}

// Name returns the name of the store's folder below an archive's derived/.
func (o *Originals) Name() string { return "originals@2" }

// Cursor returns the place in the capture log from which Add must go on.
func (o *Originals) Cursor() journal.Cursor {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.mu.cursor
}

// Reset empties the store. The caller then adds all captures again, from the start of the given generation of the log.
func (o *Originals) Reset(generation int) error {
	if err := o.begin().DeleteRange([]byte("d"), []byte("v"), nil); err != nil {
		return err
	}
	return o.Commit(journal.At(generation, 0))
}

// begin returns the batch for changes until the next Commit.
func (o *Originals) begin() *pebble.Batch {
	if o.batch == nil {
		o.batch, o.added = o.db.NewBatch(), o.added[:0]
	}
	return o.batch
}

// Add adds a capture, which must be durable in the capture log; its line begins at the position at. full tells the
// caller to commit now.
func (o *Originals) Add(_ context.Context, c *kavosh.Capture, at int64) (full bool, err error) {
	if c.Type == "metadata" && c.Failure == kavosh.NoFailure && !c.Variant {
		return o.note(c.URL, at)
	}
	if c.Status < 200 || c.Status > 299 || c.Truncated != kavosh.Whole || c.Digest == "" || c.Failure != kavosh.NoFailure || c.Method != "" {
		return false, nil
	}
	b := o.begin()
	key := &o.key
	var value [2 * binary.MaxVarintLen64]byte
	n := 0
	switch c.Type {
	case "response":
		n = binary.PutUvarint(value[:], uint64(at))
		if c.Payload >= MinOriginal {
			hashDigest(key, c.Digest)
			if err := b.Set(key[:], value[:n], nil); err != nil {
				return false, err
			}
			o.met.add(key)
			o.added = append(o.added, placed{*key, at})
		}
	case "revisit":
		hashDigest(key, c.Digest)
		original, ok, err := o.place(key)
		if err != nil || !ok {
			return false, err // if nothing is found, the original is in another archive
		}
		n = binary.PutUvarint(value[:], uint64(original))
		n += binary.PutUvarint(value[n:], uint64(at))
	default:
		return false, nil
	}
	if c.Variant || c.Status == http.StatusPartialContent { // the ETag of a URL's RDF form, or of a part, is of no use for its page
		return b.Len() >= originalsBatch, nil
	}
	hash(key, 'u', c.URL)
	err = b.Set(key[:], value[:n], nil)
	return b.Len() >= originalsBatch, err
}

// note adds a note on a visit of a URL, whose line begins at a position.
func (o *Originals) note(url string, at int64) (full bool, err error) {
	b := o.begin()
	hash(&o.key, 'n', url)
	err = b.Set(o.key[:], binary.AppendUvarint(nil, uint64(at)), nil)
	return b.Len() >= originalsBatch, err
}

// place returns the position of the original for the key of a digest, committed or not.
func (o *Originals) place(key *[17]byte) (at int64, ok bool, err error) {
	for i := len(o.added) - 1; i >= 0; i-- {
		if o.added[i].key == *key {
			return o.added[i].at, true, nil
		}
	}
	v, err := o.db.Value(key[:])
	if err == nil {
		at, _, ok = places(v)
	}
	return at, ok, err
}

// Commit stores the added captures, and cursor as the place in the capture log after them. It does not sync: after a
// crash, lost captures are read from the log again.
func (o *Originals) Commit(cursor journal.Cursor) error {
	stored, err := json.Marshal(cursor)
	if err != nil {
		return err
	}
	b := o.begin()
	o.batch, o.added = nil, o.added[:0]
	if err := b.Set([]byte("c"), stored, nil); err != nil {
		return err
	}
	if err := o.db.Commit(b, pebble.NoSync); err != nil {
		return err // do not reuse the batch: the database may still read it
	}
	o.mu.Lock()
	if o.mu.cursor.Generation != cursor.Generation {
		o.forget()
	}
	o.mu.cursor = cursor
	o.mu.Unlock()
	return b.Close()
}

// hash writes the key of the given kind for s into key.
func hash(key *[17]byte, kind byte, s string) {
	var room [128]byte
	sum := sha256.Sum256(append(room[:0], s...))
	key[0] = kind
	copy(key[1:], sum[:])
}

// hashDigest writes the key for a digest into key. All spellings of a digest have the same key.
func hashDigest(key *[17]byte, digest string) {
	var room [160]byte
	sum := sha256.Sum256(warc.AppendDigestKey(room[:0], digest))
	key[0] = 'd'
	copy(key[1:], sum[:])
}

// places parses a value: the place of the original, and the place of the revisit or -1.
func places(v []byte) (original, revisit int64, ok bool) {
	o, n := binary.Uvarint(v)
	if n <= 0 {
		return 0, 0, false
	}
	r, m := binary.Uvarint(v[n:])
	if m <= 0 {
		return int64(o), -1, true
	}
	return int64(o), int64(r), true
}

// Digest returns the newest response with the given payload digest.
func (o *Originals) Digest(digest string) (kavosh.Prior, bool) {
	var key [17]byte
	if hashDigest(&key, digest); !o.met.may(&key) {
		return kavosh.Prior{}, false
	}
	c, _, ok := o.find(key)
	return prior(&c), ok && warc.SameDigest(c.Digest, digest)
}

// URL returns the original of the newest capture of a URL, with the validators of that newest capture.
func (o *Originals) URL(url string) (kavosh.Prior, bool) {
	var key [17]byte
	hash(&key, 'u', url)
	c, last, ok := o.find(key)
	p := prior(&c)
	p.ETag, p.LastModified = last.ETag, last.Modified
	return p, ok && last.URL == url && warc.SameDigest(last.Digest, c.Digest)
}

// Newest returns the original of the newest capture of a URL, and when the URL was visited last: that newest capture was made, or a
// later visit left only a note.
func (o *Originals) Newest(url string) (original kavosh.Prior, at time.Time, ok bool) {
	var key [17]byte
	hash(&key, 'u', url)
	c, last, ok := o.find(key)
	at, ok = last.Time, ok && last.URL == url && warc.SameDigest(last.Digest, c.Digest)
	if hash(&key, 'n', url); ok {
		if note, _, found := o.find(key); found && note.URL == url && note.Time.After(at) {
			at = note.Time
		}
	}
	return prior(&c), at, ok
}

func prior(c *kavosh.Capture) kavosh.Prior {
	return kavosh.Prior{
		URL: c.URL, Time: c.Time, RecordID: c.Record, Digest: c.Digest, ETag: c.ETag, LastModified: c.Modified, MIME: c.MIME, File: c.File, Offset: c.Offset,
	}
}

// find returns the original for a key, and its newest capture, which may be the same. If the store or log cannot be
// read, it finds nothing: revisits only save space.
func (o *Originals) find(key [17]byte) (original, newest kavosh.Capture, ok bool) {
	v, closer, err := o.db.Get(key[:])
	if err != nil {
		return original, newest, false
	}
	at, last, ok := places(v)
	if closer.Close() != nil || !ok {
		return original, newest, false
	}
	if original, err = o.line(at); err != nil {
		return original, newest, false
	}
	if newest = original; last >= 0 {
		newest, err = o.line(last)
	}
	return original, newest, err == nil
}

// line reads the capture whose line begins at a position of the log.
func (o *Originals) line(at int64) (c kavosh.Capture, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.mu.log == nil {
		if o.mu.log, err = o.fs.Open(journal.File(o.fs, o.logs, o.mu.cursor.Generation, journal.Self)); err != nil {
			o.mu.log = nil
			return c, err
		}
	}
	line, err := journal.Line(o.mu.log, at, nil)
	if err == nil {
		err = json.Unmarshal(line, &c)
	}
	if err != nil {
		o.forget() // the log may have been cut and written again
	}
	return c, err
}
