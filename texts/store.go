package texts

// This file stores texts in one file with checksums. A text is what people read of an archived page. It is made once,
// and kept for search, export and others. texts.go makes its key, from the digest of the page's bytes or, for some
// pages, from the place of their record.
//
// Texts are made in the order of the capture log, which lists all that was recorded. A cursor says how far the log is
// read. A log that is written anew has a new number, its generation; then the texts are made anew, too.
//
// A Store writes only to its folder. A Reader writes there only that it found damage.

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/zstd"

	"kavosh"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// A store is one file, <number>.texts, of blocks that are only appended (docs/formats/text.md):
//
//	"text" | n | bytes | CRC-32C of all before and of the entries | n × (hash of a key, place) | n texts, packed together by Zstandard
//	"text" | 0 | bytes | CRC-32C of all before and of the cursor  | the cursor, as JSON
//
// A block without texts holds the cursor, and ends a commit. What comes after the last such block was not committed:
// readers skip it, and the next Store cuts it.
// Numbers are little-endian.
const (
	magic     = "text"
	headSize  = 16
	entrySize = 12
	fileEnd   = ".texts"

	blockFrom  = 256 << 10 // a block is closed when its texts have this many bytes
	maxBlock   = 64 << 20  // bytes of an unpacked block; blockFrom and the longest text fit in
	maxTexts   = 1 << 20   // texts in a block
	commitFrom = 64 << 20  // a Commit is due when this many bytes of packed texts wait for it
)

// ErrDamaged means that a file of texts differs from what was written.
var ErrDamaged = errors.New("the texts of the archive are damaged: they are made anew when they are brought up to date")

// damagedName is the file by which a reader tells the next writer of damage.
const damagedName = "DAMAGED"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// place says where a text is: in which block, and at which byte of the unpacked block.
type place struct {
	hash  uint64
	block uint32
	at    uint32
}

// Reader finds texts by their keys. It sees what was committed when it was opened. One goroutine at a time may use it.
type Reader struct {
	fs       vfs.FS
	dir      string
	number   int // the file's number; 0 if there is no file
	file     vfs.File
	cursor   journal.Cursor
	end      int64   // where the committed part of the file ends
	size     int64   // where the last whole block ends
	blocks   []int64 // where each block begins
	known    []place // sorted by hash
	unpacker *zstd.Decoder
	packed   []byte
	block    int    // the block that is unpacked in text; -1 for none
	text     []byte // that block, unpacked
}

// Open opens the texts in dir. The folder may be missing or empty. If the head of a block is damaged, it sees only
// what was committed before that block.
func Open(fs vfs.FS, dir string) (*Reader, error) {
	r := &Reader{fs: fs, dir: dir, block: -1}
	var err error
	if r.unpacker, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock)); err != nil {
		return nil, err
	}
	if err := r.open(false); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// open reads the heads and entries of the newest file. If care is set, it also unpacks every block to check it.
func (r *Reader) open(care bool) error {
	names, _ := r.fs.List(r.dir) // no folder yet: no names
	for _, name := range names {
		if n, err := strconv.Atoi(strings.TrimSuffix(name, fileEnd)); err == nil {
			r.number = max(r.number, n)
		}
	}
	if r.number == 0 {
		return nil
	}
	var err error
	if r.file, err = r.fs.Open(r.path(r.number)); err != nil {
		return err
	}
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	blocks, known := []int64(nil), []place(nil)
	for at := int64(0); ; {
		head, entries, err := r.head(at, info.Size())
		if err != nil || head.end > info.Size() || care && head.n > 0 && r.load(head, len(blocks)) != nil {
			break
		}
		if head.n > 0 {
			for i := range head.n {
				e := entries[i*entrySize:]
				known = append(known, place{binary.LittleEndian.Uint64(e), uint32(len(blocks)), binary.LittleEndian.Uint32(e[8:])})
			}
			blocks = append(blocks, at)
		} else if json.Unmarshal(entries, &r.cursor) == nil {
			r.end, r.blocks, r.known = head.end, blocks, known
		}
		at = head.end
	}
	r.sort()
	r.block, r.size = -1, r.end
	return nil
}

