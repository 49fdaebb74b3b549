package index

// This file writes lines of the capture log faster than encoding/json: every capture of a crawl needs one.

import (
	"strconv"
	"time"

	"kavosh"
	"kavosh/internal/journal"
)

// AppendCapture appends c to b as a line of the capture log (docs/formats/capturelog.md), without line feed.
// encoding/json reads the same capture back.
func AppendCapture(b []byte, c *kavosh.Capture) []byte {
	b = journal.AppendString(append(b, `{"url":`...), c.URL)
	b = append(b, `,"time":"`...)
	b = c.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	b = journal.AppendString(append(b, `","record":`...), c.Record)
	b = journal.AppendString(append(b, `,"type":`...), c.Type)
	b = journal.AppendNumber(b, `,"status":`, int64(c.Status))
	b = journal.AppendText(b, `,"mime":`, c.MIME)
	b = journal.AppendText(b, `,"digest":`, c.Digest)
	b = journal.AppendString(append(b, `,"file":`...), c.File)
	b = strconv.AppendInt(append(b, `,"offset":`...), c.Offset, 10)
	b = strconv.AppendInt(append(b, `,"length":`...), c.Length, 10)
	b = journal.AppendNumber(b, `,"payload":`, c.Payload)
	b = journal.AppendText(b, `,"truncated":`, string(c.Truncated))
	b = journal.AppendText(b, `,"failure":`, string(c.Failure))
	b = journal.AppendText(b, `,"profile":`, c.Profile)
	b = journal.AppendText(b, `,"location":`, c.Location)
	b = journal.AppendText(b, `,"etag":`, c.ETag)
	b = journal.AppendText(b, `,"modified":`, c.Modified)
	b = journal.AppendText(b, `,"crawl":`, c.Crawl)
	if c.Variant {
		b = append(b, `,"variant":true`...)
	}
	b = journal.AppendText(b, `,"method":`, c.Method)
	b = journal.AppendText(b, `,"of":`, c.Of)
	b = journal.AppendText(b, `,"query":`, c.Query)
	return append(b, '}')
}
