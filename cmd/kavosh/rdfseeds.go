package main

// This file is the command kavosh rdf seeds: it lists URLs that are likely RDF, as seeds for another crawl.

import (
	"encoding/json"
	"errors"
	"fmt"

	"kavosh/seeds"
)

type rdfSeedsCmd struct {
	target
	Args  []string `arg:"" optional:"" name:"archive" help:"The archive's folder."`
	Limit int      `default:"100" least:"1" most:"10000000" placeholder:"N" help:"Print at most N, the likeliest first; 100 by default."`
	Least float64  `default:"0.5" most:"1" placeholder:"P" help:"Leave out what is less likely RDF than this, from 0 to 1; 0.5 by default."`
	JSON  bool     `name:"json" help:"Print one JSON object a line."`
}

// Help returns the text above the flags in the help.
func (rdfSeedsCmd) Help() string {
	return `Examples:

    kavosh rdf seeds example.org.kavosh
    kavosh rdf seeds example.org.kavosh --limit 1000 | kavosh crawl --archive more --prefer rdf --seeds -

Learns from what the archive's crawls fetched which URLs are RDF (by who names them, extension, domain, host, folders), and lists those that were seen and not fetched, since they lay beyond scope or hops or were left out by the order, and what RDF documents name: vocabularies, and values of rdfs:seeAlso, owl:sameAs and the like. Each is a line of a list of seeds, with the chance that it is RDF and why in a comment. What robots.txt or --exclude forbids is left out.`
}

// Run prints the likely seeds.
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
	if err := errors.Join(source.Seeds(ctx, &best), source.close()); err != nil {
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
