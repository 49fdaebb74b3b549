// Package record writes exchanges to WARC files and says where each lies.
//
// One exchange makes one atomic group of records, written in one piece to the one file that is open:
//
//	response | revisit | metadata  [request]  [metadata]  [resource …]
//
// Every record of a group says `Kavosh-Group: <task>.<attempt> k/n`, so that a reader knows a group that a crash cut
// short: it has no record n/n. Compression is done by the caller of Write, outside the lock that orders groups in the
// file, with one of as many compressors as there are processors (group.go describes, compress.go packs). A file is named
// .open until it is sealed; sealed files never change. docs/formats/warc.md shows the records, docs/formats/outcomes.md
// which outcome makes which.
package record

import (
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"os"
	"runtime"
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

	Compression warc.Format   // of records: warc.Gzip, also for the zero value, or warc.Zstd
	Level       int           // of Compression: 1 (fast) to 9 (small) for gzip, to 22 for zstd; 0 = DefaultLevel
	NewID       func() string // makes record IDs, such as "<urn:uuid:…>", each another; nil = random ones

	// Original finds a complete 2xx response of the archive by its payload digest, for revisit records. nil = none.
	Original func(digest string) (kavosh.Prior, bool)
}

// DefaultLevel is the level of gzip and of zstd unless Options say otherwise: docs/decisions/0044 has the measurements.
const DefaultLevel = 1

