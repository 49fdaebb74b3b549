package search

// This file keeps the search index on disk: its manifest, its lock, and the writer that adds segments and joins them.
// It writes only below the index's folder.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/zstd"

	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// manifest says which segments the index has, and how far it has read the capture log. It is always replaced as a
// whole.
type manifest struct {
	Version  int             `json:"version"`
	Cursor   journal.Cursor  `json:"cursor"`   // how far the capture log was read
	Next     int             `json:"next"`     // number of the next segment
	Segments []segmentInFile `json:"segments"` // in the order of their documents
	PDF      bool            `json:"pdf"`      // the index has the texts of PDF documents
}

type segmentInFile struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"`
	Bytes     int64  `json:"bytes"`
}

const (
	manifestName = "manifest.json"
	version      = 1
	segmentEnd   = ".segment"
	// memory is how many bytes are collected before they are written as a segment. Building takes about four times as
	// much, because the Go runtime keeps memory that is no longer used.
	memory = 48 << 20
)

// manifestSum returns the second line of a manifest, its sum. Older manifests lack it.
func manifestSum(line []byte) string {
	return fmt.Sprintf("crc32c %08x\n", crc32.Checksum(line, castagnoli))
}

func readManifest(fs vfs.FS, dir string) (m manifest, err error) {
	data, err := disk.ReadFile(fs, fs.PathJoin(dir, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return manifest{Version: version}, nil
	}
	if err != nil {
		return m, err
	}
	line, sum, summed := bytes.Cut(data, []byte("\n"))
	if err := json.Unmarshal(line, &m); err != nil || m.Version != version || summed && len(sum) > 0 && string(sum) != manifestSum(line) {
		return m, fmt.Errorf("%s: %w", dir, ErrDamaged)
	}
	if m.Cursor.Equal(journal.Cursor{}) { // older programs wrote the cursor's fields beside the others
		m.Cursor, _ = journal.ParseCursor(line)
	}
	return m, nil
}

// Writer adds to an index. Only one process can have it open at a time. Others may read the index meanwhile.
type Writer struct {
	Renewed bool // the index was damaged and has been emptied

	fs       vfs.FS
	dir      string
	lock     io.Closer
	manifest manifest
	packer   *zstd.Encoder
	unpacker *zstd.Decoder
	segments []*segment
	docs     uint32  // documents in the written segments
	known    digests // the digests of these documents
	b        *builder
}

// OpenWriter opens the index in dir to add to it, and makes it if there is none. It removes what a crash left behind.
// The error is a disk.ErrInUse while another process adds to it.
func OpenWriter(fs vfs.FS, dir string) (*Writer, error) {
	lock, err := disk.Lock(fs, dir)
	if err != nil {
		return nil, err
	}
	w := &Writer{fs: fs, dir: dir, lock: lock}
	if err := w.open(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *Writer) open() (err error) {
	if w.packer, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault)); err != nil {
		return err
	}
	if w.unpacker, err = newUnpacker(); err != nil {
		return err
	}
	if !Damaged(w.fs, w.dir) {
		if w.manifest, err = readManifest(w.fs, w.dir); err == nil {
			w.segments, err = openSegments(w.fs, w.dir, &w.manifest, w.unpacker)
		}
		if err == nil {
			err = w.learn()
		}
		if err == nil {
			return w.sweep()
		}
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return w.renew()
}

// newUnpacker returns a reader of blocks of texts. A block is at most one document larger than blockFrom.
func newUnpacker() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(64<<20))
}

func openSegments(fs vfs.FS, dir string, m *manifest, unpacker *zstd.Decoder) (segments []*segment, err error) {
	base := uint32(0)
	for _, in := range m.Segments {
		s, err := openSegment(fs, fs.PathJoin(dir, in.Name), in.Name, base, unpacker)
		if err != nil {
			closeSegments(segments)
			return nil, err
		}
		segments = append(segments, s)
		base += uint32(s.foot.Documents)
	}
	return segments, nil
}

func closeSegments(segments []*segment) {
	for _, s := range segments {
		s.f.Close()
	}
}

// learn reads which payloads the written segments know.
func (w *Writer) learn() (err error) {
	w.docs, w.known = 0, nil
	for _, s := range w.segments {
		if w.known, err = w.known.add(s); err != nil {
			return err
		}
		w.docs += uint32(s.foot.Documents)
	}
	w.known.sort()
	w.b = newBuilder(w.docs, w.packer)
	return nil
}