func (r *Reader) sort() {
	sort.SliceStable(r.known, func(i, j int) bool { return r.known[i].hash < r.known[j].hash })
}

func (r *Reader) path(number int) string {
	return r.fs.PathJoin(r.dir, fmt.Sprintf("%06d%s", number, fileEnd))
}

// blockHead is the head of a block.
type blockHead struct {
	n         int
	data, end int64 // where its packed texts begin and end
}

// head reads the head of the block at a place. entries are its entries, or the cursor if it has no texts.
func (r *Reader) head(at, size int64) (h blockHead, entries []byte, err error) {
	var b [headSize]byte
	if at+headSize > size {
		return h, nil, io.ErrUnexpectedEOF
	}
	if _, err := r.file.ReadAt(b[:], at); err != nil {
		return h, nil, err
	}
	n, length := binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
	long := int64(n) * entrySize
	if n == 0 {
		long = int64(length)
	}
	if string(b[:4]) != magic || n > maxTexts || at+headSize+long > size {
		return h, nil, ErrDamaged
	}
	entries = make([]byte, long)
	if _, err := r.file.ReadAt(entries, at+headSize); err != nil {
		return h, nil, err
	}
	if headSum(b[:12], entries) != binary.LittleEndian.Uint32(b[12:]) {
		return h, nil, ErrDamaged
	}
	h = blockHead{n: int(n), data: at + headSize + long, end: at + headSize + long}
	if n > 0 {
		h.end += int64(length)
	}
	return h, entries, nil
}

func headSum(head, entries []byte) uint32 {
	return crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, entries)
}

// appendHead appends the head of a block with its entries, or with the cursor.
func appendHead(b []byte, n, length int, entries []byte) []byte {
	at := len(b)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	b = binary.LittleEndian.AppendUint32(b, uint32(length))
	b = binary.LittleEndian.AppendUint32(b, headSum(b[at:], entries))
	return append(b, entries...)
}

// load unpacks a block into text.
func (r *Reader) load(h blockHead, block int) error {
	r.block = -1
	n := int(h.end - h.data)
	if cap(r.packed) < n {
		r.packed = make([]byte, n)
	}
	if _, err := r.file.ReadAt(r.packed[:n], h.data); err != nil {
		return err
	}
	var err error
	if r.text, err = r.unpacker.DecodeAll(r.packed[:n], r.text[:0]); err != nil {
		return ErrDamaged
	}
	r.block = block
	return nil
}

// find returns the place of the text whose key has the given hash.
func (r *Reader) find(hash uint64) (p place, ok bool) {
	i := sort.Search(len(r.known), func(i int) bool { return r.known[i].hash >= hash })
	if i < len(r.known) && r.known[i].hash == hash {
		return r.known[i], true
	}
	return p, false
}

// Text returns the text with a key, or nil if there is none. If the stored bytes are damaged, the error includes
// ErrDamaged, and a file DAMAGED tells the next Store: it removes the damaged texts, and they are made anew.
func (r *Reader) Text(key string) (*kavosh.Text, error) {
	p, ok := r.find(hashOf(key))
	if !ok {
		return nil, nil
	}
	t, err := r.at(p, key)
	if errors.Is(err, ErrDamaged) {
		_ = disk.WriteFile(r.fs, r.fs.PathJoin(r.dir, damagedName), []byte(err.Error()+"\n")) // if this fails, no writer could make them anew either
	}
	return t, err
}

// at returns the text at a place, or nil if its key is another.
func (r *Reader) at(p place, key string) (*kavosh.Text, error) {
	if int(p.block) != r.block {
		at := r.blocks[p.block]
		head, _, err := r.head(at, r.size)
		if err == nil {
			err = r.load(head, int(p.block))
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = ErrDamaged // a writer has cut the file since
		}
		if err != nil {
			return nil, err
		}
	}
	return textAt(r.text, p.at, key)
}

