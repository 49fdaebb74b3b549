package main

// This file is the command kavosh seeds. Package export finds the seeds.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/archive"
	"kavosh/export"
	"kavosh/index"
	"kavosh/internal/clock"
	"kavosh/judge"
	"kavosh/seeds"
)

type seedsCmd struct {
	Args  []string `arg:"" optional:"" name:"archive" help:"The archive's folder; or a WARC, ARC or WACZ file, or a folder of them."`
	From  string   `placeholder:"ARCHIVE" help:"The archive, when it is not the first argument."`
	For   []string `required:"" sep:"none" placeholder:"NAME=VALUE" help:"What the new crawl is after, as --prefer of kavosh crawl says it: language=fa, rdf, topic=FILE, query=WORDS … May be repeated."`
	Limit int      `default:"100" least:"1" most:"1000000" placeholder:"N" help:"Print at most N; 100 by default."`
	JSON  bool     `name:"json" help:"Print one JSON object a line."`
}

// Help returns the text above the flags in the help.
func (seedsCmd) Help() string {
	return `Examples:

    kavosh seeds --from blogs.kavosh --for language=fa > seeds.txt
    kavosh crawl --archive more --prefer language=fa --seeds seeds.txt
    kavosh seeds --from site.kavosh --for rdf | kavosh crawl --archive data --prefer rdf --seeds -
    kavosh seeds --from news.kavosh --for 'query=solar energy' --limit 500

Judges the pages of an archive, learns which links led to relevant ones, and prints a list of seeds for another crawl, the best first. A comment at each says why:

  host    a URL on a host of which the archive has at most 3 pages, to which relevant pages link, or which is likely relevant: by the hosts that link to it, the words of the links, its domain, folders and extension
  hub     a page of the archive that leads to relevant pages of many other hosts
  search  a search for a word that relevant pages have more often than others, by a search engine that pages of the archive use: by a form, a description (OpenSearch) or a link with ?q=, ?s= or the like. Look at these lines: each asks a server for you

For rdf, URLs that RDF documents name are seeds, too, and there are no searches. What was asked for, and what robots.txt or a rule of the crawl forbids, is left out, and so is what kavosh access has closed, with what only that links to.`
}

// Run prints the seeds.
func (c *seedsCmd) Run(p *program) error {
	path, rest, err := target{Archive: c.From}.split(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("kavosh seeds takes one archive; %q is too much", rest[0])
	}
	j, err := (&judge.Reader{Open: os.ReadFile}).Parse(c.For)
	if err != nil {
		return usage("--for: %v", err)
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	source, err := archive.OpenSource(path)
	if err != nil {
		return err
	}
	source.Broken = func(path string, err error) error { return fmt.Errorf("%s: %w", path, err) }
	line := newProgress(p.err)
	source.Trouble = func(text string) { line.say("%s", text) }
	found, err := c.find(ctx, source, path, j, line)
	line.stop()
	if err = errors.Join(err, source.Close()); err != nil {
		return err
	}
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	for _, s := range found {
		if c.JSON {
			err = enc.Encode(s)
		} else {
			_, err = fmt.Fprintln(p.out, s.Line())
		}
		if err != nil {
			return err
		}
	}
	if len(found) == 0 {
		fmt.Fprintf(p.err, "kavosh: no seeds: no page of %s links to a host that it hardly has and that is likely relevant\n", path)
	}
	return nil
}

// find brings up to date what is derived from a source, and finds the seeds.
func (c *seedsCmd) find(ctx context.Context, source *archive.Source, path string, j judge.Judge, line *progress) (found []seeds.Candidate, err error) {
	from, err := readTexts(ctx, source, line)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	s := &rdfSource{source: source}
	s.Archive = source.Dir
	if s.Public, err = archive.Public(path); err != nil {
		return nil, err
	}
	if j.Needs().RDF {
		if err := s.follow(ctx, line); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, s.done()) }()
	}
	var rules *access.Follower // none for loose files
	if source.Dir != "" {
		rules = access.Follow(vfs.Default, source.Dir, clock.Real{})
	}
	p := &export.Proposal{
		Statements: s.Statements, Source: source, Texts: from, Judge: j, Limit: c.Limit,
		Links: access.NewGuard(nil, nil, rules).Links(index.LiveLinks(vfs.Default, source.Folder(linksName))),
		Progress: func(done string, n int64) {
			if n%1000 == 0 {
				line.draw(fmt.Sprintf(" %s %s", count(n), done))
			}
		},
	}
	return p.Seeds(ctx)
}
