package site

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/text/unicode/norm"

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/internal/clock"
	"kavosh/internal/records"
	"kavosh/lib/ranges"
	"kavosh/replay"
	"kavosh/site/draw"
)

// Searcher answers questions to the texts and pictures of a collection.
type Searcher interface {
	Search(ctx context.Context, q kavosh.Search) (*kavosh.SearchResult, error)
}

// Collection is an archive as the pages tell of it.
type Collection struct {
	*replay.Collection
	Title string // what people read where About has no title; "" = its name
	About about.Description
	// Searcher answers searches; nil where there is nothing to search.
	Searcher Searcher
	Links    records.Index // of links, as docs/formats/links-in.md has them; nil where nobody collects them
	Reading  func() bool   // whether captures are still being read for searching and for links; nil for no
	Crawls   Crawls        // nil where nothing is known of them
	Picture  Picture       // of the collection itself
	Pictures string        // folder that thumbnails of its pages are kept in; "" for none
	Dir      string        // of the archive; "" for files
	Files    []string      // that lie on this machine, of a collection that is no archive
	Guard    *access.Guard

	members   []*Collection // whose captures it shows: itself, or all
	addresses *replay.Addresses
}

// Picture is an image that a person gave a collection; the zero value is none.
type Picture struct {
	Data []byte
	Type string // one of the media types of images that have no scripts
}

// summary names a collection for a page, without its numbers.
func (c *Collection) summary() draw.Summary {
	return draw.Summary{Name: c.Name, Title: c.Title, About: c.About, All: c.Name == replay.All, Picture: c.Picture.Data != nil, Crawls: c.Crawls != nil, Search: c.Searcher != nil}
}

// page is the address of one of the collection's pages.
func (c *Collection) page(name string) string { return c.addresses.Home + "/c/" + c.Name + "/" + name }

// replayed is the address of a capture on the replay's origin, in the form of a modifier of package rewrite.
func (c *Collection) replayed(stamp, mod, url string) string {
	return c.addresses.Replay + c.Path(stamp, mod, url)
}

// OpenArchive opens the archive in a folder, under a name and a title; queued is as [Reports] has it.
func OpenArchive(dir, name, title string, queued func(dir string, crawl archive.Crawl, url string) (archive.Line, bool)) (c Collection, err error) {
	rules := access.Follow(vfs.Default, dir, clock.Real{})
	c = guarded(name, title, access.NewGuard(index.OpenServed(vfs.Default, filepath.Join(dir, "index"), filepath.Join(dir, "log"), clock.Real{}),
		archive.Folder{FS: vfs.Default, Dir: filepath.Join(dir, "warc")}, rules))
	c.Dir, c.Pictures = dir, filepath.Join(dir, "derived", "thumbnails@1")
	c.Crawls = &Reports{Dir: dir, Rules: rules, Guard: c.Guard, Queued: queued}
	c.Picture.Data, c.Picture.Type = about.Picture(vfs.Default, dir)
	c.About, err = about.Described(vfs.Default, dir)
	return c, err
}

// OpenFiles makes a collection of WARC, ARC and WACZ files, which are paths and addresses, under a name and a title. Of files that
// cannot be read trouble is told.
func OpenFiles(ctx context.Context, client *ranges.Client, files []string, name, title string, trouble func(path string, err error)) (Collection, error) {
	loose, err := archive.OpenLoose(ctx, client, files, trouble)
	if err != nil {
		return Collection{}, err
	}
	c := guarded(name, title, access.NewGuard(loose.Index, loose.Files, nil))
	if c.Files = loose.Local; len(files) == 1 {
		c.About = loose.About.Bounded()
	}
	return c, nil
}

func guarded(name, title string, g *access.Guard) Collection {
	return Collection{Collection: &replay.Collection{Name: name, Records: g.Records()}, Title: about.Title(title), Guard: g}
}

// Unused is a name that no collection of a list has: the one given, or that with a number.
func Unused(list []Collection, name string) string {
	free := name
	for n := 2; free == replay.All || slices.ContainsFunc(list, func(c Collection) bool { return c.Name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// TitleOf is the last part of a path, without the end that says what kind of file it is.
func TitleOf(path string) string {
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

// NameOf makes of a path what may stand in a replay URL.
func NameOf(path string) string {
	name := strings.Map(func(r rune) rune {
		if replay.InName(r) {
			return r
		}
		return '-'
	}, norm.NFC.String(TitleOf(path)))
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
