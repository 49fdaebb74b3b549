package search

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// This file deals with damage. A damaged index is made anew by the next process that adds to it, because it is derived.
// A reader who finds damage leaves a note in a file, because a writer may never read the damaged place.

// ErrDamaged means that a file of the index differs from what was written.
var ErrDamaged = errors.New("the search index is damaged: it is made anew when it is brought up to date")

// damagedName is the file by which a reader tells the next writer of damage.
const damagedName = "DAMAGED"

// note writes that file if err is damage and the index in dir is still the one that m describes. If m is nil, any index
// in dir will do.
func note(fs vfs.FS, dir string, m *manifest, err error) {
	if !errors.Is(err, ErrDamaged) {
		return
	}
	if now, wrong := readManifest(fs, dir); m != nil && wrong == nil && now.Next != m.Next {
		return // another process has made it anew since
	}
	_ = disk.WriteFile(fs, fs.PathJoin(dir, damagedName), []byte(err.Error()+"\n")) // if this fails, no writer could make it anew either
}

// Damaged reports whether a reader has found damage in the index in dir. Its next writer makes it anew.
func Damaged(fs vfs.FS, dir string) bool {
	_, err := fs.Stat(fs.PathJoin(dir, damagedName))
	return err == nil
}

// renew empties a damaged index. Its new manifest differs from all earlier ones, so readers see that it is another
// index.
func (w *Writer) renew() error {
	names, err := w.fs.List(w.dir)
	if err != nil {
		return err
	}
	next := 0
	for _, name := range names {
		if n, err := strconv.Atoi(strings.TrimSuffix(name, segmentEnd)); err == nil {
			next = max(next, n)
		}
	}
	w.manifest.Next = next + 2 // after the number that the next segment had
	if err := w.Reset(0, false); err != nil {
		return err
	}
	w.Renewed = true
	if err := w.fs.Remove(w.fs.PathJoin(w.dir, damagedName)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
