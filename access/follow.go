package access

// This file keeps the access rules of an archive current while it is served.

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/clock"
	"kavosh/internal/decisions"
)

// lookAgain is how long rules are used before we look for new decisions.
const lookAgain = time.Second

// Follower returns the current rules of an archive. It is safe for concurrent use.
type Follower struct {
	fs      vfs.FS
	archive string
	clock   clock.Clock

	mu struct {
		sync.Mutex
		looked    time.Time
		read      int64 // how many bytes of the file were read
		decisions []Decision
		rules     *Rules
		err       error
	}
}

// Follow follows the decisions of the archive in a folder. There may be none yet.
func Follow(fs vfs.FS, archive string, c clock.Clock) *Follower {
	return &Follower{fs: fs, archive: archive, clock: c}
}

// Rules returns the rules in force, at most a second old. If it returns an error, the rules are unknown and nothing may
// be shown.
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

// Sight returns what a reader may see now, by rules that are at most a second old. An error means that the rules cannot
// be known: nothing may be shown.
func (f *Follower) Sight(reader Reader) (Sight, error) {
	rules, err := f.Rules()
	return rules.For(reader, f.clock.Now()), err
}

// look reads the lines that were added to the file.
func (f *Follower) look() error {
	info, err := f.fs.Stat(file(f.fs, f.archive, rulesName).Path())
	var size int64
	switch {
	case err == nil:
		size = info.Size()
	case !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("the rules of who may see what cannot be read: %w", err)
	}
	switch {
	case size > 0 && size == f.mu.read && f.mu.err == nil:
		return nil
	case size < f.mu.read || f.mu.err != nil: // the file was restored from a copy, or repaired
		f.mu.read, f.mu.decisions, f.mu.rules = 0, nil, nil
	}
	before := f.mu.read
	read := func(line []byte) (Decision, error) {
		f.mu.read += int64(len(line)) + 1
		return parse(line)
	}
	for d, err := range decisions.Read(file(f.fs, f.archive, rulesName), before, read) {
		if err != nil {
			return err
		}
		f.mu.decisions = append(f.mu.decisions, d)
	}
	if f.mu.rules == nil || f.mu.read != before { // callers compare the pointer to see a change
		f.mu.rules = NewRules(f.mu.decisions)
	}
	return nil
}
