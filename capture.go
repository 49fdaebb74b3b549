package kavosh

import "time"

// Capture is one durable record, as the capture log and the index know it: where it is and what it says about itself.
type Capture struct {
	URL       string     `json:"url"`
	Time      time.Time  `json:"time"` // WARC-Date
	Record    string     `json:"record"`
	Type      string     `json:"type"` // WARC-Type: response, revisit, resource, metadata
	Status    int        `json:"status,omitempty"`
	MIME      string     `json:"mime,omitempty"` // media type of the payload as its header says, in lower case, without parameters
	Digest    string     `json:"digest,omitempty"`
	File      string     `json:"file"` // name of the WARC file in warc/, without .open
	Offset    int64      `json:"offset"`
	Length    int64      `json:"length"`            // compressed bytes of the record
	Payload   int64      `json:"payload,omitempty"` // bytes after transfer decoding; 0 for a revisit, which has none
	Truncated Truncation `json:"truncated,omitempty"`
	Failure   Failure    `json:"failure,omitempty"`
	Profile   string     `json:"profile,omitempty"`  // profile of a revisit: "identical" or "not-modified"
	Location  string     `json:"location,omitempty"` // Location of a 3xx answer
	ETag      string     `json:"etag,omitempty"`
	Modified  string     `json:"modified,omitempty"` // Last-Modified
	Crawl     string     `json:"crawl,omitempty"`
	Variant   bool       `json:"variant,omitempty"` // requested as RDF, see Task.Variant
	Method    string     `json:"method,omitempty"`  // method of the request, if it was not GET
	Of        string     `json:"of,omitempty"`      // for a Rendering: payload digest of the page's capture
	Query     string     `json:"query,omitempty"`   // the query that replaces this request's method and body in the index: cdx.MethodQuery
}
