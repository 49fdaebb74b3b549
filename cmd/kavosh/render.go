package main

// This file is the command kavosh render: it shows a capture as a picture, a text, a document or boxes.

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/dates"
	"kavosh/seeds"
	"kavosh/site"
)

type renderCmd struct {
	target
	Args   []string `arg:"" optional:"" name:"archive-and-url" help:"The archive's folder, then the URL."`
	At     string   `placeholder:"TIME" help:"The capture nearest to this time: a date or time such as 2026-03-01 or 1404/12/10. The newest by default."`
	As     string   `choice:"view,full,thumbnail,text,dom,boxes" default:"view" placeholder:"KIND" help:"What to make: view (default), a picture of the window of 1280 by 960 pixels; full, of the page to its end; thumbnail, a small JPEG; text; dom, the document after its scripts ran; boxes, where everything stands, in JSON (docs/formats/boxes.md)."`
	Output string   `short:"o" placeholder:"FILE" help:"Write it to this file, instead of standard output."`
}

// Help returns the text above the flags in the help.
func (renderCmd) Help() string {
	return `Examples:

    kavosh render news.kavosh https://example.org/ -o page.png
    kavosh render news.kavosh https://example.org/ --at 2026-03-01 --as full -o page.png
    kavosh render news.kavosh https://example.org/ --as text
    kavosh render news.kavosh https://example.org/ --as boxes | jq '.boxes[] | select(.tag == "h1")'

Opens a capture in Chromium as the replay shows it, without the network, and makes a picture, the text, the document or a list of boxes of it. Window, language, time zone, clock and chance are fixed, so that the same capture looks the same each time on one machine. What kavosh access has closed is not rendered. Pictures that were made when the page was captured (kavosh crawl --render) are records of their own: kavosh serve shows them at urn:view:URL. Needs apt-get install chromium.`
}

// Run renders one capture.
func (c *renderCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return usage("which URL? write kavosh render ARCHIVE URL")
	}
	key, err := seeds.Key(rest[0])
	if err != nil {
		return usageError{err.Error()}
	}
	at := time.Now()
	if c.At != "" {
		span, err := dates.Parse(c.At, time.UTC)
		if err != nil {
			return usage("--at: %v", err)
		}
		at = span.Last
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	set, err := openCollections(ctx, p, []string{dir})
	if err != nil {
		return err
	}
	in := &set.collections[0]
	nearest, err := nearestTo(ctx, in, key, at)
	if err != nil {
		return err
	}
	server, err := site.New(site.Options{Collections: set.collections, Trouble: func(text string) { fmt.Fprintln(p.err, "kavosh:", text) }})
	if err != nil {
		return err
	}
	set.renderer.Pages = server.ReplayHandler()
	defer set.renderer.Close()
	made, err := set.renderer.Render(ctx, "/"+url.PathEscape(in.Name)+"/"+nearest.Timestamp+"if_/"+nearest.URL, kavosh.RenderingKind(c.As))
	if err != nil {
		return fmt.Errorf("%s of %s: %w", nearest.URL, nearest.Timestamp, err)
	}
	if c.Output == "" {
		_, err = p.data.Write(made[0].Data)
		return err
	}
	return os.WriteFile(c.Output, made[0].Data, 0o666)
}

// nearestTo returns the capture of a URL that is nearest to a time.
func nearestTo(ctx context.Context, in *site.Collection, url string, at time.Time) (nearest cdx.Entry, err error) {
	least := time.Duration(-1)
	for e, err := range in.Index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact}) {
		if err != nil {
			return nearest, err
		}
		when, bad := time.Parse("20060102150405", e.Timestamp)
		if by := at.Sub(when).Abs(); bad == nil && (least < 0 || by < least) {
			nearest, least = e, by
		}
	}
	if least < 0 {
		return nearest, fmt.Errorf("the archive shows no capture of %s: kavosh why says what came of it", url)
	}
	return nearest, nil
}
