package archive

// This file opens WARC, ARC and WACZ files that lie in no archive, on disk or at an HTTP server, so that they can be
// read like an archive.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"sync"

	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/lib/cdx"
	"kavosh/lib/ranges"
	"kavosh/lib/wacz"
)

// LooseFiles opens loose files by the names that they have in the index of their collection.
type LooseFiles map[string]func() (io.ReaderAt, int64, func(), error)

// Open opens the file with the given name in the index. It returns its size in bytes; done closes it.
func (s LooseFiles) Open(filename string) (io.ReaderAt, int64, func(), error) {
	open, ok := s[filename]
	if !ok {
		return nil, 0, nil, fmt.Errorf("no file %q is served", filename)
	}
	return open()
}

// put keeps open under a new name, made of the last part of path, and returns that name.
func (s LooseFiles) put(path string, open func() (io.ReaderAt, int64, func(), error)) string {
	name := filepath.Base(path)
	for n := 2; s[name] != nil; n++ {
		name = fmt.Sprintf("%d-%s", n, filepath.Base(path))
	}
	s[name] = open
	return name
}

// putMember keeps a file of a package, which stays open as long as the program runs. It returns the file's name.
func (s LooseFiles) putMember(zip *wacz.File, member string) string {
	return s.put(member, func() (io.ReaderAt, int64, func(), error) {
		section, err := zip.At(member)
		if err != nil {
			return nil, 0, nil, err
		}
		return section, section.Size(), func() {}, nil
	})
}

// LooseFile is an open WARC, ARC or WACZ file, on disk or at an HTTP server.
type LooseFile struct {
	io.ReaderAt
	Size  int64
	Close func()
	again func() (io.ReaderAt, int64, func(), error) // opens the file once more
}

// OpenLooseFile opens the file at a path. If client is not nil, path may also be an HTTP address.
func OpenLooseFile(ctx context.Context, client *ranges.Client, path string) (*LooseFile, error) {
	if ranges.IsURL(path) {
		f, err := client.Open(ctx, path)
		if err != nil {
			return nil, err
		}
		return &LooseFile{f, f.Size(), func() {}, func() (io.ReaderAt, int64, func(), error) { return f, f.Size(), func() {}, nil }}, nil
	}
	again := func() (io.ReaderAt, int64, func(), error) { return OpenFile(path) }
	f, size, done, err := again()
	return &LooseFile{f, size, done, again}, err
}

// IsWACZ reports whether the file is a WACZ package, by its first bytes.
func (f *LooseFile) IsWACZ() bool {
	first := make([]byte, 4)
	n, _ := f.ReadAt(first, 0)
	return wacz.IsZip(first[:n])
}

// Loose is a collection of WARC, ARC and WACZ files that lie in no archive. It is read like an archive that cannot be
// written.
type Loose struct {
	Index index.Joined
	Files LooseFiles
	About about.Description // what the last package says of itself
	Local []string          // those of the files that are on disk

	memory index.Memory // the index of files that have none themselves
	tell   func(path string, err error)
}

// errUnsearched is reported for a file at an HTTP address: its texts are not searched.
var errUnsearched = errors.New("its texts cannot be searched, since all of it would have to be fetched; kavosh import takes it into an archive")

// OpenLoose opens files, which are paths or HTTP addresses. A damaged file is opened as far as it can be read, and tell
// is called with its error.
func OpenLoose(ctx context.Context, client *ranges.Client, files []string, tell func(path string, err error)) (*Loose, error) {
	l := &Loose{Files: LooseFiles{}, tell: tell}
	for _, path := range files {
		err := l.add(ctx, client, path)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			tell(path, err)
		case ranges.IsURL(path):
			tell(path, errUnsearched)
		}
		if !ranges.IsURL(path) {
			l.Local = append(l.Local, path)
		}
	}
	l.memory.Sort()
	if l.Index = append(l.Index, &l.memory); !hasCaptures(ctx, l.Index) {
		return nil, fmt.Errorf("%s: there is nothing to show in these files; kavosh check tells what they hold", strings.Join(files, ", "))
	}
	return l, nil
}

