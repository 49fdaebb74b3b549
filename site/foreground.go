package site

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"kavosh/internal/clock"
)

// Foreground lets background work of a server, such as indexing, wait while readers send requests. The zero value is
// ready for use.
type Foreground struct {
	asked atomic.Int64 // time of the last request, in Unix nanoseconds
}

const (
	// present is how long after a request a reader counts as present.
	present = time.Second
	// share says which part of the time background work may take while a reader is present: a tenth.
	share = 10
)

// Noted wraps a handler, so that its requests count as those of readers.
func (f *Foreground) Noted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		f.asked.Store(time.Now().UnixNano())
		h.ServeHTTP(w, q)
	})
}

// Yield is called by background work with the time worked since the last call. If a reader is present, it waits for a
// multiple of that time, or until ctx ends.
func (f *Foreground) Yield(ctx context.Context, worked time.Duration) {
	if time.Now().UnixNano()-f.asked.Load() < int64(present) {
		_ = (clock.Real{}).Sleep(ctx, (share-1)*worked) // the caller checks ctx
	}
}
