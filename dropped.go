package kavosh

import (
	"fmt"
	"strings"
	"time"
)

// Dropped says why an archive keeps only a note of an answer.
type Dropped struct {
	By    string   // the option that decided, as it is written: "--only", "--keep changed"
	Score float64  // for --only the judge's score; for --keep how much the page differs, from 0 to 1
	Why   string   // in one line: the judge's reasons; what differs, counted
	Parts []string // for --keep: what differs, one line each; empty when it is read back
	Kept  *Prior   // for --keep: the capture that the archive keeps of the page; nil for --only. Read back it has Time, RecordID and Digest alone
}

// String returns why, in one line for people.
func (d *Dropped) String() string {
	if d.Kept == nil {
		return strings.TrimSpace(fmt.Sprintf("%s: %.2f %s", d.By, d.Score, d.Why))
	}
	return fmt.Sprintf("%s: %s since the capture of %s, importance %.4f", d.By, d.Why, d.Kept.Time.UTC().Format(time.DateTime), d.Score)
}
