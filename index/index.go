// Package index finds captures by URL and time (CDXJ), and by what they held.
//
// An Index is the archive's index/: CDXJ lines sorted by key and time, in segments of compressed blocks. While a crawl
// runs, captures are collected in memory and written as a segment now and then; small segments are merged into larger
// ones, so that a look-up searches a few whatever the size of the archive. When the crawl ends all become one.
//
//	index/G-N.cdxj.gz    sorted lines in gzip members of some 50: segment N, made of generation G of the capture log
//	index/G-N.idx        where each member begins, and its first key
//	index/cursor.json    how far in the capture log all of this reaches
//
// A segment is there when its .idx is: that is written last and removed first. Names are not used again, so a reader may
// keep a segment open. Lines that are the same to the byte count once, so a segment written twice after a crash does no
// harm. Originals answers the other question: which complete capture has this digest, and which is the newest of this URL.
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

// Index writes the CDXJ of one archive. It belongs to the one process that holds the archive's lock; Live reads it.
type Index struct {
	fs  vfs.FS
	dir string

	mu struct {
		sync.Mutex
		pending [][]byte       // lines that are in no segment yet, without line feeds
		chunk   []byte         // where the next of them are put: its free room
		cursor  journal.Cursor // of pending's end
		next    int            // number of the next segment
	}
}

const (
	cursorFile = "cursor.json"
	blocksEnd  = ".cdxj.gz" // of a segment's file of blocks
	dirEnd     = ".idx"     // of its directory
	// maxPending is how many lines are held in memory before they become a segment: about 10 MB.
	maxPending = 32_000
	// maxMerged is the size in bytes up to which segments are merged while the index is added to: some 400,000 lines. It
	// bounds how long one Add may take, whatever the size of the archive; there is a segment for each maxMerged, until Merge.
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

// Reached is how far the index in dir has read the capture log; zero when there is none.
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

// older is the error for an index of plain CDXJ files, as it was before segments were compressed.
func (x *Index) older() error {
	for _, name := range x.files() {
		if strings.HasSuffix(name, ".cdxj") {
			return fmt.Errorf("%s is of an older form: run `kavosh rebuild`", x.dir)
		}
	}
	return nil
}

// sweep removes what a crash left of segments, and numbers the next one.
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

// Name is the folder of the index in its archive.
func (x *Index) Name() string { return "index" }

// Cursor is where in the capture log the next Add must go on.
func (x *Index) Cursor() journal.Cursor {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.mu.cursor
}

// CursorFile is the path of the file that is there from the first Reset on.
func (x *Index) CursorFile() string { return x.fs.PathJoin(x.dir, cursorFile) }

// Reset empties the index: its captures will be added again from the start of the given generation of the log.
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

// Add takes a capture that is durable in the capture log. full says that so many wait for a Commit that it writes a segment.
func (x *Index) Add(_ context.Context, c *kavosh.Capture, _ int64) (full bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e, ok := Entry(c); ok {
		x.keep(&e)
	}
	return len(x.mu.pending) >= maxPending, nil
}

// Commit notes that the capture log reaches to cursor with what was added. Others see it, durably, after a Flush.
func (x *Index) Commit(cursor journal.Cursor) error {
	x.mu.Lock()
	defer x.mu.Unlock()
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

// tier merges the newest segments while one is less than four times its successor, so that their number grows with the
// logarithm of the lines and each line is written a logarithmic number of times, up to maxMerged.
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

// Merge flushes and makes one segment of all.
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
		if strings.HasSuffix(name, ".cdxj") { // of an older form
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

// merge makes one segment of those named, and removes them.
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

// remove removes segments: first, durably, what says that they are there.
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

// write makes a segment of sorted lines, whole or not at all.
func (x *Index) write(lines iter.Seq2[[]byte, error]) error {
	name := fmt.Sprintf("%06d-%06d", x.mu.cursor.Generation, x.mu.next)
	path := x.fs.PathJoin(x.dir, name)
	var files [2]vfs.File
	defer func() {
		for _, f := range files {
			if f != nil {
				_ = f.Close() // only after another error
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

// files are the names in the folder, sorted.
func (x *Index) files() []string {
	names, _ := x.fs.List(x.dir) // a folder that is not there has none
	slices.Sort(names)
	return names
}

// segments are the names of the segments, the oldest first.
func (x *Index) segments() []string {
	var names []string
	for _, n := range x.files() {
		if segment, ok := strings.CutSuffix(n, dirEnd); ok {
			names = append(names, segment)
		}
	}
	return names
}

// size is how many bytes a segment takes.
func (x *Index) size(segment string) int64 {
	info, err := x.fs.Stat(x.fs.PathJoin(x.dir, segment+blocksEnd))
	if err != nil {
		return 0
	}
	return info.Size()
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
		e.Revisits(c.MIME)
	}
	if c.Variant {
		e.Extra = append(e.Extra, cdx.Field{Name: "variant", Value: "rdf"})
	}
	if c.Method != "" {
		e.Asked(c.Method, c.Query)
	}
	return e, true
}
