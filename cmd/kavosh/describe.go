package main

// This file is the command kavosh describe: it gives an archive a title, a description and a picture.

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/about"
)

type describeCmd struct {
	target
	Args          []string `arg:"" optional:"" name:"archive" help:"The archive's folder."`
	Title         *string  `placeholder:"TEXT" help:"What readers call it; an empty text takes it away."`
	TitleFa       *string  `placeholder:"TEXT" help:"The same in Persian."`
	Description   *string  `placeholder:"TEXT" help:"What it is, in a few sentences; an empty text takes it away."`
	DescriptionFa *string  `placeholder:"TEXT" help:"The same in Persian."`
	Picture       *string  `placeholder:"FILE" help:"A PNG, JPEG, GIF or WebP picture, at most 2 MB, which is copied; an empty name takes it away."`
	JSON          bool     `name:"json" help:"Print the description as one JSON object."`
}

// Help returns the text above the flags in the help.
func (describeCmd) Help() string {
	return `Examples:

    kavosh describe news.kavosh --title 'News of 2026' --title-fa 'خبرهای ۱۴۰۵'
    kavosh describe news.kavosh --description 'Front pages, day by day.' --picture cover.jpg
    kavosh describe news.kavosh

Gives an archive a title, a description and a picture, which kavosh serve shows from its next start on. Readers see what is in their language, or else what there is. Without flags it prints what is there. Titles have at most 200 letters, descriptions 4,000.`
}

// Run changes what the flags say, and prints the description.
func (c *describeCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("%q: kavosh describe takes one archive; put texts of several words in quotes", rest[0])
	}
	d, err := about.Described(vfs.Default, dir)
	if err != nil {
		return err
	}
	before := d
	for _, f := range []struct {
		flag  string
		given *string
		most  int
		into  *string
	}{
		{"--title", c.Title, about.MaxTitle, &d.Title}, {"--title-fa", c.TitleFa, about.MaxTitle, &d.TitleFa},
		{"--description", c.Description, about.MaxText, &d.Text}, {"--description-fa", c.DescriptionFa, about.MaxText, &d.TextFa},
	} {
		if f.given == nil {
			continue
		}
		if n := utf8.RuneCountInString(*f.given); n > f.most {
			return usage("%s: it has %d letters: write at most %d", f.flag, n, f.most)
		}
		*f.into = *f.given
	}
	if c.Picture != nil {
		var data []byte
		if *c.Picture != "" {
			if data, err = readPicture(*c.Picture); err != nil {
				return err
			}
		}
		if err := about.SetPicture(vfs.Default, dir, data); err != nil {
			return usage("--picture %s: %v", *c.Picture, err)
		}
	}
	if d = d.Bounded(); d != before {
		if err := about.Describe(vfs.Default, dir, d); err != nil {
			return err
		}
	}
	return c.print(p, dir, d)
}

// readPicture reads a picture's file. It stops as soon as the file is too large.
func readPicture(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, usage("--picture %s: %v", name, cause(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, about.MaxPicture+1))
	if err != nil {
		return nil, usage("--picture %s: %v", name, cause(err))
	}
	return data, nil
}

func (c *describeCmd) print(p *program, dir string, d about.Description) error {
	_, mediaType := about.Picture(vfs.Default, dir)
	if c.JSON {
		enc := json.NewEncoder(p.data)
		enc.SetEscapeHTML(false)
		return enc.Encode(struct {
			about.Description
			Picture string `json:"picture,omitempty"`
		}{d, mediaType})
	}
	none := true
	for _, f := range []struct{ name, text string }{
		{"title", d.Title}, {"title-fa", d.TitleFa}, {"description", d.Text}, {"description-fa", d.TextFa}, {"picture", mediaType},
	} {
		if f.text != "" {
			none = false
			fmt.Fprintf(p.out, "%s: %s\n", f.name, f.text)
		}
	}
	if none {
		fmt.Fprintf(p.out, "No description: give one by kavosh describe %s --title TEXT\n", dir)
	}
	return nil
}
