package store

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// A disk that breaks is an error of the write that met it and of all later ones; what was synced is there afterwards.
func TestBrokenDisk(t *testing.T) {
	for at := range int64(12) {
		mem := vfs.NewMem()
		var broken atomic.Bool
		var left atomic.Int64
		db, err := Open(errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if broken.Load() && op.Kind != errorfs.OpFileClose && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && left.Add(-1) < 0 {
				return errors.New("the disk is broken")
			}
			return nil
		})), "db", &pebble.Options{})
		if err != nil {
			t.Fatal(err)
		}
		set := func(key string) error {
			b := db.NewBatch()
			if err := b.Set([]byte(key), []byte("1"), nil); err != nil {
				return err
			}
			return db.Commit(b, pebble.Sync)
		}
		written := []string{"first"}
		if err := set("first"); err != nil {
			t.Fatal(err)
		}
		left.Store(at)
		broken.Store(true)
		for _, key := range []string{"a", "b", "c", "d", "e", "f", "g"} {
			if err = set(key); err != nil {
				break
			}
			written = append(written, key)
		}
		if err == nil {
			t.Fatalf("break after %d writes: no error", at)
		}
		if err := set("later"); err == nil {
			t.Errorf("break after %d writes: a write after the failure succeeds", at)
		}
		if err := db.Close(); err == nil {
			t.Errorf("break after %d writes: closing it says nothing", at)
		}
		if db, err = Open(mem, "db", &pebble.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, key := range written {
			if v, err := db.Value([]byte(key)); string(v) != "1" || err != nil {
				t.Errorf("break after %d writes: %s is %q, %v", at, key, v, err)
			}
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
