// Package journal keeps append-only logs of lines, from which followers of the crawl read.
//
// A log is a text file with one entry per line. An entry counts once its line feed is on disk. A tail without line feed
// is the trace of a crash; it is cut off when the log is opened for writing. A position is the byte offset of the start
// of a line: it says where a follower stands, and a log can be truncated to it.
//
// An entry is a JSON object on one line. The log adds its last member, "crc", which chains it to the line before, so
// that changed, lost or moved lines are found. It is the CRC-32C of the line up to there, in eight hexadecimal digits,
// starting from that of the line before (0 if none). A [Mark] stored elsewhere shows if the end is lost.
//
// Stored form:
//
//	entry LF entry LF … entry LF [torn tail]
//
// Logs of older programs have no chain. It begins with the first line added, and no line without it may follow.
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

// MaxLine bounds an entry, in bytes. A longer line in a file is damage, and reading ends with an error.
const MaxLine = 4 << 20

// Log is a log opened for appending. It is not safe for concurrent use.
type Log struct {
	fs   vfs.FS
	name string
	f    vfs.File
	buf  []byte
	end  int64  // offset of the end of what is written to f
	sum  uint32 // checksum of the last line, in buf or in the file

	chained bool // the last line has a checksum
}

// Open opens the log called name for appending. It creates it and its folder if absent, and cuts off a torn tail. What
// is left is made durable: a killed process may have written entries without syncing them, and they count from now on.
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

// open cuts off the torn tail of an existing log, and makes it durable.
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

// lastLineEnd returns the offset after the last line feed in the first size bytes of f.
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

// Tail returns where the first line begins of about the last most bytes of the log called name; 0 if there is no log.
func Tail(fs vfs.FS, name string, most int64) (int64, error) {
	f, err := fs.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return lastLineEnd(f, max(0, info.Size()-most))
}

// Append adds an entry to the log's buffer; it is on disk after the next Sync. entry is a JSON object with at least one
// member and no line feed.
func (l *Log) Append(entry []byte) {
	l.buf, l.sum = seal(l.buf, entry, l.sum)
	l.chained = true
}

// Position returns where the next entry will begin, counting buffered entries.
func (l *Log) Position() int64 { return l.end + int64(len(l.buf)) }

// Sync writes the buffer and makes it durable. After an error nothing of the buffer counts as written, and Sync may be
// called again.
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

// Cut drops all entries at and after position, durably, and the buffer.
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

// Close closes the file. Entries since the last Sync are dropped.
func (l *Log) Close() error { return l.f.Close() }

// Line reads the entry at position of an open log file f into buf (grown if needed), without its line feed. It returns
// io.EOF if there is no complete entry.
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

// Entry is one line of a log, and the position after it.
type Entry struct {
	Line []byte // without its line feed; valid until the next entry
	Next int64
}

// Read yields the entries of the log called name from position on. A damaged entry is an error and ends the sequence.
// It does not yield a torn tail. A log that does not exist has no entries.
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

// lines yields the complete lines of a log from position on, and starts c with the line before.
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
