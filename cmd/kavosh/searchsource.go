package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/extract"
	"kavosh/index"
	"kavosh/internal/records"
	"kavosh/record"
	"kavosh/search"
)

// searchSource is the search index of an archive, or of loose files, and that of their links, each in a folder.
type searchSource struct {
	dir     string
	linkDir string
	archive string   // "" for files
	files   []string // WARC, ARC, WACZ
	remove  string   // a folder that lives as long as this; "" for none
	opened  archive.LooseFiles
	tell    func(line string) // how far it is; may be nil
	trouble func(line string)
	yield   func(ctx context.Context, worked time.Duration) // told how long was worked since it was last, waits as long as others go first; may be nil
}

// commitEvery is how long what was read may wait until it can be found.
const commitEvery = 30 * time.Second

// newSearchSource is the index of an archive; one in a folder for the time being of files, and of an archive that cannot be written.
func newSearchSource(archive string, files []string, trouble func(string)) (*searchSource, error) {
	s := &searchSource{archive: archive, files: files, trouble: trouble}
	if archive == "" {
		return s, s.temporary()
	}
	s.dir, s.linkDir = filepath.Join(archive, "derived", "search@1"), filepath.Join(archive, "derived", "links@1")
	w, err := search.OpenWriter(vfs.Default, s.dir)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return s, s.temporary()
	}
	if err == nil {
		err = w.Close()
	}
	if errors.Is(err, search.ErrInUse) {
		err = nil
	}
	return s, err
}

func (s *searchSource) temporary() (err error) {
	if s.remove, err = os.MkdirTemp("", "kavosh-search-"); err == nil {
		s.dir, s.linkDir = filepath.Join(s.remove, "search"), filepath.Join(s.remove, "links")
	}
	return err
}

// close removes what lives no longer.
func (s *searchSource) close() error {
	if s.remove == "" {
		return nil
	}
	return os.RemoveAll(s.remove)
}

// update adds to the index what its source has gained, and says how far in the capture log it is then. committed is called each time that more can be found; it may be nil. When
// another kavosh is adding to it, that is left to it, and whole is false.
func (s *searchSource) update(ctx context.Context, committed func() error) (end index.Cursor, whole bool, err error) {
	w, err := search.OpenWriter(vfs.Default, s.dir)
	if errors.Is(err, search.ErrInUse) {
		return end, false, nil
	}
	if err != nil {
		return end, false, err
	}
	links, err := index.OpenLinks(vfs.Default, s.linkDir)
	if err != nil {
		return end, false, errors.Join(err, w.Close())
	}
	pdf := search.FindPDF()
	var buffers extract.Buffers
	said := sync.OnceValue(func() packageTexts { return readPackageTexts(s.archive, s.trouble) }) // few archives need it
	g := &search.Gatherer{
		Writer: w, PDF: pdf, Links: links.Add, Trouble: func(url string, err error) { s.trouble(url + ": " + oneLine(err)) },
		Extract: func(p search.Payload) *kavosh.Page {
			page := extract.Extract(extract.Document{URL: p.URL, Status: p.Status, Header: p.Header, Payload: p.Body},
				extract.Options{Buffers: &buffers, MaxLinks: 2000, Needs: kavosh.Needs{Text: true}})
			if s.archive != "" && archive.IsImported(p.File) {
				said().complete(p.URL, page)
			}
			return page
		},
	}
	c := s.committer(w, links, committed)
	if s.archive != "" {
		err = s.follow(ctx, c, g)
	} else if err = c.reset(pdf != nil); err == nil {
		err = s.gather(ctx, c, g)
	}
	end.Generation, end.Position = w.Cursor()
	err = errors.Join(err, w.Close())
	return end, err == nil, err
}

// follow adds what the archive's capture log has gained. All is read again when a rebuild has made another log, when the links lack what the
// search has, and when there are PDF documents that can be read by now.
func (s *searchSource) follow(ctx context.Context, c *committer, g *search.Gatherer) error {
	generation, position := c.w.Cursor()
	from, linked := index.Cursor{Generation: generation, Position: position}, c.links.Cursor()
	if linked.Generation != generation || linked.Position < position || g.PDF != nil && c.w.LacksPDF() {
		from = index.Cursor{}
	}
	start, captures, err := archive.Follow(vfs.Default, s.archive, from)
	if err != nil {
		return err
	}
	if start != from || start.Position == 0 {
		if err := c.reset(g.PDF != nil); err != nil {
			return err
		}
	}
	g.Records = archive.RecordsOf(vfs.Default, s.archive)
	at := start
	for f, err := range captures {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = g.Add(ctx, &f.Capture)
		}
		if err == nil {
			at = f.Next
			err = c.step(ctx, g, at)
		}
		if err != nil {
			return err
		}
	}
	if at == from {
		return nil // nothing new
	}
	return c.commit(at)
}

