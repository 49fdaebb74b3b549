// Package index finds captures by URL and time (CDXJ), and by the digest of their payload. It also has the index of
// links.
//
// An [Index] is the archive's index/: CDXJ lines sorted by key and time, in segments of compressed blocks. While a
// crawl runs, captures are collected in memory and written as a segment now and then. Small segments are merged into
// larger ones, so that a look-up searches few segments whatever the size of the archive. At the end of a crawl, all are
// merged.
//
//	index/G-N.cdxj.gz    sorted lines in gzip members of some 50: segment N, made of generation G of the capture log
//	index/G-N.idx        where each member begins, and its first key
//	index/cursor.json    how far in the capture log all of this reaches
//
// A segment exists if its .idx exists, which is written last and removed first. Names are never used again, so a reader
// may keep a segment open. Equal lines count once, so a segment that is written twice after a crash does no harm.
//
// [Live] and [Memory] answer queries, for an archive and for loose files. [Originals] finds the complete capture with a
// given digest, and the newest capture of a URL. [Links] is the index of links by target.
package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
)

// Index writes the CDXJ index of one archive. Only the process that holds the archive's lock may use it; Live reads it.
type Index struct {
	fs  vfs.FS
	dir string

	mu struct {
		sync.Mutex
		pending [][]byte       // lines that are in no segment yet, without line feeds
		chunk   []byte         // free memory for the next lines
		cursor  journal.Cursor // place in the capture log after the last pending line
		next    int            // number of the next segment
	}
}

const (
	cursorFile = "cursor.json"
	blocksEnd  = ".cdxj.gz" // of a segment's file of blocks
	dirEnd     = ".idx"     // of its directory
	// maxPending is how many lines are held in memory before they become a segment: about 10 MB.
	maxPending = 32_000
	// maxMerged is the size in bytes up to which segments are merged before Merge: about 400,000 lines. It bounds how
	// long one Add may take, whatever the size of the archive.
	maxMerged = 28 << 20
	chunkSize = 256 << 10
)

// Open opens the index in dir, which need not exist yet.
func Open(fs vfs.FS, dir string) (*Index, error) {
	x := &Index{fs: fs, dir: dir}
	var err error
	if x.mu.cursor, err = Reached(fs, dir); err != nil {
		return nil, err
	}
	if err := x.older(); err != nil {
		return nil, err
	}
	return x, x.sweep()
}

// Reached returns how far the index in dir has read the capture log; zero if there is no index.
func Reached(fs vfs.FS, dir string) (c journal.Cursor, err error) {
	data, err := disk.ReadFile(fs, fs.PathJoin(dir, cursorFile))
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		if err = json.Unmarshal(data, &c); err != nil {
			err = fmt.Errorf("%s is damaged (%w): run `kavosh rebuild`", fs.PathJoin(dir, cursorFile), err)
		}
	}
	return c, err
}

// older returns an error if the index has the old form, with CDXJ files that are not compressed.
func (x *Index) older() error {
	for _, name := range x.files() {
		if strings.HasSuffix(name, ".cdxj") {
			return fmt.Errorf("%s is of an older form: run `kavosh rebuild`", x.dir)
		}
	}
	return nil
}

