package main

// This file is the command kavosh report: it prints the report of a crawl again.

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/engine"
)

type reportCmd struct {
	target
	Args []string `arg:"" optional:"" name:"archive-and-crawl" help:"The archive's folder, then perhaps the crawl; the latest crawl otherwise."`
	JSON bool     `name:"json" help:"Print the report as one JSON object, as kavosh crawl --json did."`
}

// Help returns the text above the flags in the help.
func (reportCmd) Help() string {
	return `Examples:

    kavosh report example.org.kavosh                     the latest crawl
    kavosh report example.org.kavosh 20261123101342      that crawl; kavosh log --crawls lists them
    kavosh report example.org.kavosh --json`
}

// Run prints the report of a crawl.
func (c *reportCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 1 {
		return usage("kavosh report takes an archive and one crawl; %q is too much", rest[1])
	}
	info, err := crawlOf(dir, append(rest, "")[0])
	if err != nil {
		return err
	}
	if info.End == "" {
		return noReport(dir, info.ID)
	}
	return writeReport(p.out, &info.Report, dir, c.JSON)
}

// noReport says of a crawl without a report why it has none, and what to do.
func noReport(dir, id string) error {
	folder := quoted(dir)
	if reply, err := engine.Tell(dir, &engine.Command{Name: "status"}); err == nil && reply.State != nil && reply.State.ID == id {
		return fmt.Errorf("crawl %s is running, and has its report when it ends: kavosh control %s status tells how it goes", id, folder)
	}
	return fmt.Errorf("crawl %s was killed before it wrote a report: kavosh crawl --archive %s --resume=%s goes on, and kavosh log %s --crawl %s shows what it did", id, folder, id, folder, id)
}

// crawlOf returns the crawl of an archive with an id, or the latest if id is "".
func crawlOf(dir, id string) (archive.Crawl, error) {
	crawls, err := archive.Crawls(vfs.Default, dir)
	switch {
	case err != nil:
		return archive.Crawl{}, err
	case len(crawls) == 0:
		return archive.Crawl{}, fmt.Errorf("%s has no crawl yet", dir)
	case id == "":
		return crawls[len(crawls)-1], nil
	}
	for _, info := range crawls {
		if info.ID == id {
			return info, nil
		}
	}
	return archive.Crawl{}, fmt.Errorf("%s has no crawl %s: kavosh log --crawls %s lists them", dir, id, quoted(dir))
}
