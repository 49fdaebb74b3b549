package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"kavosh/access"
	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/lib/cdx"
	"kavosh/lib/ranges"
	"kavosh/lib/wacz"
)

// looseStore opens loose files by the names that the index of their collection has for them.
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

// putMember keeps a file of a package, which stays open as long as the program runs.
func (s looseStore) putMember(zip *wacz.File, member string) string {
	return s.put(member, func() (io.ReaderAt, int64, func(), error) {
		section, err := zip.At(member)
		if err != nil {
			return nil, 0, nil, err
		}
		return section, section.Size(), func() {}, nil
	})
}

// newRanges asks HTTP servers for parts of files.
func newRanges() *ranges.Client { return ranges.New(ranges.Options{UserAgent: "Kavosh/" + version()}) }

// looseFile is an open WARC, ARC or WACZ file, on disk or at an HTTP server.
type looseFile struct {
	io.ReaderAt
	size  int64
	close func()
	again func() (io.ReaderAt, int64, func(), error) // opens it once more
}

// openLoose opens the file at a path, or at an address if there is a client to ask.
func openLoose(ctx context.Context, client *ranges.Client, path string) (*looseFile, error) {
	if ranges.IsURL(path) {
		f, err := client.Open(ctx, path)
		if err != nil {
			return nil, err
		}
		return &looseFile{f, f.Size(), func() {}, func() (io.ReaderAt, int64, func(), error) { return f, f.Size(), func() {}, nil }}, nil
	}
	again := func() (io.ReaderAt, int64, func(), error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, 0, nil, err
		}
		return withSize(f)
	}
	f, size, done, err := again()
	return &looseFile{f, size, done, again}, err
}

// isWACZ reports whether a file is one by its first bytes.
func (f *looseFile) isWACZ() bool {
	first := make([]byte, 4)
	n, _ := f.ReadAt(first, 0)
	return wacz.IsZip(first[:n])
}

// addLoose makes a collection of files, which are paths and addresses. A file that is damaged is served as far as it goes.
func (c *collections) addLoose(ctx context.Context, p *program, name, title string, files []string) error {
	l := &looseIndex{memory: &index.Memory{}, store: looseStore{}, tell: func(path, text string) { fmt.Fprintf(p.err, "kavosh: %s: %s\n", path, text) }}
	var local []string
	for _, path := range files {
		if err := l.add(ctx, c.client, path); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			l.tell(path, oneLine(withoutPath(err, path)))
		} else if ranges.IsURL(path) {
			l.tell(path, "its texts cannot be searched, since all of it would have to be fetched; kavosh import takes it into an archive")
		}
		if !ranges.IsURL(path) {
			local = append(local, path)
		}
	}
	l.memory.Sort()
	parts := append(l.parts, l.memory)
	if !hasCaptures(ctx, parts) {
		return fmt.Errorf("%s: there is nothing to show in these files; kavosh check tells what they hold", strings.Join(files, ", "))
	}
	added := c.add(name, title, access.NewGuard(parts, l.store, nil), source{files: local})
	if len(files) == 1 {
		added.About = l.about.Bounded()
	}
	return nil
}

// hasCaptures reports whether an index has any, or cannot say.
func hasCaptures(ctx context.Context, x index.Joined) bool {
	for range x.Query(ctx, cdx.Query{URL: "*", Limit: 1}) {
		return true
	}
	return false
}

// withoutPath is an error whose line begins with path, without it.
func withoutPath(err error, path string) error {
	if text, ok := strings.CutPrefix(err.Error(), path+": "); ok {
		return errors.New(text)
	}
	return err
}

// looseIndex is the index of a collection of files while it is made.
type looseIndex struct {
	memory *index.Memory // of what has no index
	parts  index.Joined  // of packages that have one
	store  looseStore
	tell   func(path, text string)
	about  about.Description // of the last package, by itself
}

// add adds a file: a package by its own index, which is read where look-ups need it, any other by reading it through.
func (l *looseIndex) add(ctx context.Context, client *ranges.Client, path string) error {
	f, err := openLoose(ctx, client, path)
	if err != nil {
		return err
	}
	if !f.isWACZ() {
		defer f.close()
		return l.memory.Read(ctx, io.NewSectionReader(f, 0, f.size), l.store.put(path, f.again))
	}
	zip, err := wacz.Open(f, f.size)
	if err != nil {
		f.close()
		return err
	}
	l.about = about.Description{Title: zip.Package.Title, Text: string(zip.Package.About)}
	for _, one := range zip.Packages() {
		if err := l.addPackage(ctx, path, one); err != nil {
			return err
		}
	}
	return nil
}

// addPackage adds a package, whose WARC files are read out of it from then on.
func (l *looseIndex) addPackage(ctx context.Context, path string, one *wacz.File) error {
	names := map[string]string{}
	for _, member := range one.WARCs() {
		names[member] = l.store.putMember(one, member)
	}
	x, err := one.OpenIndex()
	if err == nil {
		l.parts = append(l.parts, packageIndex{x, names})
		return nil
	}
	l.tell(path, oneLine(err)+"; its records are read through instead")
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

// packageIndex is the index of a package, whose files the store has under other names.
type packageIndex struct {
	index *wacz.Index
	names map[string]string
}

// Search gives entries as index.Part says.
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

// eachWARC reads a WARC or ARC file on disk, or those packed in a WACZ file, each under the name by which store opens it from then
// on.
func eachWARC(path string, store looseStore, read func(name string, f io.Reader) error) error {
	f, err := openLoose(context.Background(), nil, path)
	if err != nil {
		return err
	}
	if !f.isWACZ() {
		defer f.close()
		return read(store.put(path, f.again), io.NewSectionReader(f, 0, f.size))
	}
	// Left open: its WARC files are read out of it as long as the program runs.
	zip, err := wacz.Open(f, f.size)
	if err != nil {
		return err
	}
	var errs []error
	for _, one := range zip.Packages() {
		for _, member := range one.WARCs() {
			section, err := one.At(member)
			if err == nil {
				err = read(store.putMember(one, member), section)
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
