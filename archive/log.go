package archive

// This file reads and writes the capture log, the list of all captures of an archive from which every derived thing is
// made.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/internal/journal"
)

// Log reads the newest generation of an archive's capture log: log/<generation>/<writer>.jsonl, one kavosh.Capture a
// line, as JSON (docs/formats/capturelog.md). A rebuild begins a new generation.
type Log struct {
	fs         vfs.FS
	dir        string // the folder log/ of the archive
	generation int    // 0 if there is no log
}

// OpenLog opens the capture log of the archive in dir for reading. A crawl may be writing it.
func OpenLog(fs vfs.FS, dir string) (*Log, error) {
	if _, err := about.Read(fs, dir); err != nil {
		return nil, err
	}
	if missingLog(fs, dir) {
		return nil, errMissingLog(dir)
	}
	return newestLog(fs, dir), nil
}

func errMissingLog(dir string) error {
	return Advise("%s has records but no log/ of them: run `kavosh rebuild %s`", dir, dir)
}

// newestLog returns the capture log of the archive in dir. Its generation is 0 if there is none.
func newestLog(fs vfs.FS, dir string) *Log {
	logs := fs.PathJoin(dir, "log")
	return &Log{fs: fs, dir: logs, generation: journal.Newest(fs, logs)}
}

// Path returns the path of this machine's file of the log.
func (l *Log) Path() string { return l.path(journal.Self) }

func (l *Log) path(writer int) string { return journal.File(l.fs, l.dir, l.generation, writer) }

// Begin returns the cursor at the beginning of the log.
func (l *Log) Begin() journal.Cursor { return journal.At(l.generation, 0) }

// Since returns where to go on reading after c: c itself, or the beginning if c is no place in this log, because a
// rebuild has made a new log or a crash has cut this one.
func (l *Log) Since(c journal.Cursor) (journal.Cursor, error) {
	if c.Generation != l.generation {
		return l.Begin(), nil
	}
	for i, position := range c.Positions {
		if position == 0 {
			continue
		}
		if at, err := journal.LineAt(l.fs, l.path(i+1), position); err != nil || at != position {
			return l.Begin(), err
		}
	}
	return c, nil
}

// Logged is a capture as it was read from the log.
type Logged struct {
	kavosh.Capture
	At  int64          // the byte of its writer's file at which its line begins
	End journal.Cursor // how far the log is read when this capture is
}

// Read yields the captures from from on, one writer after another. from must be a place in this log. Captures that are
// added meanwhile may be left out.
func (l *Log) Read(from journal.Cursor) iter.Seq2[*Logged, error] {
	return func(yield func(*Logged, error) bool) {
		end := from
		for _, writer := range journal.Writers(l.fs, l.dir, l.generation) {
			for e, err := range journal.Read(l.fs, l.path(writer), from.Of(writer)) {
				c := &Logged{At: end.Of(writer)}
				if err = needsRebuild(err); err == nil {
					if err = json.Unmarshal(e.Line, &c.Capture); err != nil {
						err = Advise("the capture log is damaged before byte %d (%w): run `kavosh rebuild`", e.Next, err)
					}
				}
				end = end.With(writer, e.Next)
				if c.End = end; !yield(c, err) || err != nil {
					return
				}
			}
		}
	}
}

// Notes yields the notes on visits that left no copy (docs/formats/outcomes.md: dropped by --keep or --only) in the last bytes of
// each writer's file, at most most of them.
func (l *Log) Notes(most int64) iter.Seq2[*kavosh.Capture, error] {
	return func(yield func(*kavosh.Capture, error) bool) {
		for _, writer := range journal.Writers(l.fs, l.dir, l.generation) {
			from, err := journal.Tail(l.fs, l.path(writer), most)
			if err != nil {
				yield(nil, err)
				return
			}
			for e, err := range journal.Read(l.fs, l.path(writer), from) {
				var c kavosh.Capture
				if err = needsRebuild(err); err == nil {
					if !bytes.Contains(e.Line, []byte(`"type":"metadata"`)) {
						continue
					}
					err = json.Unmarshal(e.Line, &c)
				}
				if err == nil && (c.Type != "metadata" || c.Failure != kavosh.NoFailure) {
					continue
				}
				if !yield(&c, err) || err != nil {
					return
				}
			}
		}
	}
}

// needsRebuild returns an error that says to rebuild, for damage in something that can be made again.
func needsRebuild(err error) error {
	if errors.Is(err, journal.ErrDamaged) {
		return Advise("%w; the WARC files have it: run `kavosh rebuild`", err)
	}
	return err
}

// lacking returns what is wrong if the capture log of the archive in dir ends before what the index has read of it, or
// nil.
func lacking(fs vfs.FS, dir string) error {
	reached, err := index.Reached(fs, fs.PathJoin(dir, "index"))
	if err != nil {
		return err
	}
	l := newestLog(fs, dir)
	if reached.Generation != l.generation {
		return nil // it is read from the beginning
	}
	for i, position := range reached.Positions {
		if err := journal.Reaches(fs, l.path(i+1), journal.Mark{Bytes: position}); err != nil {
			return needsRebuild(err)
		}
	}
	return nil
}

// CaptureLog writes the capture log: this process's file of the newest generation. Only the holder of the archive's
// lock may have one.
type CaptureLog struct {
	Log
	log  *journal.Log
	line []byte
	at   []int64 // the bytes at which the lines of the last Append begin
}

func openCaptureLog(fs vfs.FS, dir string) (*CaptureLog, error) {
	l := &CaptureLog{Log: *newestLog(fs, dir)}
	l.generation = max(1, l.generation)
	var err error
	if l.log, err = journal.Open(fs, l.Path()); err != nil {
		return nil, err
	}
	return l, nil
}

// Cursor returns the end of the log.
func (l *CaptureLog) Cursor() journal.Cursor { return journal.At(l.generation, l.log.Position()) }

// Empty reports whether the log has no capture yet.
func (l *CaptureLog) Empty() bool { return l.log.Position() == 0 }

// Mend reads the log from from on, and cuts it where its first damaged line begins: a power cut may keep the length of
// what was appended last and lose its bytes. What a follower has read, up to read, was durable. Damage there is an
// error, and nothing is cut.
func (l *CaptureLog) Mend(from, read journal.Cursor) error {
	if from.Generation != l.generation {
		return nil
	}
	path, sound := l.Path(), from.Of(journal.Self)
	if err := journal.Reaches(l.fs, path, journal.Mark{Bytes: sound}); err != nil {
		return needsRebuild(err)
	}
	for e, err := range journal.Read(l.fs, path, sound) {
		if err == nil && !json.Valid(e.Line) { // older programs wrote no sum with each line
			err = fmt.Errorf("%s, before byte %d, %w: a line is no JSON", path, e.Next, journal.ErrDamaged)
		}
		switch {
		case errors.Is(err, journal.ErrDamaged) && (read.Generation != l.generation || sound >= read.Of(journal.Self)):
			return l.log.Cut(sound)
		case err != nil:
			return needsRebuild(err)
		}
		sound = e.Next
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
