package wacz

// This file reads zip files more strictly than archive/zip, as a WACZ file may come from anybody.

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"
)

// Compression methods of a zip.
const (
	stored   = 0
	deflated = 8
)

// Lengths and first bytes of the parts of a zip (PKWARE's APPNOTE.TXT), without names, extras and comments.
const (
	localLen, localSign         = 30, "PK\x03\x04"
	centralLen, centralSign     = 46, "PK\x01\x02"
	endLen, endSign             = 22, "PK\x05\x06"
	locatorLen, locatorSign     = 20, "PK\x06\x07"
	largeEndLen, largeEndSign   = 56, "PK\x06\x06"
	maxComment                  = math.MaxUint16
	inLarge, inLargeShort       = math.MaxUint32, math.MaxUint16 // means that the number is in the zip64 part
	flagEncrypted, flagSizeLate = 1 << 0, 1 << 3
)

// member is a file in the zip, by the zip's directory. Only files in the directory are read, never what is between
// them, and a file's own header must agree.
type member struct {
	name         string
	method       uint16
	crc          uint32
	packed, size int64 // bytes
	header       int64 // offset of its own header
	limit        int64 // offset of the next part of the zip
	encrypted    bool
	regular      bool // not a link, device or folder
}

// directory reads the directory of a zip of size bytes: usually two reads at its end, and nothing of the files.
func directory(r io.ReaderAt, size int64) ([]*member, error) {
	damaged := func(format string, args ...any) ([]*member, error) {
		return nil, &fault{"zip", "not a zip file: " + fmt.Sprintf(format, args...)}
	}
	tail := make([]byte, min(size, endLen+maxComment))
	if err := readFull(r, tail, size-int64(len(tail))); err != nil {
		return damaged("%v", err)
	}
	at := lastEnd(tail)
	if at < 0 {
		return damaged("it has no directory at its end")
	}
	end := tail[at:]
	endAt := size - int64(len(end))
	count, length, begin := uint64(le16(end, 10)), uint64(le32(end, 12)), uint64(le32(end, 16))
	if count == inLargeShort || length == inLarge || begin == inLarge {
		locator := make([]byte, locatorLen)
		if err := readFull(r, locator, endAt-locatorLen); err != nil || !bytes.HasPrefix(locator, []byte(locatorSign)) {
			return damaged("its zip64 directory is missing")
		}
		large := make([]byte, largeEndLen)
		largeAt := le64(locator, 8)
		if largeAt > uint64(size) || readFull(r, large, int64(largeAt)) != nil || !bytes.HasPrefix(large, []byte(largeEndSign)) {
			return damaged("its zip64 directory is missing")
		}
		count, length, begin = le64(large, 32), le64(large, 40), le64(large, 48)
	}
	switch {
	case count > maxMembers:
		return nil, &fault{"zip-trick", fmt.Sprintf("%d files in the zip, more than %d", count, maxMembers)}
	case length > maxDirectory:
		return nil, &fault{"zip-trick", fmt.Sprintf("the zip's directory has %d bytes, more than %d", length, maxDirectory)}
	case begin > uint64(endAt) || length > uint64(endAt)-begin || count*centralLen > length:
		return damaged("its directory goes beyond the end")
	}
	b := make([]byte, length)
	if err := readFull(r, b, int64(begin)); err != nil {
		return damaged("%v", err)
	}
	members := make([]*member, 0, count)
	for range count {
		m, n := central(b)
		if m == nil {
			return damaged("its directory breaks off after %d of %d files", len(members), count)
		}
		members, b = append(members, m), b[n:]
	}
	return members, setLimits(members, int64(begin))
}

