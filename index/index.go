// Package index finds captures by URL and time (CDXJ), and by what they held.
//
// An Index is the archive's index/: CDXJ files sorted by key and time. While a crawl runs, captures are collected in
// memory and written as a sorted segment now and then; small segments are merged into larger ones, so that a look-up
// searches a few files whatever the size of the archive. When the crawl ends all is merged into index.cdxj.
//
//	index/index.cdxj        one sorted file, after the last crawl's end or a rebuild
//	index/segment-N.cdxj    what came since
//	index/cursor.json       how far in the capture log all of this reaches
//
// Lines that are the same to the byte count once, so a segment written twice after a crash does no harm. Originals
// answers the other question: which complete capture has this digest, and which is the newest of this URL.
package index

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
)

// Cursor is how far a follower has read the capture log.
type Cursor struct {
	Generation int   `json:"generation"`
	Position   int64 `json:"position"`
}

// Index writes the CDXJ of one archive. It belongs to the one process that holds the archive's lock; Live reads it.
type Index struct {
	fs  vfs.FS
	dir string

	mu struct {
		sync.Mutex
		pending [][]byte // lines that are in no segment yet, without line feeds
		chunk   []byte   // where the next of them are put: its free room
		cursor  Cursor   // of pending's end
		next    int      // number of the next segment
		written time.Time
	}
}

const (
	mainFile   = "index.cdxj"
	cursorFile = "cursor.json"
	// maxPending is how many lines are held in memory before they become a segment: about 10 MB.
	maxPending = 32_000
	// maxMerged is the size in bytes up to which segments are merged while the index is added to. It bounds how long one
	// Add may take, whatever the size of the archive; there is a segment for each maxMerged of lines, until Merge.
	maxMerged = 128 << 20
	chunkSize = 256 << 10
)

// Open opens the index in dir, which need not exist yet.
func Open(fs vfs.FS, dir string) (*Index, error) {
	x := &Index{fs: fs, dir: dir}
	data, err := disk.ReadFile(fs, fs.PathJoin(dir, cursorFile))
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(data, &x.mu.cursor); err != nil {
			return nil, fmt.Errorf("%s is damaged (%w): run `kavosh rebuild`", fs.PathJoin(dir, cursorFile), err)
		}
	}
	for _, name := range x.segments() {
		var n int
		if _, err := fmt.Sscanf(name, "segment-%d.cdxj", &n); err == nil {
			x.mu.next = max(x.mu.next, n+1)
		}
	}
	return x, nil
}

// Cursor is where in the capture log the next Add must go on.
func (x *Index) Cursor() Cursor {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.mu.cursor
}

// Reset empties the index: its captures will be added again from the start of the given generation of the log.
func (x *Index) Reset(generation int) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mu.pending, x.mu.chunk, x.mu.cursor = nil, nil, Cursor{Generation: generation}
	for _, name := range x.segments() {
		if err := x.fs.Remove(x.fs.PathJoin(x.dir, name)); err != nil {
			return err
		}
	}
	if err := disk.MkdirAll(x.fs, x.dir); err != nil {
		return err
	}
	return x.saveCursor()
}

// Add takes captures that are durable in the capture log, which reaches to cursor with them.
func (x *Index) Add(captures []kavosh.Capture, cursor Cursor) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range captures {
		if e, ok := Entry(&captures[i]); ok {
			x.keep(&e)
		}
	}
	x.mu.cursor = cursor
	if len(x.mu.pending) < maxPending {
		return nil
	}
	return x.flush()
}

// keep puts the line of e with those pending.
func (x *Index) keep(e *cdx.Entry) {
	const longLine = 4 << 10
	if cap(x.mu.chunk) < longLine {
		x.mu.chunk = make([]byte, 0, chunkSize)
	}
	line := e.AppendLine(x.mu.chunk) // a line that is longer than the room gets memory of its own
	if len(line) <= cap(x.mu.chunk) {
		x.mu.chunk = x.mu.chunk[len(line):len(line):cap(x.mu.chunk)]
	}
	x.mu.pending = append(x.mu.pending, line[:len(line)-1])
}

// Flush makes what was added visible to other processes, durably.
func (x *Index) Flush() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.flush()
}

