// Package journal keeps append-only logs of lines, whole or not at all: what a follower of the crawl reads from.
//
// A log is a text file, one entry a line, no entry holding a line feed. An entry counts once its line feed is on disk;
// a tail without one is the trace of a crash and is cut when the log is opened for writing. A position is a byte offset
// at the start of a line: it says where a follower stands, and a log can be cut back to it.
//
// An entry is a JSON object in one line. Its last member, which the log adds, chains it to the line before, so that a line
// that was changed, lost or moved is found: "crc", in eight hexadecimal digits the CRC-32C of the line up to there, begun
// with that of the line before (0 for none). What is lost at the end a [Mark] tells, kept elsewhere.
//
// Stored form:
//
//	entry LF entry LF … entry LF [torn tail]
//
// Logs that older programs wrote have no chain: it begins with the first line that is added, and no line without it may follow.
package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// MaxLine bounds an entry, in bytes. A longer line in a file is damage and ends reading with an error.
const MaxLine = 4 << 20

// Log is a log opened for appending. It is not safe for concurrent use.
type Log struct {
	fs   vfs.FS
	name string
	f    vfs.File
	buf  []byte
	end  int64  // of what is written to f
	sum  uint32 // of the last line, of buf or of the file

	chained bool // it has one
}

// Open opens the log called name for appending, making it and its folder when absent, and cuts a torn tail. What is left is
// durable then: a process that was killed may have written entries that it never synced, and they count from now on.
func Open(fs vfs.FS, name string) (*Log, error) {
	dir := fs.PathDir(name)
	if err := disk.MkdirAll(fs, dir); err != nil {
		return nil, err
	}
	_, statErr := fs.Stat(name)
	f, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	l := &Log{fs: fs, name: name, f: f}
	if statErr != nil {
		if err := disk.SyncDir(fs, dir); err != nil {
			f.Close()
			return nil, err
		}
		return l, nil
	}
	if err := l.open(); err != nil {
		l.f.Close()
		return nil, err
	}
	return l, nil
}

// open cuts the torn tail of a log that is there, and makes it durable.
func (l *Log) open() error {
	info, err := l.f.Stat()
	if err != nil {
		return err
	}
	whole, err := lastLineEnd(l.f, info.Size())
	if err != nil {
		return err
	}
	if l.end = info.Size(); whole < l.end {
		return l.Cut(whole)
	}
	if l.sum, l.chained, err = sumBefore(l.f, whole); err != nil {
		return err
	}
	if err := l.f.SyncData(); err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	return nil
}

// lastLineEnd is the offset after the last line feed of the first size bytes of f.
func lastLineEnd(f io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for size > 0 {
		n := min(int64(len(buf)), size)
		if _, err := f.ReadAt(buf[:n], size-n); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return size - n + int64(i) + 1, nil
		}
		size -= n
	}
	return 0, nil
}

// Append adds one entry to the log's buffer; it is on disk after the next Sync. It is a JSON object with a member at least, and
// without a line feed.
func (l *Log) Append(entry []byte) {
	l.buf, l.sum = seal(l.buf, entry, l.sum)
	l.chained = true
}

// Position is where the next entry will stand, buffered entries counted.
func (l *Log) Position() int64 { return l.end + int64(len(l.buf)) }

// Sync writes what was appended and makes it durable. After an error nothing of the buffer counts as written, and the
// same Sync may be tried again.
func (l *Log) Sync() error {
	if len(l.buf) == 0 {
		return nil
	}
	if _, err := l.f.WriteAt(l.buf, l.end); err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	if err := l.f.SyncData(); err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	l.end += int64(len(l.buf))
	l.buf = l.buf[:0]
	return nil
}

// Cut drops all entries at and after position, durably. Buffered entries are dropped too.
func (l *Log) Cut(position int64) error {
	if len(l.buf) == 0 && position >= l.end {
		return nil
	}
	position = min(position, l.end)
	l.buf = l.buf[:0]
	if err := l.f.Close(); err != nil {
		return err
	}
	if err := disk.Truncate(l.fs, l.name, position); err != nil {
		return err
	}
	f, err := l.fs.OpenReadWrite(l.name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	l.f, l.end = f, position
	l.sum, l.chained, err = sumBefore(f, position)
	return err
}

// Close closes the file. What was appended since the last Sync is dropped.
func (l *Log) Close() error { return l.f.Close() }

// Line reads the entry that begins at position of a log opened as f into buf, which it grows when needed; without its line
// feed. io.EOF says that no whole entry is there.
func Line(f io.ReaderAt, position int64, buf []byte) ([]byte, error) {
	buf = buf[:0]
	for len(buf) <= MaxLine {
		buf = slices.Grow(buf, 1<<10)
		from := len(buf)
		n, err := f.ReadAt(buf[from:cap(buf)], position+int64(from))
		buf = buf[:from+n]
		if i := bytes.IndexByte(buf[from:], '\n'); i >= 0 {
			return buf[:from+i], nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("the line at byte %d is longer than %d bytes: the log is damaged", position, MaxLine)
}

// Entry is one line of a log and the position after it.
type Entry struct {
	Line []byte // without its line feed; valid until the next entry
	Next int64
}

// Read yields the entries of the log called name from position on, in order, as long as they are what was written: what is
// not is an error, and ends it. A torn tail is not yielded; a log that does not exist has no entries.
func Read(fs vfs.FS, name string, position int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var c chain
		for e, err := range lines(fs, name, position, &c) {
			if err == nil {
				err = c.next(e.Line)
			}
			if err != nil {
				err = fmt.Errorf("%s, before byte %d, %w", name, e.Next, err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// lines yields the whole lines of a log from position on, and has c begin with the one before.
func lines(fs vfs.FS, name string, position int64, c *chain) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f, err := fs.Open(name)
		if errors.Is(err, os.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Entry{Next: position}, err)
			return
		}
		defer f.Close()
		info, err := f.Stat()
		if err == nil {
			c.sum, c.begun, err = sumBefore(f, min(position, info.Size()))
		}
		if err != nil {
			yield(Entry{Next: position}, err)
			return
		}
		left := max(0, info.Size()-position)
		r := bufio.NewReaderSize(io.NewSectionReader(f, position, left), int(min(left, 256<<10)))
		var long []byte
		for {
			part, err := r.ReadSlice('\n')
			switch {
			case err == nil:
			case errors.Is(err, bufio.ErrBufferFull):
				if long = append(long, part...); len(long) > MaxLine {
					yield(Entry{Next: position}, errLong)
					return
				}
				continue
			case errors.Is(err, io.EOF):
				return
			default:
				yield(Entry{Next: position}, err)
				return
			}
			line := part
			if long != nil {
				line = append(long, part...)
				long = nil
			}
			position += int64(len(line))
			if !yield(Entry{Line: line[:len(line)-1], Next: position}, nil) {
				return
			}
		}
	}
}
