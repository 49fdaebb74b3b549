package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/index"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/record"
)

// Rebuilt is what Rebuild did.
type Rebuilt struct {
	Files    int      `json:"files"`
	Captures int64    `json:"captures"`
	Trouble  []string `json:"trouble"` // records that could not be read, the first hundred, each with its file and offset
}

// maxTrouble bounds Rebuilt.Trouble.
const maxTrouble = 100

// Rebuild makes everything of the archive in dir that can be made again from its WARC files: the capture log (as a new
// generation), the index and what is derived. The WARC files, the crawl logs and decisions are only read. progress, if
// set, is told before each file. A rebuild that is interrupted has changed nothing.
func Rebuild(ctx context.Context, fs vfs.FS, dir string, progress func(file string, done, total int)) (Rebuilt, error) {
	var r Rebuilt
	if err := identify(fs, dir, false, time.Time{}); err != nil {
		return r, err
	}
	lock, err := hold(fs, dir)
	if err != nil {
		return r, err
	}
	err = rebuild(ctx, &archive{fs: fs, dir: dir}, &r, progress)
	if lerr := lock.Close(); err == nil {
		err = lerr
	}
	return r, err
}

func rebuild(ctx context.Context, a *archive, r *Rebuilt, progress func(string, int, int)) error {
	generation, err := rebuildLog(ctx, a.fs, a.dir, r, progress)
	if err != nil {
		return err
	}
	for _, stale := range []string{"index", "derived"} {
		if err := a.fs.RemoveAll(a.fs.PathJoin(a.dir, stale)); err != nil {
			return err
		}
	}
	err = a.open()
	if err == nil {
		err = a.index.Reset(generation)
	}
	if err == nil {
		err = a.catchUp()
	}
	if err == nil {
		err = a.index.Merge()
	}
	if cerr := a.close(); err == nil {
		err = cerr
	}
	return err
}

// rebuildLog writes a new generation of the capture log from the WARC files and removes the older ones.
func rebuildLog(ctx context.Context, fs vfs.FS, dir string, r *Rebuilt, progress func(string, int, int)) (generation int, err error) {
	logs := fs.PathJoin(dir, "log")
	old := latest(fs, logs)
	tmp := fs.PathJoin(logs, "rebuilding")
	if err := fs.RemoveAll(tmp); err != nil {
		return 0, err
	}
	log, err := journal.Open(fs, fs.PathJoin(tmp, "1.jsonl"))
	if err != nil {
		return 0, err
	}
	fresh := &captureLog{fs: fs, dir: logs, log: log}
	warcs := fs.PathJoin(dir, "warc")
	files, err := record.Files(fs, warcs)
	if err != nil {
		log.Close()
		return 0, err
	}
	for i, name := range files {
		if progress != nil {
			progress(name, i, len(files))
		}
		if err := rebuildFile(ctx, fs, warcs, name, fresh, r); err != nil {
			log.Close()
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		r.Files++
	}
	if err := log.Close(); err != nil {
		return 0, err
	}
	generation = old + 1
	if err := fs.Rename(tmp, fs.PathJoin(logs, fmt.Sprintf("%06d", generation))); err != nil {
		return 0, err
	}
	if err := disk.SyncDir(fs, logs); err != nil {
		return 0, err
	}
	return generation, fs.RemoveAll(fs.PathJoin(logs, fmt.Sprintf("%06d", old)))
}

func rebuildFile(ctx context.Context, fs vfs.FS, dir, name string, log *captureLog, r *Rebuilt) error {
	f, err := fs.Open(fs.PathJoin(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	sealed := strings.TrimSuffix(name, ".open")
	var batch []kavosh.Capture
	var failed error // of ours: the file is not to blame
	flush := func() error {
		if failed = log.append(batch); failed == nil {
			failed = ctx.Err()
		}
		r.Captures += int64(len(batch))
		batch = batch[:0]
		return failed
	}
	err = record.Captures(f, sealed, func(c kavosh.Capture) error {
		if batch = append(batch, c); len(batch) < 4096 {
			return nil
		}
		return flush()
	}, func(offset int64, err error) {
		if len(r.Trouble) < maxTrouble {
			r.Trouble = append(r.Trouble, fmt.Sprintf("%s at byte %d: %v", name, offset, err))
		}
	})
	if failed != nil {
		return failed
	}
	if err != nil && len(r.Trouble) < maxTrouble {
		// A file that is no WARC at all, or breaks off: what was read of it counts.
		r.Trouble = append(r.Trouble, fmt.Sprintf("%s: %v", name, err))
	}
	return flush()
}

// missingLog says whether the archive has records but no capture log: somebody deleted what can be rebuilt.
func missingLog(fs vfs.FS, dir string) bool {
	if latest(fs, fs.PathJoin(dir, "log")) > 0 {
		return false
	}
	files, err := record.Files(fs, fs.PathJoin(dir, "warc"))
	return err == nil && len(files) > 0
}

// OpenIndex opens the index of the archive in dir for look-ups, beside a crawl that may be writing it.
func OpenIndex(fs vfs.FS, dir string) (*index.Live, error) {
	if err := identify(fs, dir, false, time.Time{}); err != nil {
		return nil, err
	}
	if missingLog(fs, dir) {
		return nil, fmt.Errorf("%s has records but no index: run `kavosh rebuild %s`", dir, dir)
	}
	return index.OpenLive(fs, fs.PathJoin(dir, "index"), fs.PathJoin(dir, "log")), nil
}
