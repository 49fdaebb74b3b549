package index

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/journal"
	"kavosh/internal/store"
	"kavosh/lib/warc"
)

// MinOriginal is the payload size in bytes from which a capture can be an original that others revisit.
const MinOriginal = 256

// Originals knows the complete 2xx captures of an archive by payload digest and by URL: what revisit records refer to
// and conditional requests are made from. It follows the capture log, keeps where in it the captures stand, and can be
// rebuilt from it.
//
// Stored form, in Pebble; a hash is the first 16 bytes of SHA-256, a place is the uvarint position of a capture's line:
//
//	"c"                    → cursor, as journal.Cursor has it
//	"d" hash of digest     → place of the newest response with that payload
//	"u" hash of URL        → place of the original of the newest capture of that URL [place of that, when it is a revisit]
//
// What is found is compared with what was asked for, so that a hash never stands for the thing itself. On disk a capture
// takes about 45 bytes. Memory does not grow with the archive: originalsMemory, the filter's 4 MB, and some hundred bytes
// for each of the store's files of 4 MB.
type Originals struct {
	db   *store.DB
	met  filter // of "d" keys
	fs   vfs.FS
	logs string // the archive's log/

	batch *pebble.Batch // what was added since the last Commit; nil for nothing
	added []placed      // the originals in it
	key   [17]byte      // room for a key

	mu struct {
		sync.Mutex
		log    vfs.File // of the cursor's generation; nil until a look-up needs it
		cursor journal.Cursor
	}
}

// placed is where an original's line begins.
type placed struct {
	key [17]byte
	at  int64
}

const (
	originalsTable = 8 << 20 // bytes collected in memory before they are sorted into files
	// originalsMemory is the bytes of blocks, filters and tables in memory. Pebble takes the tables, two as a rule, out of
	// its cache.
	originalsMemory = 32<<20 + 2*originalsTable
	originalsFiles  = 100       // tables kept open
	originalsBatch  = 128 << 10 // bytes that are added before they should be committed
)

// OpenOriginals opens the store in dir, making it when absent, of the archive whose capture logs are in logs. One that is damaged
// is begun anew: the logs have all of it.
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
		// Hashes do not compress. Most of what is looked up is new: a filter says so without reading a block. The last
		// level has nine tenths of all; its filters would push each other out of the cache, and a block of 4 KiB is
		// cheaper to read than the filter of a file.
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
		o.mu.cursor, _ = journal.ParseCursor(stored) // of a damaged one the log is read again
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

// forget closes the log.
func (o *Originals) forget() {
	if o.mu.log != nil {
		_ = o.mu.log.Close() // it was only read
		o.mu.log = nil
	}
}

// Name is the folder of the store below an archive's derived/.
func (o *Originals) Name() string { return "originals@2" }

// Cursor is where in the capture log the next Add must go on.
func (o *Originals) Cursor() journal.Cursor {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.mu.cursor
}

// Reset empties the store: captures will be added again from the start of a generation of the log.
func (o *Originals) Reset(generation int) error {
	if err := o.begin().DeleteRange([]byte("d"), []byte("v"), nil); err != nil {
		return err
	}
	return o.Commit(journal.At(generation, 0))
}

// begin gives the batch of what is added until the next Commit.
func (o *Originals) begin() *pebble.Batch {
	if o.batch == nil {
		o.batch, o.added = o.db.NewBatch(), o.added[:0]
	}
	return o.batch
}

// Add takes a capture that is durable in the capture log, whose line begins at at. full says that it is time for a Commit.
func (o *Originals) Add(_ context.Context, c *kavosh.Capture, at int64) (full bool, err error) {
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
			return false, err // without one, its original is in no archive of ours
		}
		n = binary.PutUvarint(value[:], uint64(original))
		n += binary.PutUvarint(value[n:], uint64(at))
	default:
		return false, nil
	}
	if c.Variant { // what validates a URL's form in RDF does not validate its page
		return b.Len() >= originalsBatch, nil
	}
	hash(key, 'u', c.URL)
	err = b.Set(key[:], value[:n], nil)
	return b.Len() >= originalsBatch, err
}

// place is where the original at a key of a digest lies, committed or not.
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

// Commit notes that the capture log reaches to cursor with what was added. It is not synced: what a crash takes is read from the log again.
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
		return err // the database may still have it in hand
	}
	o.mu.Lock()
	if o.mu.cursor.Generation != cursor.Generation {
		o.forget()
	}
	o.mu.cursor = cursor
	o.mu.Unlock()
	return b.Close()
}

// hash makes the key of kind for s.
func hash(key *[17]byte, kind byte, s string) {
	var room [128]byte
	sum := sha256.Sum256(append(room[:0], s...))
	key[0] = kind
	copy(key[1:], sum[:])
}

// hashDigest makes the key for a digest, however it is spelt.
func hashDigest(key *[17]byte, digest string) {
	var room [160]byte
	sum := sha256.Sum256(warc.AppendDigestKey(room[:0], digest))
	key[0] = 'd'
	copy(key[1:], sum[:])
}

// places reads a value: the original's place, and that of the revisit or -1.
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

// Digest is the newest response with that payload.
func (o *Originals) Digest(digest string) (kavosh.Prior, bool) {
	var key [17]byte
	if hashDigest(&key, digest); !o.met.may(&key) {
		return kavosh.Prior{}, false
	}
	c, _, ok := o.find(key)
	return prior(&c), ok && warc.SameDigest(c.Digest, digest)
}

// URL is the newest capture of a URL: the original, with the validators that were received last.
func (o *Originals) URL(url string) (kavosh.Prior, bool) {
	var key [17]byte
	hash(&key, 'u', url)
	c, last, ok := o.find(key)
	p := prior(&c)
	p.ETag, p.LastModified = last.ETag, last.Modified
	return p, ok && last.URL == url && warc.SameDigest(last.Digest, c.Digest)
}

func prior(c *kavosh.Capture) kavosh.Prior {
	return kavosh.Prior{
		URL: c.URL, Time: c.Time, RecordID: c.Record, Digest: c.Digest, ETag: c.ETag, LastModified: c.Modified, MIME: c.MIME, File: c.File, Offset: c.Offset,
	}
}

// find gives the original at a key, and the newest capture there, which may be the same. A store or log that cannot be
// read finds nothing: it is only asked for to spare space.
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
		o.forget() // it may have been cut and written anew
	}
	return c, err
}
