// Package disk adds the few steps that every durable file needs to pebble's vfs.FS: truncate, replace, sync the folder.
//
// The crawl writes everything through a vfs.FS, so that tests can lose unsynced data or fill the disk.
package disk

import (
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// ErrInUse is part of the error for what another process, or this one, has locked.
var ErrInUse = errors.New("another kavosh is using it")

// InUse reports whether an error of locking, by vfs.FS or Pebble, says that somebody has the lock.
func InUse(err error) bool {
	return err != nil && (errors.Is(err, syscall.EAGAIN) || strings.Contains(err.Error(), "already locked") ||
		strings.Contains(err.Error(), "held by current process"))
}

// Lock locks dir, by the file lock in it, which it makes with the folder when it is absent. The error is an ErrInUse while another process has it.
func Lock(fs vfs.FS, dir string) (io.Closer, error) {
	if err := MkdirAll(fs, dir); err != nil {
		return nil, err
	}
	lock, err := fs.Lock(fs.PathJoin(dir, "lock"))
	if InUse(err) {
		err = fmt.Errorf("%s: %w", dir, ErrInUse)
	}
	return lock, err
}

// SyncDir makes the names in dir durable. Call it after creating, renaming or removing a file there.
func SyncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// WriteFile replaces the content of file name by data. After a crash it has the whole old or new content.
func WriteFile(fs vfs.FS, name string, data []byte) error {
	return Replace(fs, name, func(w io.Writer) error {
		_, err := w.Write(append([]byte(nil), data...))
		return err
	})
}

// Replace is WriteFile with the content that write writes. If write fails, the file stays unchanged.
func Replace(fs vfs.FS, name string, write func(io.Writer) error) error {
	tmp := name + ".tmp"
	f, err := fs.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = fs.Rename(tmp, name)
	}
	if err != nil {
		_ = fs.Remove(tmp) // it is useless; the first error is returned
		return err
	}
	return SyncDir(fs, fs.PathDir(name))
}

// ReadFile reads a whole small file that we wrote.
func ReadFile(fs vfs.FS, name string) ([]byte, error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Truncate cuts the file name to size and syncs it. If it cannot be done in place, the kept part is copied.
func Truncate(fs vfs.FS, name string, size int64) error {
	f, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if t, ok := f.(interface{ Truncate(int64) error }); ok {
		err := t.Truncate(size)
		if err == nil {
			err = f.Sync()
		}
		return errors.Join(err, f.Close())
	}
	defer f.Close()
	return Replace(fs, name, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(f, 0, size))
		return err
	})
}

// MkdirAll creates dir and its missing parents durably: a synced file is lost if the name of its folder is. It also
// syncs the name of an existing folder, because whoever created it may have been killed before syncing; unless its
// parent may not be opened.
func MkdirAll(fs vfs.FS, dir string) error {
	parent := fs.PathDir(dir)
	if dir == "" || dir == "." || parent == dir {
		return nil
	}
	_, err := fs.Stat(dir)
	there := err == nil
	if !there {
		if err := MkdirAll(fs, parent); err != nil {
			return err
		}
		if err := fs.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := SyncDir(fs, parent); err != nil && !(there && errors.Is(err, iofs.ErrPermission)) {
		return err
	}
	return nil
}
