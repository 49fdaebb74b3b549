package simulation

// This file is the disk of a simulated world. It can crash, and then keeps only what is durable.

import (
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Disk is a file system in memory that knows what is durable: for a file, what was synced; for a folder, its names at
// the last sync. Crash returns the disk after a kill or a power cut. It is safe for concurrent use.
type Disk struct {
	// Before, if not nil, is called before each operation that changes something, without a lock held. An error it returns
	// becomes the operation's error; of a write, short bytes are still written. Set it before using the disk.
	Before func(DiskOp) (short int, err error)
	// Free, if not nil, returns the bytes that GetDiskUsage reports as available.
	Free func() uint64

	mu    sync.Mutex
	root  *node
	locks map[string]bool
}

// DiskOp is a change that is about to happen.
type DiskOp struct {
	Kind   string // create, open, write, sync, syncdir, rename, link, remove, mkdir, truncate, lock
	Name   string
	Offset int64 // of a write
	Bytes  int   // of a write
}

// NewDisk returns an empty disk.
func NewDisk() *Disk {
	return &Disk{root: newFolder(), locks: map[string]bool{}}
}

// node is a file or a folder.
type node struct {
	// Of a file. The first durable bytes are on disk, except for changes since the last sync, which undo holds.
	data    []byte
	durable int
	undo    []patch
	changed time.Time

	// Of a folder; else nil. synced are its names on disk, log the changes since.
	names  map[string]*node
	synced map[string]*node
	log    []renaming
}

// patch holds durable bytes that a change replaced.
type patch struct {
	at  int
	old []byte
}

// renaming is a name given to a node, or removed if the node is nil.
type renaming struct {
	name string
	node *node
}

func newFolder() *node { return &node{names: map[string]*node{}, synced: map[string]*node{}} }

func (n *node) set(name string, child *node) {
	if child == nil {
		delete(n.names, name)
	} else {
		n.names[name] = child
	}
	n.log = append(n.log, renaming{name, child})
}

// Outage says what a crash leaves of unsynced changes.
type Outage struct {
	Power bool       // a power cut, which loses some of them; false is a killed process, whose writes the system keeps
	Keep  int        // percentage of unsynced blocks that a power cut keeps
	Order bool       // a folder's changes are lost from some moment on; false may keep any of them
	RNG   *rand.Rand // makes the choices
}

// Crash returns the disk after an outage now. The disk itself does not change.
func (d *Disk) Crash(o Outage) *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	copies := map[*node]*node{}
	return &Disk{root: d.root.after(o, copies), locks: map[string]bool{}}
}

