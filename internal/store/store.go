// Package store opens Pebble databases that fail with an error, where Pebble would end the process.
//
// When Pebble cannot write its log or manifest, it calls Fatalf, expects it never to return, and cannot be used
// afterwards. Our Fatalf stores the error and ends only the calling goroutine. Writes run in their own goroutines, so
// the caller gets the error. A database that failed is left as it is: what was synced is intact, and the next Open
// finds it.
package store

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// DB is an open database. Reads are pebble.DB's; writes go through Commit.
type DB struct {
	*pebble.DB
	failure *failure
}

// Open opens the database in dir, or creates an empty one. It refuses a database in which a read found damage. It sets
// FS, Logger and the scheduler of compactions in opts. Compactions run one at a time, each after a flush or another
// compaction. Pebble's own scheduler polls ten times a second, and in testing/synctest a day of waiting would then take
// a minute.
func Open(fs vfs.FS, dir string, opts *pebble.Options) (*DB, error) {
	f := &failure{set: make(chan struct{})}
	opts.FS, opts.Logger = orderedFS{fs, f}, f
	opts.EventListener = &pebble.EventListener{
		BackgroundError: f.fail, // otherwise Pebble retries for ever while writes wait
		DataCorruption: func(info pebble.DataCorruptionInfo) { // the reader gets the error; Fatalf would end its goroutine
			if !opts.ReadOnly {
				// ignored: the next Open may find the damage itself
				_ = disk.WriteFile(fs, fs.PathJoin(dir, markFile), []byte(short{info.Details}.Error()))
			}
		},
	}
	if why, err := disk.ReadFile(fs, fs.PathJoin(dir, markFile)); err == nil {
		return nil, fmt.Errorf("open %s: %w: %w", dir, errMarked, short{errors.New(string(why))})
	}
	opts.CompactionConcurrencyRange = func() (lower, upper int) { return 1, 1 }
	opts.Experimental.CompactionScheduler = pebble.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest()
	opts.FileCache = pebble.NewFileCache(runtime.GOMAXPROCS(0), pebble.FileCacheSize(cmp.Or(opts.MaxOpenFiles, 1000)))
	var db *pebble.DB
	err := f.run(func() (err error) {
		db, err = pebble.Open(dir, opts)
		return err
	})
	if err != nil {
		if f.unopened.Swap(&err) != nil { // Pebble's goroutines may still use the cache and hold entries of it
			time.AfterFunc(closeWait, func() {
				defer func() { _ = recover() }()
				opts.FileCache.Unref()
			})
		} else {
			opts.FileCache.Unref()
		}
		return nil, fmt.Errorf("open %s: %w", dir, short{err})
	}
	f.opened.Store(true)
	opts.FileCache.Unref() // the database holds a reference
	return &DB{DB: db, failure: f}, nil
}

// markFile is in the folder of a database in which a read found damage. Opening might not find it, because tables are
// read only when needed.
const markFile = "DAMAGED"

var errMarked = errors.New("it was found damaged")

// Damaged reports whether a database's err means that its files were changed, and not that the disk failed or rights
// are missing.
func Damaged(err error) bool {
	text := err.Error() // errors about Pebble's options file have no type
	options := strings.Contains(text, "key=value") || strings.Contains(text, "name from file") ||
		strings.Contains(text, "changed from previous options")
	return pebble.IsCorruptionError(err) || errors.Is(err, errMarked) || errors.Is(err, pebble.ErrDBNotPristine) ||
		errors.Is(err, os.ErrNotExist) || options
}

// short shortens an error of Pebble's to one line: some quote a damaged file at length.
type short struct{ error }

func (s short) Unwrap() error { return s.error }

func (s short) Error() string {
	return fmt.Sprintf("%.300s", strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return '\uFFFD'
	}, s.error.Error()))
}

// Commit writes b, durably if sync is pebble.Sync. After an error the database cannot be used any more.
func (d *DB) Commit(b *pebble.Batch, sync *pebble.WriteOptions) error {
	return d.failure.run(func() error { return b.Commit(sync) })
}

// Value returns a copy of the value of key; nil if there is none.
func (d *DB) Value(key []byte) ([]byte, error) {
	v, closer, err := d.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", key, err)
	}
	v = append([]byte{}, v...)
	return v, closer.Close()
}

// Close closes the database. If it has failed, Close waits at most closeWait and closes what it can, so that the files
// and the lock are free for the next Open; it returns the failure.
func (d *DB) Close() error {
	failed := d.failure.failed()
	if failed == nil {
		return d.failure.run(d.DB.Close)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // it may be in no state to be closed
		d.DB.Close()
	}()
	t := time.NewTimer(closeWait)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
	return failed
}

const closeWait = 5 * time.Second

// failure is Pebble's logger and stores the first fatal error. It logs nothing: what matters is returned as errors.
type failure struct {
	once sync.Once
	err  error
	set  chan struct{} // closed when err is set

	opened   atomic.Bool           // until then Pebble returns errors itself
	unopened atomic.Pointer[error] // why Pebble's Open has failed, or is about to
}

func (f *failure) Infof(string, ...any)  {}
func (f *failure) Errorf(string, ...any) {}

func (f *failure) Fatalf(format string, args ...any) {
	f.fail(fmt.Errorf(format, args...))
	runtime.Goexit()
}

