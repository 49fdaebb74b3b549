package main

// This file is the command kavosh check: it prints what is wrong with archives and web archive files.

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/lib/warc"
)

type checkCmd struct {
	Paths   []string `arg:"" optional:"" name:"path" help:"Archives that kavosh crawl made, WARC, ARC or WACZ files, or folders of such."`
	Archive []string `sep:"none" placeholder:"PATH" help:"The same as a flag. May be repeated."`
	Strict  bool     `help:"Also report as errors what the standard demands but readers can do without."`
	All     bool     `help:"Print every finding; without it the first few of each kind in a file."`
	JSON    bool     `name:"json" help:"Print findings and counts as one JSON object."`
}

// Help returns the text above the flags in the help.
func (checkCmd) Help() string {
	return `Examples:

    kavosh check example.org.kavosh             records, digests, and the index against the records
    kavosh check *.warc.gz collection.wacz
    kavosh check --strict --json old.arc.gz

Some programs report errors in correct files: warcio check ("payload digest failed"), gowarc and JWAT ("Incorrect payload digest") compute the digests of payloads that were sent in chunks with the framing of the chunks. jwarc validate computes them as the standard says, and as here.

Errors (exit status 1) are apart from warnings. Nothing is written; kavosh repair copies what is sound of a damaged file, kavosh rebuild makes an index anew.`
}

// checkTotals are the counts of everything that was checked.
type checkTotals struct {
	Files    int   `json:"files"`
	Records  int64 `json:"records"`
	Chunked  int   `json:"chunked"` // correct payload digests that other programs call wrong; see warc.Summary
	Lines    int64 `json:"lines"`   // lines of archives' indexes
	Errors   int   `json:"errors"`
	Warnings int   `json:"warnings"`
	Unread   int   `json:"unread"` // files that could not be read
}

func (t *checkTotals) add(sum archive.Checked) {
	t.Files += sum.Files
	t.Records += sum.Records
	t.Chunked += sum.Chunked
	t.Lines += sum.Lines
	t.Errors += sum.Errors
	t.Warnings += sum.Warnings
}

// Run checks every path and prints the findings.
func (c *checkCmd) Run(p *program) error {
	paths := append(c.Archive, c.Paths...)
	if len(paths) == 0 {
		return usage("what to check? name an archive or a file, such as kavosh check example.org.kavosh")
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	out := bufio.NewWriter(p.out)
	var say findings = &findingText{out: out, all: c.All}
	if c.JSON {
		say = &findingJSON{out: out}
	}
	say.begin()
	var total checkTotals
	for _, path := range paths {
		if err := c.path(ctx, path, &total, say); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			total.Unread++
			fmt.Fprintf(p.err, "kavosh: cannot check %s: %s\n", path, oneLine(cause(err)))
		}
	}
	say.end(total)
	if err := out.Flush(); err != nil {
		return err
	}
	if total.Errors > 0 || total.Unread > 0 {
		return exitStatus(exitFailed)
	}
	return nil
}

// path checks an archive, a folder of files, or a file.
func (c *checkCmd) path(ctx context.Context, path string, total *checkTotals, say findings) error {
	if _, err := os.Stat(path); err != nil {
		return cmp.Or(missing(path), err)
	}
	is, err := isArchive(path)
	if err != nil {
		return err
	}
	if is {
		say.file(path)
		sum, err := archive.Check(ctx, vfs.Default, path, c.Strict, say.find)
		total.add(sum)
		return err
	}
	files, err := archive.WARCs(path)
	if err == nil && len(files) == 0 {
		err = errors.New("it is no archive (it has no archive.json) and holds no WARC, ARC or WACZ files")
	}
	for _, f := range files {
		say.file(f)
		sum, err := archive.CheckFile(ctx, f, c.Strict, say.find)
		total.add(sum)
		if err != nil && f != path {
			err = fmt.Errorf("%s: %w", f, err)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// findings is where findings go.
type findings interface {
	begin()
	file(path string) // the next findings are about this file or archive
	find(warc.Finding)
	end(checkTotals)
}

// findingText prints findings for people. It prints the first few of each rule in each file in full, and counts the
// rest.
type findingText struct {
	out  io.Writer
	all  bool
	seen map[[2]string]int // by file and rule
}

// shownOfRule is how many findings of one rule in one file are printed without --all.
const shownOfRule = 5

func (t *findingText) begin() {}

func (t *findingText) file(path string) {
	t.rest()
	t.seen = map[[2]string]int{}
	fmt.Fprintln(t.out, path)
}

func (t *findingText) find(f warc.Finding) {
	key := [2]string{f.File, f.Rule}
	t.seen[key]++
	if t.seen[key] <= shownOfRule || t.all {
		fmt.Fprintf(t.out, "  %-7s  %s at %d: %s: %s\n", f.Severity, f.File, f.Offset, f.Rule, f.Text)
	}
}

// rest prints how many findings of the last file were not printed.
func (t *findingText) rest() {
	more := map[string]int64{}
	for key, n := range t.seen {
		if n > shownOfRule && !t.all {
			more[key[1]] += int64(n - shownOfRule)
		}
	}
	if len(more) > 0 {
		fmt.Fprintf(t.out, "  and more of the same, which --all prints: %s\n", ranked(more, 20, " × "))
	}
}

func (t *findingText) end(sum checkTotals) {
	t.rest()
	if sum.Files == 0 && sum.Unread > 0 {
		return // nothing was checked
	}
	lines := ""
	if sum.Lines > 0 {
		lines = fmt.Sprintf(", %s lines of the index", count(sum.Lines))
	}
	fmt.Fprintf(t.out, "%s, %s%s: %s, %s\n", plural(sum.Files, "file"), plural(sum.Records, "record"), lines, none(sum.Errors, "error"), none(sum.Warnings, "warning"))
	if sum.Chunked > 0 {
		fmt.Fprintf(t.out, "%s of what chunks carry, as WARC 1.1 says, and right: warcio check (\"payload digest failed\"), gowarc and JWAT (\"Incorrect payload digest\") take in the framing of the chunks, and call them wrong\n",
			plural(sum.Chunked, "payload digest"))
	}
}

// findingJSON prints {"findings": [...], "files": …} without holding the findings.
type findingJSON struct {
	out  io.Writer
	next string // the text before the next finding
}

func (j *findingJSON) begin() {
	io.WriteString(j.out, `{"findings":[`)
}

func (j *findingJSON) file(string) {}

func (j *findingJSON) find(f warc.Finding) {
	data, err := json.Marshal(f)
	if err != nil {
		return // cannot happen: a finding has only texts and numbers
	}
	fmt.Fprintf(j.out, "%s\n%s", j.next, data)
	j.next = ","
}

func (j *findingJSON) end(sum checkTotals) {
	data, _ := json.Marshal(sum)
	fmt.Fprintf(j.out, "\n],%s\n", data[1:])
}
