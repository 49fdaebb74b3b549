package site

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"kavosh/internal/clock"
)

// Foreground lets a server's other work wait while readers are answered. The zero value knows of none.
type Foreground struct {
	asked atomic.Int64 // when somebody last did, in nanoseconds since 1970
}

const (
	// present is how long after a request somebody is taken to be reading still.
	present = time.Second
	// share is the part of the time that work beside readers takes while somebody reads: a tenth.
	share = 10
)

// Noted is a handler whose requests count as reading.
func (r *Foreground) Noted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.asked.Store(time.Now().UnixNano())
		h.ServeHTTP(w, q)
	})
}

// Yield waits for readers, when there are any, after so much work beside them, or until ctx ends.
func (r *Foreground) Yield(ctx context.Context, worked time.Duration) {
	if time.Now().UnixNano()-r.asked.Load() < int64(present) {
		_ = (clock.Real{}).Sleep(ctx, (share-1)*worked) // whoever works looks at ctx
	}
}
