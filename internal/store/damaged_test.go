package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// Damage in a table is met when it is read, not when the database is opened. The read says so, and so does every later Open.
func TestDamageThatAReadMeets(t *testing.T) {
	fs := vfs.NewMem()
	db, err := Open(fs, "db", &pebble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := db.NewBatch()
	for i := range 1000 {
		if err := b.Set(fmt.Appendf(nil, "key %d", i), []byte(strings.Repeat("value", 20)), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Commit(b, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := db.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".sst") {
			data, err := disk.ReadFile(fs, "db/"+name)
			if err != nil {
				t.Fatal(err)
			}
			data[20] ^= 1 // in the first block
			if err := disk.WriteFile(fs, "db/"+name, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if db, err = Open(fs, "db", &pebble.Options{}); err != nil {
		t.Fatalf("opening finds it already: %v", err)
	}
	if v, err := db.Value([]byte("key 0")); err == nil || !Damaged(err) {
		t.Errorf("read %q, %v", v, err)
	}
	_ = db.Close() // nothing is wanted of it
	for range 2 {
		if _, err = Open(fs, "db", &pebble.Options{}); err == nil || !Damaged(err) || strings.Contains(err.Error(), "\n") {
			t.Errorf("the next Open: %v", err)
		}
	}
}
