package index

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kavosh"
)

// encoding/json reads a line of the capture log back to the capture that it was made of, and says the same of it.
func TestAppendCapture(t *testing.T) {
	page := crawled(1)
	for _, c := range []kavosh.Capture{
		{}, page,
		{
			URL: "http://a.test/?q=<&>\"\\", Time: time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.FixedZone("", 3600*3)), Record: "<urn:uuid:1>", Type: "revisit",
			Status: 200, MIME: "text/html", Digest: "sha256:X", File: "کاوش.warc.gz", Offset: 1 << 40, Length: 9, Payload: 7, Truncated: kavosh.TruncTime,
			Failure: kavosh.TruncatedAnswer, Profile: "identical", Location: "/\x01\n", ETag: `W/"1"`, Modified: "Fri, 02 Jan 2026 03:04:05 GMT", Crawl: "20260101000000", Variant: true,
		},
	} {
		line := AppendCapture([]byte("before"), &c)[len("before"):]
		var got, want kavosh.Capture
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		theirs, err := json.Marshal(&c)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(theirs, &want); err != nil {
			t.Fatal(err)
		}
		want.Time = want.Time.UTC()
		if diff := cmp.Diff(want, got); diff != "" || bytes.IndexByte(line, '\n') >= 0 {
			t.Errorf("%s: %s", line, diff)
		}
		// The same fields in the same order: what a reader of another version knows, and nothing left out.
		if ours, theirs := names(t, line), names(t, theirs); !cmp.Equal(ours, theirs) {
			t.Errorf("fields %q, want %q", ours, theirs)
		}
	}
}

// names are the names of the fields of a JSON object, in order.
func names(t *testing.T, object []byte) (names []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	for i := 0; d.More() || i == 0; i++ {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 1 {
			names = append(names, token.(string))
		}
	}
	return names
}

func TestAppendCaptureAllocates(t *testing.T) {
	c := crawled(1)
	var buf []byte
	if n := testing.AllocsPerRun(100, func() { buf = AppendCapture(buf[:0], &c) }); n > 0 {
		t.Errorf("%v allocations a line, want none", n)
	}
}
