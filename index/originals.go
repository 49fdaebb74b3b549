package index

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
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
//	"c"                    → cursor: generation LF position LF
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

	mu struct {
		sync.Mutex
		log        vfs.File // of generation; nil until a look-up needs it
		generation int      // whose positions the store has
	}
}

const (
	originalsTable = 8 << 20 // bytes collected in memory before they are sorted into files
	// originalsMemory is the bytes of blocks, filters and tables in memory. Pebble takes the tables, two as a rule, out of
	// its cache.
	originalsMemory = 32<<20 + 2*originalsTable
	originalsFiles  = 100 // tables kept open
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
	c, err := o.Cursor()
	if err == nil {
		err = o.met.fill(db, maxFiltered)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	o.mu.generation = c.Generation
	return o, nil
}

// Close closes the store.
func (o *Originals) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.forget()
	return o.db.Close()
}

// forget closes the log.
func (o *Originals) forget() {
	if o.mu.log != nil {
		_ = o.mu.log.Close() // it was only read
		o.mu.log = nil
	}
}

// Cursor is where in the capture log the next Add must go on.
func (o *Originals) Cursor() (Cursor, error) {
	v, err := o.db.Value([]byte("c"))
	if err != nil || v == nil {
		return Cursor{}, err
	}
	g, p, _ := strings.Cut(strings.TrimSuffix(string(v), "\n"), "\n")
	generation, err := strconv.Atoi(g)
	if err != nil {
		return Cursor{}, err
	}
	position, err := strconv.ParseInt(p, 10, 64)
	return Cursor{generation, position}, err
}

// Add takes captures that are durable in the capture log, which reaches to cursor with them; the line of captures[i]
// begins at at[i]. It is not synced: what a crash takes is read from the log again. With the first captures of another
// generation of the log, all that was known is dropped.
func (o *Originals) Add(captures []kavosh.Capture, at []int64, cursor Cursor) error {
	b := o.db.NewBatch()
	fresh, err := o.turn(b, cursor.Generation)
	if err != nil {
		return err
	}
	var key [17]byte
	var value [2 * binary.MaxVarintLen64]byte
	batched := map[[17]byte]int64{} // originals among captures, when there are revisits that may want them
	revisits := false
	for i := range captures {
		revisits = revisits || captures[i].Type == "revisit"
	}
	for i := range captures {
		c := &captures[i]
		if c.Status < 200 || c.Status > 299 || c.Truncated != kavosh.Whole || c.Digest == "" || c.Failure != kavosh.NoFailure || c.Method != "" {
			continue
		}
		n := 0
		switch c.Type {
		case "response":
			n = binary.PutUvarint(value[:], uint64(at[i]))
			if c.Payload >= MinOriginal {
				hashDigest(&key, c.Digest)
				if err := b.Set(key[:], value[:n], nil); err != nil {
					return err
				}
				o.met.add(&key)
				if revisits {
					batched[key] = at[i]
				}
			}
		case "revisit":
			hashDigest(&key, c.Digest)
			original, ok := batched[key]
			if !ok && !fresh {
				v, err := o.db.Value(key[:])
				if err != nil {
					return err
				}
				original, _, ok = places(v)
			}
			if !ok {
				continue // its original is in no archive of ours
			}
			n = binary.PutUvarint(value[:], uint64(original))
			n += binary.PutUvarint(value[n:], uint64(at[i]))
		default:
			continue
		}
		if c.Variant {
			continue // what validates a URL's form in RDF does not validate its page
		}
		hash(&key, 'u', c.URL)
		if err := b.Set(key[:], value[:n], nil); err != nil {
			return err
		}
	}
	if err := b.Set([]byte("c"), fmt.Appendf(nil, "%d\n%d\n", cursor.Generation, cursor.Position), nil); err != nil {
		return err
	}
	if err := o.db.Commit(b, pebble.NoSync); err != nil {
		return err // the database may still have it in hand
	}
	return b.Close()
}

// turn begins a new generation: positions of the old one mean nothing in it. fresh says that it did.
func (o *Originals) turn(b *pebble.Batch, generation int) (fresh bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.mu.generation == generation {
		return false, nil
	}
	o.forget()
	o.mu.generation = generation
	return true, b.DeleteRange([]byte("d"), []byte("v"), nil)
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
		if o.mu.log, err = o.fs.Open(logName(o.fs, o.logs, o.mu.generation)); err != nil {
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

// logName is the file of a generation of the capture log. There is one writer, this machine.
func logName(fs vfs.FS, logs string, generation int) string {
	return fs.PathJoin(logs, fmt.Sprintf("%06d", generation), "1.jsonl")
}