func (f *failure) fail(err error) {
	f.once.Do(func() {
		f.err = err
		close(f.set)
	})
}

func (f *failure) failed() error {
	select {
	case <-f.set:
		return f.err
	default:
		return nil
	}
}

// run calls write in its own goroutine and returns its error, or the fatal error that ended it.
func (f *failure) run(write func() error) error {
	done := make(chan error, 1)
	go func() {
		err := errors.New("the database gave up") // used if write never returns
		defer func() {
			if r := recover(); r != nil { // Pebble panics with the error of a log that it cannot write
				if why := f.unopened.Load(); why != nil { // it panicked while it cleaned up after this
					f.fail(*why)
				}
				f.fail(fmt.Errorf("%v", r))
			}
			if failed := f.failed(); failed != nil {
				err = failed
			}
			done <- err
		}()
		err = write()
	}()
	select {
	case err := <-done:
		return err
	case <-f.set: // perhaps in the background, holding locks that write waits for
		return f.err
	}
}

// orderedFS makes the names of a folder durable before and after Pebble creates a marker file. Pebble creates a marker
// for a file, removes the old marker, and only then syncs the folder. A file system that keeps some of these changes
// could leave a marker for a missing file, or none, which looks like an empty database.
//
// If Pebble cannot create its next log or sync the folder then, it panics with a lock in a state that ends the process.
// orderedFS stores that failure and gives Pebble a file that accepts no write, so that each later write returns an
// error.
type orderedFS struct {
	vfs.FS
	failure *failure
}

// log returns a file for a log. It never fails before the file is written to.
func (fs orderedFS) log(f vfs.File, err error) (vfs.File, error) {
	if err == nil || !fs.failure.opened.Load() {
		return f, err
	}
	fs.failure.fail(err)
	return noFile{err: err}, nil
}

func isLog(fs vfs.FS, name string) bool { return strings.HasSuffix(fs.PathBase(name), ".log") }

// ReuseForWrite implements vfs.FS.
func (fs orderedFS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.ReuseForWrite(oldname, newname, category)
	fs.opening(err)
	if isLog(fs, newname) {
		return fs.log(f, err)
	}
	return f, err
}

// Open implements vfs.FS. Pebble opens tables in the background, even after it failed to open the database and closed
// the caches that they are read into; nobody waits for them.
func (fs orderedFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if fs.failure.unopened.Load() != nil && strings.HasSuffix(name, ".sst") {
		runtime.Goexit()
	}
	return fs.FS.Open(name, opts...)
}

// Rename implements vfs.FS.
func (fs orderedFS) Rename(oldname, newname string) error {
	err := fs.FS.Rename(oldname, newname)
	fs.opening(err)
	return err
}

// opening notes the first error that prevents opening the database.
func (fs orderedFS) opening(err error) {
	if err != nil && !fs.failure.opened.Load() {
		fs.failure.unopened.CompareAndSwap(nil, &err)
	}
}

// OpenDir implements vfs.FS.
func (fs orderedFS) OpenDir(name string) (vfs.File, error) {
	f, err := fs.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return folder{f, fs.failure}, nil
}

// folder is a folder whose failure to sync is stored and returned by the next write.
type folder struct {
	vfs.File
	failure *failure
}

func (d folder) Sync() error {
	err := d.File.Sync()
	if err == nil || !d.failure.opened.Load() {
		return err
	}
	d.failure.fail(err)
	return nil
}

// created is a file whose failures prevent opening the database.
type created struct {
	vfs.File
	fs orderedFS
}

func (f created) Write(b []byte) (n int, err error) {
	n, err = f.File.Write(b)
	f.fs.opening(err)
	return n, err
}

func (f created) Sync() error {
	err := f.File.Sync()
	f.fs.opening(err)
	return err
}

// noInfo is the information about a noFile: it is empty.
type noInfo struct{ vfs.FileInfo }

func (noInfo) Size() int64 { return 0 }

// noFile is a file that could not be created.
type noFile struct {
	vfs.File
	err error
}

func (f noFile) Write([]byte) (int, error)          { return 0, f.err }
func (f noFile) WriteAt([]byte, int64) (int, error) { return 0, f.err }
func (f noFile) Preallocate(_, _ int64) error       { return nil }
func (f noFile) Sync() error                        { return f.err }
func (f noFile) SyncData() error                    { return f.err }
func (f noFile) SyncTo(int64) (bool, error)         { return false, f.err }
func (f noFile) Stat() (vfs.FileInfo, error)        { return noInfo{}, nil }
func (f noFile) Fd() uintptr                        { return vfs.InvalidFd }
func (f noFile) Close() error                       { return nil }

// Create implements vfs.FS.
func (fs orderedFS) Create(name string, category vfs.DiskWriteCategory) (f vfs.File, err error) {
	defer func() { fs.opening(err) }()
	if isLog(fs, name) {
		return fs.log(fs.FS.Create(name, category))
	}
	if !strings.HasPrefix(fs.PathBase(name), "marker.") {
		if f, err = fs.FS.Create(name, category); err != nil {
			return nil, err
		}
		return created{f, fs}, nil
	}
	dir := fs.PathDir(name)
	if err := disk.SyncDir(fs.FS, dir); err != nil {
		return nil, err
	}
	if f, err = fs.FS.Create(name, category); err != nil {
		return nil, err
	}
	if err := disk.SyncDir(fs.FS, dir); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
