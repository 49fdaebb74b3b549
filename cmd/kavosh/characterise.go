package main

// This file is the command kavosh characterise. Package characterise counts; this file reads the pages and writes the
// report.

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"kavosh/archive"
	"kavosh/characterise"
	"kavosh/site"
)

type characteriseCmd struct {
	target
	Args []string `arg:"" optional:"" name:"archive" help:"The archive's folder; or a WARC, ARC or WACZ file, or a folder of them."`
	JSON bool     `name:"json" help:"Print the report as one JSON object."`
	CSV  string   `name:"csv" placeholder:"FILE" help:"Write all numbers as comma-separated values."`
	HTML string   `name:"html" placeholder:"FILE" help:"Write a page with tables and plots that stands alone, in English and Persian."`
}

// Help returns the text above the flags in the help.
func (characteriseCmd) Help() string {
	return `Examples:

    kavosh characterise example.org.kavosh
    kavosh characterise national.kavosh --html national.html --csv national.csv

Reads all records once and gives the tables that studies of national webs give: pages and how many of them are the same, static and dynamic pages and what makes these, languages, encodings and whether pages declare them truly, top-level domains here and linked to, years of the last change, lengths of URLs, depth, sizes, clicks from the root, links in and out with the exponents of their distributions, servers. Of each URL the first capture counts. Needs some 150 bytes of memory a page, and 16 bytes of temporary disk a link.`
}

// Run writes the report.
func (c *characteriseCmd) Run(p *program) error {
	path, rest, err := c.split(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("kavosh characterise takes one archive; %q is too much", rest[0])
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	var links []*os.File
	defer func() {
		for _, f := range links {
			f.Close()
		}
	}()
	survey := characterise.NewSurvey(func() (characterise.File, error) {
		f, err := os.CreateTemp("", "kavosh-links-")
		if err != nil {
			return nil, err
		}
		links = append(links, f)
		return f, os.Remove(f.Name()) // the open file stays usable until it is closed
	})
	line := newProgress(p.err)
	err = surveyed(ctx, survey, path, line)
	line.stop()
	if err != nil {
		return err
	}
	report, err := survey.Report()
	if err != nil {
		return err
	}
	if report.Captures == 0 {
		return fmt.Errorf("%s holds no answers of the web: is it an archive, or a folder of WARC files?", path)
	}
	if c.CSV != "" {
		if err := writeTo(c.CSV, report.CSV); err != nil {
			return err
		}
	}
	if c.HTML != "" {
		if err := writeTo(c.HTML, func(w io.Writer) error { return report.Page(w, site.TitleOf(path)) }); err != nil {
			return err
		}
	}
	if c.JSON {
		return json.NewEncoder(p.out).Encode(report)
	}
	return report.Text(p.out)
}

// surveyed adds all answers below path to the survey, file by file in their order, so that the first capture of a URL
// is the same on every machine.
func surveyed(ctx context.Context, survey *characterise.Survey, path string, line *progress) error {
	files, err := archive.WARCs(path)
	if err != nil {
		return err
	}
	answers := archive.Answers{Revisits: true}
	added := 0
	return survey.Read(ctx, func(ctx context.Context, yield func(*characterise.Capture) error) error {
		return answers.All(ctx, files, func(a *archive.Answer) error {
			return yield(&characterise.Capture{Page: a.Page, Status: a.Status, Header: a.Header, Bytes: a.Bytes, Coded: a.Coded})
		})
	}, func() {
		if added++; added%100 == 0 {
			line.draw(fmt.Sprintf(" %s of %s read", plural(added, "answer"), plural(len(files), "file")))
		}
	})
}
