package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// Advice is an error whose text says what to do about it. Callers pass it on and add nothing.
type Advice struct{ error }

func (a *Advice) Unwrap() error { return a.error }

// Advise makes an Advice, as fmt.Errorf makes an error.
func Advise(format string, args ...any) error { return &Advice{fmt.Errorf(format, args...)} }

// aside is added to the name of a damaged file that is kept.
const aside = ".damaged"

// PutAside renames a damaged file or folder to a free name: path with ".damaged", then ".damaged.2" and so on.
// It does nothing if path does not exist.
func PutAside(fs vfs.FS, path string) error {
	if _, err := fs.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	free := path + aside
	for n := 2; ; n++ {
		if _, err := fs.Stat(free); err != nil {
			break
		}
		free = path + aside + "." + strconv.Itoa(n)
	}
	if err := fs.Rename(path, free); err != nil {
		return err
	}
	return disk.SyncDir(fs, fs.PathDir(path))
}

// ReachedFile, in a crawl's folder, holds how much of crawl.log the frontier was last known to have accounted for. It
// is not synced: a power cut may take it, and then only one way to find damage is lost.
const ReachedFile = "reached"

// ReadReached returns the mark in ReachedFile of the crawl's folder dir; the zero Mark if it cannot be read.
func ReadReached(fs vfs.FS, dir string) (m journal.Mark) {
	data, err := disk.ReadFile(fs, fs.PathJoin(dir, ReachedFile))
	if err != nil || json.Unmarshal(data, &m) != nil {
		return journal.Mark{}
	}
	return m
}
