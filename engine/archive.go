package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// archive is an archive's folder, held by this process alone: the capture log and those who follow it.
type archive struct {
	fs        vfs.FS
	dir       string
	warc      string // its warc/
	lock      io.Closer
	captures  *captureLog
	index     *index.Index
	originals *index.Originals
}

// openArchive takes hold of the archive in dir. Where there is none, create makes one, unless it is nil.
func openArchive(fs vfs.FS, dir string, create func() error) (*archive, error) {
	_, err := about.Read(fs, dir)
	switch {
	case create != nil && errors.Is(err, about.ErrNone):
		if err := create(); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, &advice{err}
	}
	if missingLog(fs, dir) {
		return nil, advise("%s has records but no log/ of them: run `kavosh rebuild %s`", dir, dir)
	}
	lock, err := hold(fs, dir)
	if err != nil {
		return nil, err
	}
	a := &archive{fs: fs, dir: dir, warc: fs.PathJoin(dir, "warc"), lock: lock}
	if err = lacking(fs, dir); err == nil {
		err = a.open()
	}
	if err == nil {
		err = a.finishImports()
	}
	if err != nil {
		_, _ = a.close(), a.lock.Close() // what they meet is of the same cause
		return nil, err
	}
	return a, nil
}

// hold takes the archive's lock, so that one process alone writes.
func hold(fs vfs.FS, dir string) (io.Closer, error) {
	lock, err := fs.Lock(fs.PathJoin(dir, "lock"))
	switch {
	case err == nil:
		return lock, nil
	case errors.Is(err, syscall.EAGAIN), strings.Contains(err.Error(), "already locked"), strings.Contains(err.Error(), "held by current process"):
		return nil, advise("%s is in use by another kavosh: wait for it, or stop it", dir)
	}
	return nil, advise("%s cannot be locked for writing (%w): make its folder writable, or work on a copy", dir, err)
}

// open opens the capture log and its followers.
func (a *archive) open() (err error) {
	if a.captures, err = openCaptureLog(a.fs, a.fs.PathJoin(a.dir, "log")); err != nil {
		return err
	}
	if a.index, err = index.Open(a.fs, a.fs.PathJoin(a.dir, "index")); err != nil {
		return err
	}
	if err := disk.MkdirAll(a.fs, a.fs.PathDir(a.originalsDir())); err != nil {
		return err
	}
	a.originals, err = index.OpenOriginals(a.fs, a.originalsDir(), a.fs.PathJoin(a.dir, "log"))
	return err
}

func (a *archive) originalsDir() string { return a.fs.PathJoin(a.dir, "derived", "originals@2") }

// close closes all but the lock.
func (a *archive) close() error {
	var err, logErr error
	if a.originals != nil {
		err = a.originals.Close()
	}
	if a.captures != nil {
		logErr = a.captures.log.Close()
	}
	return cmp.Or(err, logErr)
}

// follow hands captures that are durable in the capture log to its followers.
func (a *archive) follow(captures []kavosh.Capture) error {
	cursor := a.captures.cursor()
	if err := a.index.Add(captures, cursor); err != nil {
		return err
	}
	return a.originals.Add(captures, a.captures.at, cursor)
}

// catchUp lets each follower read what it has not seen of the capture log; one that followed another generation starts anew.
func (a *archive) catchUp() error {
	end := a.captures.cursor()
	from := a.index.Cursor()
	if from.Generation != end.Generation || from.Position > end.Position {
		if err := a.index.Reset(end.Generation); err != nil {
			return err
		}
		from = index.Cursor{Generation: end.Generation}
	}
	err := a.captures.read(from, func(batch []kavosh.Capture, _ []int64, c index.Cursor) error { return a.index.Add(batch, c) })
	if err != nil {
		return err
	}
	if from, err = a.originals.Cursor(); err != nil {
		return err
	}
	if from.Generation != end.Generation || from.Position > end.Position {
		// It drops what it knew of another generation; of this one, what is added again replaces itself.
		from = index.Cursor{Generation: end.Generation}
	}
	return a.captures.read(from, a.originals.Add)
}

// captureLog is log/<generation>/1.jsonl: one kavosh.Capture a line, as JSON. A rebuild starts a new generation; there
// is one log a writer, and this machine is writer 1.
type captureLog struct {
	fs         vfs.FS
	dir        string // log/
	generation int
	log        *journal.Log
	line       []byte
	at         []int64 // where the lines of the last append begin
}

func openCaptureLog(fs vfs.FS, dir string) (*captureLog, error) {
	l := &captureLog{fs: fs, dir: dir, generation: max(1, latest(fs, dir))}
	var err error
	if l.log, err = journal.Open(fs, l.path(l.generation)); err != nil {
		return nil, err
	}
	return l, nil
}

// latest is the newest generation of the capture log in dir; 0 for none.
func latest(fs vfs.FS, dir string) (generation int) {
	names, _ := fs.List(dir) // none when it is not there
	for _, n := range names {
		if g, err := strconv.Atoi(n); err == nil {
			generation = max(generation, g)
		}
	}
	return generation
}

func (l *captureLog) path(generation int) string {
	return l.fs.PathJoin(l.dir, fmt.Sprintf("%06d", generation), "1.jsonl")
}

func (l *captureLog) cursor() index.Cursor {
	return index.Cursor{Generation: l.generation, Position: l.log.Position()}
}

// needsRebuild says what to do about damage of what can be made again.
func needsRebuild(err error) error {
	if errors.Is(err, journal.ErrDamaged) {
		return advise("%w; the WARC files have it: run `kavosh rebuild`", err)
	}
	return err
}

