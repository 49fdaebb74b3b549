package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/about"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// Crawl is what is known of a crawl of an archive.
type Crawl struct {
	ID      string
	Started time.Time
	End     string            // as in Report; "" while it runs, and after a crash
	Config  map[string]string // what was asked for
	Report  Report            // of its latest run that ended; zero before
	Damage  error             // what is wrong with Config, so that the crawl cannot go on; nil for nothing
}

// Unfinished reports whether the crawl can be resumed.
func (c Crawl) Unfinished() bool { return c.End != "done" }

// Resumable says why the crawl cannot go on; nil when it can.
func (c *Crawl) Resumable() error {
	if c.Damage == nil {
		return nil
	}
	return Advise("nobody knows any more what crawl %s is to do (%w): put it back, or start a new crawl into the archive, without --resume", c.ID, c.Damage)
}

// Crawls are the crawls of the archive in dir, oldest first.
func Crawls(fs vfs.FS, dir string) ([]Crawl, error) {
	if _, err := about.Read(fs, dir); err != nil {
		return nil, &Advice{err}
	}
	names, _ := fs.List(fs.PathJoin(dir, "crawls")) // none before the first
	slices.Sort(names)
	var infos []Crawl
	for _, id := range names {
		info := Crawl{ID: id, Config: map[string]string{}}
		info.Started, _ = time.Parse(IDFormat, id)
		path := fs.PathJoin(dir, "crawls", id)
		name := fs.PathJoin(path, configFile)
		data, err := disk.ReadFile(fs, name)
		if err != nil {
			if log, err := fs.Stat(fs.PathJoin(path, CrawlLogFile)); err != nil || log.Size() == 0 {
				continue // begun and never got as far as its first file
			}
			info.Damage = fmt.Errorf("%s is gone", name)
		}
		if rest, ok := bytes.CutPrefix(data, []byte(configSum)); ok {
			if sum, text, _ := bytes.Cut(rest, []byte("\n")); string(sum) != sumOf(text) {
				info.Damage = fmt.Errorf("%s is not what was written", name)
			}
		}
		for line := range strings.Lines(string(data)) {
			k, v, ok := strings.Cut(strings.TrimSpace(line), " = ")
			if text, err := strconv.Unquote(v); ok && err == nil {
				info.Config[k] = text
			}
		}
		if data, err := disk.ReadFile(fs, fs.PathJoin(path, "report.json")); err == nil {
			var r Report
			if err := json.Unmarshal(data, &r); err == nil {
				info.End, info.Report = r.End, r
			}
		}
		infos = append(infos, info)
	}
	return infos, nil
}

// IDFormat makes a crawl's id of its start.
const IDFormat = "20060102150405"

// CrawlLogFile, in a crawl's folder, is its log: a Line a line.
const CrawlLogFile = "crawl.log"

const (
	configFile = "config.toml"
	configSum  = "# crc " // begins config.toml, before the CRC-32C of all after that line
)

// sumOf is a CRC-32C in hexadecimal digits.
func sumOf(text []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
}

// WriteConfig keeps what was asked for in crawls/<id>/config.toml: one key = "value" a line, after their sum.
func WriteConfig(fs vfs.FS, dir string, config map[string]string) error {
	keys := make([]string, 0, len(config))
	for k := range config {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "%s = %q\n", k, config[k])
	}
	return disk.WriteFile(fs, fs.PathJoin(dir, configFile), []byte(configSum+sumOf([]byte(b.String()))+"\n"+b.String()))
}

// LastOf is the last line of one crawl's log that is about url, a seen-key; met is false for none. When ctx ends before the log does,
// its error comes with what was found so far.
func LastOf(ctx context.Context, fs vfs.FS, dir, id, url string) (last Line, met bool, err error) {
	piece := "" // the longest part of url that JSON holds as it is: only lines with it are decoded
	for part := range strings.FieldsFuncSeq(url, func(r rune) bool { return r >= 0x80 || strings.ContainsRune(`&<>"\\`, r) }) {
		if len(part) > len(piece) {
			piece = part
		}
	}
	n := 0
	for e, err := range journal.Read(fs, fs.PathJoin(dir, "crawls", id, CrawlLogFile), 0) {
		if n++; n%1000 == 0 && ctx.Err() != nil {
			return last, met, ctx.Err()
		}
		if err != nil {
			return last, met, err
		}
		var l Line
		if bytes.Contains(e.Line, []byte(piece)) && json.Unmarshal(e.Line, &l) == nil && l.URL == url {
			last, met = l, true
		}
	}
	return last, met, nil
}

// ReadLog yields the lines of crawl.log of the crawl id, or of all crawls when id is "", in order.
func ReadLog(fs vfs.FS, dir, id string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		crawls, err := Crawls(fs, dir)
		if err != nil {
			yield(Line{}, err)
			return
		}
		found := false
		for _, c := range crawls {
			if id != "" && c.ID != id {
				continue
			}
			found = true
			for e, err := range journal.Read(fs, fs.PathJoin(dir, "crawls", c.ID, CrawlLogFile), 0) {
				var l Line
				if err == nil {
					if err = json.Unmarshal(e.Line, &l); err != nil {
						err = fmt.Errorf("crawl.log of crawl %s is damaged before byte %d: %w", c.ID, e.Next, err)
					}
				}
				if !yield(l, err) || err != nil {
					return
				}
			}
		}
		if !found && id != "" {
			yield(Line{}, fmt.Errorf("%s has no crawl %q: `kavosh log %s` lists them", dir, id, dir))
		}
	}
}

// Seeds gives the URLs that a crawl of the archive in dir began with, as its file of seeds has them.
func Seeds(fs vfs.FS, dir, id string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for e, err := range journal.Read(fs, fs.PathJoin(dir, "crawls", id, "seeds"), 0) {
			var line struct{ URL, Bad string }
			if err == nil {
				err = json.Unmarshal(e.Line, &line)
			}
			if err == nil && line.Bad != "" {
				continue
			}
			if !yield(line.URL, err) || err != nil {
				return
			}
		}
	}
}
