package api

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/lib/warc"
)

// summed is what is known of a WARC file: a line of derived/checksums@1/files.jsonl. A sealed file never changes, so its
// sums are made once; those of a file of another size are of another file.
type summed struct {
	File   string    `json:"file"`
	Size   int64     `json:"size"`
	Time   time.Time `json:"time,omitzero"` // of its first record
	MD5    string    `json:"md5"`
	SHA1   string    `json:"sha1"`
	SHA256 string    `json:"sha256"`
}

// checksums keeps the sums of an archive's files. One file is read at a time, whoever asks.
type checksums struct {
	fs  vfs.FS
	dir string // the archive's

	mu struct {
		sync.Mutex
		of   map[string]summed
		lock io.Closer    // held as long as the program runs
		kept *journal.Log // nil where nothing can be written: then sums are held in memory
	}
}

// sum gives the sums of a file, reading it when they are not known.
func (c *checksums) sum(ctx context.Context, name string) (summed, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.of == nil {
		if err := c.open(); err != nil {
			return summed{}, err
		}
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
	if _, err := io.Copy(io.MultiWriter(sums[0], sums[1], sums[2]), &until{ctx, io.NewSectionReader(f, 0, s.Size)}); err != nil {
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

// began is the time of the first record of a file.
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

// firstDate is the date of the first record; the zero time when there is none to read.
func firstDate(f io.ReaderAt, size int64) time.Time {
	rec, err := warc.ReadAt(f, size, 0)
	if err != nil {
		return time.Time{}
	}
	return rec.Date().UTC()
}

// open reads what is kept. When another process keeps sums of this archive, or nothing can be written, this one holds its
// own in memory.
func (c *checksums) open() error {
	c.mu.of = map[string]summed{}
	dir := c.fs.PathJoin(c.dir, "derived", "checksums@1")
	name := c.fs.PathJoin(dir, "files.jsonl")
	for e, err := range journal.Read(c.fs, name, 0) {
		if err != nil { // they are made again
			clear(c.mu.of)
			_ = c.fs.Remove(name) // where that fails nothing can be written either
			break
		}
		var s summed
		if json.Unmarshal(e.Line, &s) == nil { // a line that is none is made again
			c.mu.of[s.File] = s
		}
	}
	if disk.MkdirAll(c.fs, dir) != nil {
		return nil
	}
	lock, err := c.fs.Lock(c.fs.PathJoin(dir, "lock"))
	if err != nil {
		return nil
	}
	c.mu.lock = lock
	if log, err := journal.Open(c.fs, name); err == nil {
		c.mu.kept = log
	}
	return nil
}

// until reads as long as somebody waits.
type until struct {
	ctx context.Context
	r   io.Reader
}

// Read reads.
func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// sealed are the names of an archive's WARC files that are written to the end.
func sealed(fs vfs.FS, dir string) ([]string, error) {
	names, err := fs.List(fs.PathJoin(dir, "warc"))
	if err != nil {
		return nil, err
	}
	var list []string
	for _, name := range names {
		low := strings.ToLower(name)
		for _, end := range []string{".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz"} {
			if strings.HasSuffix(low, end) {
				list = append(list, name)
				break
			}
		}
	}
	return list, nil
}
