package main

// This file looks at pages as they are replayed, for kavosh quality --rendered.

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/quality"
	"kavosh/record"
	"kavosh/replay/render"
	"kavosh/site"
)

// fidelity looks at pages as they are replayed, and prints what was found.
func (c *qualityCmd) fidelity(ctx context.Context, p *program, dir string) error {
	of, err := c.pages(dir)
	if err != nil {
		return err
	}
	q, err := c.hosts()
	if err != nil {
		return err
	}
	set, err := openCollections(ctx, p, []string{dir})
	if err != nil {
		return err
	}
	server, err := site.New(site.Options{Collections: set.collections, Trouble: func(string) {}}) // what is missing is told page by page
	if err != nil {
		return err
	}
	set.renderer.Pages = server.ReplayHandler()
	defer set.renderer.Close()
	if err := set.renderer.Works(); err != nil {
		return err
	}
	standIn, err := archive.StandIns(vfs.Default, dir)
	if err != nil {
		return err
	}
	keeper, err := c.keeper(dir)
	if err != nil {
		return err
	}
	looker := quality.Looker{Reader: archive.QualityOf(vfs.Default, dir, clock.Real{}), Render: renders(&set.renderer, set.collections[0].Name), Keep: keeper.keep,
		StandsIn: func(e *cdx.Entry) kavosh.StandIn { return standIn(&kavosh.Capture{File: e.Filename, Offset: e.Offset}) }}
	line := newProgress(p.err)
	var share *quality.Share
	looks, n, err := looker.Looks(ctx, q, of, c.Rendered, 1, func(n int) { line.draw(fmt.Sprintf(" %s looked at", plural(n, "page"))) },
		func(k *quality.Look, of int) bool {
			if share == nil {
				share = quality.NewShare(of)
			}
			share.Add(k.Faithful())
			return c.Within > 0 && share.Within(c.Within/100)
		})
	line.stop()
	if err := errors.Join(err, keeper.end(n, looks, err == nil)); err != nil {
		return err
	}
	f := quality.NewFidelity(n, c.Limit)
	for _, k := range looks {
		f.Add(k)
	}
	proposals, err := set.collections[0].Proposals(ctx, c.Crawl, c.Host, f.Proposals())
	switch {
	case err != nil:
		return err
	case c.JSON:
		return printJSON(p.out, struct {
			*quality.Fidelity
			Proposals []quality.Proposal `json:"proposals"`
		}{f, reasoned(proposals, dir)})
	case f.Pages == 0:
		return c.noPages(dir)
	}
	_, err = io.WriteString(p.out, fidelityText(f))
	printProposals(p.out, proposals, dir)
	return err
}

// renders returns what renders captures of a collection, in the window that is wanted or the usual one.
func renders(r *render.Renderer, coll string) func(context.Context, *cdx.Entry, image.Point, ...kavosh.RenderingKind) ([]kavosh.Rendering, error) {
	return func(ctx context.Context, e *cdx.Entry, window image.Point, kinds ...kavosh.RenderingKind) ([]kavosh.Rendering, error) {
		if window == (image.Point{}) {
			window = render.Window
		}
		return r.RenderIn(ctx, window, "/"+url.PathEscape(coll)+"/"+e.Timestamp+"if_/"+e.URL, kinds...)
	}
}

// keeper keeps what was rendered, and what was found: below the folder derived, in place of what was kept before. The zero value keeps
// nothing.
type keeper struct {
	dir      string
	id       string // of this look, part of the names of files
	lock     io.Closer
	recorder *record.Recorder
	n        uint64
}

// keeper returns the keeper of an archive; one that keeps nothing if only some pages are asked for, if others look at the same time, or where
// nobody may write.
func (c *qualityCmd) keeper(dir string) (*keeper, error) {
	k := &keeper{dir: vfs.Default.PathJoin(dir, "derived", quality.LooksName), id: time.Now().UTC().Format("20060102150405000")}
	if c.Host != "" || c.Crawl != "" {
		return &keeper{}, nil
	}
	var err error
	switch k.lock, err = disk.Lock(vfs.Default, k.dir); {
	case errors.Is(err, disk.ErrInUse), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &keeper{}, nil
	case err != nil:
		return nil, err
	}
	k.recorder = record.New(record.Options{FS: vfs.Default, Dir: k.dir, Crawl: k.id, Clock: clock.Real{}, Info: warc.Header{
		{Name: "software", Value: "Kavosh/" + version()}, {Name: "description", Value: "pages of an archive as they were replayed, by the time of their captures"}}})
	return k, nil
}

