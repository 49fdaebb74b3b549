// Package record writes exchanges to WARC files and says where each lies.
//
// One exchange makes one atomic group of records, written in one piece to the one file that is open:
//
//	response | revisit | metadata  [request]  [metadata]  [resource …]
//
// Every record of a group says `Kavosh-Group: <task>.<attempt> k/n`, so that a reader knows a group that a crash cut
// short: it has no record n/n. Compression is done by the caller of Write, outside the lock that orders groups in the
// file. A file is named .open until it is sealed; sealed files never change. docs/formats/warc.md shows the records,
// docs/formats/outcomes.md which outcome makes which.
package record

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/lib/warc"
)

// Options say where and how to record. FS, Dir, Crawl and Clock are needed.
type Options struct {
	FS      vfs.FS
	Dir     string // the archive's warc/
	Crawl   string // id of the crawl, part of every file's name
	Node    string // name of this machine, part of every file's name
	Clock   clock.Clock
	MaxFile int64       // compressed bytes after which a file is sealed; 0 = 1 GiB
	Digest  string      // "sha256" (default) or "sha1"
	Info    warc.Header // fields of the warcinfo record's block, such as software and robots
	Serial  int         // of the first file; see Resume

	// Original finds a complete 2xx response of the archive by its payload digest, for revisit records. nil = none.
	Original func(digest string) (kavosh.Prior, bool)
}

// Recorder writes groups to the archive's open WARC file. It is safe for concurrent use.
type Recorder struct {
	opt     Options
	newHash func() hash.Hash
	groups  sync.Pool // of *group: buffers and compressors, owned by this recorder

	mu struct {
		sync.Mutex
		f      vfs.File // nil until the first group, and between files
		name   string   // sealed name of f, such as KAVOSH-….warc.gz
		end    int64    // of the whole groups in f
		serial int      // of the next file
		dirty  bool     // f holds bytes that are not synced
		sealed []string // names sealed by this recorder
		failed error    // the first failure to sync or to seal: the state of the file is unknown after it
	}
}

// Place is a position in the sequence of a crawl's WARC files.
type Place struct {
	Serial int   `json:"serial"` // of the file; the one after the last when none is open
	Offset int64 `json:"offset"`
}

// Before reports whether p lies before q.
func (p Place) Before(q Place) bool {
	return p.Serial < q.Serial || p.Serial == q.Serial && p.Offset < q.Offset
}

// New makes a recorder; no file is made before the first Write.
func New(opt Options) *Recorder {
	if opt.MaxFile == 0 {
		opt.MaxFile = 1 << 30
	}
	if opt.Node == "" {
		opt.Node = "1"
	}
	r := &Recorder{opt: opt, newHash: sha256.New}
	if opt.Digest == "" {
		r.opt.Digest = "sha256"
	}
	if r.opt.Digest == "sha1" {
		r.newHash = sha1.New
	}
	r.groups.New = func() any { return newGroup(r.newHash()) }
	r.mu.serial = opt.Serial
	return r
}

// DigestText is sum as WARC fields have it: "sha256:" and base32.
func (r *Recorder) DigestText(sum []byte) string {
	if len(sum) == 0 {
		return ""
	}
	return r.opt.Digest + ":" + base32.StdEncoding.EncodeToString(sum)
}

// Write records the exchange as one group and says where each of its records lies; its first capture is the one that
// stands for the exchange. An error means that nothing of it is recorded: the disk failed or is full.
func (r *Recorder) Write(x *kavosh.Exchange) ([]kavosh.Capture, error) {
	g := r.groups.Get().(*group)
	defer r.groups.Put(g)
	if err := g.describe(r, x); err != nil {
		return nil, err
	}
	if g.big() {
		return r.append(g, nil)
	}
	g.out.Reset()
	if err := g.compress(&g.out); err != nil {
		return nil, err
	}
	return r.append(g, g.out.Bytes())
}

// append puts the group at the end of the open file: data when it is compressed already, else compressing into the file.
func (r *Recorder) append(g *group, data []byte) ([]kavosh.Capture, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.failed != nil {
		return nil, r.mu.failed
	}
	if r.mu.f == nil {
		if err := r.open(); err != nil {
			return nil, err
		}
	}
	at := r.mu.end
	w := &writerAt{f: r.mu.f, at: at}
	var err error
	if data != nil {
		_, err = w.Write(data)
	} else {
		err = g.compress(w)
	}
	r.mu.dirty = true
	if err != nil {
		// What was written of the group is no whole group; the next one is written over it.
		return nil, fmt.Errorf("%s: %w", r.mu.name, err)
	}
	r.mu.end = w.at
	for i := range g.captures {
		g.captures[i].File = r.mu.name
		g.captures[i].Offset += at
	}
	captures := append([]kavosh.Capture(nil), g.captures...)
	if r.mu.end >= r.opt.MaxFile {
		if err := r.seal(); err != nil {
			return nil, err
		}
	}
	return captures, nil
}

