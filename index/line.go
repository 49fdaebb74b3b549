package index

import (
	"strconv"
	"time"

	"kavosh"
	"kavosh/internal/journal"
)

// AppendCapture appends c to b as its line of the capture log, without line feed: the JSON that encoding/json reads back to
// the same capture (docs/formats/capturelog.md).
func AppendCapture(b []byte, c *kavosh.Capture) []byte {
	b = journal.AppendString(append(b, `{"url":`...), c.URL)
	b = append(b, `,"time":"`...)
	b = c.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	b = journal.AppendString(append(b, `","record":`...), c.Record)
	b = journal.AppendString(append(b, `,"type":`...), c.Type)
	b = number(b, `,"status":`, int64(c.Status))
	b = text(b, `,"mime":`, c.MIME)
	b = text(b, `,"digest":`, c.Digest)
	b = journal.AppendString(append(b, `,"file":`...), c.File)
	b = strconv.AppendInt(append(b, `,"offset":`...), c.Offset, 10)
	b = strconv.AppendInt(append(b, `,"length":`...), c.Length, 10)
	b = number(b, `,"payload":`, c.Payload)
	b = text(b, `,"truncated":`, string(c.Truncated))
	b = text(b, `,"failure":`, string(c.Failure))
	b = text(b, `,"profile":`, c.Profile)
	b = text(b, `,"location":`, c.Location)
	b = text(b, `,"etag":`, c.ETag)
	b = text(b, `,"modified":`, c.Modified)
	b = text(b, `,"crawl":`, c.Crawl)
	if c.Variant {
		b = append(b, `,"variant":true`...)
	}
	b = text(b, `,"method":`, c.Method)
	b = text(b, `,"query":`, c.Query)
	return append(b, '}')
}

// number appends a field that is left out when 0.
func number(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(append(b, name...), n, 10)
}

// text appends a field that is left out when empty.
func text(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return journal.AppendString(append(b, name...), s)
}
