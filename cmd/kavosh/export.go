package main

// This file is the command kavosh export text. Package export cleans and writes the texts; this file chooses the
// captures.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"kavosh/access"
	"kavosh/archive"
	"kavosh/export"
	"kavosh/internal/clock"
	"kavosh/lib/lang"
	"kavosh/texts"
)

type exportCmd struct {
	Wacz   exportWACZCmd   `cmd:"" help:"A WACZ file: records, index and list of pages in one, for ReplayWeb.page and others."`
	Text   exportTextCmd   `cmd:"" help:"The texts of pages as lines of JSON, cleaned of menus, each but once."`
	Tables exportTablesCmd `cmd:"" help:"Captures, pages, texts, hosts and links as CSV files or one SQLite file."`
	Tree   exportTreeCmd   `cmd:"" help:"How coherent crawls are, as a picture of the tree in which their pages were found: SVG, PNG, GraphML."`
}

type exportTextCmd struct {
	target
	Args     []string `arg:"" optional:"" name:"archive" help:"The archive's folder; or a WARC, ARC or WACZ file, or a folder of them."`
	Language string   `placeholder:"CODE" help:"Only texts in this language, such as fa for Persian, with a probability of at least 0.9."`
	Output   string   `short:"o" default:"-" placeholder:"FILE" help:"Where to: .gz and .zst are compressed; - (default) is standard output."`
	JSON     bool     `name:"json" help:"Print what was done as one JSON object on standard error."`
}

// Help returns the text above the flags in the help.
func (exportTextCmd) Help() string {
	return `Examples:

    kavosh export text national.kavosh -o texts.jsonl.zst
    kavosh export text national.kavosh --language fa -o persian.jsonl.gz
    kavosh export text national.kavosh | jq -r .text

Each line is an object with url, time, language, probability, title and text, its blocks parted by line feeds. What kavosh access has closed is left out. Menus, buttons and frames that a host repeats are taken out; a text that was there before, or nearly, is left out, and so are texts of less than 200 letters.`
}

// Run exports the texts.
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
	source, err := archive.OpenSource(path)
	if err != nil {
		return err
	}
	source.Broken = func(path string, err error) error { return fmt.Errorf("%s: %w", path, err) }
	shown, err := archive.Public(path)
	if err != nil {
		return err
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	if c.Output == "-" {
		return c.export(ctx, p, model, source, shown, p.data)
	}
	return writeTo(c.Output, func(w io.Writer) error {
		packed, err := packer(w, c.Output)
		if err != nil {
			return err
		}
		if err := c.export(ctx, p, model, source, shown, packed); err != nil {
			return err
		}
		return packed.Close()
	})
}

// export writes the texts of captures in their order.
func (c *exportTextCmd) export(ctx context.Context, p *program, model *lang.Model, source *archive.Source, shown access.Sight, w io.Writer) error {
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
	source.Trouble = func(text string) { line.say("%s", text) }
	n := &corpus.Counts
	from, err := readTexts(ctx, source, line)
	if err == nil {
		err = corpus.AddSource(ctx, source, from, shown, func() {
			if n.Pages%100 == 0 {
				line.draw(fmt.Sprintf(" %s kept of %s", plural(n.Kept, "text"), plural(n.Pages, "page")))
			}
		})
		from.Close()
	}
	line.stop()
	if err = errors.Join(err, source.Close()); err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(p.err).Encode(n)
	}
	_, err = fmt.Fprintf(p.err, "%s of %s kept, %d letters. Left out: %d too short, %d duplicates, %d in other languages.\n",
		plural(n.Kept, "text"), plural(n.Pages, "page"), n.Letters, n.Short, n.Twice, n.Foreign)
	return err
}

// readTexts brings the texts of a source up to date and opens them.
func readTexts(ctx context.Context, source *archive.Source, line *progress) (*texts.Reader, error) {
	for {
		_, whole, err := source.Update(ctx, texting(), archive.Following{Clock: clock.Real{}, Added: line.count("read for texts")})
		if whole && err == nil {
			return texts.Open(vfs.Default, source.Folder(texts.Name))
		}
		if err == nil {
			line.draw(" waiting for another kavosh to be done with the texts of this archive")
			err = (clock.Real{}).Sleep(ctx, time.Second/5)
		}
		if err != nil {
			return nil, err
		}
	}
}

// packer returns a writer that compresses as the end of the file's name says.
func packer(w io.Writer, name string) (io.WriteCloser, error) {
	switch {
	case strings.HasSuffix(name, ".gz"):
		return gzip.NewWriter(w), nil
	case strings.HasSuffix(name, ".zst"):
		return zstd.NewWriter(w)
	}
	return unpacked{w}, nil
}

// unpacked is a writer that does not compress.
type unpacked struct{ io.Writer }

// Close does nothing.
func (unpacked) Close() error { return nil }