// open starts a new file with its warcinfo record.
func (r *Recorder) open() error {
	if err := disk.MkdirAll(r.opt.FS, r.opt.Dir); err != nil {
		return err
	}
	now := r.opt.Clock.Now().UTC()
	stamp := strings.Replace(now.Format("20060102150405.000"), ".", "", 1)
	name := fmt.Sprintf("KAVOSH-%s-%s-%05d-%s.warc.gz", r.opt.Crawl, stamp, r.mu.serial, r.opt.Node)
	path := r.opt.FS.PathJoin(r.opt.Dir, name+openSuffix)
	f, err := r.opt.FS.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if err := disk.SyncDir(r.opt.FS, r.opt.Dir); err != nil {
		f.Close()
		return err
	}
	g := r.groups.Get().(*group)
	defer r.groups.Put(g)
	w := &writerAt{f: f}
	g.reset()
	g.info(name, now, r.opt.Info)
	if err := g.compress(w); err != nil {
		f.Close()
		// An empty file without records would be in the way of nothing, but nobody would know what it is.
		_ = r.opt.FS.Remove(path)
		return fmt.Errorf("%s: %w", name, err)
	}
	r.mu.f, r.mu.name, r.mu.end, r.mu.dirty = f, name, w.at, true
	r.mu.serial++
	return nil
}

// End is where the next group will be written: every group whose Write has returned lies before it.
func (r *Recorder) End() Place {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.f == nil {
		return Place{Serial: r.mu.serial}
	}
	return Place{Serial: r.mu.serial - 1, Offset: r.mu.end}
}

// PlaceOf is where the group begins whose first capture is c.
func (r *Recorder) PlaceOf(c *kavosh.Capture) Place {
	serial, _ := serialOf(c.File, r.opt.Crawl) // we named it
	return Place{Serial: serial, Offset: c.Offset}
}

// Sync makes all groups durable whose Write has returned.
func (r *Recorder) Sync() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sync()
}

func (r *Recorder) sync() error {
	if r.mu.failed != nil {
		return r.mu.failed
	}
	if r.mu.f == nil || !r.mu.dirty {
		return nil
	}
	if err := r.mu.f.SyncData(); err != nil {
		r.mu.failed = fmt.Errorf("%s: %w", r.mu.name, err)
		return r.mu.failed
	}
	r.mu.dirty = false
	return nil
}

// seal ends the open file: cut to its whole groups, synced, closed and given its final name. When it fails, nothing more
// is recorded: Resume seals the file.
func (r *Recorder) seal() error {
	f := r.mu.f
	info, err := f.Stat()
	if err == nil {
		err = r.sync()
	}
	r.mu.f = nil
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	path := r.opt.FS.PathJoin(r.opt.Dir, r.mu.name)
	if err == nil && info.Size() > r.mu.end {
		err = disk.Truncate(r.opt.FS, path+openSuffix, r.mu.end)
	}
	if err == nil {
		err = r.opt.FS.Rename(path+openSuffix, path)
	}
	if err == nil {
		err = disk.SyncDir(r.opt.FS, r.opt.Dir)
	}
	if err != nil {
		if r.mu.failed == nil {
			r.mu.failed = fmt.Errorf("%s: %w", r.mu.name, err)
		}
		return r.mu.failed
	}
	r.mu.sealed = append(r.mu.sealed, r.mu.name)
	return nil
}

// Sealed are the names of the files that this recorder has sealed, in order.
func (r *Recorder) Sealed() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.mu.sealed...)
}

// Close seals the open file.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.f == nil {
		return nil
	}
	return r.seal()
}

// Abandon closes the open file as it is, unsealed, after a failure; Resume will read it again.
func (r *Recorder) Abandon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.f != nil {
		_ = r.mu.f.Close() // nothing more is asked of it: what is durable was synced before
		r.mu.f = nil
	}
}

// writerAt writes to f from at on.
type writerAt struct {
	f  io.WriterAt
	at int64
}

func (w *writerAt) Write(p []byte) (int, error) {
	n, err := w.f.WriteAt(p, w.at)
	w.at += int64(n)
	return n, err
}

// group is one exchange's records on their way to the file.
type group struct {
	records  []part
	captures []kavosh.Capture // one for each record that is a capture; offsets relative to the group
	out      bytes.Buffer
	zip      *warc.Writer
	hash     hash.Hash
	scratch  []byte
}

// part is one record: its header and what its block is made of.
type part struct {
	header  warc.Header
	block   []byte    // in memory
	body    io.Reader // or streamed, when block is nil
	size    int64     // of the block
	capture int       // index in captures, or -1
}

func newGroup(h hash.Hash) *group {
	return &group{hash: h, zip: warc.NewWriter(io.Discard, warc.Compression{Format: warc.Gzip, Level: DefaultLevel})}
}

// DefaultLevel is the gzip level of records.
const DefaultLevel = 6

func (g *group) reset() {
	g.records, g.captures = g.records[:0], g.captures[:0]
}

// maxBuffered is the size of a group, in bytes before compression, above which it is compressed straight into the file.
const maxBuffered = 8 << 20

func (g *group) big() bool {
	var n int64
	for i := range g.records {
		n += g.records[i].size
	}
	return n > maxBuffered
}

// compress writes the records to w, one gzip member each, and fills in where each capture lies.
func (g *group) compress(w io.Writer) error {
	var at int64
	g.zip.Reset(w)
	for i := range g.records {
		p := &g.records[i]
		block := p.body
		if block == nil {
			block = bytes.NewReader(p.block)
		}
		n, err := g.zip.WriteRecord(p.header, block)
		if err != nil {
			return err
		}
		if p.capture >= 0 {
			g.captures[p.capture].Offset, g.captures[p.capture].Length = at, n
		}
		at += n
	}
	return nil
}
