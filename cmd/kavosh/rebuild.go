package main

import (
	"encoding/json"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
)

type rebuildCmd struct {
	target
	Args []string `arg:"" optional:"" name:"archive" help:"The archive's folder."`
	JSON bool     `name:"json" help:"Print what was done as one JSON object."`
}

// Help returns the text above the flags in the help.
func (rebuildCmd) Help() string {
	return `Examples:

    kavosh rebuild example.org.kavosh

Makes log/, index/ and derived/ again from the WARC files. It only reads the
WARC files, the crawl logs and people's decisions. Files of other programs in
warc/ are indexed, too. If it is interrupted, nothing has changed.`
}

// Run rebuilds the archive and prints what was done.
func (c *rebuildCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("kavosh rebuild takes one archive; %q is too much", rest[0])
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	line := newProgress(p.err)
	done, err := archive.Rebuild(ctx, vfs.Default, dir, func(file string, done, total int) {
		line.draw(fmt.Sprintf(" %d of %d: %s", done+1, total, file))
	})
	line.stop()
	if err != nil {
		return err
	}
	for _, t := range done.Trouble {
		fmt.Fprintln(p.err, "kavosh:", t)
	}
	if c.JSON {
		return json.NewEncoder(p.out).Encode(done)
	}
	_, err = fmt.Fprintf(p.out, "Rebuilt %s from %s: %s.\n", dir, plural(int64(done.Files), "file"), plural(done.Captures, "capture"))
	return err
}
