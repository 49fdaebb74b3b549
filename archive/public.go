package archive

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/access"
	"kavosh/internal/about"
	"kavosh/internal/clock"
	"kavosh/lib/cdx"
)

// Public returns what everybody may see of the archive at path. Exports contain nothing else. Everybody may see all of
// a file that belongs to no archive.
func Public(path string) (access.Sight, error) {
	if is, err := about.Is(vfs.Default, path); err != nil || !is {
		return access.Sight{}, err
	}
	return access.Follow(vfs.Default, path, clock.Real{}).Sight(access.Reader{})
}

// Capture returns a line in the form that access rules decide about.
func (l *Line) Capture() *cdx.Entry {
	at := l.Began
	if at.IsZero() {
		at = l.Time
	}
	return access.Capture(l.URL, at, l.Digest)
}
