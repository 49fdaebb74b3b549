package archive

// This file checks an archive's WARC files against the index. It reads the whole archive and writes nothing.

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/wacz"
	"kavosh/lib/warc"
	"kavosh/record"
)

// These are the rules of Check, besides those of warc.Check.
const (
	ruleOpen     = "open-file"     // a WARC file that was not sealed: a crawl is running, or was killed
	ruleUnlisted = "index-missing" // a capture that the index does not list
	ruleStray    = "index-stray"   // a line of the index that leads to no such capture
	ruleNoIndex  = "index"         // the index cannot be read
)

// Checked is what Check saw of an archive.
type Checked struct {
	Files    int   `json:"files"`
	Records  int64 `json:"records"`
	Chunked  int   `json:"chunked"`  // see warc.Summary
	Captures int64 `json:"captures"` // captures that the index must have
	Lines    int64 `json:"lines"`    // lines that the index has
	Errors   int   `json:"errors"`
	Warnings int   `json:"warnings"`
}

// Check reads every record and every line of the index of the archive in dir, and calls report for each fault. It never
// writes. strict is passed to warc.Check. The error is a failure to read, or comes from ctx.
func Check(ctx context.Context, fs vfs.FS, dir string, strict bool, report func(warc.Finding)) (Checked, error) {
	c := checker{fs: fs, dir: dir, strict: strict, report: report, records: RecordsOf(fs, dir)}
	if _, err := about.Read(fs, dir); err != nil {
		return c.sum, err
	}
	c.index = index.OpenLive(fs, fs.PathJoin(dir, "index"), fs.PathJoin(dir, "log"))
	if missingLog(fs, dir) {
		c.find(warc.Finding{File: "index", Severity: warc.Fault, Rule: ruleNoIndex, Text: "there are records but no log of them: run `kavosh rebuild`"})
		c.index = nil
	}
	files, err := record.Files(fs, fs.PathJoin(dir, "warc"))
	if err != nil {
		return c.sum, err
	}
	c.imports()
	for _, name := range files {
		if err := c.file(ctx, name); err != nil {
			return c.sum, fmt.Errorf("%s: %w", name, err)
		}
	}
	c.kept()
	return c.sum, c.lines(ctx)
}

// CheckFile checks a WARC, ARC or WACZ file outside an archive.
func CheckFile(ctx context.Context, path string, strict bool, report func(warc.Finding)) (Checked, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return checkPipe(ctx, path, strict, report)
	}
	f, err := OpenLooseFile(ctx, nil, path)
	if err != nil {
		return Checked{}, err
	}
	defer f.Close()
	var sum warc.Summary
	if name, opts := filepath.Base(path), (warc.CheckOptions{Strict: strict}); f.IsWACZ() {
		sum, err = wacz.Check(ctx, name, f, f.Size, opts, report)
	} else {
		sum, err = warc.Check(ctx, name, io.NewSectionReader(f, 0, f.Size), opts, report)
	}
	return checkedFile(sum), err
}

// checkPipe checks what comes through a pipe. Its size is not known, so it is read to its end.
func checkPipe(ctx context.Context, path string, strict bool, report func(warc.Finding)) (Checked, error) {
	f, err := os.Open(path)
	if err != nil {
		return Checked{}, err
	}
	defer f.Close()
	sum, err := warc.Check(ctx, filepath.Base(path), f, warc.CheckOptions{Strict: strict}, report)
	return checkedFile(sum), err
}

func checkedFile(sum warc.Summary) Checked {
	return Checked{Files: 1, Records: int64(sum.Records), Chunked: sum.Chunked, Errors: sum.Errors, Warnings: sum.Warnings}
}

type checker struct {
	fs      vfs.FS
	dir     string
	strict  bool
	report  func(warc.Finding)
	index   *index.Live
	records *records.Records
	listed  int64           // captures that the index lists
	coming  map[string]bool // files of unfinished imports
	sum     Checked
}

