package index

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"kavosh/lib/cdx"
	"kavosh/lib/warc"
)

// An answer to POST is found by what was sent, whichever of the two records comes first, and a page beside it by its URL alone.
func TestMemoryKeysAnswersToPOST(t *testing.T) {
	var file bytes.Buffer
	w := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip})
	put := func(typ, id, to, block string) {
		h := warc.Header{{Name: "WARC-Type", Value: typ}, {Name: "WARC-Record-ID", Value: "<urn:" + id + ">"}, {Name: "WARC-Target-URI", Value: "http://a.test/form?x=1"},
			{Name: "WARC-Date", Value: "2026-01-31T12:00:00Z"}, {Name: "Content-Type", Value: "application/http"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if to != "" {
			h.Add("WARC-Concurrent-To", "<urn:"+to+">")
		}
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	post := func(body string) string {
		return "POST /form?x=1 HTTP/1.1\r\nHost: a.test\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n" + body
	}
	put("response", "1", "", answer+"one")
	put("request", "2", "1", post("q=first"))
	put("request", "3", "", post("q=second"))
	put("response", "4", "3", answer+"two")
	put("response", "5", "", answer+"page")
	put("request", "6", "5", "GET /form?x=1 HTTP/1.1\r\nHost: a.test\r\n\r\n")
	put("request", "7", "99", post("q=of another"))
	m := &Memory{}
	if err := m.Read(t.Context(), &file, "a.warc.gz"); err != nil {
		t.Fatal(err)
	}
	m.Sort()
	for url, want := range map[string]string{
		"http://a.test/form?x=1":                            "",
		"http://a.test/form?x=1&__wb_method=POST&q=first":   "q=first",
		"http://a.test/form?x=1&__wb_method=POST&q=second":  "q=second",
		"http://a.test/form?x=1&__wb_method=POST&q=of none": "none",
	} {
		n := 0
		for e, err := range m.Query(t.Context(), cdx.Query{URL: url, MatchType: cdx.Exact}) {
			if err != nil || e.Get("requestBody") != want || e.URL != "http://a.test/form?x=1" || want != "" && e.Get("method") != "POST" {
				t.Errorf("%s: %+v, %v", url, e, err)
			}
			n++
		}
		if found := want != "none"; found != (n == 1) {
			t.Errorf("%s: %d captures", url, n)
		}
	}
}
