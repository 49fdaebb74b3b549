package archive

import (
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// An index that names a file outside the archive's folder of WARC files opens none.
func TestNothingOutsideIsOpened(t *testing.T) {
	fs := vfs.NewMem()
	if err := disk.MkdirAll(fs, "a/warc"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"secret", "a/archive.json", "a/warc/file"} {
		if err := disk.WriteFile(fs, name, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{"file": true, "../archive.json": false, "../../secret": false, "x/../../archive.json": false, "/secret": false, "": false, "..": false} {
		_, _, done, err := Folder{FS: fs, Dir: "a/warc"}.Open(name)
		if (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
		if err == nil {
			done()
		}
	}
}