func (n *node) after(o Outage, copies map[*node]*node) *node {
	if c := copies[n]; c != nil {
		return c
	}
	c := &node{changed: n.changed}
	copies[n] = c
	if n.names == nil {
		c.data, c.durable = n.afterBytes(o)
		if !o.Power {
			c.undo = slices.Clone(n.undo)
		}
		return c
	}
	c.names, c.synced = map[string]*node{}, map[string]*node{}
	if !o.Power {
		for _, name := range slices.Sorted(maps.Keys(n.names)) {
			c.names[name] = n.names[name].after(o, copies)
		}
		for _, name := range slices.Sorted(maps.Keys(n.synced)) {
			c.synced[name] = n.synced[name].after(o, copies)
		}
		for _, r := range n.log {
			if r.node != nil {
				r.node = r.node.after(o, copies)
			}
			c.log = append(c.log, r)
		}
		return c
	}
	left := maps.Clone(n.synced)
	if o.Order {
		for _, r := range n.log[:o.RNG.IntN(len(n.log)+1)] {
			if r.node == nil {
				delete(left, r.name)
			} else {
				left[r.name] = r.node
			}
		}
	} else {
		for _, name := range slices.Sorted(maps.Keys(n.names)) {
			if o.RNG.IntN(100) < o.Keep {
				left[name] = n.names[name]
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		c.names[name] = left[name].after(o, copies)
	}
	c.synced = maps.Clone(c.names)
	return c
}

// block is how many bytes a disk writes at once.
const block = 4096

// afterBytes returns what an outage leaves of a file, and how much of it is durable.
func (n *node) afterBytes(o Outage) (data []byte, durable int) {
	data = slices.Clone(n.data)
	if !o.Power {
		return data, n.durable
	}
	end := n.durable
	for at := n.durable; at < len(data); {
		next := min((at/block+1)*block, len(data))
		if o.RNG.IntN(100) < o.Keep {
			end = next
		} else {
			clear(data[at:next]) // a hole, unless it is the end
		}
		at = next
	}
	data = data[:end]
	for i := len(n.undo) - 1; i >= 0; i-- {
		p := n.undo[i]
		if o.RNG.IntN(100) < o.Keep {
			continue
		}
		if grow := p.at + len(p.old) - len(data); grow > 0 {
			data = append(data, make([]byte, grow)...)
		}
		copy(data[p.at:], p.old)
	}
	return data, len(data)
}

func (n *node) writeAt(p []byte, at int) {
	if at < n.durable {
		n.undo = append(n.undo, patch{at, slices.Clone(n.data[at:min(at+len(p), n.durable)])})
	}
	if grow := at + len(p) - len(n.data); grow > 0 {
		n.data = slices.Grow(n.data, grow)
		old := len(n.data)
		n.data = n.data[:old+grow]
		if at > old {
			clear(n.data[old:at])
		}
	}
	copy(n.data[at:], p)
	n.changed = time.Now()
}

func (n *node) truncate(size int) {
	if size < n.durable {
		n.undo = append(n.undo, patch{size, slices.Clone(n.data[size:n.durable])})
		n.durable = size
	}
	if size < len(n.data) {
		n.data = n.data[:size]
	} else {
		n.writeAt(make([]byte, size-len(n.data)), len(n.data))
	}
	n.changed = time.Now()
}

func (n *node) sync() {
	n.durable, n.undo = len(n.data), nil
	if n.names != nil {
		n.synced, n.log = maps.Clone(n.names), nil
	}
}

func (d *Disk) before(op DiskOp) (short int, err error) {
	if d.Before == nil {
		return 0, nil
	}
	short, err = d.Before(op)
	if err != nil {
		err = &os.PathError{Op: op.Kind, Path: op.Name, Err: err}
	}
	return short, err
}

// find returns the node called name, or nil. The caller holds d.mu.
func (d *Disk) find(name string) *node {
	n := d.root
	for _, part := range parts(name) {
		if n == nil || n.names == nil {
			return nil
		}
		n = n.names[part]
	}
	return n
}

func parts(name string) []string {
	name = strings.Trim(path.Clean(name), "/")
	if name == "." || name == "" {
		return nil
	}
	return strings.Split(name, "/")
}

// folder returns the folder that contains name, and name's last element. The caller holds d.mu.
func (d *Disk) folder(op, name string) (*node, string, error) {
	p := parts(name)
	if len(p) == 0 {
		return nil, "", &os.PathError{Op: op, Path: name, Err: syscall.EINVAL}
	}
	dir := d.find(strings.Join(p[:len(p)-1], "/"))
	if dir == nil || dir.names == nil {
		return nil, "", missing(op, name)
	}
	return dir, p[len(p)-1], nil
}

func missing(op, name string) error {
	return &os.PathError{Op: op, Path: name, Err: syscall.ENOENT}
}

// Create creates an empty file and replaces one with that name.
func (d *Disk) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	if _, err := d.before(DiskOp{Kind: "create", Name: name}); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, base, err := d.folder("create", name)
	if err != nil {
		return nil, err
	}
	n := &node{changed: time.Now()}
	dir.set(base, n)
	return &file{d: d, n: n, name: name}, nil
}

// Open opens a file or a folder for reading.
func (d *Disk) Open(name string, _ ...vfs.OpenOption) (vfs.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.find(name)
	if n == nil {
		return nil, missing("open", name)
	}
	return &file{d: d, n: n, name: name}, nil
}

// OpenDir opens a folder, for syncing it.
func (d *Disk) OpenDir(name string) (vfs.File, error) { return d.Open(name) }

// OpenReadWrite opens a file, or creates it.
func (d *Disk) OpenReadWrite(name string, _ vfs.DiskWriteCategory, _ ...vfs.OpenOption) (vfs.File, error) {
	if _, err := d.before(DiskOp{Kind: "open", Name: name}); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, base, err := d.folder("open", name)
	if err != nil {
		return nil, err
	}
	n := dir.names[base]
	if n == nil {
		n = &node{changed: time.Now()}
		dir.set(base, n)
	}
	return &file{d: d, n: n, name: name}, nil
}

// ReuseForWrite renames a file and opens it for writing, with its old bytes.
func (d *Disk) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := d.Rename(from, to); err != nil {
		return nil, err
	}
	return d.OpenReadWrite(to, c)
}

