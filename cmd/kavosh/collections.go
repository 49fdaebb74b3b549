package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/index"
	"kavosh/internal/clock"
	"kavosh/lib/wacz"
	"kavosh/replay"
)

// collections are the archives to serve, opened.
type collections struct {
	collections []replay.Collection
	guards      map[string]*access.Guard // of each, by its name
	archives    map[string]string        // folders of those that are archives, by their names
	studio      studio
	sources     []source        // of each collection
	searcher    replay.Searcher // of all together; nil while nothing can be searched
}

// cause is why a path cannot be used, without the path.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// looseName is the collection of loose files that were given no name.
const looseName = "files"

// openCollections opens archives and loose files, each given as PATH or NAME=PATH.
func openCollections(ctx context.Context, p *program, args []string) (*collections, error) {
	set := &collections{guards: map[string]*access.Guard{}, archives: map[string]string{}}
	loose := map[string][]string{} // files by collection
	var order []string
	for _, arg := range args {
		name, path := nameAndPath(arg)
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("cannot open %s: %w; name an archive's folder, or WARC, ARC and WACZ files", path, cause(err))
		}
		if info.IsDir() && isArchive(path) {
			title := name
			if name == "" {
				name, title = collectionName(path), titleOf(path)
			}
			rules := access.Follow(vfs.Default, path, clock.Real{})
			c := set.add(name, title, access.NewGuard(index.OpenServed(vfs.Default, filepath.Join(path, "index"), filepath.Join(path, "log"), clock.Real{}),
				archiveStore(filepath.Join(path, "warc")), rules), source{archive: path})
			c.Crawls, c.Pictures = &crawlReports{dir: path, rules: rules}, filepath.Join(path, "derived", "thumbnails@1")
			set.archives[c.Name] = path
			continue
		}
		files := []string{path}
		if info.IsDir() {
			if files, err = looseFiles(path, isWebFile); err != nil {
				return nil, err
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("%s is no archive (it has no archive.json) and holds no WARC, ARC or WACZ files", path)
			}
			if name == "" {
				name = collectionName(path)
			}
		}
		if name == "" {
			name = looseName
		}
		if loose[name] == nil {
			order = append(order, name)
		}
		loose[name] = append(loose[name], files...)
	}
	for _, name := range order {
		title, files := name, loose[name]
		if name == looseName && len(files) == 1 {
			name, title = collectionName(files[0]), titleOf(files[0])
		}
		if err := set.addLoose(ctx, p, name, title, files); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// nameAndPath splits NAME=PATH; an existing path that has a = in it stands for itself.
func nameAndPath(arg string) (name, path string) {
	if _, err := os.Stat(arg); err == nil {
		return "", arg
	}
	if name, path, ok := strings.Cut(arg, "="); ok {
		return name, path
	}
	return "", arg
}

func isArchive(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "archive.json"))
	return err == nil
}

