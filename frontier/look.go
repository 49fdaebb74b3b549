package frontier

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// Look finds the task that waits for url, a seen-key, in the frontier in dir, without changing anything; queued is false
// when none does. It fails while a crawl has the frontier open.
func Look(fs vfs.FS, dir, url string) (t kavosh.Task, queued bool, err error) {
	const cache = 1 << 20
	f := &Frontier{}
	if f.db, err = openDatabase(fs, dir, cache, true); err != nil {
		return t, false, err
	}
	defer f.db.Close()
	return f.Task(url)
}
