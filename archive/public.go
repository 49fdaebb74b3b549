package archive

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/internal/about"
	"kavosh/internal/clock"
	"kavosh/lib/cdx"
)

// Public returns what everybody may see of the archive that path names. Exports contain nothing else. Files that belong
// to no archive are open.
func Public(path string) (access.Sight, error) {
	if is, err := about.Is(vfs.Default, path); err != nil || !is {
		return access.Sight{}, err
	}
	return access.Follow(vfs.Default, path, clock.Real{}).Sight(access.Reader{})
}

// Capture returns what the access rules need to decide about a line.
func (l *Line) Capture() *cdx.Entry {
	at := l.Began
	if at.IsZero() {
		at = l.Time
	}
	return access.Capture(l.URL, at, l.Digest)
}