// titleOf is the last part of a path, without the end that says what kind of file it is.
func titleOf(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	name := filepath.Base(path)
	for _, end := range []string{".gz", ".zst", ".warc", ".arc", ".wacz", ".kavosh"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// collectionName makes of a path what may stand in a replay URL.
func collectionName(path string) string {
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, titleOf(path))
	if strings.Trim(name, "-.") == "" {
		return "archive"
	}
	return name
}

// add adds a collection under a name that no other has. What it returns holds until the next is added.
func (c *collections) add(name, title string, guarded *access.Guard, from source) *replay.Collection {
	free := name
	for n := 2; free == replay.All || slices.ContainsFunc(c.collections, func(x replay.Collection) bool { return x.Name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	c.guards[free] = guarded
	c.sources = append(c.sources, from)
	c.collections = append(c.collections, replay.Collection{Name: free, Title: title, Index: guarded, Store: guarded, Gate: guarded})
	return &c.collections[len(c.collections)-1]
}

// archiveStore opens the WARC files of an archive's warc folder; one that is still written bears .open.
type archiveStore string

// Open opens the file that the index calls filename.
func (s archiveStore) Open(filename string) (io.ReaderAt, int64, func(), error) {
	if !filepath.IsLocal(filename) {
		return nil, 0, nil, fmt.Errorf("the index names %q, which is outside the archive: run kavosh rebuild", filename)
	}
	path := filepath.Join(string(s), filename)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.Open(path + ".open")
	}
	if err != nil {
		return nil, 0, nil, err
	}
	return withSize(f)
}

func withSize(f *os.File) (io.ReaderAt, int64, func(), error) {
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, nil, err
	}
	return f, info.Size(), func() { f.Close() }, nil
}

// looseEnds are the ends of file names that are taken for web archives.
var looseEnds = []string{".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", ".wacz"}

// isWebFile reports whether a file is a web archive by its name; one that is being written bears .open.
func isWebFile(path string) bool {
	low := strings.TrimSuffix(strings.ToLower(path), ".open")
	return slices.ContainsFunc(looseEnds, func(end string) bool { return strings.HasSuffix(low, end) })
}

// looseFiles are the files below dir that is holds for, in the order of their names.
func looseFiles(dir string, is func(path string) bool) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && is(path) {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// looseStore opens loose files by the names that the index in memory has for them.
type looseStore map[string]func() (io.ReaderAt, int64, func(), error)

// Open opens the file that the index calls filename.
func (s looseStore) Open(filename string) (io.ReaderAt, int64, func(), error) {
	open, ok := s[filename]
	if !ok {
		return nil, 0, nil, fmt.Errorf("no file %q is served", filename)
	}
	return open()
}

// put keeps open under a name that no other file has, made of path's last part.
func (s looseStore) put(path string, open func() (io.ReaderAt, int64, func(), error)) string {
	name := filepath.Base(path)
	for n := 2; s[name] != nil; n++ {
		name = fmt.Sprintf("%d-%s", n, filepath.Base(path))
	}
	s[name] = open
	return name
}

// addLoose reads files into an index in memory. A file that is damaged is served as far as it goes.
func (c *collections) addLoose(ctx context.Context, p *program, name, title string, files []string) error {
	memory, store := &index.Memory{}, looseStore{}
	for _, path := range files {
		if err := readLoose(ctx, path, memory, store); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fmt.Fprintf(p.err, "kavosh: %s: %s\n", path, oneLine(err))
		}
	}
	if memory.Len() == 0 {
		return fmt.Errorf("%s: there is nothing to show in these files; kavosh check tells what they hold", strings.Join(files, ", "))
	}
	memory.Sort()
	c.add(name, title, access.NewGuard(memory, store, nil), source{files: files})
	return nil
}

// readLoose reads a WARC or ARC file, or those packed in a WACZ file, into memory and store.
func readLoose(ctx context.Context, path string, memory *index.Memory, store looseStore) error {
	return eachWARC(path, store, func(name string, f io.Reader) error { return memory.Read(ctx, f, name) })
}

// eachWARC reads a WARC or ARC file, or those packed in a WACZ file, each under the name by which store opens it from then on.
func eachWARC(path string, store looseStore, read func(name string, f io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	first := make([]byte, 4)
	n, _ := f.ReadAt(first, 0)
	if !wacz.IsZip(first[:n]) {
		defer f.Close()
		return read(store.put(path, func() (io.ReaderAt, int64, func(), error) {
			f, err := os.Open(path)
			if err != nil {
				return nil, 0, nil, err
			}
			return withSize(f)
		}), f)
	}
	// Left open: its WARC files are read out of it as long as the program runs.
	info, err := f.Stat()
	if err != nil {
		return err
	}
	zip, err := wacz.Open(f, info.Size())
	if err != nil {
		return err
	}
	var errs []error
	for _, member := range zip.WARCs() {
		section, err := zip.At(member)
		if err == nil {
			err = read(store.put(member, func() (io.ReaderAt, int64, func(), error) {
				return section, section.Size(), func() {}, nil
			}), section)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
