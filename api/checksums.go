package api

// This file computes the checksums of an archive's WARC files once, for lists of files.

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/lib/warc"
)

// summed has the checksums of a WARC file, as a line of derived/checksums@1/files.jsonl. A sealed file never changes,
// so they are computed once. If the size differs, the line belongs to another file.
type summed struct {
	File   string    `json:"file"`
	Size   int64     `json:"size"`
	Time   time.Time `json:"time,omitzero"` // time of its first record
	MD5    string    `json:"md5"`
	SHA1   string    `json:"sha1"`
	SHA256 string    `json:"sha256"`
}

// checksums keeps the checksums of an archive's files. It reads one file at a time.
type checksums struct {
	fs  vfs.FS
	dir string // folder of the archive

	mu struct {
		sync.Mutex
		of   map[string]summed
		lock io.Closer    // held until the program ends
		kept *journal.Log // nil if nothing can be written: then checksums are only in memory
	}
}

// sum returns the checksums of a file. It reads the file if they are not known.
func (c *checksums) sum(ctx context.Context, name string) (summed, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.of == nil {
		c.open()
	}
	path := c.fs.PathJoin(c.dir, "warc", name)
	info, err := c.fs.Stat(path)
	if err != nil {
		return summed{}, err
	}
	if s, ok := c.mu.of[name]; ok && s.Size == info.Size() {
		return s, nil
	}
	f, err := c.fs.Open(path)
	if err != nil {
		return summed{}, err
	}
	defer f.Close()
	s := summed{File: name, Size: info.Size(), Time: firstDate(f, info.Size())}
	sums := []hash.Hash{md5.New(), sha1.New(), sha256.New()}
	if _, err := io.Copy(io.MultiWriter(sums[0], sums[1], sums[2]), warc.Until(ctx, io.NewSectionReader(f, 0, s.Size))); err != nil {
		return summed{}, err
	}
	s.MD5, s.SHA1, s.SHA256 = hex.EncodeToString(sums[0].Sum(nil)), hex.EncodeToString(sums[1].Sum(nil)), hex.EncodeToString(sums[2].Sum(nil))
	c.mu.of[name] = s
	if c.mu.kept == nil {
		return s, nil
	}
	line, err := json.Marshal(s)
	if err != nil {
		return s, err
	}
	c.mu.kept.Append(line)
	return s, c.mu.kept.Sync()
}

// began returns the time of the first record of a file.
func (c *checksums) began(name string) (time.Time, error) {
	f, err := c.fs.Open(c.fs.PathJoin(c.dir, "warc", name))
	if err != nil {
		return time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, err
	}
	return firstDate(f, info.Size()), nil
}

// firstDate returns the date of the first record, or the zero time if it cannot be read.
func firstDate(f io.ReaderAt, size int64) time.Time {
	rec, err := warc.ReadAt(f, size, 0)
	if err != nil {
		return time.Time{}
	}
	return rec.Date().UTC()
}

// open reads the stored checksums. If another process writes them, or nothing can be written, this one keeps its own in
// memory.
func (c *checksums) open() {
	c.mu.of = map[string]summed{}
	dir := c.fs.PathJoin(c.dir, "derived", "checksums@1")
	name := c.fs.PathJoin(dir, "files.jsonl")
	for e, err := range journal.Read(c.fs, name, 0) {
		if err != nil { // damaged: the checksums are computed again
			clear(c.mu.of)
			_ = c.fs.Remove(name) // if this fails, opening it for writing fails too
			break
		}
		var s summed
		if json.Unmarshal(e.Line, &s) == nil { // a file with a damaged line is read again
			c.mu.of[s.File] = s
		}
	}
	lock, err := disk.Lock(c.fs, dir)
	if err != nil {
		return
	}
	c.mu.lock = lock
	if log, err := journal.Open(c.fs, name); err == nil {
		c.mu.kept = log
	}
}
