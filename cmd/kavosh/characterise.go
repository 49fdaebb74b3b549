package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

	"kavosh/characterise"
	"kavosh/lib/lang"
)

type characteriseCmd struct {
	target
	Args []string `arg:"" optional:"" name:"archive" help:"The archive's folder; or a WARC, ARC or WACZ file, or a folder of them."`
	JSON bool     `name:"json" help:"Print the report as one JSON object."`
	CSV  string   `name:"csv" placeholder:"FILE" help:"Write all numbers as comma-separated values."`
	HTML string   `name:"html" placeholder:"FILE" help:"Write a page with tables and plots that stands alone, in English and Persian."`
}

// Help is shown above the flags.
func (characteriseCmd) Help() string {
	return `Examples:

    kavosh characterise example.org.kavosh
    kavosh characterise national.kavosh --html national.html --csv national.csv

Reads all records once and gives the tables that studies of national webs give: pages and how many of them are the same, static and dynamic pages, languages, encodings and whether pages declare them truly, top-level domains, depth, sizes, links in and out with the exponents of their distributions, servers. Of each URL the first capture counts. Needs some 80 bytes of memory a page, and 8 bytes of temporary disk a link.`
}

// Run characterises.
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
	var links *os.File
	defer func() {
		if links != nil {
			links.Close()
		}
	}()
	survey := characterise.NewSurvey(func() (f characterise.File, err error) {
		if links, err = os.CreateTemp("", "kavosh-links-"); err != nil {
			return nil, err
		}
		return links, os.Remove(links.Name()) // it lives as long as it is open
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
		if err := writeTo(c.HTML, func(w io.Writer) error { return report.Page(w, titleOf(path)) }); err != nil {
			return err
		}
	}
	if c.JSON {
		return json.NewEncoder(p.out).Encode(report)
	}
	return report.Text(p.out)
}

// surveyed adds all answers below path to the survey. Files are read side by side.
func surveyed(ctx context.Context, survey *characterise.Survey, path string, line *progress) error {
	files, err := recordFiles(path)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	var wg sync.WaitGroup
	left := make(chan string)
	added, done := 0, 0
	model := lang.Load()
	add := func(id *lang.Identifier, a *readPage) error {
		is := ""
		if found := id.Page(lang.Page{Text: a.Title + "\n" + a.Text, Tags: []string{a.Lang}, Charset: a.Charset}).Languages; len(found) > 0 {
			is = found[0].Code
		}
		mu.Lock()
		defer mu.Unlock()
		if added++; added%100 == 0 {
			line.draw(fmt.Sprintf(" %s, %d of %d files read", plural(int64(added), "answer"), done, len(files)))
		}
		return survey.Add(&characterise.Capture{Page: a.Page, Status: a.status, Header: a.header, Bytes: a.bytes, Coded: a.coded, Lang: is, Digest: digest(a)})
	}
	for range min(len(files), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			id := model.New()
			r := pageReader{yield: func(a *readPage) error { return add(id, a) }}
			for file := range left {
				if err := r.file(ctx, file, ""); err != nil {
					cancel(err)
				}
				mu.Lock()
				done++
				mu.Unlock()
			}
		})
	}
	for _, file := range files {
		left <- file
	}
	close(left)
	wg.Wait()
	return context.Cause(ctx)
}

// digest is equal for pages that say the same.
func digest(a *readPage) uint64 {
	h := fnv.New64a()
	if a.Text == "" { // frames, pictures
		fmt.Fprint(h, a.bytes, a.URL)
	} else {
		io.WriteString(h, strings.Join([]string{a.Title, a.Text}, "\n"))
	}
	return h.Sum64()
}
