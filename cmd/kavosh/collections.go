package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/text/unicode/norm"

	"kavosh/access"
	"kavosh/archive"
	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/internal/clock"
	"kavosh/lib/ranges"
	"kavosh/replay"
	"kavosh/site"
)

// collections are the archives to serve, opened.
type collections struct {
	collections []site.Collection
	guards      map[string]*access.Guard // of each, by its name
	archives    map[string]string        // folders of those that are archives, by their names
	client      *ranges.Client           // reads files at servers
	studio      studio
	sources     []archive.Source // of each collection
	searcher    site.Searcher    // of all together; nil while nothing can be searched
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

// openCollections opens archives and loose files, each given as PATH or NAME=PATH. A file may lie at an HTTP server.
func openCollections(ctx context.Context, p *program, args []string) (*collections, error) {
	set := &collections{guards: map[string]*access.Guard{}, archives: map[string]string{}, client: newRanges()}
	loose := map[string][]string{} // files by collection
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
				name, title = collectionName(path), titleOf(path)
			}
			rules := access.Follow(vfs.Default, path, clock.Real{})
			c := set.add(name, title, access.NewGuard(index.OpenServed(vfs.Default, filepath.Join(path, "index"), filepath.Join(path, "log"), clock.Real{}),
				archive.Folder{FS: vfs.Default, Dir: filepath.Join(path, "warc")}, rules), archive.Source{Dir: path})
			c.Crawls, c.Pictures = &site.Reports{Dir: path, Rules: rules, Guard: set.guards[c.Name], Queued: waiting}, filepath.Join(path, "derived", "thumbnails@1")
			set.archives[c.Name] = path
			if c.About, err = about.Described(vfs.Default, path); err != nil {
				return nil, err
			}
			c.Picture.Data, c.Picture.Type = about.Picture(vfs.Default, path)
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
				name = collectionName(path)
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
			name, title = collectionName(files[0]), titleOf(files[0])
		}
		if err := set.addLoose(ctx, p, name, title, files); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// nameAndPath splits NAME=PATH; an existing path, or an address, that has a = in it stands for itself.
func nameAndPath(arg string) (name, path string) {
	if _, err := os.Stat(arg); err == nil || ranges.IsURL(arg) {
		return "", arg
	}
	if name, path, ok := strings.Cut(arg, "="); ok {
		return norm.NFC.String(name), path // of the ways to write a letter with its marks, the one that addresses have
	}
	return "", arg
}

// isArchive reports whether dir is an archive. An archive that this program cannot use, since it is damaged or newer, is an error.
func isArchive(dir string) (bool, error) { return about.Is(vfs.Default, dir) }

// titleOf is the last part of a path, without the end that says what kind of file it is.
func titleOf(path string) string {
	if u, err := url.Parse(path); err == nil && ranges.IsURL(path) {
		path = "/" + strings.TrimPrefix(cmp.Or(strings.Trim(u.Path, "/"), u.Host), "/")
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	name := filepath.Base(path)
	for _, end := range []string{".gz", ".zst", ".warc", ".arc", ".wacz", ".kavosh"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// maxPathName is how many letters of a path become a name; a number may follow.
const maxPathName = 60

// collectionName makes of a path what may stand in a replay URL.
func collectionName(path string) string {
	name := strings.Map(func(r rune) rune {
		if replay.InName(r) {
			return r
		}
		return '-'
	}, norm.NFC.String(titleOf(path)))
	name = strings.TrimLeftFunc(name, func(r rune) bool { return r == '.' || unicode.IsMark(r) || unicode.Is(unicode.Join_Control, r) })
	if letters := []rune(name); len(letters) > maxPathName {
		name = string(letters[:maxPathName])
	}
	name = strings.TrimRightFunc(name, func(r rune) bool { return unicode.Is(unicode.Join_Control, r) })
	if strings.Trim(name, "-.") == "" {
		return "archive"
	}
	return name
}

// add adds a collection under a name that no other has. What it returns holds until the next is added.
func (c *collections) add(name, title string, guarded *access.Guard, from archive.Source) *site.Collection {
	free := name
	for n := 2; free == replay.All || slices.ContainsFunc(c.collections, func(x site.Collection) bool { return x.Name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	c.guards[free] = guarded
	c.sources = append(c.sources, from)
	c.collections = append(c.collections, site.Collection{Title: about.Title(title), Collection: &replay.Collection{Name: free, Records: guarded.Records()}})
	return &c.collections[len(c.collections)-1]
}

// newRanges asks HTTP servers for parts of files.
func newRanges() *ranges.Client { return ranges.New(ranges.Options{UserAgent: "Kavosh/" + version()}) }

// addLoose makes a collection of files, which are paths and addresses.
func (c *collections) addLoose(ctx context.Context, p *program, name, title string, files []string) error {
	loose, err := archive.OpenLoose(ctx, c.client, files, func(path string, err error) {
		fmt.Fprintf(p.err, "kavosh: %s: %s\n", path, oneLine(withoutPath(err, path)))
	})
	if err != nil {
		return err
	}
	added := c.add(name, title, access.NewGuard(loose.Index, loose.Files, nil), archive.Source{Files: loose.Local})
	if len(files) == 1 {
		added.About = loose.About.Bounded()
	}
	return nil
}

// withoutPath is an error whose line begins with path, without it.
func withoutPath(err error, path string) error {
	if text, ok := strings.CutPrefix(err.Error(), path+": "); ok {
		return errors.New(text)
	}
	return err
}

// newSource is an archive's folder, or else files, to read captures from. What cannot be read is told, and left out.
func newSource(dir string, files []string, trouble func(string)) *archive.Source {
	return &archive.Source{Dir: dir, Files: files, Trouble: trouble, Broken: func(path string, err error) error {
		trouble(path + ": " + oneLine(err))
		return nil
	}}
}
