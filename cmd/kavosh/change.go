package main

// This file is the command kavosh change: it says what changed on a page between two captures, or on all pages between
// two crawls, and how much it matters.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/change"
	"kavosh/internal/clock"
	"kavosh/internal/disk"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/dates"
	"kavosh/lib/segment"
	"kavosh/lib/warc"
	"kavosh/replay"
	"kavosh/seeds"
	"kavosh/site"
)

type changeCmd struct {
	target
	Args     []string `arg:"" optional:"" name:"archive-and-url" help:"The archive's folder, then the URL of a page. Without URL: all pages that two crawls have."`
	From     string   `placeholder:"DATE" help:"The older version: what the page showed at the end of that day, month or year, UTC: 2024-03-05, 2024-03, 2024, or of the Jalali calendar: 1402/12/15. Default: the newest that differs from the other. Without URL: the latest crawl that began up to then, or a crawl's ID."`
	To       string   `placeholder:"DATE" help:"The newer version, alike. Default: the newest capture, or the latest crawl."`
	Offset   int      `placeholder:"N" help:"Pages to leave out at the beginning of each list."`
	Limit    int      `default:"20" least:"1" most:"10000" placeholder:"N" help:"Pages of each list, at most 10000."`
	Rendered bool     `help:"Cut pages as Chromium shows them, and not by their HTML alone: one or two seconds a version, each time. Needs apt-get install chromium."`
	Together bool     `name:"coherence" help:"Say which pages of the older crawl can have been seen together at its end, as the newer crawl shows by visiting them again, and how that is known; with a URL, when that page was as it is in the archive. Of a crawl with --revisit once, its two rounds are compared."`
	Rhythm   string   `placeholder:"HOST" help:"Without URL: say at which hours of which days the pages of a host change, and how much it matters then."`
	Calendar string   `placeholder:"NAME" help:"With --rhythm: whose weekends and holidays count, world, iran, afghanistan, france or gulf, in the time zone of that place; another zone as world,zone=America/New_York. Default: that of the newest crawl with --revisit, or of the host's country."`
	JSON     bool     `name:"json" help:"Print the changes as one JSON object."`
	HTML     string   `name:"html" placeholder:"FILE" help:"Write a page that stands alone, in English and Persian, of one page: what changed, and where on it."`
	XML      string   `name:"xml" choice:"none,delta,blocks" default:"none" placeholder:"WHAT" help:"Print XML, of one page: delta, the changes (Vi-Delta); blocks, the newer version cut into blocks (Vi-XML)."`
}

// Help returns the text above the flags in the help.
func (changeCmd) Help() string {
	return `Examples:

    kavosh change news.kavosh                               between the last two crawls
    kavosh change news.kavosh --from 2024-03 --limit 100
    kavosh change news.kavosh --coherence                   did the pages of the last but one fit together?
    kavosh change news.kavosh --coherence https://example.org/   when was this page so?
    kavosh change news.kavosh --rhythm example.org          at which hours do its pages change?
    kavosh change news.kavosh https://example.org/
    kavosh change news.kavosh https://example.org/ --from 2024-03 --to 2024-04
    kavosh change news.kavosh https://example.org/ --from 1402/12 --json
    kavosh change news.kavosh https://example.org/ --html changes.html
    kavosh change news.kavosh https://example.org/ --rendered --xml delta

Says what changed on a page between two captures, as a reader sees it: parts of the page that came, went, moved, were split or merged, and the links, images and texts in them. That parts next to each other changed places is no change. The importance, from 0 to 1, says how much of the page changed, what is in the middle of it more than menus, and these more than its foot. A second number counts less what changed often in up to eight versions before. Noise is counted by its kind and weighs nothing: adverts, counters of visits, dates of today, session tokens, lists such as "most read", banners that ask for consent, and what came and went before; --json has each with its kind.

Without URL, it lists the pages that are new, changed (what matters most first) or gone between two crawls. Pages that the newer crawl did not ask for are counted only. Of a crawl that goes on (--revisit), it compares what was found up to --from with what was found from then up to --to; by default, with what the last day brought.

--coherence tells how far the older crawl is a picture of one moment, though its pages were visited one after another: whether each could still be seen when the crawl ended. The newer crawl is the second visit. A page is coherent if it was the same then (its bytes, the word of the server, or all but noise), or if Last-Modified or a date in the page says that it changed after the crawl; incoherent if that says that it changed during the crawl; else unknown. A crawl with --revisit once is its own second visit, and checks some answers that say "not modified" by asking for the whole page: where one is not true, no other of its host is believed.

--rhythm draws two heat maps, of hours and kinds of days: how often the pages of a host change, and how much changes that matters. They rest on all captures, and on visits that --keep left without a copy. A change found long after the visit before is shared out among the hours between. kavosh serve draws the same on the page of a host.

The page is cut into parts by its HTML alone, unless --rendered: what only its scripts or styles make is not seen. Both cut alike, or are not compared. What was cut and compared by HTML is kept in derived/. What kavosh access has closed is left out. Exit status 1: there are no two captures or crawls to compare.`
}

