package site

import (
	"fmt"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
)

// Who keeps what readers miss sees that a crawl that mends the archive has taken some of it out.
func TestWantedKeeperFollowsPatch(t *testing.T) {
	dir := t.TempDir()
	var all []archive.Wanted
	for i := range 20 {
		all = append(all, archive.Wanted{URL: fmt.Sprintf("http://a.test/%d.png", i), Page: "http://a.test/", Time: "20260101000000"})
	}
	if err := archive.WriteWanted(vfs.Default, dir, all); err != nil {
		t.Fatal(err)
	}
	k := wantedKeeper{dir: dir, looked: map[string]bool{}}
	if err := k.recall(); err != nil || k.kept != 20 {
		t.Fatal(k.kept, err)
	}
	for _, left := range []int{20, 3, 0} {
		if err := archive.WriteWanted(vfs.Default, dir, all[:left]); err != nil {
			t.Fatal(err)
		}
		if left == 0 {
			if err := os.Remove(dir + "/wanted.jsonl"); err != nil {
				t.Fatal(err)
			}
		}
		if err := k.follow(); err != nil || k.kept != left || k.looked[all[19].URL] != (left == 20) {
			t.Errorf("%d are left, %d kept, %v", left, k.kept, err)
		}
	}
}
