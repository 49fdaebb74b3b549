package scope

// This file is the window of --since: which entries of sitemaps are left out because nothing has changed there.

import (
	"fmt"
	"time"

	"kavosh"
)

// stale decides about a link of a sitemap by what the sitemap says of it. The Reason of its Decision is "" if it has no
// opinion: where the sitemap does not say when the page was changed, it may have been changed since.
func (s *Scope) stale(l *kavosh.Listed) Decision {
	switch {
	case l == nil || s.o.Since.IsZero():
	case !l.Changed.IsZero() && l.Changed.Before(s.o.Since):
		return out(Stale, fmt.Sprintf("its sitemap says that it was last changed on %s, and --since takes what was changed from %s on", l.Changed.UTC().Format(time.DateOnly), s.o.Since.UTC().Format(time.DateOnly)))
	case l.Changed.IsZero() && l.Every < 0:
		return out(Stale, "its sitemap says that it never changes, and --since takes what was changed")
	}
	return Decision{}
}
