package archive

// This file reads what an archive keeps of each crawl in crawls/<id>: settings, log, report and seeds.

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
	"unique"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/about"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// Crawl is what an archive knows of one of its crawls.
type Crawl struct {
	ID      string
	Started time.Time
	End     string            // as in Report; "" while it runs, and after a crash
	Config  map[string]string // its settings
	Report  Report            // report of its latest run that ended; zero if none has ended
	Damage  error             // why Config cannot be used, so that the crawl cannot go on; or nil
}

// Unfinished reports whether the crawl can be resumed.
func (c Crawl) Unfinished() bool { return c.End != "done" }

// Mends reports whether the crawl mends the archive (--patch). Such a crawl fetches parts that pages lack: it is no visit of the pages, to
// be compared with others.
func (c Crawl) Mends() bool { return c.Config["patch"] != "" }

// Resumable returns an error that says why the crawl cannot go on, or nil if it can.
func (c *Crawl) Resumable() error {
	if c.Damage == nil {
		return nil
	}
	return Advise("nobody knows any more what crawl %s is to do (%w): put it back, or start a new crawl into the archive, without --resume", c.ID, c.Damage)
}

// Crawls returns the crawls of the archive in dir, oldest first.
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
				continue // the crawl was killed before it wrote its first file
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

// IDFormat is the form of time by which a crawl's start becomes its id.
const IDFormat = "20060102150405"

// CrawlLogFile is the name of the log in a crawl's folder. Each line is a Line.
const CrawlLogFile = "crawl.log"

const (
	configFile = "config.toml"
	configSum  = "# crc " // begins the first line of config.toml; the CRC-32C of all later lines follows
)

// sumOf returns a CRC-32C in hexadecimal digits.
func sumOf(text []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
}

// WriteConfig writes the settings of the crawl in dir to config.toml, one key = "value" on each line, after their sum.
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

// LastOf returns the last line about url (a seen-key) in the log of one crawl. met is false if there is none. If ctx
// ends first, its error comes with what was found so far.
func LastOf(ctx context.Context, fs vfs.FS, dir, id, url string) (last Line, met bool, err error) {
	piece := "" // the longest part of url that JSON does not escape; only lines that contain it are decoded
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
		if bytes.Contains(e.Line, []byte(piece)) {
			if l, err := ReadLine(e.Line); err == nil && l.URL == url {
				last, met = l, true
			}
		}
	}
	return last, met, nil
}

// ReadLog yields the lines of crawl.log of the crawl id, in order. If id is "", it yields those of all crawls.
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
			for l, err := range ReadLogFrom(fs, dir, c.ID, 0) {
				if !yield(l.Line, err) || err != nil {
					return
				}
			}
		}
		if !found && id != "" {
			yield(Line{}, fmt.Errorf("%s has no crawl %q: `kavosh log %s` lists them", dir, id, dir))
		}
	}
}

// StandIns returns what captures of the archive in dir stand in for, as the logs of its crawls say.
func StandIns(fs vfs.FS, dir string) (func(*kavosh.Capture) kavosh.StandIn, error) {
	crawls, err := Crawls(fs, dir)
	if err != nil {
		return nil, err
	}
	type place struct {
		file   string
		offset int64
	}
	all := map[place]kavosh.StandIn{}
	for _, c := range crawls {
		for e, err := range journal.Read(fs, fs.PathJoin(dir, "crawls", c.ID, CrawlLogFile), 0) {
			if err != nil {
				return nil, err
			}
			if !bytes.Contains(e.Line, []byte(`"standin":`)) && !bytes.Contains(e.Line, []byte(`"wall":`)) {
				continue
			}
			if l, err := ReadLine(e.Line); err == nil && l.StandIn != kavosh.NoStandIn && l.File != "" {
				all[place{unique.Make(l.File).Value(), l.Offset}] = l.StandIn
			}
		}
	}
	return func(c *kavosh.Capture) kavosh.StandIn { return all[place{c.File, c.Offset}] }, nil
}

// PlacedLine is a line of a crawl.log, and the position in bytes at which the next line begins.
type PlacedLine struct {
	Line
	Next int64
}

// ReadLogFrom yields the lines of crawl.log of the crawl id from a position on: 0, or PlacedLine.Next of an earlier
// reading. An error may mean that the log was mended since that reading: read it from 0.
func ReadLogFrom(fs vfs.FS, dir, id string, position int64) iter.Seq2[PlacedLine, error] {
	return func(yield func(PlacedLine, error) bool) {
		for e, err := range journal.Read(fs, fs.PathJoin(dir, "crawls", id, CrawlLogFile), position) {
			l := PlacedLine{Next: e.Next}
			if err == nil {
				if l.Line, err = ReadLine(e.Line); err != nil {
					err = fmt.Errorf("crawl.log of crawl %s is damaged before byte %d: %w", id, e.Next, err)
				}
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// SeedPart is what the file of seeds calls a part that pages lack (kavosh crawl --patch), and SeedAgain a page that is visited again
// (--patch incoherent).
const (
	SeedPart  = "part"
	SeedAgain = "again"
)

// Seeds yields the URLs with which a crawl of the archive in dir began, from its file of seeds. What a crawl that mends the archive asks for are
// no seeds.
func Seeds(fs vfs.FS, dir, id string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for e, err := range journal.Read(fs, fs.PathJoin(dir, "crawls", id, "seeds"), 0) {
			var line struct{ URL, As, Bad string }
			if err == nil {
				err = json.Unmarshal(e.Line, &line)
			}
			if err == nil && (line.Bad != "" || line.As == SeedPart || line.As == SeedAgain) {
				continue
			}
			if !yield(line.URL, err) || err != nil {
				return
			}
		}
	}
}
