package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/index"
	"kavosh/internal/journal"
)

// CaptureLog is log/<generation>/1.jsonl: one kavosh.Capture a line, as JSON. A rebuild starts a new generation; there
// is one log a writer, and this machine is writer 1.
type CaptureLog struct {
	fs         vfs.FS
	dir        string // log/
	generation int
	log        *journal.Log
	line       []byte
	at         []int64 // where the lines of the last append begin
}

func openCaptureLog(fs vfs.FS, dir string) (*CaptureLog, error) {
	l := &CaptureLog{fs: fs, dir: dir, generation: max(1, latest(fs, dir))}
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

// Path is where the log lies.
func (l *CaptureLog) Path() string { return l.path(l.generation) }

func (l *CaptureLog) path(generation int) string {
	return l.fs.PathJoin(l.dir, fmt.Sprintf("%06d", generation), "1.jsonl")
}

// Cursor is the end of the log.
func (l *CaptureLog) Cursor() index.Cursor {
	return index.Cursor{Generation: l.generation, Position: l.log.Position()}
}

// needsRebuild says what to do about damage of what can be made again.
func needsRebuild(err error) error {
	if errors.Is(err, journal.ErrDamaged) {
		return Advise("%w; the WARC files have it: run `kavosh rebuild`", err)
	}
	return err
}

// lacking says what is wrong when the capture log of the archive in dir ends before what the index has read of it.
func lacking(fs vfs.FS, dir string) error {
	reached, err := index.Reached(fs, fs.PathJoin(dir, "index"))
	if err != nil {
		return err
	}
	l := CaptureLog{fs: fs, dir: fs.PathJoin(dir, "log"), generation: latest(fs, fs.PathJoin(dir, "log"))}
	if reached.Generation != l.generation {
		return nil // it is read from the beginning
	}
	return needsRebuild(journal.Reaches(fs, l.path(l.generation), journal.Mark{Bytes: reached.Position}))
}

// Since is where to read on from to see what came after c: its position, or 0 when this is not the log it spoke of.
func (l *CaptureLog) Since(c index.Cursor) (int64, error) {
	if c.Generation != l.generation {
		return 0, nil
	}
	return journal.LineAt(l.fs, l.path(l.generation), c.Position)
}

// Mend cuts the log before the first line after c that is none: a power cut may leave the length of what was appended
// last without its bytes. What was read before is durable, and never cut.
func (l *CaptureLog) Mend(c, read index.Cursor) error {
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

// Append makes captures durable in the log.
func (l *CaptureLog) Append(captures []kavosh.Capture) error {
	l.at = l.at[:0]
	for i := range captures {
		l.at = append(l.at, l.log.Position())
		l.line = index.AppendCapture(l.line[:0], &captures[i])
		l.log.Append(l.line)
	}
	return l.log.Sync()
}

// Read gives the captures after from to add, some thousands at a time, with where the line of each begins.
func (l *CaptureLog) Read(from index.Cursor, add func(batch []kavosh.Capture, at []int64, end index.Cursor) error) error {
	var batch []kavosh.Capture
	var at []int64
	for e, err := range journal.Read(l.fs, l.path(l.generation), from.Position) {
		if err != nil {
			return needsRebuild(err)
		}
		var c kavosh.Capture
		if err := json.Unmarshal(e.Line, &c); err != nil {
			return Advise("the capture log is damaged before byte %d (%w): run `kavosh rebuild`", e.Next, err)
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