// textAt returns the text at a place of an unpacked block, or nil if its key is another.
func textAt(block []byte, at uint32, key string) (*kavosh.Text, error) {
	if int64(at) > int64(len(block)) {
		return nil, ErrDamaged
	}
	n, m := binary.Uvarint(block[at:])
	if m <= 0 || n > uint64(len(block))-uint64(at)-uint64(m) {
		return nil, ErrDamaged
	}
	from := int(at) + m
	found, t, err := readText(block[from : from+int(n)])
	if err != nil || found != key {
		return nil, err
	}
	return t, nil
}

// Close closes the file.
func (r *Reader) Close() error {
	if r.unpacker != nil {
		r.unpacker.Close()
	}
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// hashOf returns the hash by which a key is found.
func hashOf(key string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, key) // never fails
	return h.Sum64()
}

// Store adds texts. Only one process can have it open at a time, and one goroutine at a time may use it. Other
// processes may read the texts meanwhile, each by a Reader.
type Store struct {
	Reader
	Renewed bool // texts were damaged and have been removed; they must be added again

	lock    io.Closer
	packer  *zstd.Encoder
	fresh   map[uint64]place // by hash: the places that are not in known yet
	pending []byte           // the texts of the open block
	entries []byte           // the entries of the open block
	n       int
	buf     []byte
}

// OpenStore opens the texts in dir to add to them, and makes the folder if it is missing. It cuts what was not
// committed, and everything from the first damaged block on. The error is a disk.ErrInUse while another process adds to
// them.
func OpenStore(fs vfs.FS, dir string) (*Store, error) {
	lock, err := disk.Lock(fs, dir)
	if err != nil {
		return nil, err
	}
	s := &Store{Reader: Reader{fs: fs, dir: dir, block: -1}, lock: lock, fresh: map[uint64]place{}}
	if err := s.start(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) start() (err error) {
	if s.packer, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault)); err != nil {
		return err
	}
	if s.unpacker, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock)); err != nil {
		return err
	}
	mark := s.fs.PathJoin(s.dir, damagedName)
	_, err = s.fs.Stat(mark)
	s.Renewed = err == nil
	if err := s.open(s.Renewed); err != nil {
		return err
	}
	if s.number == 0 {
		return s.Reset(0)
	}
	if err := s.cut(); err != nil {
		return err
	}
	if s.Renewed {
		return s.fs.Remove(mark)
	}
	return nil
}

// cut removes what is not committed. Writing goes on at the end of what is.
func (s *Store) cut() error {
	if err := disk.Truncate(s.fs, s.path(s.number), s.end); err != nil {
		return err
	}
	err := s.file.Close()
	if s.file = nil; err != nil {
		return err
	}
	if s.file, err = s.fs.OpenReadWrite(s.path(s.number), vfs.WriteCategoryUnspecified); err != nil {
		return err
	}
	return nil
}

// Cursor returns how far the capture log was read.
func (s *Store) Cursor() journal.Cursor { return s.cursor }