// Run prints what changed.
func (c *changeCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 1 {
		return usage("kavosh change takes one URL; %q is too much", rest[1])
	}
	if c.Together && (c.Rendered || c.XML != "none" || c.HTML != "") {
		return usage("--coherence goes by the HTML of pages, and is told in text or JSON: leave out --rendered, --xml and --html")
	}
	if len(rest) == 0 && c.XML != "none" {
		return usage("--xml is of one page: name its URL")
	}
	if len(rest) == 0 && c.HTML != "" {
		return usage("--html is of one page: name its URL")
	}
	if c.Rhythm != "" && (len(rest) > 0 || c.Together || c.From != "" || c.To != "") || c.Rhythm == "" && c.Calendar != "" {
		return usage("--rhythm is of all visits of the pages of a host, without URL, --coherence, --from and --to; --calendar goes with it")
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	r, done, err := c.reader(ctx, p, dir)
	if err != nil {
		return err
	}
	if c.Rhythm != "" {
		return errors.Join(c.rhythm(ctx, p, dir, r), done())
	}
	if c.Together {
		url := ""
		if len(rest) > 0 {
			if url, err = seeds.Key(rest[0]); err != nil {
				return errors.Join(usageError{err.Error()}, done())
			}
		}
		return errors.Join(c.coherence(ctx, p, dir, url, r), done())
	}
	if len(rest) == 0 {
		return errors.Join(c.crawls(ctx, p, dir, r), done())
	}
	return errors.Join(c.page(ctx, p, dir, rest[0], r), done())
}

// reader opens what the archive shows to everybody. done ends it.
func (c *changeCmd) reader(ctx context.Context, p *program, dir string) (r *change.Reader, done func() error, err error) {
	end := func() error { return nil }
	var layout func(context.Context, *cdx.Entry) (*segment.Layout, error)
	if c.Rendered {
		if layout, err = renderer(ctx, p, dir, &end); err != nil {
			return nil, nil, err
		}
	}
	r, closed, err := openChanges(dir)
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	r.Layout = layout
	return r, func() error { return errors.Join(closed(), end()) }, nil
}

// openChanges opens what the archive shows to everybody, and what is kept of earlier comparisons. done ends it.
func openChanges(dir string) (r *change.Reader, done func() error, err error) {
	r = &change.Reader{Records: openRecords(dir)}
	switch r.Kept, err = change.OpenKept(vfs.Default, vfs.Default.PathJoin(dir, "derived")); {
	case errors.Is(err, disk.ErrInUse), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return r, func() error { return nil }, nil // nothing is kept
	case err != nil:
		return nil, nil, err
	}
	return r, r.Kept.Close, nil
}

// openRecords returns the captures of an archive that everybody may see.
func openRecords(dir string) *records.Records {
	all := archive.RecordsOf(vfs.Default, dir)
	return access.NewGuard(all.Index, all.Files, access.Follow(vfs.Default, dir, clock.Real{})).Records()
}

// renderer returns what lays out captures of an archive in Chromium, as they are replayed. done then ends it.
func renderer(ctx context.Context, p *program, dir string, done *func() error) (func(context.Context, *cdx.Entry) (*segment.Layout, error), error) {
	set, err := openCollections(ctx, p, []string{dir})
	if err != nil {
		return nil, err
	}
	server, err := site.New(site.Options{Collections: set.collections, Trouble: func(text string) { fmt.Fprintln(p.err, "kavosh:", text) }})
	if err != nil {
		return nil, err
	}
	set.renderer.Pages = server.ReplayHandler()
	if err := set.renderer.Works(); err != nil {
		return nil, err
	}
	*done = func() error { set.renderer.Close(); return nil }
	return func(ctx context.Context, e *cdx.Entry) (*segment.Layout, error) {
		made, err := set.renderer.Render(ctx, "/"+url.PathEscape(set.collections[0].Name)+"/"+e.Timestamp+"if_/"+e.URL, kavosh.LayoutBoxes)
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", e.URL, e.Timestamp, err)
		}
		var boxes kavosh.Layout
		if err := json.Unmarshal(made[0].Data, &boxes); err != nil {
			return nil, err
		}
		return change.LayoutOf(&boxes), nil
	}, nil
}