func (x *Index) flush() error {
	if len(x.mu.pending) == 0 {
		return nil
	}
	slices.SortFunc(x.mu.pending, bytes.Compare)
	x.mu.pending = slices.CompactFunc(x.mu.pending, bytes.Equal)
	if err := disk.MkdirAll(x.fs, x.dir); err != nil {
		return err
	}
	name := fmt.Sprintf("segment-%06d.cdxj", x.mu.next)
	err := x.write(name, func(yield func([]byte, error) bool) {
		for _, line := range x.mu.pending {
			if !yield(line, nil) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	x.mu.next++
	clear(x.mu.pending)
	x.mu.pending = x.mu.pending[:0]
	if err := x.saveCursor(); err != nil {
		return err
	}
	return x.tier()
}

// tier merges the newest segments while one is less than four times its successor, so that their number grows with the
// logarithm of the lines and each line is written a logarithmic number of times, up to maxMerged.
func (x *Index) tier() error {
	for {
		names := x.segments()
		var segs []string
		for _, n := range names {
			if n != mainFile {
				segs = append(segs, n)
			}
		}
		if len(segs) < 2 {
			return nil
		}
		a, b := segs[len(segs)-2], segs[len(segs)-1]
		if size := x.size(a); size >= 4*x.size(b) || size >= maxMerged {
			return nil
		}
		if err := x.merge([]string{a, b}, a); err != nil {
			return err
		}
	}
}

// Merge flushes and makes one sorted file, index.cdxj, of all.
func (x *Index) Merge() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.flush(); err != nil {
		return err
	}
	names := x.segments()
	if len(names) == 0 || len(names) == 1 && names[0] == mainFile {
		return nil
	}
	return x.merge(names, mainFile)
}

// Replace puts x, which was merged, in place of the index in dir, on the same file system. In the middle publish shows the
// generation of the log that x was made of; x's cursor into it follows. Whoever reads finds every capture at any moment
// between. x is of no use afterwards.
func (x *Index) Replace(dir string, publish func() error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	move := func(name string) error {
		if err := x.fs.Rename(x.fs.PathJoin(x.dir, name), x.fs.PathJoin(dir, name)); err != nil {
			return err
		}
		return disk.SyncDir(x.fs, dir)
	}
	stale := (&Index{fs: x.fs, dir: dir}).segments()
	if len(x.segments()) > 0 {
		if err := move(mainFile); err != nil {
			return err
		}
		stale = slices.DeleteFunc(stale, func(name string) bool { return name == mainFile })
	}
	for _, name := range stale {
		if err := x.fs.Remove(x.fs.PathJoin(dir, name)); err != nil {
			return err
		}
	}
	if err := publish(); err != nil {
		return err
	}
	return move(cursorFile)
}

// merge writes the lines of the named files, sorted, as the file into, and removes the others.
func (x *Index) merge(names []string, into string) error {
	m := &merger{}
	defer m.close()
	for _, n := range names {
		f, err := x.fs.Open(x.fs.PathJoin(x.dir, n))
		if err != nil {
			return err
		}
		if err := m.add(n, f); err != nil {
			return err
		}
	}
	if err := x.write(into, m.lines); err != nil {
		return err
	}
	for _, n := range names {
		if n != into {
			if err := x.fs.Remove(x.fs.PathJoin(x.dir, n)); err != nil {
				return err
			}
		}
	}
	return disk.SyncDir(x.fs, x.dir)
}

// write makes the file name of sorted lines, whole or not at all.
func (x *Index) write(name string, lines iter.Seq2[[]byte, error]) error {
	path := x.fs.PathJoin(x.dir, name)
	f, err := x.fs.Create(path+".tmp", vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	for line, err := range lines {
		if err == nil {
			w.Write(line) // an error stays in w until Flush
			err = w.WriteByte('\n')
		}
		if err != nil {
			f.Close()
			return err
		}
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := x.fs.Rename(path+".tmp", path); err != nil {
		return err
	}
	return disk.SyncDir(x.fs, x.dir)
}

func (x *Index) saveCursor() error {
	data, err := json.Marshal(x.mu.cursor)
	if err != nil {
		return err
	}
	return disk.WriteFile(x.fs, x.fs.PathJoin(x.dir, cursorFile), append(data, '\n'))
}

// segments are the names of the CDXJ files, index.cdxj first, then by number.
func (x *Index) segments() []string {
	names, _ := x.fs.List(x.dir) // a folder that is not there has none
	var files []string
	for _, n := range names {
		if strings.HasSuffix(n, ".cdxj") {
			files = append(files, n)
		}
	}
	slices.Sort(files)
	return files
}

func (x *Index) size(name string) int64 {
	info, err := x.fs.Stat(x.fs.PathJoin(x.dir, name))
	if err != nil {
		return 0
	}
	return info.Size()
}

// open opens the CDXJ files. A merge may remove one between its listing and its opening; then the list is made again.
func (x *Index) open() ([]vfs.File, error) {
	for try := 0; ; try++ {
		var files []vfs.File
		var err error
		for _, name := range x.segments() {
			var f vfs.File
			if f, err = x.fs.Open(x.fs.PathJoin(x.dir, name)); err != nil {
				break
			}
			files = append(files, f)
		}
		if err == nil {
			return files, nil
		}
		for _, f := range files {
			f.Close()
		}
		if try == 10 {
			return nil, err
		}
	}
}

// Entry is the CDXJ line of a capture; ok is false for those that no index lists: DNS answers and failures.
func Entry(c *kavosh.Capture) (e cdx.Entry, ok bool) {
	switch c.Type {
	case "response", "revisit", "resource":
	default:
		return e, false
	}
	if strings.HasPrefix(c.URL, "dns:") || strings.HasPrefix(c.URL, "urn:") {
		return e, false
	}
	e = cdx.Entry{
		Key: weburl.SURT(c.URL), Timestamp: c.Time.UTC().Format("20060102150405"), URL: c.URL, MIME: c.MIME, Status: c.Status,
		Digest: c.Digest, Length: c.Length, Offset: c.Offset, Filename: c.File,
	}
	if c.Type == "revisit" {
		e.MIME = "warc/revisit"
	}
	if c.Variant {
		e.Extra = []cdx.Field{{Name: "variant", Value: "rdf"}}
	}
	return e, true
}