// Reset removes all texts: it begins a new file, for the given generation of the capture log.
func (s *Store) Reset(generation int) error {
	old := s.number
	if s.file != nil {
		err := s.file.Close()
		if s.file = nil; err != nil {
			return err
		}
	}
	s.number++
	var err error
	if s.file, err = s.fs.OpenReadWrite(s.path(s.number), vfs.WriteCategoryUnspecified); err != nil {
		return err
	}
	s.cursor = journal.Cursor{}
	s.blocks, s.known, s.block, s.size, s.end = nil, nil, -1, 0, 0
	s.pending, s.entries, s.n, s.fresh = s.pending[:0], s.entries[:0], 0, map[uint64]place{}
	if err := s.Commit(journal.At(generation, 0)); err != nil {
		return err
	}
	if err := errors.Join(s.file.Sync(), disk.SyncDir(s.fs, s.dir)); err != nil || old == 0 {
		return err
	}
	if err := s.fs.Remove(s.path(old)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Known reports whether there is a text with a key. If two keys have the same hash, which no archive is likely to see,
// the second has no text.
func (s *Store) Known(key string) bool {
	_, ok := s.find(hashOf(key))
	return ok
}

func (s *Store) find(hash uint64) (p place, ok bool) {
	if p, ok = s.fresh[hash]; ok {
		return p, true
	}
	return s.Reader.find(hash)
}

// Text returns the text with a key, committed or not, or nil if there is none.
func (s *Store) Text(key string) (*kavosh.Text, error) {
	p, ok := s.fresh[hashOf(key)]
	switch {
	case !ok:
		return s.Reader.Text(key)
	case int(p.block) == len(s.blocks):
		return textAt(s.pending, p.at, key)
	}
	return s.at(p, key)
}

// Put keeps a text under a key that is not Known. full means that much waits for a Commit, so the caller should make
// one.
func (s *Store) Put(key string, t *kavosh.Text) (full bool, err error) {
	hash, at := hashOf(key), len(s.pending)
	s.buf = appendText(s.buf[:0], key, t)
	s.pending = append(binary.AppendUvarint(s.pending, uint64(len(s.buf))), s.buf...)
	s.fresh[hash] = place{hash, uint32(len(s.blocks)), uint32(at)}
	s.entries = binary.LittleEndian.AppendUint64(s.entries, hash)
	s.entries = binary.LittleEndian.AppendUint32(s.entries, uint32(at))
	if s.n++; len(s.pending) >= blockFrom {
		err = s.closeBlock()
	}
	return s.size-s.end >= commitFrom, err
}

// closeBlock writes the open block.
func (s *Store) closeBlock() error {
	if s.n == 0 {
		return nil
	}
	s.packed, s.block = s.packer.EncodeAll(s.pending, s.packed[:0]), -1
	at := s.size
	if err := s.write(append(appendHead(s.buf[:0], s.n, len(s.packed), s.entries), s.packed...)); err != nil {
		return err
	}
	s.blocks = append(s.blocks, at)
	s.pending, s.entries, s.n = s.pending[:0], s.entries[:0], 0
	return nil
}

// write appends to the file.
func (s *Store) write(b []byte) error {
	s.buf = b
	n, err := s.file.WriteAt(b, s.size)
	if err == nil {
		s.size += int64(n)
	}
	return err
}

// Commit makes what was added durable, and then writes that the capture log is read up to cursor. It does not wait
// until the cursor is durable. If a power cut loses it, the texts since the last cursor are cut, and made again.
func (s *Store) Commit(cursor journal.Cursor) error {
	if s.n == 0 && s.size == s.end && cursor.Equal(s.cursor) {
		return nil
	}
	if err := s.closeBlock(); err != nil {
		return err
	}
	if err := s.file.Sync(); err != nil {
		return err
	}
	stored, err := json.Marshal(cursor)
	if err != nil {
		return err
	}
	if err := s.write(appendHead(s.buf[:0], 0, len(stored), stored)); err != nil {
		return err
	}
	s.cursor, s.end = cursor, s.size
	if len(s.fresh) >= max(maxFresh, len(s.known)/4) {
		for _, p := range s.fresh {
			s.known = append(s.known, p)
		}
		s.sort()
		clear(s.fresh)
	}
	return nil
}

// maxFresh is how many texts fresh may hold before they are moved to known.
const maxFresh = 1 << 16

// Close closes the texts. What was added since the last Commit is lost.
func (s *Store) Close() error {
	if s.packer != nil {
		s.packer.Close()
	}
	return errors.Join(s.Reader.Close(), s.lock.Close())
}
