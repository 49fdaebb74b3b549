package main

// This file prints which settings of the next crawl would help.

import (
	"context"
	"fmt"
	"io"

	"kavosh/quality"
	"kavosh/site"
)

// notRunning knows of no crawl that runs.
var notRunning = site.Live{Running: func(string) (now site.Running, runs bool) { return now, false }}

// proposals returns what was found of an archive speaks for, and what the report of its newest crawl proposes, or of --crawl.
func (c *qualityCmd) proposals(ctx context.Context, dir string, found []quality.Proposal) ([]quality.Proposal, error) {
	of, err := site.OpenArchive(dir, "", "", notRunning)
	if err != nil {
		return nil, err
	}
	return of.Proposals(ctx, c.Crawl, c.Host, found)
}

// reasoned returns proposals for an archive as JSON has them, each with its reason and its command.
func reasoned(all []quality.Proposal, dir string) []quality.Proposal {
	told := []quality.Proposal{}
	for _, p := range all {
		p.Why, p.Do = site.ProposalWords("en", &p), p.In(quoted(dir))
		told = append(told, p)
	}
	return told
}

// printProposals prints proposals for an archive; nothing if there are none.
func printProposals(w io.Writer, all []quality.Proposal, dir string) {
	if len(all) > 0 {
		fmt.Fprintln(w, "\nWhat would help the next crawl:")
	}
	for _, p := range reasoned(all, dir) {
		fmt.Fprintf(w, "  %s\n    %s\n", p.Why, p.Do)
	}
}