// keep keeps what was rendered of a capture.
func (k *keeper) keep(e *cdx.Entry, made []kavosh.Rendering) error {
	if k.recorder == nil {
		return nil
	}
	k.n++
	_, err := k.recorder.WriteRenderings(&kavosh.Task{ID: k.n, URL: e.URL}, &kavosh.Capture{URL: e.URL, Time: e.Time(), Digest: e.Digest}, made)
	return err
}

// end keeps what was found of so many pages, if all went well, and removes what is out of date.
func (k *keeper) end(of int, looks []*quality.Look, well bool) (err error) {
	if k.recorder == nil {
		return nil
	}
	defer func() { err = errors.Join(err, k.lock.Close()) }()
	if err := k.recorder.Close(); err != nil {
		return err
	}
	if well {
		if err := quality.KeepLooks(vfs.Default, k.dir, time.Now(), of, looks); err != nil {
			return err
		}
	}
	files, err := record.Files(vfs.Default, k.dir)
	for _, name := range files {
		if record.CrawlOf(name) == k.id != well {
			err = errors.Join(err, vfs.Default.Remove(vfs.Default.PathJoin(k.dir, name)))
		}
	}
	return err
}

// fidelityText says in words what was found.
func fidelityText(f *quality.Fidelity) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s looked at as replayed: nothing is wrong with %s\n", plural(f.Pages, "page"), count(f.Faithful))
	for _, of := range []struct {
		n    int
		what string
	}{{f.Lacking, "lack parts"}, {f.Blank, "are blank"}, {f.Failed, "could not be rendered"}, {f.Leaking, "asked for something outside of the archive, in vain"}, {f.Cut, "have parts that are not whole"}} {
		if of.n > 0 {
			fmt.Fprintf(&b, "  %s %s\n", count(of.n), of.what)
		}
	}
	for _, kind := range kavosh.StandIns() {
		if n := f.StandIns[kind]; n > 0 {
			fmt.Fprintf(&b, "  %s in place of which %s answered\n", count(n), standIns[kind])
		}
	}
	if f.Compared > 0 {
		fmt.Fprintf(&b, "  %s beside a picture of their capture: SSIM %.3f on average\n", count(f.Compared), f.Likeness)
	}
	fmt.Fprintf(&b, "  %s picked at random out of %s: of all pages, nothing is wrong with %s to %s, and the damage is %s to %s\n", count(f.Random), plural(f.Of, "page"),
		percent(f.Share.Low), percent(f.Share.High), percent(f.Damage.Low), percent(f.Damage.High))
	if len(f.Worst) > 0 {
		b.WriteString("\nThe worst pages, by damage:\n")
	}
	for _, k := range f.Worst {
		fmt.Fprintf(&b, "%7s  %s\n", percent(k.Damage), k.URL)
		for _, what := range lookText(k) {
			fmt.Fprintf(&b, "         %s\n", what)
		}
	}
	return b.String()
}

// lookText says in lines what is wrong with a page.
func lookText(k *quality.Look) (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if k.Failed != "" {
		say("could not be rendered: %s", k.Failed)
	}
	if k.Blank {
		say("is blank")
	}
	if k.StandIn != kavosh.NoStandIn {
		say("%s answered in its place", standIns[k.StandIn])
	}
	for i := range k.Lacks[:min(len(k.Lacks), maxNamed)] {
		say("lacks %s: %s of the page", partText(&k.Lacks[i]), percent(k.Lacks[i].Share))
	}
	if more := max(0, len(k.Lacks)-maxNamed) + k.More; more > 0 {
		say("and %s", plural(more, "more part"))
	}
	for _, url := range k.Leaks[:min(len(k.Leaks), maxNamed)] {
		say("asks the live web for %s", url)
	}
	for _, url := range k.Cut[:min(len(k.Cut), maxNamed)] {
		say("%s is not whole", url)
	}
	if b := k.Beside; b != nil && b.Picture != nil {
		say("SSIM %.3f beside the picture of its capture", *b.Picture)
	}
	return lines
}
