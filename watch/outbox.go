package watch

// This file keeps what became of each message.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
	"kavosh/internal/journal"
)

// folder has an archive's outbox and key, in the archive's folder.
const folder = "watch"

const outboxName = "outbox.jsonl"

// State says what became of a message.
type State string

// The states. A message without a state waits.
const (
	Sending State = "sending" // it is noted before it is sent
	Sent    State = "sent"    // the far side took it: it answered with a status 2xx
	Failed  State = "failed"  // it did not; it is sent again later
	Unsure  State = "unsure"  // the program ended between sending and noting: it may have come, and is sent again
)

// Delivery is the last that is known of a message.
type Delivery struct {
	Message string    `json:"id"`
	Watch   int       `json:"watch"`
	State   State     `json:"state"`
	Time    time.Time `json:"time"`
	Try     int       `json:"try"`              // how often it was sent
	Status  int       `json:"status,omitempty"` // of the answer
	Fault   string    `json:"fault,omitempty"`  // why there was no answer
	// Doubt tells that the far side may have had it before, without our knowing: some try ended between sending and noting, or
	// without an answer.
	Doubt bool `json:"doubt,omitempty"`
}

// longest is how long a try takes at most, with all around it; one that began longer ago has ended with its program.
const longest = 2 * time.Minute

// Deliveries returns what became of messages, by their names. What seems to be sent since long ago is unsure.
func Deliveries(fs vfs.FS, archive string, now time.Time) (map[string]Delivery, error) {
	all, _, err := deliveries(fs, archive)
	for id, d := range all {
		if d.State == Sending && now.Sub(d.Time) > longest {
			d.State, d.Doubt = Unsure, true
			all[id] = d
		}
	}
	return all, err
}

// deliveries reads the log. lines is how many it has.
func deliveries(fs vfs.FS, archive string) (all map[string]Delivery, lines int, err error) {
	all = map[string]Delivery{}
	path := fs.PathJoin(archive, folder, outboxName)
	for e, err := range journal.Read(fs, path, 0) {
		var d Delivery
		if err == nil {
			lines++
			err = json.Unmarshal(e.Line, &d)
		}
		if err != nil {
			return all, lines, fmt.Errorf("%w; what was sent is not known for sure: remove %s, and what it told since each watch was made is sent again", err, path)
		}
		all[d.Message] = d
	}
	return all, lines, nil
}

// outbox is the log, opened for sending. It is safe for concurrent use.
type outbox struct {
	lock io.Closer

	mu struct {
		sync.Mutex
		log *journal.Log
		all map[string]Delivery
	}
}

// ErrSending means that another program sends the messages of the archive.
var ErrSending = errors.New("another kavosh sends the messages of this archive")

// compactAfter is how many lines for each message the log has at most, above a thousand, before it is written anew with
// one for each.
const compactAfter = 4

// openOutbox locks and opens the log. What was being sent when its program ended is noted as unsure.
func openOutbox(fs vfs.FS, archive string, now time.Time) (o *outbox, err error) {
	dir := fs.PathJoin(archive, folder)
	if err := disk.MkdirAll(fs, dir); err != nil {
		return nil, err
	}
	o = &outbox{}
	if o.lock, err = fs.Lock(fs.PathJoin(dir, "lock")); err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrSending, err)
	}
	defer func() {
		if err != nil {
			o.lock.Close()
		}
	}()
	lines := 0
	if o.mu.all, lines, err = deliveries(fs, archive); err != nil {
		return nil, err
	}
	path := fs.PathJoin(dir, outboxName)
	if lines > 1000+compactAfter*len(o.mu.all) {
		if err := o.compact(fs, path); err != nil {
			return nil, err
		}
	}
	if o.mu.log, err = journal.Open(fs, path); err != nil {
		return nil, err
	}
	for _, d := range o.mu.all {
		if d.State != Sending {
			continue
		}
		d.State, d.Time, d.Doubt = Unsure, now, true
		if err := o.note(d); err != nil {
			return nil, errors.Join(err, o.mu.log.Close())
		}
	}
	return o, nil
}

// compact writes the log anew, with one line a message.
func (o *outbox) compact(fs vfs.FS, path string) error {
	next := path + ".next"
	if err := fs.RemoveAll(next); err != nil {
		return err
	}
	log, err := journal.Open(fs, next)
	if err != nil {
		return err
	}
	for _, d := range o.mu.all {
		line, err := json.Marshal(d)
		if err != nil {
			return errors.Join(err, log.Close())
		}
		log.Append(line)
	}
	if err := errors.Join(log.Sync(), log.Close()); err != nil {
		return err
	}
	if err := fs.Rename(next, path); err != nil {
		return err
	}
	return disk.SyncDir(fs, fs.PathDir(path))
}

// of returns what became of a message; the zero Delivery if it was not sent yet.
func (o *outbox) of(id string) Delivery {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.mu.all[id]
}

// note makes durable what became of a message.
func (o *outbox) note(d Delivery) error {
	line, err := json.Marshal(d)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mu.log.Append(line)
	if err := o.mu.log.Sync(); err != nil {
		return err
	}
	o.mu.all[d.Message] = d
	return nil
}

func (o *outbox) close() error { return errors.Join(o.mu.log.Close(), o.lock.Close()) }