// lacking says what is wrong when the capture log of the archive in dir ends before what the index has read of it.
func lacking(fs vfs.FS, dir string) error {
	reached, err := index.Reached(fs, fs.PathJoin(dir, "index"))
	if err != nil {
		return err
	}
	l := captureLog{fs: fs, dir: fs.PathJoin(dir, "log"), generation: latest(fs, fs.PathJoin(dir, "log"))}
	if reached.Generation != l.generation {
		return nil // it is read from the beginning
	}
	return needsRebuild(journal.Reaches(fs, l.path(l.generation), journal.Mark{Bytes: reached.Position}))
}

// since is where to read on from to see what came after c: its position, or 0 when this is not the log it spoke of.
func (l *captureLog) since(c index.Cursor) (int64, error) {
	if c.Generation != l.generation {
		return 0, nil
	}
	return journal.LineAt(l.fs, l.path(l.generation), c.Position)
}

// mend cuts the log before the first line after c that is none: a power cut may leave the length of what was appended
// last without its bytes. What was read before is durable, and never cut.
func (l *captureLog) mend(c, read index.Cursor) error {
	if c.Generation != l.generation {
		return nil
	}
	path, whole := l.path(l.generation), c.Position
	if err := journal.Reaches(l.fs, path, journal.Mark{Bytes: whole}); err != nil {
		return needsRebuild(err)
	}
	for e, err := range journal.Read(l.fs, path, whole) {
		if err == nil && !json.Valid(e.Line) { // of an older program's log
			err = fmt.Errorf("%s, before byte %d, %w: a line is no JSON", path, e.Next, journal.ErrDamaged)
		}
		switch {
		case errors.Is(err, journal.ErrDamaged) && (read.Generation != l.generation || whole >= read.Position):
			return l.log.Cut(whole)
		case err != nil:
			return needsRebuild(err)
		}
		whole = e.Next
	}
	return nil
}

// append makes captures durable in the log.
func (l *captureLog) append(captures []kavosh.Capture) error {
	l.at = l.at[:0]
	for i := range captures {
		l.at = append(l.at, l.log.Position())
		l.line = index.AppendCapture(l.line[:0], &captures[i])
		l.log.Append(l.line)
	}
	return l.log.Sync()
}

// read gives the captures after from to add, some thousands at a time, with where the line of each begins.
func (l *captureLog) read(from index.Cursor, add func(batch []kavosh.Capture, at []int64, end index.Cursor) error) error {
	var batch []kavosh.Capture
	var at []int64
	for e, err := range journal.Read(l.fs, l.path(l.generation), from.Position) {
		if err != nil {
			return needsRebuild(err)
		}
		var c kavosh.Capture
		if err := json.Unmarshal(e.Line, &c); err != nil {
			return advise("the capture log is damaged before byte %d (%w): run `kavosh rebuild`", e.Next, err)
		}
		batch, at = append(batch, c), append(at, from.Position)
		from.Position = e.Next
		if len(batch) == 4096 {
			if err := add(batch, at, from); err != nil {
				return err
			}
			batch, at = batch[:0], at[:0]
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return add(batch, at, from)
}

// CrawlInfo is what is known of a crawl of an archive.
type CrawlInfo struct {
	ID      string
	Started time.Time
	End     string            // as in Report; "" while it runs, and after a crash
	Config  map[string]string // what was asked for
	Report  Report            // of its latest run that ended; zero before
	Damage  error             // what is wrong with Config, so that the crawl cannot go on; nil for nothing
}

// Unfinished reports whether the crawl can be resumed.
func (c CrawlInfo) Unfinished() bool { return c.End != "done" }

// Resumable says why the crawl cannot go on; nil when it can.
func (c *CrawlInfo) Resumable() error {
	if c.Damage == nil {
		return nil
	}
	return advise("nobody knows any more what crawl %s is to do (%w): put it back, or start a new crawl into the archive, without --resume", c.ID, c.Damage)
}

// Crawls are the crawls of the archive in dir, oldest first.
func Crawls(fs vfs.FS, dir string) ([]CrawlInfo, error) {
	if _, err := about.Read(fs, dir); err != nil {
		return nil, &advice{err}
	}
	names, _ := fs.List(fs.PathJoin(dir, "crawls")) // none before the first
	slices.Sort(names)
	var infos []CrawlInfo
	for _, id := range names {
		info := CrawlInfo{ID: id, Config: map[string]string{}}
		info.Started, _ = time.Parse(idFormat, id)
		path := fs.PathJoin(dir, "crawls", id)
		name := fs.PathJoin(path, configFile)
		data, err := disk.ReadFile(fs, name)
		if err != nil {
			if log, err := fs.Stat(fs.PathJoin(path, crawlLogFile)); err != nil || log.Size() == 0 {
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

// idFormat makes a crawl's id of its start.
const idFormat = "20060102150405"

const (
	configFile   = "config.toml"
	crawlLogFile = "crawl.log"
	configSum    = "# crc " // begins config.toml, before the CRC-32C of all after that line
)

// sumOf is a CRC-32C in hexadecimal digits.
func sumOf(text []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
}

// writeConfig keeps what was asked for in crawls/<id>/config.toml: one key = "value" a line, after their sum.
func writeConfig(fs vfs.FS, dir string, config map[string]string) error {
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
	for e, err := range journal.Read(fs, fs.PathJoin(dir, "crawls", id, "crawl.log"), 0) {
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
			for e, err := range journal.Read(fs, fs.PathJoin(dir, "crawls", c.ID, "crawl.log"), 0) {
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