// sweep removes the incomplete segments of a crash, and sets the number of the next segment.
func (x *Index) sweep() error {
	segments := x.segments()
	for _, name := range x.files() {
		var generation, n int
		if _, err := fmt.Sscanf(name, "%d-%d.", &generation, &n); err != nil {
			continue
		}
		x.mu.next = max(x.mu.next, n+1)
		if segment, _, _ := strings.Cut(name, "."); strings.HasSuffix(name, ".tmp") || !slices.Contains(segments, segment) {
			if err := x.fs.Remove(x.fs.PathJoin(x.dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Name returns the name of the index's folder in its archive.
func (x *Index) Name() string { return "index" }

// Cursor returns the place in the capture log from which Add must go on.
func (x *Index) Cursor() journal.Cursor {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.mu.cursor
}

// CursorFile returns the path of the cursor's file. It exists from the first Reset on.
func (x *Index) CursorFile() string { return x.fs.PathJoin(x.dir, cursorFile) }

// Reset empties the index. The caller then adds all captures again, from the start of the given generation of the log.
func (x *Index) Reset(generation int) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mu.pending, x.mu.chunk, x.mu.cursor = nil, nil, journal.At(generation, 0)
	if err := x.remove(x.segments()); err != nil {
		return err
	}
	if err := disk.MkdirAll(x.fs, x.dir); err != nil {
		return err
	}
	return x.saveCursor()
}

// Add adds a capture, which must be durable in the capture log. full tells the caller to commit now: Commit will write
// a segment.
func (x *Index) Add(_ context.Context, c *kavosh.Capture, _ int64) (full bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e, ok := Entry(c); ok {
		x.keep(&e)
	}
	return len(x.mu.pending) >= maxPending, nil
}

// Commit sets the cursor to the place in the capture log after the added captures. They are durable, and other
// processes see them, after a Flush.
func (x *Index) Commit(cursor journal.Cursor) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mu.cursor = cursor
	if len(x.mu.pending) < maxPending {
		return nil
	}
	return x.flush()
}

// keep adds the line of e to the pending ones.
func (x *Index) keep(e *cdx.Entry) {
	const longLine = 4 << 10
	if cap(x.mu.chunk) < longLine {
		x.mu.chunk = make([]byte, 0, chunkSize)
	}
	line := e.AppendLine(x.mu.chunk) // a line that does not fit gets its own memory
	if len(line) <= cap(x.mu.chunk) {
		x.mu.chunk = x.mu.chunk[len(line):len(line):cap(x.mu.chunk)]
	}
	x.mu.pending = append(x.mu.pending, line[:len(line)-1])
}

// Flush makes the added captures durable and visible to other processes.
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
	err := x.write(func(yield func([]byte, error) bool) {
		for _, line := range x.mu.pending {
			if !yield(line, nil) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	clear(x.mu.pending)
	x.mu.pending = x.mu.pending[:0]
	if err := x.saveCursor(); err != nil {
		return err
	}
	return x.tier()
}

// tier merges the newest segments while one is less than four times as large as the next newer one. So, up to
// maxMerged, the number of segments and how often a line is written grow with the logarithm of the number of lines.
func (x *Index) tier() error {
	for {
		names := x.segments()
		if len(names) < 2 {
			return nil
		}
		last := names[len(names)-2:]
		if size := x.size(last[0]); size >= 4*x.size(last[1]) || size >= maxMerged {
			return nil
		}
		if err := x.merge(last); err != nil {
			return err
		}
	}
}

// Merge flushes and merges all segments into one.
func (x *Index) Merge() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.flush(); err != nil {
		return err
	}
	if names := x.segments(); len(names) > 1 {
		return x.merge(names)
	}
	return nil
}

// Replace puts x, which must be merged, in place of the index in dir on the same file system. It calls publish in the
// middle, which must make the log generation of x visible; then it writes the cursor of x. Readers find every capture
// at every moment. x must not be used afterwards.
func (x *Index) Replace(dir string, publish func() error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	move := func(name string) error {
		if err := x.fs.Rename(x.fs.PathJoin(x.dir, name), x.fs.PathJoin(dir, name)); err != nil {
			return err
		}
		return disk.SyncDir(x.fs, dir)
	}
	old := &Index{fs: x.fs, dir: dir}
	stale := old.segments()
	for _, name := range x.segments() {
		for _, end := range []string{blocksEnd, dirEnd} {
			if err := move(name + end); err != nil {
				return err
			}
		}
	}
	if err := old.remove(stale); err != nil {
		return err
	}
	for _, name := range old.files() {
		if strings.HasSuffix(name, ".cdxj") { // a file of the old form
			if err := x.fs.Remove(x.fs.PathJoin(dir, name)); err != nil {
				return err
			}
		}
	}
	if err := publish(); err != nil {
		return err
	}
	return move(cursorFile)
}

// merge merges the named segments into a new one, and removes them.
func (x *Index) merge(names []string) error {
	m := &merger{}
	defer m.close()
	for _, n := range names {
		f, err := x.fs.Open(x.fs.PathJoin(x.dir, n+blocksEnd))
		if err != nil {
			return err
		}
		if err := m.add(n, f); err != nil {
			return err
		}
	}
	if err := x.write(m.lines); err != nil {
		return err
	}
	return x.remove(names)
}

// remove removes segments. It first removes their .idx files durably.
func (x *Index) remove(names []string) error {
	if len(names) == 0 {
		return nil
	}
	for _, end := range []string{dirEnd, blocksEnd} {
		for _, n := range names {
			if err := x.fs.Remove(x.fs.PathJoin(x.dir, n+end)); err != nil {
				return err
			}
		}
		if err := disk.SyncDir(x.fs, x.dir); err != nil {
			return err
		}
	}
	return nil
}

// write writes a segment of sorted lines, completely or not at all.
func (x *Index) write(lines iter.Seq2[[]byte, error]) error {
	name := fmt.Sprintf("%06d-%06d", x.mu.cursor.Generation, x.mu.next)
	path := x.fs.PathJoin(x.dir, name)
	var files [2]vfs.File
	defer func() {
		for _, f := range files {
			if f != nil {
				_ = f.Close() // there was another error already
			}
		}
	}()
	for i, end := range []string{blocksEnd, dirEnd} {
		f, err := x.fs.Create(path+end+".tmp", vfs.WriteCategoryUnspecified)
		if err != nil {
			return err
		}
		files[i] = f
	}
	w := cdx.NewBlockWriter(files[1], files[0], name+blocksEnd)
	for line, err := range lines {
		if err == nil {
			err = w.Add(line)
		}
		if err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	for i := range files {
		if err := files[i].Sync(); err != nil {
			return err
		}
		f := files[i]
		files[i] = nil
		if err := f.Close(); err != nil {
			return err
		}
	}
	for _, end := range []string{blocksEnd, dirEnd} {
		if err := x.fs.Rename(path+end+".tmp", path+end); err != nil {
			return err
		}
		if err := disk.SyncDir(x.fs, x.dir); err != nil {
			return err
		}
	}
	x.mu.next++
	return nil
}

func (x *Index) saveCursor() error {
	data, err := json.Marshal(x.mu.cursor)
	if err != nil {
		return err
	}
	return disk.WriteFile(x.fs, x.CursorFile(), append(data, '\n'))
}

// files returns the names of the files in the folder, sorted.
func (x *Index) files() []string {
	names, _ := x.fs.List(x.dir) // a folder that is not there has none
	slices.Sort(names)
	return names
}

// segments returns the names of the segments, the oldest first.
func (x *Index) segments() []string {
	var names []string
	for _, n := range x.files() {
		if segment, ok := strings.CutSuffix(n, dirEnd); ok {
			names = append(names, segment)
		}
	}
	return names
}

// size returns the size of a segment in bytes.
func (x *Index) size(segment string) int64 {
	info, err := x.fs.Stat(x.fs.PathJoin(x.dir, segment+blocksEnd))
	if err != nil {
		return 0
	}
	return info.Size()
}

// Entry returns the index entry of a capture; ok is false for captures that are not indexed: DNS answers, failures, and
// what a crawl notes for itself.
func Entry(c *kavosh.Capture) (e cdx.Entry, ok bool) {
	switch c.Type {
	case "response", "revisit", "resource":
	default:
		return e, false
	}
	if strings.HasPrefix(c.URL, "dns:") || strings.HasPrefix(c.URL, "urn:kavosh:") {
		return e, false
	}
	e = cdx.Entry{
		Key: weburl.SURT(c.URL), Timestamp: c.Time.UTC().Format("20060102150405"), URL: c.URL, MIME: c.MIME, Status: c.Status,
		Digest: c.Digest, Length: c.Length, Offset: c.Offset, Filename: c.File,
	}
	if c.Type == "revisit" {
		e.Revisits(c.MIME)
	}
	if c.Of != "" {
		e.Extra = append(e.Extra, cdx.Field{Name: cdx.Of, Value: c.Of})
	}
	if c.Variant {
		e.Extra = append(e.Extra, cdx.Field{Name: "variant", Value: "rdf"})
	}
	if c.Method != "" {
		e.Asked(c.Method, c.Query)
	}
	return e, true
}
