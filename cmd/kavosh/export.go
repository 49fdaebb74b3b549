package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"kavosh/access"
	"kavosh/archive"
	"kavosh/export"
	"kavosh/lib/lang"
	"kavosh/lib/warc"
)

type exportCmd struct {
	Wacz exportWACZCmd `cmd:"" help:"A WACZ file: records, index and list of pages in one, for ReplayWeb.page and others."`
	Text exportTextCmd `cmd:"" help:"The texts of pages as lines of JSON, cleaned of menus, each but once."`
}

type exportTextCmd struct {
	target
	Args     []string `arg:"" optional:"" name:"archive" help:"The archive's folder; or a WARC, ARC or WACZ file, or a folder of them."`
	Language string   `placeholder:"CODE" help:"Only texts in this language, such as fa for Persian, with a probability of at least 0.9."`
	Output   string   `short:"o" default:"-" placeholder:"FILE" help:"Where to: .gz and .zst are compressed; - (default) is standard output."`
	JSON     bool     `name:"json" help:"Print what was done as one JSON object on standard error."`
}

// Help is shown above the flags.
func (exportTextCmd) Help() string {
	return `Examples:

    kavosh export text national.kavosh -o texts.jsonl.zst
    kavosh export text national.kavosh --language fa -o persian.jsonl.gz
    kavosh export text national.kavosh | jq -r .text

Each line is an object with url, time, language, probability, title and text, its blocks parted by line feeds. What kavosh access has closed is left out. Menus, buttons and frames that a host repeats are taken out; a text that was there before, or nearly, is left out, and so are texts of less than 200 letters.`
}

// Run exports.
func (c *exportTextCmd) Run(p *program) error {
	path, rest, err := c.split(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("kavosh export text takes one archive; %q is too much", rest[0])
	}
	model := lang.Load()
	if codes := model.Codes(); c.Language != "" && !slices.Contains(codes, c.Language) {
		return usage("--language: %q is no language that is known; there are %s", c.Language, strings.Join(codes, " "))
	}
	files, err := recordFiles(path)
	if err != nil {
		return err
	}
	if is, err := isArchive(path); err != nil {
		return err
	} else if !is {
		if err := archive.OutsideArchives(files); err != nil {
			return err
		}
	}
	shown, err := archive.Public(path)
	if err != nil {
		return err
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	if c.Output == "-" {
		return c.export(ctx, p, model, files, shown, p.data)
	}
	return writeTo(c.Output, func(w io.Writer) error {
		packed, err := packer(w, c.Output)
		if err != nil {
			return err
		}
		if err := c.export(ctx, p, model, files, shown, packed); err != nil {
			return err
		}
		return packed.Close()
	})
}

// export writes the texts of files in their order.
func (c *exportTextCmd) export(ctx context.Context, p *program, model *lang.Model, files []string, shown access.Sight, w io.Writer) error {
	corpus := export.NewCorpus(w)
	corpus.Language = c.Language
	id := model.New()
	corpus.Identify = func(text string) (string, float64) {
		v := id.Page(lang.Page{Text: text})
		if len(v.Languages) == 0 {
			return "", 0
		}
		return v.Languages[0].Code, min(v.Languages[0].Probability, 1)
	}
	line := newProgress(p.err)
	err := c.read(ctx, corpus, files, shown, line)
	line.stop()
	if err != nil {
		return err
	}
	n := &corpus.Counts
	if c.JSON {
		return json.NewEncoder(p.err).Encode(n)
	}
	_, err = fmt.Fprintf(p.err, "%s of %s kept, %d letters. Left out: %d too short, %d duplicates, %d in other languages.\n",
		plural(n.Kept, "text"), plural(n.Pages, "page"), n.Letters, n.Short, n.Twice, n.Foreign)
	return err
}

// read gives the corpus the pages of files.
func (c *exportTextCmd) read(ctx context.Context, corpus *export.Corpus, files []string, shown access.Sight, line *progress) error {
	done := 0
	r := pageReader{public: shown, originals: warc.NewOriginals(), closed: true}
	r.texts(func(page *readPage) error {
		if corpus.Counts.Pages%100 == 0 {
			line.draw(fmt.Sprintf(" %s kept of %s, %d of %d files read", plural(corpus.Counts.Kept, "text"), plural(corpus.Counts.Pages, "page"), done, len(files)))
		}
		return corpus.Add(page.group, export.Text{URL: page.URL, Time: page.time, Title: page.Title, Text: page.Text})
	})
	if !shown.Whole() { // what is closed may lie behind the revisits that it is read for
		r.noting = true
		for _, file := range files {
			if err := r.file(ctx, file, ""); err != nil {
				return err
			}
		}
		r.noting = false
	}
	for _, file := range files {
		if err := r.file(ctx, file, ""); err != nil {
			return err
		}
		done++
	}
	return nil
}

// packer compresses as the file's name says.
func packer(w io.Writer, name string) (io.WriteCloser, error) {
	switch {
	case strings.HasSuffix(name, ".gz"):
		return gzip.NewWriter(w), nil
	case strings.HasSuffix(name, ".zst"):
		return zstd.NewWriter(w)
	}
	return unpacked{w}, nil
}

// unpacked is a writer with nothing to end.
type unpacked struct{ io.Writer }

// Close does nothing.
func (unpacked) Close() error { return nil }
