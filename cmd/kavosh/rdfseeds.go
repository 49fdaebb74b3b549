package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/archive"
	"kavosh/lib/rdf"
	"kavosh/lib/weburl"
	"kavosh/quads"
	"kavosh/seeds"
)

type rdfSeedsCmd struct {
	target
	Args  []string `arg:"" optional:"" name:"archive" help:"The archive's folder."`
	Limit int      `default:"100" least:"1" most:"10000000" placeholder:"N" help:"Print at most N, the likeliest first; 100 by default."`
	Least float64  `default:"0.5" most:"1" placeholder:"P" help:"Leave out what is less likely RDF than this, from 0 to 1; 0.5 by default."`
	JSON  bool     `name:"json" help:"Print one JSON object a line."`
}

// Help is shown above the flags.
func (rdfSeedsCmd) Help() string {
	return `Examples:

    kavosh rdf seeds example.org.kavosh
    kavosh rdf seeds example.org.kavosh --limit 1000 | kavosh crawl --archive more --prefer rdf --seeds -

Learns from what the archive's crawls fetched which URLs are RDF (by who names them, extension, domain, host, folders), and lists those that were seen and not fetched, since they lay beyond scope or hops or were left out by the order, and what RDF documents name: vocabularies, and values of rdfs:seeAlso, owl:sameAs and the like. Each is a line of a list of seeds, with the chance that it is RDF and why in a comment. What robots.txt or --exclude forbids is left out.`
}

// Run lists seeds.
func (c *rdfSeedsCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 0 || c.Limit < 1 {
		return usage("write it as kavosh rdf seeds ARCHIVE [--limit N]")
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	source, err := openRDF(ctx, p, []string{dir}, "")
	if err != nil {
		return err
	}
	best := seeds.Best{Limit: c.Limit, Least: c.Least}
	if err := errors.Join(source.likely(ctx, &best), source.close()); err != nil {
		return err
	}
	enc := json.NewEncoder(p.out)
	for _, s := range best.All() {
		if c.JSON {
			err = enc.Encode(s)
		} else {
			_, err = fmt.Fprintf(p.out, "%s  # %.2f: %s\n", s.URL, s.Chance, s.Why)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// likely fills best with what was seen and not fetched. It reads crawl.log twice: to learn, and to tell.
func (s *rdfSource) likely(ctx context.Context, best *seeds.Best) error {
	closed, err := s.closedPages(ctx)
	if err != nil {
		return err
	}
	rdfs, now := map[uint64]bool{}, time.Now()
	if err := eachRow(ctx, s.store.Documents(), func(d quads.Document) error {
		rdfs[quads.Hash(d.URL)] = d.Class == kavosh.ClassRDF
		return nil
	}); err != nil {
		return err
	}
	kind := func(via string) string {
		switch {
		case via == "":
			return "lists of seeds"
		case rdfs[quads.Hash(via)]:
			return "RDF"
		}
		return "pages"
	}
	var learned seeds.Likely
	fetched := map[uint64]bool{}
	if err := eachRow(ctx, archive.ReadLog(vfs.Default, s.archive, ""), func(l archive.Line) error {
		if url := quads.Hash(l.URL); l.Outcome == "recorded" && l.Kind != "prerequisite" && !fetched[url] {
			fetched[url] = true
			if l.Status == 200 && l.Kind != "embed" {
				learned.Learn(l.URL, l.Via, kind(l.Via), rdfs[url])
			}
		}
		return nil
	}); err != nil {
		return err
	}
	forbidden := map[uint64]bool{}
	add := func(url, via, kind string) {
		if h := quads.Hash(url); !fetched[h] && !forbidden[h] && s.public.Shows(access.Capture(url, now, "")) {
			chance, why := learned.Chance(url, via, kind)
			best.Add(seeds.Candidate{URL: url, Chance: chance, Why: why})
		}
	}
	if err := eachRow(ctx, archive.ReadLog(vfs.Default, s.archive, ""), func(l archive.Line) error {
		switch {
		case l.Outcome != "refused" || l.Kind == "embed" || l.Kind == "prerequisite" || l.Kind == "speculative":
		case closed[quads.Hash(l.Via)]: // who named it is not told
		case l.Rule == "scope" || l.Rule == "hops" || l.Rule == "order":
			add(l.URL, l.Via, kind(l.Via))
		default:
			forbidden[quads.Hash(l.URL)] = true
		}
		return nil
	}); err != nil {
		return err
	}
	return s.statements(ctx, s.store.ByGraph(), func(q rdf.Quad) error {
		named := quads.Vocabulary(q.Predicate.Value)
		if quads.IsLink(q.Predicate.Value) && q.Object.Kind == rdf.IRI {
			named = q.Object.Value
		}
		if key, err := weburl.Key(named); err == nil && weburl.Fetchable(key) {
			add(key, q.Graph.Value, "RDF")
		}
		return nil
	})
}
