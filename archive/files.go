package archive

// This file opens WARC files: those of an archive's warc folder and those at any path. It also keeps loose files from
// being a way around access rules.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/internal/records"
	"kavosh/lib/ranges"
	"kavosh/lib/warc"
)

// Folder opens the WARC files of an archive's warc folder. A file that is still written has .open at the end of its
// name.
type Folder struct {
	FS  vfs.FS
	Dir string
}

// RecordsOf returns what opens the records of the archive in dir, also those that a crawl is writing.
func RecordsOf(fs vfs.FS, dir string) *records.Records {
	return &records.Records{Index: index.OpenLive(fs, fs.PathJoin(dir, "index"), fs.PathJoin(dir, "log")), Files: Folder{fs, fs.PathJoin(dir, "warc")}}
}

// Open opens the file with the given name in the index. It returns its size in bytes; done closes it.
func (s Folder) Open(filename string) (io.ReaderAt, int64, func(), error) {
	if !filepath.IsLocal(filename) {
		return nil, 0, nil, fmt.Errorf("the index names %q, which is outside the archive: run kavosh rebuild", filename)
	}
	path := s.FS.PathJoin(s.Dir, filename)
	if f, size, done, err := openFile(s.FS, path); !errors.Is(err, fs.ErrNotExist) {
		return f, size, done, err
	}
	return openFile(s.FS, path+".open")
}

// Paths opens WARC files that are named by their paths.
type Paths struct{}

// Open opens the file at a path. It returns its size in bytes; done closes it.
func (Paths) Open(path string) (io.ReaderAt, int64, func(), error) { return OpenFile(path) }

// OpenFile opens the file at a path. It returns its size in bytes; done closes it.
func OpenFile(path string) (f io.ReaderAt, size int64, done func(), err error) {
	return openFile(vfs.Default, path)
}

func openFile(fs vfs.FS, path string) (f io.ReaderAt, size int64, done func(), err error) {
	file, err := fs.Open(path)
	if err != nil {
		return nil, 0, nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, 0, nil, err
	}
	return file, info.Size(), func() { file.Close() }, nil
}

// IsWebFile reports whether a file is a web archive by its name, also if it is still being written and ends with .open.
func IsWebFile(path string) bool {
	low := strings.TrimSuffix(strings.ToLower(path), ".open")
	return warc.IsName(low) || strings.HasSuffix(low, ".wacz")
}

// FilesBelow returns the files below dir for which is returns true, in the order of their names.
func FilesBelow(dir string, is func(path string) bool) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && is(path) {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// OutsideArchives returns an error if one of files lies in an archive's folder. Such a file, read by itself, would be
// shown without the archive's access rules. A copy or a hard link cannot be noticed.
func OutsideArchives(files []string) error {
	return InArchives(files, func(file, dir string) error {
		return fmt.Errorf("%s lies in the archive %s, whose rules say who may see what: name the archive's folder instead", file, dir)
	})
}

// InArchives calls found for each of files that lies in an archive's folder, or is a symbolic link to one that does.
// dir is the archive's folder. It stops at the first error of found.
func InArchives(files []string, found func(file, dir string) error) error {
	archiveOf := map[string]string{} // by folder: the archive that it lies in, or ""
	for _, file := range files {
		if ranges.IsURL(file) {
			continue
		}
		abs, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		real, err := filepath.EvalSymlinks(abs)
		if err != nil {
			return err
		}
		for _, path := range []string{abs, real} {
			folder, known := archiveOf[filepath.Dir(path)]
			for dir := filepath.Dir(path); !known; dir = filepath.Dir(dir) {
				is, err := about.Is(vfs.Default, dir)
				if err != nil {
					return err
				}
				if is {
					folder = dir
				}
				known = is || dir == filepath.Dir(dir)
			}
			archiveOf[filepath.Dir(path)] = folder
			if folder == "" {
				continue
			}
			if err := found(file, folder); err != nil {
				return err
			}
		}
	}
	return nil
}
