package store

import (
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// A disk on which no file can be made any more, while those that are open can be written: when the log is turned over, when a
// table is written, when the manifest is. It is an error like any other, and never the end of the process.
func TestNoMoreFiles(t *testing.T) {
	for allowed := range int64(8) {
		mem := vfs.NewCrashableMem()
		var full atomic.Bool
		var left atomic.Int64
		left.Store(allowed)
		db, err := Open(errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			switch op.Kind {
			case errorfs.OpCreate, errorfs.OpReuseForWrite, errorfs.OpRename, errorfs.OpLink, errorfs.OpMkdirAll:
				if full.Load() && left.Add(-1) < 0 {
					return syscall.ENOSPC
				}
			}
			return nil
		})), "db", &pebble.Options{MemTableSize: 64 << 10})
		if err != nil {
			t.Fatal(err)
		}
		full.Store(true)
		for i := 0; err == nil && i < 2000; i++ {
			b := db.NewBatch()
			if err = b.Set(fmt.Appendf(nil, "key %d", i), []byte(strings.Repeat("x", 1000)), nil); err == nil {
				err = db.Commit(b, pebble.Sync)
			}
		}
		if err == nil {
			t.Errorf("with %d files more: no error", allowed)
		}
		if err := db.Close(); err == nil {
			t.Errorf("with %d files more: closing it says nothing", allowed)
		}
		if db, err = Open(mem.CrashClone(vfs.CrashCloneCfg{}), "db", &pebble.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
