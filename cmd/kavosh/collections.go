package main

// This file opens the archives and loose files that kavosh serve shows.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/text/unicode/norm"

	"kavosh"
	"kavosh/archive"
	"kavosh/engine"
	"kavosh/internal/about"
	"kavosh/lib/ranges"
	"kavosh/replay/render"
	"kavosh/replay/thumbnail"
	"kavosh/site"
)

// collections has the opened archives to serve.
type collections struct {
	collections []site.Collection
	renderer    render.Renderer
	studio      thumbnail.Studio
	searcher    kavosh.Searcher // searches all collections together; nil if none can be searched
}

// cause returns why a path cannot be used, without the path.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// looseName is the name of the collection of loose files that were given no name.
const looseName = "files"

// openCollections opens archives and loose files, each given as PATH or NAME=PATH. A file may lie at an HTTP server.
func openCollections(ctx context.Context, p *program, args []string) (*collections, error) {
	set, client := &collections{}, newRanges()
	loose := map[string][]string{} // by collection: its loose files
	var order []string
	for _, arg := range args {
		name, path := nameAndPath(arg)
		keep := func(files ...string) {
			name := cmp.Or(name, looseName)
			if loose[name] == nil {
				order = append(order, name)
			}
			loose[name] = append(loose[name], files...)
		}
		if ranges.IsURL(path) {
			keep(path)
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			if err := missing(path); err != nil {
				return nil, err
			}
			return nil, fmt.Errorf("cannot open %s: %w; name an archive's folder, or WARC, ARC and WACZ files", path, cause(err))
		}
		is, err := isArchive(path)
		if err != nil {
			return nil, err
		}
		if is {
			title := name
			if name == "" {
				name, title = site.NameOf(path), site.TitleOf(path)
			}
			c, err := site.OpenArchive(path, site.Unused(set.collections, name), title, site.Live{Queued: engine.Waiting, Running: running})
			if err != nil {
				return nil, err
			}
			set.collections = append(set.collections, c)
			continue
		}
		files := []string{path}
		if info.IsDir() {
			if files, err = archive.FilesBelow(path, archive.IsWebFile); err != nil {
				return nil, err
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("%s is no archive (it has no archive.json) and holds no WARC, ARC or WACZ files", path)
			}
			if name == "" {
				name = site.NameOf(path)
			}
		}
		keep(files...)
	}
	for _, name := range order {
		title, files := name, loose[name]
		if err := archive.OutsideArchives(files); err != nil {
			return nil, err
		}
		if name == looseName && len(files) == 1 {
			name, title = site.NameOf(files[0]), site.TitleOf(files[0])
		}
		c, err := site.OpenFiles(ctx, client, files, site.Unused(set.collections, name), title, func(path string, err error) {
			fmt.Fprintf(p.err, "kavosh: %s: %s\n", path, oneLine(withoutPath(err, path)))
		})
		if err != nil {
			return nil, err
		}
		set.collections = append(set.collections, c)
	}
	return set, nil
}

// nameAndPath splits NAME=PATH. An existing path or an address may contain = itself, and is then not split.
func nameAndPath(arg string) (name, path string) {
	if _, err := os.Stat(arg); err == nil || ranges.IsURL(arg) {
		return "", arg
	}
	if name, path, ok := strings.Cut(arg, "="); ok {
		return norm.NFC.String(name), path // letters with marks in the form that URLs have
	}
	return "", arg
}

// isArchive reports whether dir is an archive. An archive that this program cannot use, because it is damaged or newer,
// is an error.
func isArchive(dir string) (bool, error) { return about.Is(vfs.Default, dir) }

// newRanges returns a client that reads parts of files at HTTP servers.
func newRanges() *ranges.Client { return ranges.New(ranges.Options{UserAgent: "Kavosh/" + version()}) }

// withoutPath returns err without path at the beginning of its text.
func withoutPath(err error, path string) error {
	if text, ok := strings.CutPrefix(err.Error(), path+": "); ok {
		return errors.New(text)
	}
	return err
}
