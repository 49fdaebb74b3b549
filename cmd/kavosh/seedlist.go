package main

import (
	"errors"
	"fmt"
	"strings"

	"kavosh"
	"kavosh/seeds"
)

// readSeeds reads the arguments and the lists that --seeds names.
func (c *crawlCmd) readSeeds(p *program) ([]kavosh.Link, error) {
	links, notes, err := seeds.Args(c.Seed)
	if err != nil {
		return nil, usageError{err.Error()}
	}
	lists := [][]kavosh.Link{links}
	for _, path := range c.Seeds {
		links, more, err := seeds.Open(path, p.in)
		if err != nil {
			return nil, usageError{err.Error()}
		}
		lists, notes = append(lists, links), append(notes, more...)
	}
	for i, n := range notes {
		if i == 5 {
			fmt.Fprintf(p.err, "kavosh: … and %d more such lines\n", len(notes)-i)
			break
		}
		fmt.Fprintln(p.err, "kavosh:", n)
	}
	return seeds.Join(lists...), nil
}

// seenKey is the URL that a person means, as a crawl would know it; a name without scheme is a host.
func seenKey(text string) (string, error) {
	links, _, err := seeds.Args([]string{text})
	if err != nil {
		return "", errors.New(strings.TrimPrefix(err.Error(), "argument 1: "))
	}
	if len(links) != 1 {
		return "", fmt.Errorf("%q is no URL", text)
	}
	return links[0].URL, nil
}
