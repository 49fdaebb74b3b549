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

// Advice is an error whose text already says what to do. Callers pass it on and add nothing.
type Advice struct{ error }

func (a *Advice) Unwrap() error { return a.error }

// Advise returns an Advice, as fmt.Errorf returns an error.
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

// ReachedFile is a file in a crawl's folder. It says how much of crawl.log the frontier had accounted for when it was
// written. It is not synced. If a power cut loses it, only one way to find damage is lost.
const ReachedFile = "reached"

// ReadReached returns the mark in ReachedFile of a crawl. dir is the crawl's folder. It returns the zero Mark if the
// file cannot be read.
func ReadReached(fs vfs.FS, dir string) (m journal.Mark) {
	data, err := disk.ReadFile(fs, fs.PathJoin(dir, ReachedFile))
	if err != nil || json.Unmarshal(data, &m) != nil {
		return journal.Mark{}
	}
	return m
}