// sweep removes files that the manifest does not name.
func (w *Writer) sweep() error {
	names, err := w.fs.List(w.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !strings.Contains(name, segmentEnd) || w.has(name) {
			continue
		}
		if err := w.fs.Remove(w.fs.PathJoin(w.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) has(name string) bool {
	for _, s := range w.manifest.Segments {
		if s.Name == name {
			return true
		}
	}
	return false
}

// Close closes the index. What was added since the last Commit is lost.
func (w *Writer) Close() error {
	closeSegments(w.segments)
	w.segments = nil
	if w.packer != nil {
		w.packer.Close()
	}
	if w.unpacker != nil {
		w.unpacker.Close()
	}
	return w.lock.Close()
}

// Cursor returns how far the index has read the capture log.
func (w *Writer) Cursor() journal.Cursor { return w.manifest.Cursor }

// LacksPDF reports whether the index has PDF documents but not their texts, because it was begun without a reader of
// PDF.
func (w *Writer) LacksPDF() bool {
	return !w.manifest.PDF && slices.ContainsFunc(w.segments, func(s *segment) bool { return slices.Contains(s.foot.Types, pdfType) })
}

// Reset empties the index. The caller then adds all captures again, from the start of a generation of the capture log.
// pdf says whether the caller will supply the texts of PDF documents.
func (w *Writer) Reset(generation int, pdf bool) error {
	next := w.manifest.Next
	closeSegments(w.segments)
	w.segments, w.manifest = nil, manifest{Version: version, Cursor: journal.At(generation, 0), Next: next, PDF: pdf}
	if err := w.save(); err != nil {
		return err
	}
	if err := w.learn(); err != nil {
		return err
	}
	return w.sweep()
}

func (w *Writer) save() error {
	data, err := json.Marshal(w.manifest)
	if err != nil {
		return err
	}
	return disk.WriteFile(w.fs, w.fs.PathJoin(w.dir, manifestName), append(append(data, '\n'), manifestSum(data)...))
}

// find returns the document with the given payload or text.
func (w *Writer) find(hash uint64) (doc uint32, ok bool) {
	if doc, ok = w.b.byHash[hash]; ok {
		return doc, true
	}
	return w.known.find(hash)
}

// full reports whether so much was collected that it should be committed.
func (w *Writer) full() bool { return w.b.bytes >= memory }

// Commit makes what was added durable, and records that the capture log is read up to cursor.
func (w *Writer) Commit(cursor journal.Cursor) error {
	w.manifest.Cursor = cursor
	if !w.b.empty() {
		if err := w.add(w.b.write); err != nil {
			return err
		}
	}
	for len(w.segments) > 1 {
		n := len(w.manifest.Segments)
		if w.manifest.Segments[n-2].Bytes >= 2*w.manifest.Segments[n-1].Bytes {
			break
		}
		if err := w.join(n - 2); err != nil {
			return err
		}
	}
	if err := w.save(); err != nil {
		return err
	}
	if err := w.learn(); err != nil {
		return err
	}
	return w.sweep()
}

// add writes a segment after the others. It becomes part of the index when the manifest is saved.
func (w *Writer) add(write func(io.Writer) error) error {
	name := fmt.Sprintf("%06d%s", w.manifest.Next, segmentEnd)
	path := w.fs.PathJoin(w.dir, name)
	if err := disk.Replace(w.fs, path, write); err != nil {
		return err
	}
	base := uint32(0)
	if n := len(w.segments); n > 0 {
		base = w.segments[n-1].base + uint32(w.segments[n-1].foot.Documents)
	}
	s, err := openSegment(w.fs, path, name, base, w.unpacker)
	if err != nil {
		return err
	}
	info, err := s.f.Stat()
	if err != nil {
		s.f.Close()
		return err
	}
	w.segments = append(w.segments, s)
	w.manifest.Segments = append(w.manifest.Segments, segmentInFile{Name: name, Documents: s.foot.Documents, Bytes: info.Size()})
	w.manifest.Next++
	return nil
}

// join makes one segment of those from number i on.
func (w *Writer) join(i int) error {
	parts := append([]*segment(nil), w.segments[i:]...)
	names := append([]segmentInFile(nil), w.manifest.Segments[i:]...)
	w.segments, w.manifest.Segments = w.segments[:i], w.manifest.Segments[:i]
	if err := w.add(func(out io.Writer) error { return merge(out, parts) }); err != nil {
		w.segments, w.manifest.Segments = append(w.segments, parts...), append(w.manifest.Segments, names...)
		return err
	}
	closeSegments(parts)
	return nil
}
