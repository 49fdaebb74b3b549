package access

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/clock"
	"kavosh/internal/journal"
)

// lookAgain is how long rules are used before it is looked whether decisions came to them.
const lookAgain = time.Second

// Follower gives the rules of an archive as they are now. It is safe for concurrent use.
type Follower struct {
	fs      vfs.FS
	archive string
	clock   clock.Clock

	mu struct {
		sync.Mutex
		looked    time.Time
		read      int64 // bytes of the file that decisions hold
		decisions []Decision
		rules     *Rules
		err       error
	}
}

// Follow follows the decisions of the archive in a folder, which need have none yet.
func Follow(fs vfs.FS, archive string, c clock.Clock) *Follower {
	return &Follower{fs: fs, archive: archive, clock: c}
}

// Rules are the rules in force, at most a second old. An error means that they cannot be known: nothing may be shown.
func (f *Follower) Rules() (*Rules, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.clock.Now()
	if f.mu.rules != nil && now.Sub(f.mu.looked) < lookAgain && !now.Before(f.mu.looked) {
		return f.mu.rules, f.mu.err
	}
	f.mu.looked = now
	f.mu.err = f.look()
	if f.mu.rules == nil {
		f.mu.rules = NewRules(nil)
	}
	return f.mu.rules, f.mu.err
}

// look reads what came to the file.
func (f *Follower) look() error {
	name := rulesFile(f.fs, f.archive)
	info, err := f.fs.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist) && f.mu.read == 0:
		return nil
	case err != nil:
		return fmt.Errorf("the rules of who may see what cannot be read: %w", err)
	case info.Size() == f.mu.read && f.mu.rules != nil && f.mu.err == nil:
		return nil
	case info.Size() < f.mu.read || f.mu.err != nil: // it was put back from a copy, or mended
		f.mu.read, f.mu.decisions = 0, nil
	}
	before := f.mu.read
	for e, err := range journal.Read(f.fs, name, f.mu.read) {
		if err != nil {
			return damaged(f.fs, f.archive, e.Next, err)
		}
		d, err := parse(e.Line)
		if err != nil {
			return damaged(f.fs, f.archive, e.Next, err)
		}
		f.mu.decisions = append(f.mu.decisions, d)
		f.mu.read = e.Next
	}
	if f.mu.rules == nil || f.mu.read != before || before == 0 {
		f.mu.rules = NewRules(f.mu.decisions)
	}
	return nil
}
