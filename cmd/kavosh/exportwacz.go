package main

// This file is the command kavosh export wacz. Package export does the work.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"kavosh/export"
	"kavosh/site"
)

type exportWACZCmd struct {
	target
	Args   []string `arg:"" optional:"" name:"archive" help:"The archive's folder."`
	Output string   `short:"o" required:"" placeholder:"FILE" help:"Where to, such as news.wacz."`
	Title  string   `placeholder:"TEXT" help:"What readers call it; the archive's title by default, or its name."`
	Key    string   `placeholder:"FILE" help:"Private key to sign with (PEM, ECDSA); one of your own is made when you have none."`
	JSON   bool     `name:"json" help:"Print what was done as one JSON object on standard error."`
}

// Help returns the text above the flags in the help.
func (exportWACZCmd) Help() string {
	return `Examples:

    kavosh export wacz news.kavosh -o news.wacz
    kavosh export wacz news.kavosh -o news.wacz --title 'News of 2026'

Packs the WARC files that are written to the end, an index of them and lists of their pages into one file that ReplayWeb.page, pywb and kavosh serve open. What kavosh access has closed is left out. The seeds' pages are listed as pages, all others as extra pages. The package is signed by a key of yours, which is kept in your settings' folder.`
}

// Run writes the WACZ file.
func (c *exportWACZCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("kavosh export wacz takes one archive; %q is too much", rest[0])
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	pack, err := export.OpenWACZ(ctx, dir)
	if err != nil {
		return err
	}
	pack.Title, pack.Software, pack.Created = cmp.Or(c.Title, pack.Title, site.TitleOf(dir)), "Kavosh "+version(), time.Now()
	if pack.Key, err = export.SigningKey(c.Key); err != nil {
		return err
	}
	if err := writeTo(c.Output, func(w io.Writer) error { return pack.Write(ctx, w) }); err != nil {
		return err
	}
	n := &pack.Counts
	if c.JSON {
		return json.NewEncoder(p.err).Encode(n)
	}
	_, err = fmt.Fprintf(p.err, "%s with %s and %s packed; %s left out, %s with equal content written in full.\n",
		plural(n.Files, "file"), plural(n.Captures, "capture"), plural(n.Pages, "page"), plural(n.LeftOut, "record"), plural(n.Whole, "revisit"))
	if err == nil && n.Secrets > 0 {
		_, err = fmt.Fprintf(p.err, "kavosh: CREDENTIALS AND COOKIES are in %s of it, from a crawl with --keep-secrets: give %s to nobody who may not use them.\n",
			plural(n.Secrets, "file"), c.Output)
	}
	return err
}
