package main

// This file is the command kavosh repair: it copies the undamaged records of a WARC file. Package lib/warc repairs.

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"kavosh/lib/wacz"
	"kavosh/lib/warc"
)

type repairCmd struct {
	File   string `arg:"" help:"The damaged WARC or ARC file. It is only read."`
	Output string `short:"o" required:"" placeholder:"FILE" help:"Where to write the undamaged records, a new file: .warc, .warc.gz or .warc.zst."`
	JSON   bool   `name:"json" help:"Print what was done as one JSON object."`
}

// Help returns the text above the flags in the help.
func (repairCmd) Help() string {
	return `Examples:

    kavosh repair broken.warc.gz -o sound.warc.gz
    kavosh repair old.arc.gz -o new.warc.gz             ARC records become WARC records

Copies each record that is provably undamaged into a member of its own. All others are left out and reported.`
}

// repaired is what kavosh repair --json prints.
type repaired struct {
	Read      int             `json:"read"`
	Written   int             `json:"written"`
	Fixed     int             `json:"fixed"`
	Dropped   int             `json:"dropped"`
	Converted int             `json:"converted"`
	Records   []warc.Repaired `json:"records"` // the records that were changed or left out
}

// Run writes the repaired file and prints what was done.
func (c *repairCmd) Run(p *program) error {
	in, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("cannot read the damaged file: %w", err)
	}
	defer in.Close()
	first := make([]byte, 4)
	n, _ := in.ReadAt(first, 0)
	if wacz.IsZip(first[:n]) {
		return fmt.Errorf("%s is a zip file: unpack it and repair the WARC files in its archive folder", c.File)
	}
	out, err := os.OpenFile(c.Output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		if os.IsExist(err) {
			return fmt.Errorf("%s exists already and is not overwritten: choose another name with -o", c.Output)
		}
		return err
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	done := repaired{Records: []warc.Repaired{}}
	sum, err := warc.Repair(ctx, in, out, warc.RepairOptions{Compression: compressionOf(c.Output)}, func(r warc.Repaired) {
		if c.JSON {
			done.Records = append(done.Records, r)
			return
		}
		what := "fixed"
		if r.Dropped {
			what = "dropped"
		}
		fmt.Fprintf(p.out, "  %-7s  at %d: %s: %s\n", what, r.Offset, r.Rule, r.Text)
	})
	if err == nil {
		err = out.Sync()
	}
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err == nil && sum.Written == 0 {
		err = fmt.Errorf("nothing of %s can be saved: %s in it, none undamaged", c.File, plural(sum.Read, "record"))
	}
	if err != nil {
		os.Remove(c.Output) // an incomplete repair must not stay
		return err
	}
	done.Read, done.Written, done.Fixed, done.Dropped, done.Converted = sum.Read, sum.Written, sum.Fixed, sum.Dropped, sum.Converted
	if c.JSON {
		return json.NewEncoder(p.out).Encode(done)
	}
	_, err = io.WriteString(p.out, done.text(c.Output))
	return err
}

func (d *repaired) text(output string) string {
	s := fmt.Sprintf("%s of %s written to %s", count(d.Written), plural(d.Read, "record"), output)
	for _, part := range []struct {
		n    int
		what string
	}{{d.Fixed, "fixed"}, {d.Dropped, "dropped"}, {d.Converted, "made of ARC records"}} {
		if part.n > 0 {
			s += fmt.Sprintf(", %s %s", count(part.n), part.what)
		}
	}
	return s + "\n"
}

// compressionOf returns the compression that a file's name promises.
func compressionOf(name string) warc.Compression {
	switch {
	case strings.HasSuffix(name, ".gz"):
		return warc.Compression{Format: warc.Gzip}
	case strings.HasSuffix(name, ".zst"):
		return warc.Compression{Format: warc.Zstd}
	}
	return warc.Compression{}
}
