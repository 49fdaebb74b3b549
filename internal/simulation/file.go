package simulation

// This file is an open file on the simulated disk, which is in memory. Whole crawls are tested on it: it can fail as
// real disks do, and Disk knows what a power cut would leave.
//
// All data is guarded by Disk.mu. Before each change, Disk.before asks the simulation whether it shall fail; Disk.mu is
// not held then.

import (
	"errors"
	"io"
	"os"
	"path"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// file is an open file or folder; it is a vfs.File. One goroutine at a time may call Read, Write and Close.
type file struct {
	d    *Disk
	n    *node
	name string
	pos  int64
	shut bool
}

func (f *file) Close() error {
	if f.shut {
		return os.ErrClosed
	}
	f.shut = true
	return nil
}

func (f *file) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.pos)
	f.pos += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if f.shut {
		return 0, os.ErrClosed
	}
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.n.names != nil {
		return 0, syscall.EISDIR
	}
	if off >= int64(len(f.n.data)) {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	n := copy(p, f.n.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) Write(p []byte) (int, error) {
	n, err := f.WriteAt(p, f.pos)
	f.pos += int64(n)
	return n, err
}

// WriteAt writes p, or only its first bytes if the simulation wants a short write.
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	if f.shut {
		return 0, os.ErrClosed
	}
	short, err := f.d.before(DiskOp{Kind: "write", Name: f.name, Offset: off, Bytes: len(p)})
	if err != nil {
		p = p[:min(short, len(p))]
	}
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if len(p) > 0 {
		f.n.writeAt(p, int(off))
	}
	return len(p), err
}

// Truncate cuts the file, or extends it with zeros.
func (f *file) Truncate(size int64) error {
	if _, err := f.d.before(DiskOp{Kind: "truncate", Name: f.name, Offset: size}); err != nil {
		return err
	}
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	f.n.truncate(int(size))
	return nil
}

func (f *file) Sync() error {
	if f.shut {
		return os.ErrClosed
	}
	kind := "sync"
	if f.n.names != nil {
		kind = "syncdir"
	}
	if _, err := f.d.before(DiskOp{Kind: kind, Name: f.name}); err != nil {
		return err
	}
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	f.n.sync()
	return nil
}

func (f *file) SyncData() error { return f.Sync() }

// SyncTo makes nothing durable: vfs.File demands only that writing begins.
func (f *file) SyncTo(int64) (bool, error)      { return false, nil }
func (f *file) Preallocate(_, _ int64) error    { return nil }
func (f *file) Prefetch(_ int64, _ int64) error { return nil }
func (f *file) Fd() uintptr                     { return vfs.InvalidFd }
func (f *file) Stat() (vfs.FileInfo, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return f.n.info(f.name), nil
}

// info describes a node as it is now. The caller holds the disk's lock.
func (n *node) info(name string) vfs.FileInfo {
	return info{path.Base(name), int64(len(n.data)), n.changed, n.names != nil}
}

type info struct {
	name    string
	size    int64
	changed time.Time
	dir     bool
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return i.changed }
func (i info) IsDir() bool        { return i.dir }
func (i info) Sys() any           { return nil }
func (i info) Mode() os.FileMode {
	if i.dir {
		return os.ModeDir | 0o755
	}
	return 0o644
}
func (i info) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }

// ErrFull is the error of a change for which the disk has no room.
var ErrFull = error(syscall.ENOSPC)

// ErrIO is the error of a Sync that fails.
var ErrIO = errors.New("input/output error")
