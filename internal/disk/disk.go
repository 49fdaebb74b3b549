// Package disk adds to pebble's vfs.FS the few steps that every durable file needs: cut, replace, sync the folder.
//
// All that the crawl writes goes through a vfs.FS, so that tests can lose what was not synced or fill the disk.
package disk

import (
	"errors"
	"io"
	iofs "io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// SyncDir makes the names in dir durable: needed after a file is created, renamed or removed there.
func SyncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		d.Close()
		return err
	}
	return d.Close()
}

// WriteFile replaces the file name by data, so that after a crash it holds either the old bytes or the new ones, whole.
func WriteFile(fs vfs.FS, name string, data []byte) error {
	return Replace(fs, name, func(w io.Writer) error {
		_, err := w.Write(append([]byte(nil), data...))
		return err
	})
}

// Replace replaces the file name by what is written, as [WriteFile] does. When write fails, the file stays what it was.
func Replace(fs vfs.FS, name string, write func(io.Writer) error) error {
	tmp := name + ".tmp"
	f, err := fs.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if failed := f.Close(); err == nil {
		err = failed
	}
	if err == nil {
		err = fs.Rename(tmp, name)
	}
	if err != nil {
		_ = fs.Remove(tmp) // it is of no use; the first error tells
		return err
	}
	return SyncDir(fs, fs.PathDir(name))
}

// ReadFile reads the whole of a small file that we wrote.
func ReadFile(fs vfs.FS, name string) ([]byte, error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Truncate cuts the file name to size and syncs it. Where the file system cannot cut in place, the kept part is copied.
func Truncate(fs vfs.FS, name string, size int64) error {
	f, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if t, ok := f.(interface{ Truncate(int64) error }); ok {
		if err := t.Truncate(size); err != nil {
			f.Close()
			return err
		}
		if err := f.Sync(); err != nil {
			f.Close()
			return err
		}
		return f.Close()
	}
	defer f.Close()
	tmp := name + ".cut"
	out, err := fs.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, io.NewSectionReader(f, 0, size)); err != nil {
		out.Close()
		return err
	}
	if err := out.Sync(); err != nil {
		out.Close()
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	if err := fs.Rename(tmp, name); err != nil {
		return err
	}
	return SyncDir(fs, fs.PathDir(name))
}

// MkdirAll makes dir and its missing parents, durably: a file synced in a folder whose own name is lost is lost too. The
// name of a folder that is there already is synced again, since whoever made it may have been killed, or failed, before
// that; unless its parent may not be opened.
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
