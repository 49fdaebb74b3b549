package journal

// This file chains the lines of a log by checksums, so that changed, lost or moved lines are found.

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// The member that ends each entry, with the object's end; 8 digits go between the two.
const (
	sumField = `,"crc":"`
	sumEnd   = `"}`
	sumLen   = len(sumField) + 8 + len(sumEnd)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal appends entry to b as a line. before is the checksum of the line before. It returns the line's own checksum.
func seal(b, entry []byte, before uint32) ([]byte, uint32) {
	body := entry[:max(0, len(entry)-1)]
	sum := crc32.Update(before, castagnoli, body)
	b = append(append(b, body...), sumField...)
	b = appendSum(b, sum)
	return append(append(b, sumEnd...), '\n'), sum
}

func appendSum(b []byte, sum uint32) []byte {
	var number [4]byte
	binary.BigEndian.PutUint32(number[:], sum)
	return hex.AppendEncode(b, number[:])
}

// split removes the checksum from a line (without its line feed); ok is false if the line has none.
func split(line []byte) (body []byte, sum uint32, ok bool) {
	n := len(line) - sumLen
	if n < 0 || string(line[n:n+len(sumField)]) != sumField || string(line[len(line)-len(sumEnd):]) != sumEnd {
		return line, 0, false
	}
	digits := line[n+len(sumField) : len(line)-len(sumEnd)]
	var number [4]byte
	_, err := hex.Decode(number[:], digits)
	sum = binary.BigEndian.Uint32(number[:])
	var again [8]byte
	if err != nil || string(appendSum(again[:0], sum)) != string(digits) { // upper case was not written by us
		return line, 0, false
	}
	return line[:n], sum, true
}

// sumBefore returns the checksum of the line that ends at position, if it has one.
func sumBefore(f io.ReaderAt, position int64) (sum uint32, ok bool, err error) {
	var end [sumLen + 1]byte
	if position < int64(len(end)) {
		return 0, false, nil
	}
	if _, err := f.ReadAt(end[:], position-int64(len(end))); err != nil {
		return 0, false, err
	}
	_, sum, ok = split(end[:sumLen])
	return sum, ok && end[sumLen] == '\n', nil
}

// chain checks a log line by line.
type chain struct {
	sum   uint32
	begun bool // a line had a checksum
}

// ErrDamaged is part of the error for a log that was changed after it was written.
var ErrDamaged = errors.New("is damaged")

var (
	errChanged = fmt.Errorf("%w: a line is not what was written, or the one before it is missing", ErrDamaged)
	errLong    = fmt.Errorf("%w: a line is longer than %d bytes", ErrDamaged, MaxLine)
	errNoSum   = fmt.Errorf("%w: a line has no checksum, though earlier ones have", ErrDamaged)
)

// next returns what is wrong with the next line.
func (c *chain) next(line []byte) error {
	body, sum, ok := split(line)
	before := c.sum
	switch c.sum = sum; { // continue from the line's own checksum, so that a changed line does not make the following lines look changed
	case !ok && c.begun:
		return errNoSum
	case !ok && bytes.Contains(line, []byte(sumField)): // not an old line without checksum: it had one
		c.begun = true
		return errChanged
	case ok && crc32.Update(before, castagnoli, body) != sum:
		c.begun = true
		return errChanged
	}
	c.begun = c.begun || ok
	return nil
}

// Mark is the length of a log at some moment. Stored elsewhere, it later shows if the log has lost its end or is gone.
type Mark struct {
	Bytes int64  `json:"bytes"`
	CRC   string `json:"crc,omitempty"` // checksum of the last line; "" if that has none
}

// Mark returns where the log ends, with buffered entries.
func (l *Log) Mark() Mark {
	m := Mark{Bytes: l.Position()}
	if l.chained {
		m.CRC = string(appendSum(nil, l.sum))
	}
	return m
}

// MarkOf returns where a log that nobody writes ends, as far as its lines are complete; zero if it does not exist.
func MarkOf(fs vfs.FS, name string) (m Mark, err error) {
	f, err := fs.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return m, err
	}
	if m.Bytes, err = lastLineEnd(f, info.Size()); err != nil {
		return m, err
	}
	sum, ok, err := sumBefore(f, m.Bytes)
	if ok {
		m.CRC = string(appendSum(nil, sum))
	}
	return m, err
}

// Reaches returns what is wrong with a log that once reached to m: it is shorter, or has another line there.
func Reaches(fs vfs.FS, name string, m Mark) error {
	if m.Bytes == 0 {
		return nil
	}
	f, err := fs.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s %w: it is gone, and had %d bytes", name, ErrDamaged, m.Bytes)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < m.Bytes {
		return fmt.Errorf("%s %w: it lacks its end, %d bytes of %d", name, ErrDamaged, m.Bytes-info.Size(), m.Bytes)
	}
	sum, ok, err := sumBefore(f, m.Bytes)
	if err == nil && m.CRC != "" && (!ok || string(appendSum(nil, sum)) != m.CRC) {
		err = fmt.Errorf("%s, before byte %d, %w", name, m.Bytes, errChanged)
	}
	return err
}

// LineAt returns position if a line of the log called name begins there, and 0 otherwise: then the log was replaced.
func LineAt(fs vfs.FS, name string, position int64) (int64, error) {
	if position == 0 {
		return 0, nil
	}
	f, err := fs.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var before [1]byte
	if _, err := f.ReadAt(before[:], position-1); err != nil || before[0] != '\n' {
		return 0, nil
	}
	return position, nil
}

// Mended is the result of Mend.
type Mended struct {
	Kept    int
	Changed []string // readable lines that were changed, or that follow a gap: they are kept
	Dropped int      // unreadable lines
	Aside   string   // path of the damaged log
}

// Mend repairs a damaged log. It keeps the lines that read accepts, chains them again, and keeps the damaged log beside
// the new one. It does not change a sound log; then Aside is "". It cannot know what is missing at the end.
func Mend(fs vfs.FS, name string, read func(line []byte) error) (m Mended, err error) {
	m, err = mend(fs, name, io.Discard, read)
	if err != nil || m.Dropped == 0 && len(m.Changed) == 0 {
		return m, err
	}
	m.Aside = name + ".damaged"
	if err := fs.RemoveAll(m.Aside); err != nil {
		return m, err
	}
	if err := fs.Link(name, m.Aside); err != nil {
		return m, err
	}
	return m, disk.Replace(fs, name, func(w io.Writer) error {
		_, err := mend(fs, name, w, read)
		return err
	})
}

func mend(fs vfs.FS, name string, w io.Writer, read func(line []byte) error) (m Mended, err error) {
	out := bufio.NewWriter(w)
	var c chain
	var sealed []byte
	var sum uint32
	for e, err := range lines(fs, name, 0, &c) {
		if errors.Is(err, errLong) {
			m.Dropped++ // with everything after it
			break
		}
		if err != nil {
			return m, err
		}
		wrong := c.next(e.Line)
		if read(e.Line) != nil {
			m.Dropped++
			continue
		}
		m.Kept++
		if wrong != nil && len(m.Changed) < maxChanged {
			m.Changed = append(m.Changed, string(e.Line))
		}
		body, _, chained := split(e.Line)
		if chained {
			body = append(body[:len(body):len(body)], '}')
		}
		sealed, sum = seal(sealed[:0], body, sum)
		if _, err := out.Write(sealed); err != nil {
			return m, err
		}
	}
	return m, out.Flush()
}

// maxChanged bounds Mended.Changed.
const maxChanged = 1000
