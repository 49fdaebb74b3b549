package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/lib/warc"
	"kavosh/watch"
)

// This file checks and mends an archive's files other than its records: access decisions, and the logs, settings and
// reports of crawls.

// These are the rules of Check for such files.
const (
	ruleDamaged    = "damaged"           // a file was changed or cannot be read
	ruleLost       = "lost"              // a crawl cannot be resumed, because its settings are lost
	ruleUnfinished = "unfinished-import" // an import that a crash cut short: the next command that writes ends or drops it
)

// imports reports imports that are not done: another process works on them now, or a crash has stopped them.
func (c *checker) imports() {
	unfinished := func(name string) {
		c.find(warc.Finding{File: "imports/" + name, Severity: warc.Warning, Rule: ruleUnfinished,
			Text: "the import goes on, or was killed: the next command that writes to the archive ends or drops it"})
	}
	c.coming = map[string]bool{}
	for id, made := range imports(c.fs, c.dir) {
		if made.Done {
			continue
		}
		unfinished(c.fs.PathBase(id))
		for _, f := range made.Files {
			c.coming[f.File] = true
		}
	}
	if _, err := c.fs.Stat(c.fs.PathJoin(c.dir, "imports", staging)); err == nil {
		unfinished(staging)
	}
}

// kept checks the files other than the records.
func (c *checker) kept() {
	bad := func(file, rule string, severity warc.Severity, err error) {
		if err != nil {
			c.find(warc.Finding{File: file, Severity: severity, Rule: rule, Text: err.Error()})
		}
	}
	for _, err := range access.Decisions(c.fs, c.dir) {
		bad("decisions/access.jsonl", ruleDamaged, warc.Fault, err)
	}
	_, err := access.Tokens(c.fs, c.dir)
	bad("decisions/tokens.jsonl", ruleDamaged, warc.Fault, err)
	_, err = watch.List(c.fs, c.dir)
	bad("decisions/watches.jsonl", ruleDamaged, warc.Fault, err)
	_, err = watch.Deliveries(c.fs, c.dir, time.Time{}) // what is being sent is no matter
	bad("watch/outbox.jsonl", ruleDamaged, warc.Fault, err)

	if logs := newestLog(c.fs, c.dir); logs.generation > 0 {
		bad("log", ruleDamaged, warc.Fault, lacking(c.fs, c.dir))
		for _, err := range logs.Read(logs.Begin()) {
			bad("log", ruleDamaged, warc.Fault, err)
		}
	}
	crawls, err := Crawls(c.fs, c.dir)
	bad("crawls", ruleDamaged, warc.Fault, err)
	for i := range crawls {
		info := &crawls[i]
		dir := c.fs.PathJoin(c.dir, "crawls", info.ID)
		if err := info.Resumable(); err != nil {
			severity := warc.Fault
			if _, err := c.fs.Stat(c.fs.PathJoin(dir, configFile) + aside); err == nil {
				severity = warc.Warning // a rebuild has reported it
			}
			bad("crawls/"+info.ID+"/"+configFile, ruleLost, severity, err)
		}
		for _, name := range []string{CrawlLogFile, "control.log", "seeds"} {
			bad("crawls/"+info.ID+"/"+name, ruleDamaged, warc.Fault, soundLog(c.fs, dir, name))
		}
		bad("crawls/"+info.ID+"/report.json", ruleDamaged, warc.Fault, soundReport(c.fs, dir))
	}
}

// soundLog returns what is wrong with a log of the crawl in dir, or nil. In crawl.log only the lines that the frontier
// knows count: a crash may leave more after them.
func soundLog(fs vfs.FS, dir, name string) error {
	path := fs.PathJoin(dir, name)
	var reached journal.Mark
	if name == CrawlLogFile {
		reached = ReadReached(fs, dir)
	}
	err := journal.Reaches(fs, path, reached)
	for e, wrong := range journal.Read(fs, path, 0) {
		if err != nil || wrong != nil && reached.Bytes > 0 && e.Next > reached.Bytes {
			break
		}
		if err = wrong; err == nil && !json.Valid(e.Line) {
			err = fmt.Errorf("%s, before byte %d, %w: a line is no JSON", path, e.Next, journal.ErrDamaged)
		}
	}
	return NeedsMending(err)
}

// NeedsMending returns an error that says what to do about a damaged log of a crawl.
func NeedsMending(err error) error {
	if errors.Is(err, journal.ErrDamaged) {
		return Advise("%w; `kavosh rebuild` keeps what can be read of it", err)
	}
	return err
}

// soundReport returns what is wrong with the report of the crawl in dir, or nil. The crawl may have no report.
func soundReport(fs vfs.FS, dir string) error {
	path := fs.PathJoin(dir, "report.json")
	data, err := disk.ReadFile(fs, path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var r Report
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err == nil && r.ID != fs.PathBase(dir) {
		err = fmt.Errorf("it is of crawl %q", r.ID)
	}
	if err != nil {
		err = fmt.Errorf("%s %w (%w); `kavosh rebuild` puts it aside, and the crawl counts as unfinished", path, journal.ErrDamaged, err)
	}
	return err
}

// mendCrawls writes the damaged files of crawls again, with everything that can be read of them. It keeps the damaged
// files beside the new ones, and calls tell for each.
func mendCrawls(fs vfs.FS, dir string, tell func(string)) error {
	crawls, err := Crawls(fs, dir)
	if err != nil {
		return err
	}
	for i := range crawls {
		dir := fs.PathJoin(dir, "crawls", crawls[i].ID)
		for _, name := range []string{CrawlLogFile, "control.log", "seeds"} {
			if err := soundLog(fs, dir, name); !errors.Is(err, journal.ErrDamaged) {
				continue
			}
			if err := mendLog(fs, dir, name, tell); err != nil {
				return err
			}
		}
		if err := soundReport(fs, dir); errors.Is(err, journal.ErrDamaged) {
			tell(err.Error())
			if err := PutAside(fs, fs.PathJoin(dir, "report.json")); err != nil {
				return err
			}
		}
		if err := crawls[i].Resumable(); err != nil {
			tell(err.Error())
			config := fs.PathJoin(dir, configFile)
			data, err := disk.ReadFile(fs, config)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			if err := disk.WriteFile(fs, config+aside, data); err != nil {
				return err
			}
		}
	}
	return nil
}

// mendLog writes a damaged log again with the lines that can be read. When the crawl is resumed, it notices that the
// log does not match its frontier, and makes both again from its records.
func mendLog(fs vfs.FS, dir, name string, tell func(string)) error {
	path := fs.PathJoin(dir, name)
	m, err := journal.Mend(fs, path, func(line []byte) error {
		if !json.Valid(line) {
			return journal.ErrDamaged
		}
		return nil
	})
	if err != nil {
		return err
	}
	tell(strings.TrimSpace(fmt.Sprintf("%s was damaged: %d lines are kept, of which %d are changed or stand after a gap, %d are lost. %s",
		path, m.Kept, len(m.Changed), m.Dropped, m.Aside)))
	if name != CrawlLogFile {
		return nil
	}
	end, err := journal.MarkOf(fs, path)
	if err != nil {
		return err
	}
	data, err := json.Marshal(end)
	if err != nil {
		return err
	}
	return disk.WriteFile(fs, fs.PathJoin(dir, ReachedFile), data)
}