// hasCaptures reports whether an index has captures. It also returns true if the index cannot be read.
func hasCaptures(ctx context.Context, x index.Joined) bool {
	for range x.Query(ctx, cdx.Query{URL: "*", Limit: 1}) {
		return true
	}
	return false
}

// add adds a file. A package has its own index, which is read when a look-up needs it. Any other file is read
// completely to index it.
func (l *Loose) add(ctx context.Context, client *ranges.Client, path string) error {
	f, err := OpenLooseFile(ctx, client, path)
	if err != nil {
		return err
	}
	if !f.IsWACZ() {
		defer f.Close()
		return l.memory.Read(ctx, io.NewSectionReader(f, 0, f.Size), l.Files.put(path, f.again))
	}
	zip, err := wacz.Open(f, f.Size)
	if err != nil {
		f.Close()
		return err
	}
	l.About = about.Description{Title: zip.Package.Title, Text: string(zip.Package.About)}
	for _, one := range zip.Packages() {
		if err := l.addPackage(ctx, path, one); err != nil {
			return err
		}
	}
	return nil
}

// addPackage adds a package. Its WARC files are then read inside the package.
func (l *Loose) addPackage(ctx context.Context, path string, one *wacz.File) error {
	names := map[string]string{}
	for _, member := range one.WARCs() {
		names[member] = l.Files.putMember(one, member)
	}
	x, err := one.OpenIndex()
	if err == nil {
		l.Index = append(l.Index, packageIndex{x, names})
		return nil
	}
	l.tell(path, fmt.Errorf("%w; its records are read through instead", err))
	for _, member := range one.WARCs() {
		section, err := one.At(member)
		if err == nil {
			err = l.memory.Read(ctx, section, names[member])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// packageIndex is the index of a package. It replaces the names of its files by those that LooseFiles has.
type packageIndex struct {
	index *wacz.Index
	names map[string]string
}

// Search returns entries as index.Part says.
func (p packageIndex) Search(from, to string, backward bool) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		for e, err := range p.index.Search(from, to, backward) {
			e.Filename = p.names[e.Filename]
			if !yield(e, err) {
				return
			}
		}
	}
}

// NamedFile is an open file, and the name by which a store opens it again.
type NamedFile struct {
	io.Reader
	Name string
}

// EachWARC yields the WARC or ARC file at path, or each such file in a WACZ file. store opens them from then on.
func EachWARC(path string, store LooseFiles) iter.Seq2[NamedFile, error] {
	return func(yield func(NamedFile, error) bool) {
		f, err := OpenLooseFile(context.Background(), nil, path)
		if err != nil {
			yield(NamedFile{}, err)
			return
		}
		if !f.IsWACZ() {
			defer f.Close()
			yield(NamedFile{io.NewSectionReader(f, 0, f.Size), store.put(path, f.again)}, nil)
			return
		}
		defer f.Close()
		zip, err := wacz.Open(f, f.Size)
		if err != nil {
			yield(NamedFile{}, err)
			return
		}
		again, number := sync.OnceValues(func() ([]*wacz.File, error) { return reopen(f) }), -1
		for _, one := range zip.Packages() {
			number++
			i := number
			for _, member := range one.WARCs() {
				name := store.put(member, func() (io.ReaderAt, int64, func(), error) {
					packages, err := again()
					if err != nil {
						return nil, 0, nil, err
					}
					section, err := packages[i].At(member)
					if err != nil {
						return nil, 0, nil, err
					}
					return section, section.Size(), func() {}, nil
				})
				section, err := one.At(member)
				if !yield(NamedFile{section, name}, err) {
					return
				}
			}
		}
	}
}

// reopen opens a WACZ file once more, and returns its packages in order. The file stays open as long as the program runs.
// It is called only for files of which single records are read again.
func reopen(f *LooseFile) (packages []*wacz.File, err error) {
	at, size, done, err := f.again()
	if err != nil {
		return nil, err
	}
	zip, err := wacz.Open(at, size)
	if err != nil {
		done()
		return nil, err
	}
	for _, one := range zip.Packages() {
		packages = append(packages, one)
	}
	return packages, nil
}
