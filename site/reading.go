package site

// This file keeps what was read of all pages of some visits, which takes long: a reader is told to come again.

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/change"
)

// Bounds of what is read of visits.
const (
	maxReading  = 10 * time.Minute // for which it is read
	maxWaiting  = 3 * time.Second  // for which a reader waits
	maxReadings = 8                // that are kept
	maxPending  = 4                // that wait or are being read; others are not begun
)

// readingOf names visits: the newest crawls of a collection, or one crawl and what visited its pages again.
type readingOf struct {
	coll    *Collection
	crawl   string // "" for the newest ones
	host    string // "" for all
	newest  string // ID of the newest crawl
	edition string // of the access rules
}

// reading is what was read of visits, or is being read.
type reading[T any] struct {
	done chan struct{} // closed when made or err is there
	made T
	err  error
}

// readings keeps what was read last. One thing is read at a time.
type readings[T any] struct {
	mu      sync.Mutex
	of      map[readingOf]*reading[T]
	order   []readingOf
	pending int
	one     sync.Mutex
}

// get returns what was read of visits, and begins to read it in the background if it is not known. While too much is being read, it
// returns what is never done, so that readers come again.
func (k *readings[T]) get(of readingOf, read func() (T, error)) *reading[T] {
	k.mu.Lock()
	defer k.mu.Unlock()
	if g := k.of[of]; g != nil {
		return g
	}
	if k.of == nil {
		k.of = map[readingOf]*reading[T]{}
	}
	g := &reading[T]{done: make(chan struct{})}
	if k.pending == maxPending {
		return g
	}
	if len(k.order) == maxReadings {
		delete(k.of, k.order[0])
		k.order = k.order[1:]
	}
	k.of[of], k.order = g, append(k.order, of)
	k.pending++
	go func() {
		k.one.Lock()
		defer k.one.Unlock()
		g.made, g.err = read()
		k.ended(of, g)
		close(g.done)
	}()
	return g
}

// ended lets visits be read anew that failed by chance.
func (k *readings[T]) ended(of readingOf, g *reading[T]) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pending--
	if late, overlap := g.trouble(); g.err != nil && !late && !overlap {
		delete(k.of, of)
		k.order = slices.DeleteFunc(k.order, func(o readingOf) bool { return o == of })
	}
}

// waited waits for a while, and reports whether all was read.
func (g *reading[T]) waited(r *http.Request) bool {
	wait := time.NewTimer(maxWaiting)
	defer wait.Stop()
	select {
	case <-g.done:
		return true
	case <-wait.C:
		return false
	case <-r.Context().Done():
		panic(http.ErrAbortHandler) // the client is gone
	}
}

// trouble says why reading failed, if it would fail again: it took too long, or the visits overlap.
func (g *reading[T]) trouble() (late, overlap bool) {
	_, overlap = errors.AsType[*change.Overlap](g.err)
	return errors.Is(g.err, context.DeadlineExceeded), overlap
}

// keptChanges returns what compares the pages of an archive as somebody who is nowhere in particular may see them. Comparisons that are
// kept are used, and new ones are kept, until done is called.
func keptChanges(c *Collection) (r *change.Reader, done func() error) {
	r = &change.Reader{Records: c.Records}
	kept, err := change.OpenKept(vfs.Default, filepath.Join(c.Dir, "derived"))
	if err != nil { // nothing is kept
		return r, func() error { return nil }
	}
	r.Kept = kept
	return r, kept.Close
}
