package journal

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

// The member that ends each entry, with the object's end: 8 digits between the two.
const (
	sumField = `,"crc":"`
	sumEnd   = `"}`
	sumLen   = len(sumField) + 8 + len(sumEnd)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal appends to b the line of an entry that follows a line with the sum before, and returns the line's own.
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

// split takes the sum off a line without its line feed; ok is false for a line that has none.
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
	if err != nil || string(appendSum(again[:0], sum)) != string(digits) { // capitals are not what was written
		return line, 0, false
	}
	return line[:n], sum, true
}

// sumBefore is the sum of the line that ends at position, and whether it has one.
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

// chain goes from line to line of a log.
type chain struct {
	sum   uint32
	begun bool // a line had a sum
}

// ErrDamaged is part of the error for a log that is not what was written.
var ErrDamaged = errors.New("is damaged")

var (
	errChanged = fmt.Errorf("%w: a line is not what was written, or the one before it is missing", ErrDamaged)
	errLong    = fmt.Errorf("%w: a line is longer than %d bytes", ErrDamaged, MaxLine)
	errNoSum   = fmt.Errorf("%w: a line has no checksum, though earlier ones have", ErrDamaged)
)

// next says what is wrong with the next line.
func (c *chain) next(line []byte) error {
	body, sum, ok := split(line)
	before := c.sum
	switch c.sum = sum; { // so that the lines after a changed one are told apart from it
	case !ok && c.begun:
		return errNoSum
	case !ok && bytes.Contains(line, []byte(sumField)): // not as older programs wrote it: it had one
		c.begun = true
		return errChanged
	case ok && crc32.Update(before, castagnoli, body) != sum:
		c.begun = true
		return errChanged
	}
	c.begun = c.begun || ok
	return nil
}

// Mark says of a log how far it reached at some moment. Kept elsewhere, it tells later that the log lost its end, or is
// not there at all.
type Mark struct {
	Bytes int64  `json:"bytes"`
	CRC   string `json:"crc,omitempty"` // of the last line; "" where that has none
}

// Mark is where the log ends, buffered entries counted.
func (l *Log) Mark() Mark {
	m := Mark{Bytes: l.Position()}
	if l.chained {
		m.CRC = string(appendSum(nil, l.sum))
	}
	return m
}

// MarkOf is where a log that nobody writes ends, as far as its lines are whole; the zero Mark for one that does not exist.
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

// Reaches says what is wrong with a log that once reached to m: it lacks its end, or another line stands there.
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

// LineAt is position where a line of the log called name begins there, and 0 where none does: it is not the log that it was.
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

// Mended is what Mend did to a log.
type Mended struct {
	Kept    int
	Changed []string // lines that can be read and are not as they were written, or follow a gap: they are kept
	Dropped int      // lines that cannot be read
	Aside   string   // where the damaged log is kept
}

// Mend makes a damaged log sound again: it keeps the lines that read can read, chains them anew, and leaves the damaged log beside
// the new one. Of a sound log it changes nothing, and Aside is "". What is missing altogether it cannot know.
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

// mend writes what Mend keeps.
func mend(fs vfs.FS, name string, w io.Writer, read func(line []byte) error) (m Mended, err error) {
	out := bufio.NewWriter(w)
	var c chain
	var sealed []byte
	var sum uint32
	for e, err := range lines(fs, name, 0, &c) {
		if errors.Is(err, errLong) {
			m.Dropped++ // and what follows it
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
