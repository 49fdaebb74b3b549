package kavosh

import "time"

// Capture is one durable record as the capture log and the index know it: where it lies and what it says of itself.
type Capture struct {
	URL       string     `json:"url"`
	Time      time.Time  `json:"time"` // WARC-Date
	Record    string     `json:"record"`
	Type      string     `json:"type"` // WARC-Type: response, revisit, resource, metadata
	Status    int        `json:"status,omitempty"`
	MIME      string     `json:"mime,omitempty"` // of the payload as its header says, lower case, without parameters
	Digest    string     `json:"digest,omitempty"`
	File      string     `json:"file"` // name in warc/, without .open
	Offset    int64      `json:"offset"`
	Length    int64      `json:"length"`            // compressed bytes of the record
	Payload   int64      `json:"payload,omitempty"` // bytes after transfer decoding; 0 for a revisit, which has none
	Truncated Truncation `json:"truncated,omitempty"`
	Failure   Failure    `json:"failure,omitempty"`
	Profile   string     `json:"profile,omitempty"`  // of a revisit: "identical" or "not-modified"
	Location  string     `json:"location,omitempty"` // of a 3xx answer
	ETag      string     `json:"etag,omitempty"`
	Modified  string     `json:"modified,omitempty"` // Last-Modified
	Crawl     string     `json:"crawl,omitempty"`
	Variant   bool       `json:"variant,omitempty"` // asked for as RDF: Task.Variant
	Method    string     `json:"method,omitempty"`  // of the request, when it was no GET
	Query     string     `json:"query,omitempty"`   // what stands for such a request's method and body in the index: cdx.MethodQuery
}
