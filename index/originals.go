package index

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/store"
)

// MinOriginal is the payload size in bytes from which a capture can be an original that others revisit.
const MinOriginal = 256

// Originals knows the complete 2xx captures of an archive by payload digest and by URL: what revisit records refer to
// and conditional requests are made from. It follows the capture log and can be rebuilt from it.
//
// Stored form, in Pebble; a Prior is its fields in the order of encodePrior, each ended by a line feed:
//
//	"c"                           → cursor: generation LF position LF
//	"d" digest                    → Prior of the first capture with that payload
//	"u" first 16 bytes of SHA-256(URL) → Prior of the newest capture of that URL
type Originals struct {
	db *store.DB
}

// OpenOriginals opens the store in dir, making it when absent.
func OpenOriginals(fs vfs.FS, dir string) (*Originals, error) {
	opts := &pebble.Options{MemTableSize: 8 << 20}
	for i := range opts.Levels {
		// Most digests and URLs looked up are new: the filter says so without reading a block.
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := store.Open(fs, dir, opts)
	if pebble.IsCorruptionError(err) || errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; it can be made again: run `kavosh rebuild`", err)
	}
	if err != nil {
		return nil, err
	}
	return &Originals{db: db}, nil
}

// Close closes the store.
func (o *Originals) Close() error { return o.db.Close() }

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

// Add takes captures that are durable in the capture log, which reaches to cursor with them. It is not synced: what a
// crash takes is read from the log again.
func (o *Originals) Add(captures []kavosh.Capture, cursor Cursor) error {
	b := o.db.NewIndexedBatch()
	for i := range captures {
		c := &captures[i]
		if c.Status < 200 || c.Status > 299 || c.Truncated != kavosh.Whole || c.Digest == "" || c.Failure != kavosh.NoFailure {
			continue
		}
		p := kavosh.Prior{
			URL: c.URL, Time: c.Time, RecordID: c.Record, Digest: c.Digest, ETag: c.ETag, LastModified: c.Modified, File: c.File, Offset: c.Offset,
		}
		digest := append([]byte("d"), c.Digest...)
		original, closer, err := b.Get(digest)
		switch {
		case err == nil:
			if c.Type == "revisit" {
				if op, ok := decodePrior(string(original)); ok {
					op.ETag, op.LastModified = c.ETag, c.Modified
					p = op
				}
			}
			closer.Close()
		case errors.Is(err, pebble.ErrNotFound):
			if c.Type == "revisit" {
				continue // its original is in no archive of ours
			}
			if c.Payload >= MinOriginal {
				if err := b.Set(digest, encodePrior(p), nil); err != nil {
					return err
				}
			}
		default:
			return err
		}
		if c.Type == "response" || c.Type == "revisit" {
			if err := b.Set(urlKey(c.URL), encodePrior(p), nil); err != nil {
				return err
			}
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

// Digest is the first capture with that payload.
func (o *Originals) Digest(digest string) (kavosh.Prior, bool) {
	v, err := o.db.Value(append([]byte("d"), digest...))
	if err != nil {
		return kavosh.Prior{}, false // it is only asked for to spare space
	}
	return decodePrior(string(v))
}

// URL is the newest capture of a URL.
func (o *Originals) URL(url string) (kavosh.Prior, bool) {
	v, err := o.db.Value(urlKey(url))
	if err != nil {
		return kavosh.Prior{}, false // it is only asked for to spare space
	}
	return decodePrior(string(v))
}

func urlKey(url string) []byte {
	sum := sha256.Sum256([]byte(url))
	return append([]byte("u"), sum[:16]...)
}

func encodePrior(p kavosh.Prior) []byte {
	var b []byte
	for _, f := range []string{
		p.URL, p.Time.UTC().Format(time.RFC3339Nano), p.RecordID, p.Digest, p.ETag, p.LastModified, p.File, strconv.FormatInt(p.Offset, 10),
	} {
		b = append(append(b, strings.ReplaceAll(f, "\n", " ")...), '\n')
	}
	return b
}

func decodePrior(s string) (p kavosh.Prior, ok bool) {
	f := strings.Split(s, "\n")
	if len(f) != 9 {
		return p, false
	}
	t, err := time.Parse(time.RFC3339Nano, f[1])
	if err != nil {
		return p, false
	}
	offset, err := strconv.ParseInt(f[7], 10, 64)
	return kavosh.Prior{
		URL: f[0], Time: t, RecordID: f[2], Digest: f[3], ETag: f[4], LastModified: f[5], File: f[6], Offset: offset,
	}, err == nil
}
