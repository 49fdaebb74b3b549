package httpwire

import (
	"testing"
	"time"

	"kavosh/lib/header"
)

func TestLastModified(t *testing.T) {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, said := range []time.Time{at, at.Add(time.Hour), {}, time.Unix(0, 0)} {
		if ChangedBefore(said, at) {
			t.Errorf("%v at %v", said, at)
		}
	}
	if !ChangedBefore(at.Add(-time.Minute), at) {
		t.Error("a minute before is no time of a change")
	}
	for said, ok := range map[string]bool{"Sun, 31 Dec 2023 12:00:00 GMT": true, "Mon, 01 Jan 2024 00:00:01 GMT": false, "Thu, 01 Jan 1970 00:00:00 GMT": false, "yesterday": false, "": false} {
		head := header.Header{{Name: "Date", Value: "Mon, 01 Jan 2024 00:00:02 GMT"}, {Name: "Last-Modified", Value: said}}
		if got, is := LastModified(head); is != ok || got.IsZero() == ok {
			t.Errorf("%q: %v, %v", said, got, is)
		}
	}
}
