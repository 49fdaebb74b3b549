package frontier

import (
	"time"

	"kavosh"
	"kavosh/lib/weburl"
)

// This file says which failures may pass, how often a URL is requested, and how long it waits in between.

// passing reports whether a status, or a failure if the status is 0, may be temporary.
func passing(status int, x kavosh.Failure) bool {
	switch status {
	case 0:
		return x == kavosh.DNSFailure || x == kavosh.ConnectFailure || x == kavosh.TimeoutFailure || x == kavosh.ResetFailure
	case 408, 425, 429, 500, 502, 503, 504:
		return true
	}
	return false
}

// retries say how often a URL that fails is requested, and how long it waits in between.
type retries struct {
	attempts int           // requests for one URL before its failure is final
	first    time.Duration // wait before the second request; the wait before each later one is four times as long
}

// wait returns how long a task waits after it was requested attempts+1 times.
func (r retries) wait(attempts int) time.Duration {
	return doubled(r.first, 2*attempts, max(r.first, maxRetryWait))
}

// maxRetryWait bounds the time between two requests for one URL, unless the server asks for more.
const maxRetryWait = time.Hour

// Retry reports whether t, which was answered with a, shall be requested again, and the earliest time. It is for
// failures that may be temporary (dns, connect, timeout, reset, status 408, 425, 429, 500, 502, 503 or 504) of a task
// that was requested fewer than Options.Attempts times. The wait grows fourfold from Options.RetryWait, and is never
// shorter than Retry-After. It is false for a host that was given up, and for a robots.txt, which the frontier itself
// asks for again. The caller puts the time into Update.Retry, or Applies the task as done with the failure as its
// outcome.
func (f *Frontier) Retry(t *kavosh.Task, a Answer) (notBefore time.Time, again bool) {
	if t.Kind == kavosh.Prerequisite || t.Attempt+1 >= f.retries.attempts || !passing(a.Status, a.Failure) || unanswered(a.Failure) && f.givenUp(t.URL) {
		return time.Time{}, false
	}
	end := a.End
	if end.IsZero() {
		end = f.clock.Now()
	}
	wait := f.retries.wait(t.Attempt)
	if after, ok := parseRetryAfter(a.RetryAfter, end); ok {
		wait = max(wait, after)
	}
	return end.Add(wait), true
}

// givenUp reports whether the host of url was given up, because it did not answer many requests in a row.
func (f *Frontier) givenUp(url string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.mu.bench.hosts[weburl.Host(url)]
	return h != nil && h.dead(f.clock.now())
}
