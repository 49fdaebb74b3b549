package index

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"kavosh/lib/cdx"
	"kavosh/lib/warc"
)

// Loose files show an answer whose chunks break off, as an archive does that they are imported into, also when no digest of
// its payload stands in the file.
func TestBrokenChunksAreListed(t *testing.T) {
	for name, body := range map[string]string{"cut": "5\r\nhello\r\n7\r\n, wo", "no size": "5\r\nhello\r\nnonsense", "whole": "5\r\nhello\r\n0\r\n\r\n", "none": ""} {
		block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n" + body
		var file bytes.Buffer
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Date", Value: "2026-01-31T12:00:00Z"},
			{Name: "WARC-Target-URI", Value: "http://a.test/"}, {Name: "Content-Type", Value: "application/http;msgtype=response"}}
		h.Set("Content-Length", strconv.Itoa(len(block)))
		if _, err := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip}).WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
		m := &Memory{}
		if err := m.Read(t.Context(), &file, "a.warc.gz"); err != nil {
			t.Fatal(err)
		}
		m.Sort()
		n := 0
		for e, err := range (Joined{m}).Query(t.Context(), cdx.Query{URL: "http://a.test/"}) {
			if n++; err != nil || e.Status != 200 || e.Digest == "" {
				t.Errorf("%s: %+v, %v", name, e, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d captures are listed, want 1", name, n)
		}
	}
}