// Link gives a file a second name.
func (d *Disk) Link(from, to string) error {
	if _, err := d.before(DiskOp{Kind: "link", Name: to}); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.find(from)
	if n == nil {
		return missing("link", from)
	}
	dir, base, err := d.folder("link", to)
	if err != nil {
		return err
	}
	if dir.names[base] != nil {
		return &os.PathError{Op: "link", Path: to, Err: syscall.EEXIST}
	}
	dir.set(base, n)
	return nil
}

// Rename renames a file or folder and replaces a file with the new name.
func (d *Disk) Rename(from, to string) error {
	if _, err := d.before(DiskOp{Kind: "rename", Name: to}); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	source, old, err := d.folder("rename", from)
	if err != nil {
		return err
	}
	n := source.names[old]
	if n == nil {
		return missing("rename", from)
	}
	target, base, err := d.folder("rename", to)
	if err != nil {
		return err
	}
	target.set(base, n)
	source.set(old, nil)
	return nil
}

// Remove removes a file or an empty folder.
func (d *Disk) Remove(name string) error {
	if _, err := d.before(DiskOp{Kind: "remove", Name: name}); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, base, err := d.folder("remove", name)
	if err != nil {
		return err
	}
	n := dir.names[base]
	switch {
	case n == nil:
		return missing("remove", name)
	case len(n.names) > 0:
		return &os.PathError{Op: "remove", Path: name, Err: syscall.ENOTEMPTY}
	}
	dir.set(base, nil)
	return nil
}

// RemoveAll removes a file, or a folder with its content.
func (d *Disk) RemoveAll(name string) error {
	if _, err := d.before(DiskOp{Kind: "remove", Name: name}); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, base, err := d.folder("remove", name)
	if err == nil && dir.names[base] != nil {
		dir.set(base, nil)
	}
	return nil
}

// MkdirAll creates a folder and its parents.
func (d *Disk) MkdirAll(name string, _ os.FileMode) error {
	if _, err := d.before(DiskOp{Kind: "mkdir", Name: name}); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.root
	for _, part := range parts(name) {
		child := n.names[part]
		if child == nil {
			child = newFolder()
			n.set(part, child)
		}
		if child.names == nil {
			return &os.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
		}
		n = child
	}
	return nil
}

// Lock takes an exclusive lock.
func (d *Disk) Lock(name string) (io.Closer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, base, err := d.folder("lock", name)
	if err != nil {
		return nil, err
	}
	if d.locks[name] {
		return nil, syscall.EAGAIN
	}
	d.locks[name] = true
	if dir.names[base] == nil {
		dir.set(base, &node{changed: time.Now()})
	}
	return unlock{d, name}, nil
}

type unlock struct {
	d    *Disk
	name string
}

func (u unlock) Close() error {
	u.d.mu.Lock()
	defer u.d.mu.Unlock()
	delete(u.d.locks, u.name)
	return nil
}

// List returns the names in a folder, sorted.
func (d *Disk) List(dir string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.find(dir)
	if n == nil || n.names == nil {
		return nil, missing("list", dir)
	}
	return slices.Sorted(maps.Keys(n.names)), nil
}

// Stat describes a file or folder.
func (d *Disk) Stat(name string) (vfs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.find(name)
	if n == nil {
		return nil, missing("stat", name)
	}
	return n.info(name), nil
}

// GetDiskUsage returns what Free says.
func (d *Disk) GetDiskUsage(string) (vfs.DiskUsage, error) {
	free := uint64(1 << 40)
	if d.Free != nil {
		free = d.Free()
	}
	return vfs.DiskUsage{AvailBytes: free, TotalBytes: 1 << 40, UsedBytes: 1<<40 - min(free, 1<<40)}, nil
}

// PathBase is path.Base.
func (d *Disk) PathBase(name string) string { return path.Base(name) }

// PathJoin is path.Join.
func (d *Disk) PathJoin(elem ...string) string { return path.Join(elem...) }

// PathDir is path.Dir.
func (d *Disk) PathDir(name string) string { return path.Dir(name) }

// Unwrap returns nil: nothing is below.
func (d *Disk) Unwrap() vfs.FS { return nil }
