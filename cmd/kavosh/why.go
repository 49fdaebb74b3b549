package main

// This file is the command kavosh why: it says what came of a URL.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"kavosh"
	"kavosh/archive"
	"kavosh/engine"
	"kavosh/lib/units"
	"kavosh/seeds"
)

type whyCmd struct {
	target
	Args []string `arg:"" optional:"" name:"archive-and-url" help:"The archive's folder, then the URL."`
	JSON bool     `name:"json" help:"Print the answer as one JSON object."`
}

// Help returns the text above the flags in the help.
func (whyCmd) Help() string {
	return `Examples:

    kavosh why example.org.kavosh https://example.org/missing.html
    kavosh why --archive example.org.kavosh --json https://example.org/

Tells for each crawl of the archive what came of the URL (recorded, failed, never requested) and by which rule: scope, a line of robots.txt, a limit, a trap, a failure; how the crawl came to it, link by link from the seed; and in which file its records lie. Exit status 1 when no crawl met the URL.`
}

// Run prints why a URL was or was not fetched.
func (c *whyCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return usage("which URL? write kavosh why ARCHIVE URL")
	}
	key, err := seeds.Key(rest[0])
	if err != nil {
		return usageError{err.Error()}
	}
	answer, err := engine.Explain(dir, key)
	if err != nil {
		return err
	}
	if c.JSON {
		enc := json.NewEncoder(p.out)
		enc.SetIndent("", "  ")
		err = enc.Encode(answer)
	} else {
		_, err = io.WriteString(p.out, explanationText(&answer, dir))
	}
	if err == nil && len(answer.Crawls) == 0 {
		return exitStatus(exitFailed)
	}
	return err
}

// foundBy has in words how the crawl found a URL, by Line.Kind.
var foundBy = map[string]string{
	"seed": "it is a seed", "navigation": "by a link", "embed": "as a part of a page", "redirect": "by a redirect", "sitemap": "in a sitemap",
	"feed": "in a feed", "speculative": "guessed from a script", "prerequisite": "asked for before the URLs of its origin",
}

// standIns has in words what answers stand in for.
var standIns = map[kavosh.StandIn]string{
	kavosh.Wall: "a bot wall", kavosh.Consent: "a page that only asks for consent", kavosh.Login: "a page that only asks to sign in",
	kavosh.NotFound: "a page that says \"not found\"", kavosh.Parked: "the page of a domain without a site",
}

// explanationText returns the answer in words.
func explanationText(a *engine.Explanation, dir string) string {
	var b strings.Builder
	if len(a.Crawls) == 0 {
		fmt.Fprintf(&b, "%s\n  No crawl of %s has met this URL: no page that was read links to it.\n", a.URL, dir)
		if len(a.Near) > 0 {
			fmt.Fprintf(&b, "  Did you mean %s?\n", strings.Join(a.Near, " or "))
		}
		return b.String()
	}
	fmt.Fprintln(&b, a.URL)
	for _, c := range a.Crawls {
		fmt.Fprintf(&b, "\ncrawl %s\n", c.ID)
		for i := range c.Lines {
			if l := &c.Lines[i]; l.Outcome == "queued" && i > 0 && !l.Variant {
				fmt.Fprintf(&b, "  again     %s\n", l.Reason)
				continue
			}
			writeOutcome(&b, &c.Lines[i])
			if l := &c.Lines[i]; i > 0 && l.Why != c.Lines[0].Why && l.Why != "" {
				fmt.Fprintf(&b, "  why then  %s\n", l.Why)
			}
		}
		for _, l := range c.Loads {
			fmt.Fprintf(&b, "  browser   loaded at %s, since %s: %s and %s more\n",
				l.Time.Local().Format("2006-01-02 15:04:05"), cmp.Or(l.Why, "an earlier run did not end it"), plural(int64(l.Links), "link"), plural(int64(l.Found), "resource"))
			for _, n := range l.Notes {
				fmt.Fprintf(&b, "  %-9s %s\n", "note", n)
			}
		}
		first := &c.Lines[0]
		fmt.Fprintf(&b, "  found     %s", cmp.Or(foundBy[first.Kind], first.Kind))
		if first.Anchor != "" {
			fmt.Fprintf(&b, " %q", first.Anchor)
		}
		if first.Via != "" {
			fmt.Fprintf(&b, ", %s from the seed", plural(first.Hops, "click"))
		}
		b.WriteByte('\n')
		if first.Why != "" {
			fmt.Fprintf(&b, "  score     %g: %s\n", first.Score, first.Why)
		}
		for i, l := range c.Chain {
			label := ""
			if i == 0 {
				label = "way"
			}
			fmt.Fprintf(&b, "  %-9s %s %s (%s)\n", label, strings.Repeat("  ", min(i, 8))+"→", l.URL, brief(&l))
		}
	}
	return b.String()
}

// writeOutcome writes in words what one line says.
func writeOutcome(b *strings.Builder, l *archive.Line) {
	if l.Variant {
		fmt.Fprintf(b, "  %-9s by Accept:\n", "as RDF")
	}
	at := l.Time.Local().Format("2006-01-02 15:04:05")
	switch l.Outcome {
	case "recorded":
		fmt.Fprintf(b, "  recorded  %s at %s, %s, in %d ms\n", brief(l), at, units.Size(l.Size), l.Took)
	case "failed":
		fmt.Fprintf(b, "  failed    %s at %s: %s\n", l.Failure, at, l.Reason)
	case "refused":
		fmt.Fprintf(b, "  refused   never requested: %s\n", l.Reason)
	case "queued":
		fmt.Fprintf(b, "  queued    not requested yet: %s\n", l.Reason)
	default:
		fmt.Fprintf(b, "  %-9s %s at %s: %s\n", l.Outcome, brief(l), at, l.Reason)
	}
	if l.Outcome == "recorded" && l.Reason != "" {
		fmt.Fprintf(b, "  %-9s %s\n", "but", l.Reason)
	}
	if l.Forbids != "" {
		because := "--robots record"
		if l.Permit != "" {
			because = "--permit " + l.Permit
		}
		fmt.Fprintf(b, "  %-9s by robots.txt, but requested anyway (%s): %s\n", "forbidden", because, l.Forbids)
	}
	if l.StandIn != kavosh.NoStandIn && l.Outcome != "retry" { // otherwise the reason says it
		fmt.Fprintf(b, "  %-9s %s answered in place of the page: %s\n", l.StandIn, standIns[l.StandIn], l.Sign)
	}
	if l.Revisit != "" {
		fmt.Fprintf(b, "  %-9s as an earlier capture (%s): a revisit record stands for it\n", "same", l.Revisit)
	}
	if l.Cut != "" {
		fmt.Fprintf(b, "  %-9s the body is not complete (%s)\n", "cut", l.Cut)
	}
	if l.Because != "" {
		fmt.Fprintf(b, "  %-9s %.2f: %s\n", "verdict", l.Verdict, l.Because)
	}
	if l.File != "" {
		fmt.Fprintf(b, "  %-9s warc/%s, byte %d\n", "records", l.File, l.Offset)
	}
	for _, n := range l.Notes {
		fmt.Fprintf(b, "  %-9s %s\n", "note", n)
	}
}

// brief returns a line's outcome in a few words: "200 text/html", "dns", "refused".
func brief(l *archive.Line) string {
	switch {
	case l.Status != 0 && l.MIME != "":
		return fmt.Sprintf("%d %s", l.Status, l.MIME)
	case l.Status != 0:
		return fmt.Sprint(l.Status)
	case l.Failure != "":
		return string(l.Failure)
	}
	return l.Outcome
}
