package httpwire

import (
	"net/http"
	"time"

	"kavosh/lib/header"
)

// madeAnew is how near to the time of an answer its Last-Modified is when a program gives it that makes the answer for each request.
const madeAnew = 2 * time.Second

// LastModified returns when the head of an answer says that it was changed last. ok is false if it does not say it, if that is before
// there was a web, or the moment of the answer, which is the clock of a program that makes the answer for each request.
func LastModified(head header.Header) (at time.Time, ok bool) {
	at, err := http.ParseTime(head.Get("Last-Modified"))
	if err != nil || at.Year() < 1991 {
		return time.Time{}, false
	}
	if date, err := http.ParseTime(head.Get("Date")); err == nil && at.Sub(date).Abs() <= madeAnew {
		return time.Time{}, false
	}
	return at, true
}

// ChangedBefore reports whether something that was asked for at a time may have changed last when it says: not later, not at that
// moment, and not before there was a web.
func ChangedBefore(said, asked time.Time) bool {
	return said.Year() >= 1991 && asked.Sub(said) > madeAnew
}