func (c *checker) find(f warc.Finding) {
	if f.Severity == warc.Fault {
		c.sum.Errors++
	} else {
		c.sum.Warnings++
	}
	c.report(f)
}

// file checks one WARC file and looks up each of its captures.
func (c *checker) file(ctx context.Context, name string) error {
	f, err := c.fs.Open(c.fs.PathJoin(c.dir, "warc", name))
	if err != nil {
		return err
	}
	defer f.Close()
	c.sum.Files++
	sealed := strings.TrimSuffix(name, ".open")
	open := sealed != name
	if c.coming[name] {
		open = true // the next command that writes completes it
	} else if open {
		c.find(warc.Finding{File: name, Severity: warc.Warning, Rule: ruleOpen,
			Text: "the file is not sealed: its crawl is running, or was killed and waits for `kavosh crawl --resume`"})
	}
	var lookErr error
	sum, err := warc.Check(ctx, name, f, warc.CheckOptions{Strict: c.strict, Each: func(rec *warc.Record, _ bool) {
		if c.index == nil || lookErr != nil {
			return
		}
		lookErr = c.look(ctx, rec, sealed, open)
	}}, func(f warc.Finding) {
		if open { // a crash leaves this, and so does a running crawl
			f.Severity = warc.Warning
		}
		c.find(f)
	})
	c.sum.Records += int64(sum.Records)
	c.sum.Chunked += sum.Chunked
	if err == nil {
		err = lookErr
	}
	return err
}

// look looks up a record in the index, if the index must have it.
func (c *checker) look(ctx context.Context, rec *warc.Record, file string, open bool) error {
	method, query := record.Asked(rec)
	e, ok := index.Entry(&kavosh.Capture{URL: rec.TargetURI(), Time: rec.Date(), Type: rec.Type(), Method: method, Query: query})
	if !ok || rec.Broken {
		return nil
	}
	c.sum.Captures++
	under := e.URL
	if query != "" {
		under = cdx.WithMethod(e.URL, query)
	}
	for found, err := range c.index.Query(ctx, cdx.Query{URL: under, From: e.Timestamp, To: e.Timestamp}) {
		if err != nil {
			return err
		}
		if found.Filename == file && found.Offset == rec.Offset && found.URL == e.URL {
			c.listed++
			return nil
		}
	}
	severity := warc.Fault
	if open {
		severity = warc.Warning // its group may be incomplete or not committed yet
	}
	c.find(warc.Finding{File: file, Offset: rec.Offset, Severity: severity, Rule: ruleUnlisted,
		Text: fmt.Sprintf("the index does not list the %s of %s: run `kavosh rebuild`", rec.Type(), rec.TargetURI())})
	return nil
}

// lines counts the lines of the index. If there are more lines than records that look has found, it compares each line
// with its record.
func (c *checker) lines(ctx context.Context) error {
	if c.index == nil {
		return nil
	}
	all := func(each func(cdx.Entry)) error {
		for e, err := range c.index.All(ctx) {
			if err != nil {
				return err
			}
			each(e)
		}
		return nil
	}
	if err := all(func(cdx.Entry) { c.sum.Lines++ }); err != nil {
		c.find(warc.Finding{File: "index", Severity: warc.Fault, Rule: ruleNoIndex, Text: err.Error()})
		return nil
	}
	if c.sum.Lines == c.listed {
		return nil
	}
	return all(func(e cdx.Entry) {
		why := "the record there is of another URL"
		held, err := c.records.Alone(ctx, &cdx.Entry{Filename: e.Filename, Offset: e.Offset})
		if err != nil {
			why = err.Error()
		} else if held.Close(); held.Target == e.URL {
			return
		}
		c.find(warc.Finding{File: e.Filename, Offset: e.Offset, Severity: warc.Fault, Rule: ruleStray,
			Text: fmt.Sprintf("the index lists %s at %s, but %s: run `kavosh rebuild`", e.URL, e.Timestamp, why)})
	})
}