func readFull(r io.ReaderAt, b []byte, offset int64) error {
	if offset < 0 {
		return io.ErrUnexpectedEOF
	}
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// lastEnd returns where the last part of a zip begins in its tail; -1 if not found. A comment may follow it.
func lastEnd(tail []byte) int {
	for i := len(tail) - endLen; i >= 0; i-- {
		if string(tail[i:i+4]) == endSign && int(le16(tail[i:], 20)) <= len(tail)-i-endLen {
			return i
		}
	}
	return -1
}

func le16(b []byte, at int) uint16 { return binary.LittleEndian.Uint16(b[at:]) }
func le32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
func le64(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

// central parses the first entry of a directory and returns its length; nil if there is none.
func central(b []byte) (m *member, n int) {
	if len(b) < centralLen || string(b[:4]) != centralSign {
		return nil, 0
	}
	name, extra := int(le16(b, 28)), int(le16(b, 30))
	if n = centralLen + name + extra + int(le16(b, 32)); n > len(b) {
		return nil, 0
	}
	system, mode := b[5], le32(b, 38)>>16
	m = &member{name: string(b[centralLen : centralLen+name]), method: le16(b, 10), crc: le32(b, 16), encrypted: le16(b, 8)&flagEncrypted != 0}
	const unix, macOS, typeMask, regular = 3, 19, 0o170000, 0o100000
	m.regular = system != unix && system != macOS || mode&typeMask == 0 || mode&typeMask == regular
	ok := wide(b[centralLen+name:centralLen+name+extra], [3]uint32{le32(b, 24), le32(b, 20), le32(b, 42)},
		[3]*int64{&m.size, &m.packed, &m.header})
	if !ok {
		return nil, 0
	}
	return m, n
}

// wide fills in numbers of 32 bits. A number with all bits set is in zip64's extra field, one after the other.
func wide(extra []byte, short [3]uint32, into [3]*int64) bool {
	var large []byte
	for len(extra) >= 4 {
		id, n := le16(extra, 0), int(le16(extra, 2))
		if n > len(extra)-4 {
			break
		}
		if id == 1 {
			large = extra[4 : 4+n]
			break
		}
		extra = extra[4+n:]
	}
	for i, s := range short {
		*into[i] = int64(s)
		if s != inLarge {
			continue
		}
		if len(large) < 8 {
			return false
		}
		if *into[i] = int64(le64(large, 0)); *into[i] < 0 {
			return false
		}
		large = large[8:]
	}
	return true
}

// setLimits sets the limits of members and refuses members that overlap: the trick of the densest bombs.
func setLimits(members []*member, end int64) error {
	sorted := slices.Clone(members)
	slices.SortFunc(sorted, func(a, b *member) int { return cmp.Compare(a.header, b.header) })
	for i, m := range sorted {
		next, with := end, "the zip's directory"
		if i+1 < len(sorted) {
			next, with = sorted[i+1].header, fmt.Sprintf("%.100q", sorted[i+1].name)
		}
		m.limit = next
		if least := localLen + int64(len(m.name)); m.header > end || end-m.header < least || next-m.header-least < m.packed {
			if next == end && (m.header > end || m.packed > end) {
				return &fault{"zip", fmt.Sprintf("%.100q in the zip goes beyond the end of the file", m.name)}
			}
			return &fault{"zip-trick", fmt.Sprintf("%.100q and %s in the zip lie over each other", m.name, with)}
		}
	}
	return nil
}

// admit refuses members that no honest program writes.
func (f *File) admit(m *member) error {
	switch {
	case !safeName(m.name):
		return m.trick("the name leads out of the archive")
	case f.members[m.name] != nil:
		return m.trick("it is there twice")
	case !m.regular:
		return m.trick("it is no ordinary file")
	case m.encrypted:
		return m.trick("it is encrypted")
	case m.method != stored && m.method != deflated:
		return m.trick("compression method %d is not known", m.method)
	case m.method == stored && m.packed != m.size:
		return m.trick("it is stored, but in %d bytes instead of %d", m.packed, m.size)
	case isBomb(m.packed, m.size):
		return m.trick("%d bytes packed into %d", m.size, m.packed)
	}
	return nil
}

func isBomb(packed, size int64) bool { return size > bigMember && size/maxRatio > packed }

// trick returns the finding that m is hostile.
func (m *member) trick(format string, args ...any) error {
	return &fault{"zip-trick", fmt.Sprintf("%.100q in the zip: ", m.name) + fmt.Sprintf(format, args...)}
}

// safeName reports whether a file with that name stays in the folder where it is unpacked, on any system.
func safeName(name string) bool {
	if name == "" || path.Clean(name) != name || path.IsAbs(name) || strings.ContainsAny(name, "\\:\x00") {
		return false
	}
	return name != ".." && !strings.HasPrefix(name, "../")
}

// data returns the stored bytes of m. Its own header must agree with the directory.
func (f *File) data(m *member) (*io.SectionReader, error) {
	h := make([]byte, localLen+len(m.name))
	if err := readFull(f.r, h, m.header); err != nil {
		return nil, &fault{"zip", fmt.Sprintf("%.100q in the zip: %v", m.name, err)}
	}
	late := le16(h, 6)&flagSizeLate != 0
	differs := func(b []byte, at int, want int64) bool {
		n := le32(b, at)
		return int64(n) != want && n != inLarge && !(late && n == 0)
	}
	begin := m.header + localLen + int64(le16(h, 26)) + int64(le16(h, 28))
	switch {
	case string(h[:4]) != localSign:
		return nil, &fault{"zip", fmt.Sprintf("%.100q in the zip: no file begins where the directory says", m.name)}
	case int(le16(h, 26)) != len(m.name) || string(h[localLen:]) != m.name:
		return nil, m.trick("the directory and the file's own header name it differently")
	case le16(h, 8) != m.method || differs(h, 14, int64(m.crc)) || differs(h, 18, m.packed) || differs(h, 22, m.size):
		return nil, m.trick("the directory and the file's own header say different things of it")
	case begin > m.limit || m.limit-begin < m.packed:
		return nil, m.trick("it lies over what follows")
	}
	return io.NewSectionReader(f.r, begin, m.packed), nil
}

// unpack reads m from its beginning. At the end, its size and checksum must be right.
func (f *File) unpack(m *member) (io.Reader, error) {
	packed, err := f.data(m)
	if err != nil {
		return nil, err
	}
	u := &unpacked{r: packed, m: m, sum: crc32.NewIEEE()}
	if m.method == deflated {
		u.r = flate.NewReader(bufio.NewReader(packed))
	}
	return u, nil
}

// unpacked is the content of a member. It fails after the size that it should have.
type unpacked struct {
	r   io.Reader
	m   *member
	n   int64
	sum hash.Hash32
}

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.n += int64(n)
	if u.n > u.m.size {
		return 0, u.m.trick("it unpacks to more than the %d bytes that the directory says", u.m.size)
	}
	u.sum.Write(p[:n])
	switch {
	case err == io.EOF && u.n < u.m.size:
		return n, &fault{"zip", fmt.Sprintf("%.100q in the zip: it has %d bytes, not %d", u.m.name, u.n, u.m.size)}
	case err == io.EOF && u.sum.Sum32() != u.m.crc:
		return n, &fault{"zip", fmt.Sprintf("%.100q in the zip: its CRC is not the one that the directory has", u.m.name)}
	case err != nil && err != io.EOF:
		return n, &fault{"zip", fmt.Sprintf("%.100q in the zip: %v", u.m.name, err)}
	}
	return n, err
}