// gather adds what files hold, each file once.
func (s *searchSource) gather(ctx context.Context, c *committer, g *search.Gatherer) error {
	s.opened = archive.LooseFiles{}
	g.Records = &records.Records{Files: s.opened}
	at := index.Cursor{Generation: 1}
	for _, path := range s.files {
		err := archive.EachWARC(path, s.opened, func(name string, f io.Reader) error {
			return record.Captures(f, name, func(found kavosh.Capture) error {
				err := ctx.Err()
				if err == nil {
					err = g.Add(ctx, &found)
				}
				if err == nil {
					at.Position++
					err = c.step(ctx, g, at)
				}
				return err
			}, func(offset int64, err error) { s.trouble(fmt.Sprintf("%s at byte %d: %v", name, offset, err)) })
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.trouble(path + ": " + oneLine(err))
		}
	}
	return c.commit(at)
}

// packageTexts are what imported packages say of pages, by their URLs: titles and texts as a browser showed them. Of several pages of
// a URL the one with the longest text counts.
type packageTexts map[string]archive.ImportedPage

// maxTexts is how many bytes of them are held; what comes after them is passed over.
const maxTexts = 64 << 20

// readPackageTexts reads them as far as they can be read.
func readPackageTexts(dir string, trouble func(string)) packageTexts {
	all, size := packageTexts{}, 0
	for page, err := range archive.ImportedPages(vfs.Default, dir) {
		if err != nil {
			trouble("what imported packages say of their pages: " + oneLine(err))
			break
		}
		if size += len(page.URL) + len(page.Title) + len(page.Text); size > maxTexts {
			break
		}
		if old, ok := all[page.URL]; !ok || len(page.Text) > len(old.Text) {
			all[page.URL] = page
		}
	}
	return all
}

// complete gives page what a package says of it, where that is more than the page itself holds: its scripts wrote it.
func (t packageTexts) complete(url string, page *kavosh.Page) {
	said, ok := t[url]
	if !ok {
		return
	}
	if page.Title == "" {
		page.Title = said.Title
	}
	if len(page.Text) < len(said.Text)/2 {
		page.Text = said.Text
	}
}

// committer commits now and then.
type committer struct {
	*searchSource
	w         *search.Writer
	links     *index.Links
	committed func() error
	last      time.Time // commit
	yielded   time.Time
	n         int64
}

// worked is after how much work others may go first: less than a reader notices.
const worked = 2 * time.Millisecond

func (s *searchSource) committer(w *search.Writer, links *index.Links, committed func() error) *committer {
	return &committer{searchSource: s, w: w, links: links, committed: committed, last: time.Now(), yielded: time.Now()}
}

// step counts a capture that was added, and commits when it is time.
func (c *committer) step(ctx context.Context, g *search.Gatherer, at index.Cursor) error {
	if c.n++; c.n%100 == 0 && c.tell != nil {
		c.tell(fmt.Sprintf(" %s read for searching", plural(c.n, "capture")))
	}
	if since := time.Since(c.yielded); c.yield != nil && since >= worked {
		c.yield(ctx, since)
		c.yielded = time.Now()
	}
	if !g.Full() && time.Since(c.last) < commitEvery {
		return nil
	}
	return c.commit(at)
}

// reset empties both indexes. pdf tells whether PDF documents can be read.
func (c *committer) reset(pdf bool) error {
	return errors.Join(c.links.Reset(), c.w.Reset(pdf))
}

// commit makes durable what both indexes were given. The links go first: what a crash leaves beyond the search is read again, and a line that
// comes twice counts once.
func (c *committer) commit(at index.Cursor) error {
	err := c.links.Commit(at)
	if err == nil {
		err = c.w.Commit(at.Generation, at.Position)
	}
	if err == nil && c.committed != nil {
		err = c.committed()
	}
	c.last = time.Now()
	return err
}
