package kavosh

import "time"

// Access is who may see a capture.
type Access string

const (
	Open         Access = "open"     // everybody
	MetadataOnly Access = "metadata" // nobody; that it is there, its address, time, type, status and size are known to all
	OnSite       Access = "on-site"  // readers at the archive's own addresses; to others it is as MetadataOnly
	Embargo      Access = "embargo"  // as MetadataOnly until a date, then everybody
	Takedown     Access = "takedown" // nobody, and no list shows it
)

// Refused is the error of whoever was asked for a capture that a person's decision, and no fault, keeps from this reader.
// It says what a reader may know: neither the reason nor who decided is part of it.
type Refused struct {
	Access Access
	Until  time.Time // the end of an embargo; zero for all else
}

// Error says it in one line.
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
