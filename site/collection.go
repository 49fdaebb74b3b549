package site

// This file is a collection as the archive's pages need it.

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
	"kavosh/search"
	"kavosh/site/draw"
)

// Collection is an archive with all that pages need to show it.
type Collection struct {
	*replay.Collection
	Title string // what people read where About has no title; "" = its name
	About about.Description
	// Searcher searches the collection; nil if it cannot be searched.
	Searcher kavosh.Searcher
	Titles   func(of []search.Payload) []string // titles of payloads, "" where unknown; nil if no title is known
	Links    records.Index                      // index of links by target (docs/formats/links-in.md); nil if there is none
	Reading  func() bool                        // whether captures are still being indexed for search and links; nil means no
	Crawls   Crawls                             // nil if nothing is known about them
	Picture  Picture                            // a picture that stands for the collection
	Pictures string                             // folder that thumbnails of its pages are kept in; "" for none
	Dir      string                             // of the archive; "" for files
	Files    []string                           // the local files of a collection that is no archive
	Guard    *access.Guard

	members   []*Collection // whose captures it shows: itself alone, or all others
	addresses *replay.Addresses
}

// Picture is an image that a person chose for a collection. The zero value means none.
type Picture struct {
	Data []byte
	Type string // a media type of images that cannot contain scripts
}

// summary returns a collection's name and title for a page, without its numbers.
func (c *Collection) summary() draw.Summary {
	return draw.Summary{Name: c.Name, Title: c.Title, About: c.About, All: c.Name == replay.All,
		Picture: c.Picture.Data != nil, Crawls: c.Crawls != nil, Search: c.Searcher != nil}
}

// page returns the URL of one of the collection's pages.
func (c *Collection) page(name string) string { return c.addresses.Home + "/c/" + c.Name + "/" + name }

// replayed returns the replay URL of a capture; mod is a modifier of package rewrite.
func (c *Collection) replayed(stamp, mod, url string) string {
	return c.addresses.Replay + c.Path(stamp, mod, url)
}

// OpenArchive opens the archive in the folder dir as a collection with a name and a title. live tells of its crawls that
// have not ended.
func OpenArchive(dir, name, title string, live Live) (c Collection, err error) {
	rules := access.Follow(vfs.Default, dir, clock.Real{})
	c = guarded(name, title, access.NewGuard(index.OpenServed(vfs.Default, filepath.Join(dir, "index"), filepath.Join(dir, "log"), clock.Real{}),
		archive.Folder{FS: vfs.Default, Dir: filepath.Join(dir, "warc")}, rules))
	c.Dir, c.Pictures = dir, filepath.Join(dir, "derived", "thumbnails@1")
	c.Crawls = &Reports{Dir: dir, Rules: rules, Guard: c.Guard, Live: live}
	c.Picture.Data, c.Picture.Type = about.Picture(vfs.Default, dir)
	c.About, err = about.Described(vfs.Default, dir)
	return c, err
}

// OpenFiles makes a collection of WARC, ARC and WACZ files, with a name and a title. files has paths and URLs. trouble
// is called for each file that cannot be read.
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

// Unused returns a name that no collection in list has: the given one, or the given one with a number.
func Unused(list []Collection, name string) string {
	free := name
	for n := 2; free == replay.All || slices.ContainsFunc(list, func(c Collection) bool { return c.Name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// TitleOf returns the last part of a path, without its file extension.
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

// maxPathName is the most letters of a name that is made of a path; a number may follow.
const maxPathName = 60

// NameOf makes the name of a collection from a path.
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