// page prints what changed on one page.
func (c *changeCmd) page(ctx context.Context, p *program, dir, address string, r *change.Reader) error {
	url, err := seeds.Key(address)
	if err != nil {
		return usageError{err.Error()}
	}
	var bounds [2]string
	for i, text := range [...]string{c.From, c.To} {
		if text == "" {
			continue
		}
		span, err := dates.Parse(text, time.UTC)
		if err != nil {
			return usage("%s: %v", [...]string{"--from", "--to"}[i], err)
		}
		bounds[i] = span.Last.UTC().Format(replay.TimestampLayout)
	}
	earlier, old, new, err := pair(ctx, r.Records, dir, url, bounds[0], bounds[1])
	if err != nil {
		return err
	}
	if c.XML == "blocks" {
		blocks, err := r.Page(ctx, new)
		if err != nil {
			return err
		}
		return change.WriteBlocks(p.data, url, new.Time(), blocks)
	}
	report, err := r.Calm(ctx, earlier, old, new)
	if err == nil && c.HTML != "" {
		err = writeTo(c.HTML, report.Page)
	}
	switch {
	case err != nil:
		return err
	case c.XML != "none":
		return report.WriteXML(p.data)
	case c.JSON:
		return printJSON(p.out, report)
	}
	_, err = io.WriteString(p.out, changeText(report))
	return err
}

// printJSON prints a value as one line of JSON.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// maxPast is how many earlier versions tell how often the parts of a page change.
const maxPast = 8

// pair returns the captures to compare: the newest up to each bound, or by default the newest, and the newest before it
// that has another digest. earlier are versions before them, the oldest first.
func pair(ctx context.Context, r *records.Records, dir, url, from, to string) (earlier []cdx.Entry, old, new *cdx.Entry, err error) {
	var all []cdx.Entry
	for e, err := range r.Index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact}) {
		if err != nil {
			return nil, nil, nil, err
		}
		if e.URL == url && change.IsPage(&e) {
			all = append(all, e)
		}
	}
	upTo := func(bound string) int { // the last one that is not after it; the first if all are
		after := slices.IndexFunc(all, func(e cdx.Entry) bool { return e.Timestamp > bound })
		if after < 0 {
			after = len(all)
		}
		return max(0, after-1)
	}
	slices.SortStableFunc(all, func(a, b cdx.Entry) int { // within one second by their files
		return cmp.Or(cmp.Compare(a.Timestamp, b.Timestamp), cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Offset, b.Offset))
	})
	switch len(all) {
	case 0:
		return nil, nil, nil, fmt.Errorf("%s has no page of %s: kavosh why %s %s says what came of it", dir, url, dir, url)
	case 1:
		return nil, nil, nil, fmt.Errorf("%s has one capture of %s, of %s: crawl it again to have two to compare", dir, url, stampText(all[0].Timestamp))
	}
	j := len(all) - 1
	if to != "" {
		j = upTo(to)
	}
	i := max(0, j-1)
	if from != "" {
		i = upTo(from)
	} else {
		for i > 0 && warc.SameDigest(all[i].Digest, all[j].Digest) {
			i--
		}
	}
	if i == j {
		return nil, nil, nil, fmt.Errorf("--from and --to both mean the capture of %s: %s has captures of this page from %s to %s", stampText(all[i].Timestamp), dir,
			stampText(all[0].Timestamp), stampText(all[len(all)-1].Timestamp))
	}
	i, j = min(i, j), max(i, j)
	for n := i - 1; n >= 0 && len(earlier) < maxPast; n-- {
		if !warc.SameDigest(all[n].Digest, all[n+1].Digest) {
			earlier = append(earlier, all[n])
		}
	}
	slices.Reverse(earlier)
	return earlier, &all[i], &all[j], nil
}

func stampText(stamp string) string {
	t, err := time.Parse(replay.TimestampLayout, stamp)
	if err != nil {
		return stamp
	}
	return t.Format(time.DateTime)
}
