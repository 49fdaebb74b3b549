// Package record writes exchanges to WARC files and says where each is.
//
// One exchange makes one atomic group of records, written in one piece to the one open file:
//
//	response | revisit | metadata  [request]  [metadata]  [resource …]
//
// What a browser makes of a page later (WriteRenderings) is one more group, of resources alone.
//
// Every record of a group says `Kavosh-Group: <task>.<attempt> k/n`. A group that a crash cut short has no record n/n,
// so readers notice it. The goroutine that calls Write compresses the group outside the lock that orders groups in the
// file; there are as many compressors as processors (group.go describes, compress.go packs). An open file's name ends
// with .open until it is sealed; sealed files never change. docs/formats/warc.md shows the records,
// docs/formats/outcomes.md which outcome makes which.
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

// Options say where and how to record. FS, Dir, Crawl and Clock are required.
type Options struct {
	FS      vfs.FS
	Dir     string // the archive's warc/
	Crawl   string // id of the crawl, part of every file's name
	Node    string // name of this machine, part of every file's name
	Clock   clock.Clock
	MaxFile int64       // compressed bytes after which a file is sealed; 0 = 1 GiB
	Digest  string      // "sha256" (default) or "sha1"
	Info    warc.Header // fields for the warcinfo record's block, such as software and robots
	Serial  int         // number of the first file; see Resume

	Compression warc.Format   // warc.Gzip, which is also the default, or warc.Zstd
	Level       int           // gzip: 1 (fast) to 9 (small); zstd: 1 to 22; 0 = DefaultLevel
	NewID       func() string // makes distinct record IDs, such as "<urn:uuid:…>"; nil = random ones

	// Original finds a complete 2xx response in the archive by its payload digest, for revisit records. nil = never finds
	// one.
	Original func(digest string) (kavosh.Prior, bool)
}

// DefaultLevel is the default level of gzip and zstd: docs/decisions/0044 has the measurements.
const DefaultLevel = 1

// Recorder writes groups to the archive's open WARC file. It is safe for concurrent use. Its memory depends on the
// number of processors, not of callers: for each about 1 MB (zstd: 3 MB at level 1, 13 MB at level 6) and one packed
// group of at most maxBuffered bytes before compression; and maxTail once.
type Recorder struct {
	opt     Options
	newHash func() hash.Hash
	turns   chan struct{} // one token for each processor
	free    struct {
		sync.Mutex
		groups []*group // free groups; the last used is last, because its memory is still in the processor's caches
	}

	twins   twins
	syncing sync.Mutex // held while the open file is synced, sealed or abandoned; lock it before mu

	mu struct {
		sync.Mutex
		f      vfs.File // nil until the first group, and between files
		name   string   // name that f will have when sealed, such as KAVOSH-….warc.gz
		end    int64    // offset after the last whole group in f and tail
		tail   []byte   // the last groups, not yet written to f: at most maxTail bytes
		serial int      // number of the next file
		dirty  bool     // f or tail hold unsynced bytes
		failed error    // the first failure to sync or seal, after which the state of the file is unknown
	}
}

// Place is a position in the sequence of a crawl's WARC files.
type Place struct {
	Serial int   `json:"serial"` // number of the file; the next number if none is open
	Offset int64 `json:"offset"`
}

// Before reports whether p is before q.
func (p Place) Before(q Place) bool {
	return p.Serial < q.Serial || p.Serial == q.Serial && p.Offset < q.Offset
}

// New returns a Recorder. It makes no file before the first Write.
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

// DigestText returns sum in the form of WARC fields: "sha256:" and hexadecimal.
func (r *Recorder) DigestText(sum []byte) string {
	if len(sum) == 0 {
		return ""
	}
	return warc.FormatDigest(r.opt.Digest, sum)
}

// Write records the exchange as one group and returns its captures; the first one stands for the exchange. An error
// means that the disk failed or is full, and that nothing of the exchange is recorded.
func (r *Recorder) Write(x *kavosh.Exchange) (captures []kavosh.Capture, err error) {
	digest := r.DigestText(x.Digest)
	profile, prior, first := r.revisit(x, digest) // may wait and read the disk, so do it before taking a group
	if first {
		defer func() { r.twins.done(digest, captures) }()
	}
	g := r.group()
	defer r.done(g)
	if err := g.describe(x, digest, profile, &prior); err != nil {
		return nil, err
	}
	return r.write(g)
}

// WriteRenderings records what a browser made of a page, in the order given, as a group of its own with the name of the
// group of the page's task. page is the first capture of that one. It returns a capture for each. Errors are those of
// Write.
func (r *Recorder) WriteRenderings(task *kavosh.Task, page *kavosh.Capture, made []kavosh.Rendering) ([]kavosh.Capture, error) {
	g := r.group()
	defer r.done(g)
	g.renderings(task, page, made)
	return r.write(g)
}

// write compresses a group and adds it to the open file.
func (r *Recorder) write(g *group) ([]kavosh.Capture, error) {
	if g.big() {
		return r.append(g, nil)
	}
	if err := g.pack(&g.out); err != nil {
		return nil, err
	}
	return r.append(g, g.out)
}

// group returns a free group. It waits while as many are in use as there are processors.
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

// done returns a group.
func (r *Recorder) done(g *group) {
	g.reset()
	r.free.Lock()
	r.free.groups = append(r.free.groups, g)
	r.free.Unlock()
	<-r.turns
}

// append adds the group to the open file: data if it is already compressed, otherwise by compressing into the file.
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

// place does the work of append. full is true if the file has reached its size.
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
			// The file may hold part of the group; the next group overwrites it.
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

// maxTail is how many bytes of groups wait in memory to be written with one call: one call for each group costs three
// times as much. A killed process loses them, like a power cut loses everything unsynced.
const maxTail = 64 << 10

// flush writes the tail. After an error the tail is still there and flush can be called again.
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

// open starts a new file with its warcinfo record, using the compressor of g.
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
		// An empty file would harm nothing, but nobody would know what it is.
		_ = r.opt.FS.Remove(path)
		return fmt.Errorf("%s: %w", name, err)
	}
	r.mu.f, r.mu.name, r.mu.end, r.mu.dirty = f, name, w.at, true
	r.mu.serial++
	return nil
}

// End returns where the next group will be written. Every group whose Write has returned is before it.
func (r *Recorder) End() Place {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.f == nil {
		return Place{Serial: r.mu.serial}
	}
	return Place{Serial: r.mu.serial - 1, Offset: r.mu.end}
}

// PlaceOf returns where the group begins whose first capture is c.
func (r *Recorder) PlaceOf(c *kavosh.Capture) Place {
	serial, _ := SerialOf(c.File, r.opt.Crawl) // we chose the name ourselves
	return Place{Serial: serial, Offset: c.Offset}
}

// Sync makes all groups durable whose Write has returned. Other goroutines go on writing meanwhile.
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

// written writes the tail and returns the file to sync; nil if there is none.
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

// seal ends the open file if it has at least size bytes: it is truncated after its last whole group, synced, closed and
// given its final name. If seal fails, the Recorder records nothing more; Resume seals the file.
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

// Gone returns the path of the open file if somebody removed it; else "".
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

// Abandon closes the open file unsealed, after a failure. Resume will read it again.
func (r *Recorder) Abandon() {
	r.syncing.Lock()
	defer r.syncing.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.mu.f != nil {
		_ = r.flush()      // whatever it saves need not be fetched again
		_ = r.mu.f.Close() // what is durable was synced before
		r.mu.tail = r.mu.tail[:0]
		r.mu.f = nil
	}
}
