// Package about reads and writes archive.json: what an archive's folder is, which program made it, and the length of
// its decision logs. Whoever opens an archive calls it first. So no part of the program reads or writes an archive that
// it does not know, or mistakes one whose archive.json is lost for a folder without an archive.
package about

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// Format is the format of archives that this program writes; docs/formats/archive.md describes it.
const Format = 1

// Archive is the content of archive.json.
type Archive struct {
	Format    int                     `json:"format"`
	Name      string                  `json:"name"`
	Created   time.Time               `json:"created"`
	Software  string                  `json:"software,omitempty"`  // the program that made the archive
	Decisions map[string]journal.Mark `json:"decisions,omitempty"` // for each file in decisions/, the least length it must have
}

// ErrNone is part of the error for a folder that is not an archive.
var ErrNone = errors.New("it has no archive.json")

func file(fs vfs.FS, dir string) string { return fs.PathJoin(dir, "archive.json") }

// Read reads archive.json of the archive in dir. The error names the fix; it is an ErrNone for a folder that is not an
// archive and does not look like one.
func Read(fs vfs.FS, dir string) (Archive, error) {
	var a Archive
	data, err := disk.ReadFile(fs, file(fs, dir))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		names, _ := fs.List(dir)
		if slices.Contains(names, "warc") &&
			slices.ContainsFunc([]string{"crawls", "decisions", "imports", "log"}, func(n string) bool { return slices.Contains(names, n) }) {
			return a, fmt.Errorf("%s has the folders of an archive but no archive.json, without which nobody knows what of it is closed: put it back from a copy, or write {\"format\": %d, \"name\": \"…\"} into it", dir, Format)
		}
		return a, fmt.Errorf("%s is no archive (%w): name the folder that `kavosh crawl --archive` made", dir, ErrNone)
	}
	if err != nil {
		return a, err
	}
	err = json.Unmarshal(data, &a)
	if err == nil && a.Format < 1 {
		err = fmt.Errorf("its format is %d", a.Format)
	}
	if err != nil {
		return a, fmt.Errorf("%s is damaged: %w; put it back from a copy, or write {\"format\": %d, \"name\": \"…\"} into it",
			file(fs, dir), err, Format)
	}
	if a.Format > Format {
		return a, fmt.Errorf("%s is of format %d, made by %s, and this kavosh knows formats up to %d: use that kavosh or a newer one", dir, a.Format, cmp.Or(a.Software, "a newer kavosh"), Format)
	}
	return a, nil
}

// Is reports whether dir is an archive. The error is about an archive that cannot be used.
func Is(fs vfs.FS, dir string) (bool, error) {
	_, err := Read(fs, dir)
	if errors.Is(err, ErrNone) {
		return false, nil
	}
	return err == nil, err
}

// Create makes dir an archive, made by that version of the program. It refuses a folder that already has records.
func Create(fs vfs.FS, dir, version string, now time.Time) error {
	if names, _ := fs.List(dir); slices.Contains(names, "warc") { // names is empty if there is no folder
		return fmt.Errorf("%s has a warc folder but no archive.json: if it is an archive, write {\"format\": %d, \"name\": \"…\"} into it", dir, Format)
	}
	if err := disk.MkdirAll(fs, dir); err != nil {
		return err
	}
	return write(fs, dir, Archive{Format: Format, Name: fs.PathBase(dir), Created: now.UTC().Truncate(time.Second),
		Software: "Kavosh/" + cmp.Or(version, "dev")})
}

// Mark stores in archive.json how long a decision log is. The caller holds the decisions' lock.
func Mark(fs vfs.FS, dir, name string, m journal.Mark) error {
	a, err := Read(fs, dir)
	if err != nil {
		return err
	}
	if a.Decisions = maps.Clone(a.Decisions); a.Decisions == nil {
		a.Decisions = map[string]journal.Mark{}
	}
	a.Decisions[name] = m
	return write(fs, dir, a)
}

func write(fs vfs.FS, dir string, a Archive) error {
	data, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	return disk.WriteFile(fs, file(fs, dir), append(data, '\n'))
}
