package archive

import (
	"encoding/json"
	"iter"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/internal/journal"
)

// Followed is a capture of the capture log, and where to go on after it.
type Followed struct {
	kavosh.Capture
	Next index.Cursor
}

// Follow yields what the capture log of the archive in dir holds after from, for a follower outside of the crawl. Where that
// is no place of the log, since a rebuild has made a new one or a crash cut it, start is its beginning and not from: the
// follower begins anew. A crawl may be writing meanwhile; what it adds later is for the next call.
func Follow(fs vfs.FS, dir string, from index.Cursor) (start index.Cursor, captures iter.Seq2[Followed, error], err error) {
	if _, err := about.Read(fs, dir); err != nil {
		return start, nil, err
	}
	if missingLog(fs, dir) {
		return start, nil, Advise("%s has records but no log/ of them: run `kavosh rebuild %s`", dir, dir)
	}
	logs := fs.PathJoin(dir, "log")
	l := &CaptureLog{fs: fs, dir: logs, generation: latest(fs, logs)}
	start.Generation = l.generation
	if from.Position > 0 && from.Generation == l.generation {
		if start.Position, err = l.Since(from); err != nil {
			return start, nil, err
		}
	}
	return start, func(yield func(Followed, error) bool) {
		next := start
		for e, err := range journal.Read(fs, l.path(l.generation), start.Position) {
			var f Followed
			if err == nil {
				if err = json.Unmarshal(e.Line, &f.Capture); err != nil {
					err = Advise("the capture log is damaged before byte %d (%w): run `kavosh rebuild`", e.Next, err)
				}
			}
			next.Position = e.Next
			f.Next = next
			if !yield(f, err) || err != nil {
				return
			}
		}
	}, nil
}