// Recorder writes groups to the archive's open WARC file. It is safe for concurrent use. It takes the memory of one group
// at a time for each processor, however many callers wait: about 1 MB (zstd: 3 MB at level 1, 13 MB at level 6), the packed
// group, of at most maxBuffered bytes before, and once maxTail.
type Recorder struct {
	opt     Options
	newHash func() hash.Hash
	turns   chan struct{} // one place for each processor
	free    struct {
		sync.Mutex
		groups []*group // those not in use, the last used last: its memory is still in the processor's caches
	}

	twins   twins
	syncing sync.Mutex // held while the open file is synced, sealed or abandoned; locked before mu

	mu struct {
		sync.Mutex
		f      vfs.File // nil until the first group, and between files
		name   string   // sealed name of f, such as KAVOSH-….warc.gz
		end    int64    // of the whole groups in f and tail
		tail   []byte   // the last groups, not written to f yet: at most maxTail bytes
		serial int      // of the next file
		dirty  bool     // f or tail hold bytes that are not synced
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
	if r.opt.Compression == warc.Plain {
		r.opt.Compression = warc.Gzip
	}
	if r.opt.Level == 0 {
		r.opt.Level = DefaultLevel
	}
	r.twins.written.L = &r.twins
	r.turns = make(chan struct{}, runtime.GOMAXPROCS(0))
	r.mu.serial = opt.Serial
	return r
}

// DigestText is sum as WARC fields have it: "sha256:" and hexadecimal.
func (r *Recorder) DigestText(sum []byte) string {
	if len(sum) == 0 {
		return ""
	}
	return warc.FormatDigest(r.opt.Digest, sum)
}

// Write records the exchange as one group and says where each of its records lies; its first capture is the one that
// stands for the exchange. An error means that nothing of it is recorded: the disk failed or is full.
func (r *Recorder) Write(x *kavosh.Exchange) (captures []kavosh.Capture, err error) {
	digest := r.DigestText(x.Digest)
	profile, prior, first := r.revisit(x, digest) // may wait and read the disk, and so before it takes a group
	if first {
		defer func() { r.twins.done(digest, captures) }()
	}
	g := r.group()
	defer r.done(g)
	if err := g.describe(x, digest, profile, &prior); err != nil {
		return nil, err
	}
	if g.big() {
		return r.append(g, nil)
	}
	if err := g.pack(&g.out); err != nil {
		return nil, err
	}
	return r.append(g, g.out)
}

// group takes a free group, waiting for one while there are as many as processors.
func (r *Recorder) group() *group {
	r.turns <- struct{}{}
	r.free.Lock()
	defer r.free.Unlock()
	n := len(r.free.groups)
	if n == 0 {
		return newGroup(&r.opt, r.newHash())
	}
	g := r.free.groups[n-1]
	r.free.groups = r.free.groups[:n-1]
	return g
}

// done gives a group back.
func (r *Recorder) done(g *group) {
	g.reset()
	r.free.Lock()
	r.free.groups = append(r.free.groups, g)
	r.free.Unlock()
	<-r.turns
}

// append puts the group at the end of the open file: data when it is compressed already, else compressing into the file.
func (r *Recorder) append(g *group, data []byte) ([]kavosh.Capture, error) {
	captures, full, err := r.place(g, data)
	if full {
		err = r.seal(r.opt.MaxFile)
	}
	if err != nil {
		return nil, err
	}
	return captures, nil
}

// place does what append says; full is set when the file has come to its size.
func (r *Recorder) place(g *group, data []byte) (captures []kavosh.Capture, full bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.failed != nil {
		return nil, false, r.mu.failed
	}
	if r.mu.f == nil {
		if err := r.open(g); err != nil {
			return nil, false, err
		}
	}
	at := r.mu.end
	if data == nil || len(r.mu.tail)+len(data) > maxTail {
		if err := r.flush(); err != nil {
			return nil, false, err
		}
	}
	r.mu.dirty = true
	if data != nil && len(data) <= maxTail {
		r.mu.tail = append(r.mu.tail, data...)
		r.mu.end += int64(len(data))
	} else {
		g.file = writerAt{f: r.mu.f, at: at}
		if data != nil {
			_, err = g.file.Write(data)
		} else {
			err = g.pack(&g.file)
		}
		if err != nil {
			// What was written of the group is no whole group; the next one is written over it.
			return nil, false, fmt.Errorf("%s: %w", r.mu.name, err)
		}
		r.mu.end = g.file.at
	}
	for i := range g.captures {
		g.captures[i].File = r.mu.name
		g.captures[i].Offset += at
	}
	return append([]kavosh.Capture(nil), g.captures...), r.mu.end >= r.opt.MaxFile, nil
}

// maxTail is how many bytes of groups wait in memory to be written in one call: one for each costs three times as much.
// A process that is killed loses them, as a machine that loses power loses all that is not synced.
const maxTail = 64 << 10

// flush writes the tail. After an error it is still there, and may be flushed again.
func (r *Recorder) flush() error {
	if len(r.mu.tail) == 0 {
		return nil
	}
	if _, err := r.mu.f.WriteAt(r.mu.tail, r.mu.end-int64(len(r.mu.tail))); err != nil {
		return fmt.Errorf("%s: %w", r.mu.name, err)
	}
	r.mu.tail = r.mu.tail[:0]
	return nil
}

// open starts a new file with its warcinfo record, packed by the compressor of g.
func (r *Recorder) open(g *group) error {
	if err := disk.MkdirAll(r.opt.FS, r.opt.Dir); err != nil {
		return err
	}
	now := r.opt.Clock.Now().UTC()
	stamp := strings.Replace(now.Format("20060102150405.000"), ".", "", 1)
	name := fmt.Sprintf("KAVOSH-%s-%s-%05d-%s%s", r.opt.Crawl, stamp, r.mu.serial, r.opt.Node, suffix(r.opt.Compression))
	path := r.opt.FS.PathJoin(r.opt.Dir, name+openSuffix)
	f, err := r.opt.FS.OpenReadWrite(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if err := disk.SyncDir(r.opt.FS, r.opt.Dir); err != nil {
		f.Close()
		return err
	}
	w := &writerAt{f: f}
	if err := g.info(w, name, now, r.opt.Info); err != nil {
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
	serial, _ := SerialOf(c.File, r.opt.Crawl) // we named it
	return Place{Serial: serial, Offset: c.Offset}
}

// Sync makes all groups durable whose Write has returned. Others go on writing meanwhile.
func (r *Recorder) Sync() error {
	r.syncing.Lock()
	defer r.syncing.Unlock()
	f, name, err := r.written()
	if err != nil || f == nil {
		return err
	}
	if err := f.SyncData(); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.fail(name, err)
	}
	return nil
}

// written writes the tail and gives the file that is to be synced; nil for none.
func (r *Recorder) written() (f vfs.File, name string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.failed != nil || r.mu.f == nil || !r.mu.dirty {
		return nil, "", r.mu.failed
	}
	if err := r.flush(); err != nil {
		return nil, "", err
	}
	r.mu.dirty = false
	return r.mu.f, r.mu.name, nil
}

// fail keeps the first failure.
func (r *Recorder) fail(name string, err error) error {
	if r.mu.failed == nil {
		r.mu.failed = fmt.Errorf("%s: %w", name, err)
	}
	return r.mu.failed
}

// seal ends the open file if it has at least size bytes: cut to its whole groups, synced, closed and given its final
// name. When it fails, nothing more is recorded: Resume seals the file.
func (r *Recorder) seal(size int64) error {
	r.syncing.Lock()
	defer r.syncing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.mu.f
	if f == nil || r.mu.end < size {
		return nil // there is none, or another caller was faster
	}
	err := r.mu.failed
	if err == nil {
		err = r.flush()
	}
	r.mu.tail = r.mu.tail[:0]
	info, serr := f.Stat()
	if err == nil {
		err = serr
	}
	if err == nil && r.mu.dirty {
		err = f.SyncData()
		r.mu.dirty = false
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
		return r.fail(r.mu.name, err)
	}
	return nil
}

// Close seals the open file.
func (r *Recorder) Close() error { return r.seal(0) }

// Gone is the path of the file that is being written when it is not there any more; "" while it is.
func (r *Recorder) Gone() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.f == nil {
		return ""
	}
	path := r.opt.FS.PathJoin(r.opt.Dir, r.mu.name+openSuffix)
	if _, err := r.opt.FS.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return ""
	}
	return path
}

// Abandon closes the open file as it is, unsealed, after a failure; Resume will read it again.
func (r *Recorder) Abandon() {
	r.syncing.Lock()
	defer r.syncing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.f != nil {
		_ = r.flush()      // what it spares is fetched again
		_ = r.mu.f.Close() // nothing more is asked of it: what is durable was synced before
		r.mu.tail = r.mu.tail[:0]
		r.mu.f = nil
	}
}
