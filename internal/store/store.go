// Package store opens Pebble databases that fail as the rest of us do: by an error, where Pebble would end the process.
//
// When Pebble cannot write its log or its manifest it calls Fatalf, expects never to return, and is of no use afterwards.
// Our Fatalf keeps the error and ends only the goroutine that called it; writes run in goroutines of their own, so that
// the caller gets the error. A database that failed so is left as it lies: what was synced is whole, and the next Open
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

// Open opens the database in dir, or makes an empty one; one in which a read found damage it does not open again. FS, Logger and the scheduler of compactions of opts are set here,
// which run one at a time: each follows a flush or the one before it, so that nobody looks for one ten times a second, which
// would cost a day of waiting in the time of testing/synctest a minute.
func Open(fs vfs.FS, dir string, opts *pebble.Options) (*DB, error) {
	f := &failure{set: make(chan struct{})}
	opts.FS, opts.Logger = orderedFS{fs, f}, f
	opts.EventListener = &pebble.EventListener{
		BackgroundError: f.fail, // it would try again for ever, and writes wait for it
		DataCorruption: func(info pebble.DataCorruptionInfo) { // who reads gets the error; Fatalf would end its goroutine
			if !opts.ReadOnly {
				_ = disk.WriteFile(fs, fs.PathJoin(dir, markFile), []byte(short{info.Details}.Error())) // the next Open may find it itself
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
		if f.unopened.Swap(true) { // in the middle: what Pebble left running may still look into the cache, and hold what is in it
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
	opts.FileCache.Unref() // the database has it
	return &DB{DB: db, failure: f}, nil
}

// markFile stands in the folder of a database in which a read found damage: opening it might find none, since tables are read
// when something of them is wanted.
const markFile = "DAMAGED"

var errMarked = errors.New("it was found damaged")

// Damaged reports whether err, of a database, says that its files are not what was written: no disk that fails, no lack of rights.
func Damaged(err error) bool {
	text := err.Error() // what Pebble says of its file of options has no kind
	options := strings.Contains(text, "key=value") || strings.Contains(text, "name from file") || strings.Contains(text, "changed from previous options")
	return pebble.IsCorruptionError(err) || errors.Is(err, errMarked) || errors.Is(err, pebble.ErrDBNotPristine) || errors.Is(err, os.ErrNotExist) || options
}

// short is an error of Pebble's in one line: some quote a damaged file at length.
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

// Commit writes b, durably when sync is pebble.Sync. After an error the database is of no more use.
func (d *DB) Commit(b *pebble.Batch, sync *pebble.WriteOptions) error {
	return d.failure.run(func() error { return b.Commit(sync) })
}

// Value is a copy of what key holds; nil for nothing.
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

// Close closes the database. One that failed is closed as far as it can be, in closeWait, so that its files and its lock
// are free for the next Open; the error is that of the failure.
func (d *DB) Close() error {
	failed := d.failure.failed()
	if failed == nil {
		return d.failure.run(d.DB.Close)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // it may well find itself in no state to be closed
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

// failure is the first fatal error, which doubles as Pebble's logger. It is silent otherwise: what matters comes back as
// errors.
type failure struct {
	once sync.Once
	err  error
	set  chan struct{} // closed when err is set

	opened   atomic.Bool // until then errors come back from Pebble as they are
	unopened atomic.Bool // Pebble's Open has failed, or is about to
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

// failed is the fatal error, or nil.
func (f *failure) failed() error {
	select {
	case <-f.set:
		return f.err
	default:
		return nil
	}
}

// run calls write in a goroutine of its own and returns its error, or the fatal one that ended it.
func (f *failure) run(write func() error) error {
	done := make(chan error, 1)
	go func() {
		err := errors.New("the database gave up") // stands when write never returns
		defer func() {
			if r := recover(); r != nil { // Pebble panics with the error of a log that it cannot write
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
	case <-f.set: // perhaps in the background, with locks that write waits for
		return f.err
	}
}

// orderedFS makes the names of a folder durable before and after one of Pebble's markers is made. Pebble makes a marker
// for a file, removes the old marker, and syncs the folder only then: a file system that keeps some of these changes and
// loses others would be left with a marker for a file that is not there, or with none, which reads as an empty database.
//
// When no file can be made for the next log, or the folder not be synced then, Pebble panics with a lock in a state that ends the
// process. The failure is kept here instead, so that each write from then on is an error, and Pebble gets a file that takes none.
type orderedFS struct {
	vfs.FS
	failure *failure
}

// log gives a file for a log, of which nothing may fail before it is written to.
func (fs orderedFS) log(f vfs.File, err error) (vfs.File, error) {
	if err == nil || !fs.failure.opened.Load() {
		return f, err
	}
	fs.failure.fail(err)
	return noFile{err: err}, nil
}

func isLog(fs vfs.FS, name string) bool { return strings.HasSuffix(fs.PathBase(name), ".log") }

// ReuseForWrite is vfs.FS's.
func (fs orderedFS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.ReuseForWrite(oldname, newname, category)
	fs.opening(err)
	if isLog(fs, newname) {
		return fs.log(f, err)
	}
	return f, err
}

// Open is vfs.FS's. Pebble opens tables in the background, also when it could not open the database and has closed the caches
// that they are read into: nobody waits for that.
func (fs orderedFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if fs.failure.unopened.Load() && strings.HasSuffix(name, ".sst") {
		runtime.Goexit()
	}
	return fs.FS.Open(name, opts...)
}

// Rename is vfs.FS's.
func (fs orderedFS) Rename(oldname, newname string) error {
	err := fs.FS.Rename(oldname, newname)
	fs.opening(err)
	return err
}

// opening notes an error that a database cannot be opened with.
func (fs orderedFS) opening(err error) {
	if err != nil && !fs.failure.opened.Load() {
		fs.failure.unopened.Store(true)
	}
}

// OpenDir is vfs.FS's.
func (fs orderedFS) OpenDir(name string) (vfs.File, error) {
	f, err := fs.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return folder{f, fs.failure}, nil
}

// folder is one whose failure to be synced is kept, and told by the write that it belongs to.
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

// noInfo is what is known of a noFile: that it holds nothing.
type noInfo struct{ vfs.FileInfo }

func (noInfo) Size() int64 { return 0 }

// noFile is a file that could not be made.
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

// Create is vfs.FS's.
func (fs orderedFS) Create(name string, category vfs.DiskWriteCategory) (f vfs.File, err error) {
	defer func() { fs.opening(err) }()
	if isLog(fs, name) {
		return fs.log(fs.FS.Create(name, category))
	}
	if !strings.HasPrefix(fs.PathBase(name), "marker.") {
		return fs.FS.Create(name, category)
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
