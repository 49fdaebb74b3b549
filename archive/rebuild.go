package archive

// This file makes an archive's capture log, index and derived things again from its WARC files alone.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/index"
	"kavosh/internal/about"
	"kavosh/internal/disk"
	"kavosh/internal/journal"
	"kavosh/record"
)

// Rebuilt says what Rebuild did.
type Rebuilt struct {
	Files    int      `json:"files"`
	Captures int64    `json:"captures"`
	Trouble  []string `json:"trouble"` // the first hundred records that could not be read, with file and offset
}

// maxTrouble is the most entries of Rebuilt.Trouble.
const maxTrouble = 100

// Rebuild makes the capture log and the index of the archive in dir again from its WARC files. It removes everything
// derived from them, which is made again when somebody asks for it. It mends damaged files of crawls as far as
// possible. It never changes WARC files or access decisions. progress, if set, is called before each file. A rebuild
// that is interrupted has changed nothing.
func Rebuild(ctx context.Context, fs vfs.FS, dir string, progress func(file string, done, total int)) (Rebuilt, error) {
	var r Rebuilt
	if _, err := about.Read(fs, dir); err != nil {
		return r, err
	}
	lock, err := hold(fs, dir)
	if err != nil {
		return r, err
	}
	err = rebuild(ctx, &Archive{FS: fs, Dir: dir}, &r, progress)
	if lerr := lock.Close(); err == nil {
		err = lerr
	}
	return r, err
}

func rebuild(ctx context.Context, a *Archive, r *Rebuilt, progress func(string, int, int)) error {
	if err := a.renew(ctx, r, progress); err != nil {
		return err
	}
	err := mendCrawls(a.FS, a.Dir, func(text string) { r.Trouble = append(r.Trouble, text) })
	if err == nil {
		err = a.forget()
	}
	if err == nil {
		err = a.open()
	}
	if err == nil {
		err = a.CatchUp()
	}
	if cerr := a.Close(); err == nil {
		err = cerr
	}
	return err
}

// forget removes derived/, except what another process is adding to. That process will see the new generation of the
// log, and start again.
func (a *Archive) forget() error {
	derived := a.FS.PathJoin(a.Dir, "derived")
	names, _ := a.FS.List(derived) // no folder yet: no names
	for _, name := range names {
		if err := a.remove(a.FS.PathJoin(derived, name)); err != nil {
			return err
		}
	}
	return nil
}

// remove removes a file or folder of derived/, unless another process is adding to it.
func (a *Archive) remove(path string) (err error) {
	for _, name := range []string{"lock", "LOCK"} { // the lock of our files, and of a Pebble database
		lock, lerr := a.FS.Lock(a.FS.PathJoin(path, name))
		if lerr == nil {
			defer func() { err = errors.Join(err, lock.Close()) }()
		} else if info, serr := a.FS.Stat(path); serr == nil && info.IsDir() {
			return nil
		}
	}
	return a.FS.RemoveAll(path)
}

// renew makes a new generation of the capture log, and its index, from the WARC files. Both are made in folders of
// their own. Readers have the old ones until the new ones replace them.
func (a *Archive) renew(ctx context.Context, r *Rebuilt, progress func(string, int, int)) error {
	fs, logs, indexes := a.FS, a.FS.PathJoin(a.Dir, "log"), a.FS.PathJoin(a.Dir, "index")
	old := journal.Newest(fs, logs)
	tmp, aside := fs.PathJoin(logs, "rebuilding"), fs.PathJoin(indexes, "rebuilding")
	for _, dir := range []string{tmp, aside} {
		if err := fs.RemoveAll(dir); err != nil {
			return err
		}
	}
	log, err := journal.Open(fs, fs.PathJoin(tmp, fs.PathBase(journal.File(fs, logs, old+1, journal.Self))))
	if err != nil {
		return err
	}
	fresh, err := index.Open(fs, aside)
	if err == nil {
		err = fresh.Reset(old + 1)
	}
	if err == nil {
		err = rebuildFiles(ctx, fs, fs.PathJoin(a.Dir, "warc"), &CaptureLog{Log: Log{fs, logs, old + 1}, log: log}, fresh, r, progress)
	}
	if cerr := log.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = fresh.Merge()
	}
	if err != nil {
		return err
	}
	err = fresh.Replace(indexes, func() error {
		if err := fs.Rename(tmp, fs.PathJoin(logs, fmt.Sprintf("%06d", old+1))); err != nil {
			return err
		}
		return disk.SyncDir(fs, logs)
	})
	if err == nil {
		err = fs.RemoveAll(aside)
	}
	if err != nil {
		return err
	}
	return fs.RemoveAll(fs.PathJoin(logs, fmt.Sprintf("%06d", old)))
}

// rebuildFiles adds the captures of all WARC files in dir to the log and the index.
func rebuildFiles(ctx context.Context, fs vfs.FS, dir string, log *CaptureLog, ix *index.Index, r *Rebuilt, progress func(string, int, int)) error {
	files, err := record.Files(fs, dir)
	if err != nil {
		return err
	}
	for i, name := range files {
		if progress != nil {
			progress(name, i, len(files))
		}
		if err := rebuildFile(ctx, fs, dir, name, log, ix, r); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.Files++
	}
	return nil
}

func rebuildFile(ctx context.Context, fs vfs.FS, dir, name string, log *CaptureLog, ix *index.Index, r *Rebuilt) error {
	f, err := fs.Open(fs.PathJoin(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	sealed := strings.TrimSuffix(name, ".open")
	var batch []kavosh.Capture
	var failed error // an error of writing, which is not the file's fault
	flush := func() error {
		failed = log.Append(batch)
		for i := 0; i < len(batch) && failed == nil; i++ {
			_, failed = ix.Add(ctx, &batch[i], log.at[i])
		}
		if failed == nil {
			failed = cmp.Or(ix.Commit(log.Cursor()), ctx.Err())
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
		// The file is no WARC file, or it ends too early. The captures before that place are kept.
		r.Trouble = append(r.Trouble, fmt.Sprintf("%s: %v", name, err))
	}
	return flush()
}

// missingLog reports whether the archive has records but no capture log. Then somebody has deleted the log, and Rebuild
// can make it again.
func missingLog(fs vfs.FS, dir string) bool {
	if journal.Newest(fs, fs.PathJoin(dir, "log")) > 0 {
		return false
	}
	files, err := record.Files(fs, fs.PathJoin(dir, "warc"))
	return err == nil && len(files) > 0
}
