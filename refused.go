package kavosh

import "time"

// Access says who may see a capture.
type Access string

const (
	Open         Access = "open"     // everybody
	MetadataOnly Access = "metadata" // nobody; but everybody may know that it exists, with its URL, time, type, status and size
	OnSite       Access = "on-site"  // readers at the archive's own addresses; for others like MetadataOnly
	Embargo      Access = "embargo"  // like MetadataOnly until a date, then everybody
	Takedown     Access = "takedown" // nobody, and no list shows it
)

// Refused is the error if an access rule hides a capture from a reader. It has what the reader may know: neither the
// reason nor who decided it.
type Refused struct {
	Access Access
	Until  time.Time // the end of an embargo; otherwise zero
}

// Error returns the refusal in one line.
func (r *Refused) Error() string {
	switch r.Access {
	case MetadataOnly:
		return "the archive holds this and may not show it"
	case OnSite:
		return "the archive shows this only at its own addresses"
	case Embargo:
		return "the archive shows this from " + r.Until.UTC().Format("2 January 2006") + " on"
	}
	return "the archive no longer shows this"
}
