package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/lib/warc"
)

// A package may have a text for each of two pages with the same payload, whose scripts make them different. Each page is
// found by its own words only, and a rule that closes one page closes its words.
func TestToldTextsStayApart(t *testing.T) {
	const block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Loading<script src=/app.js></script>"
	sum := sha256.Sum256([]byte(block[strings.Index(block, "<p>"):]))
	digest := warc.FormatDigest("sha256", sum[:])
	first, second := "http://a.test/first", "http://a.test/second"
	var records bytes.Buffer
	w := warc.NewWriter(&records, warc.Compression{Format: warc.Gzip})
	for i, url := range []string{first, second} {
		var h warc.Header
		h.Add("WARC-Type", "response")
		h.Add("WARC-Record-ID", warc.NewID())
		h.Add("WARC-Date", fmt.Sprintf("2026-01-31T12:00:%02dZ", i+1))
		h.Add("WARC-Target-URI", url)
		h.Add("WARC-Payload-Digest", digest)
		h.Add("Content-Type", "application/http;msgtype=response")
		h.Add("Content-Length", fmt.Sprint(len(block)))
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	name, archive := filepath.Join(t.TempDir(), "two.wacz"), filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(name, waczOf(t, "data.warc.gz", records.Bytes()), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, "import", name, archive)
	finds := func(want ...string) { // by the word that the package has for each page alone
		t.Helper()
		served := newWalkerOf(t, archive, "203.0.113.5:4", "scripts")
		var found []string
		for _, stamp := range []string{"20260131120001", "20260131120002"} {
			answer := served.ask(homeOrigin + "/api/v1/collections/one/search?q=" + stamp)
			for _, url := range []string{first, second} {
				if strings.Contains(answer, `"`+url+`"`) {
					found = append(found, stamp[12:]+" "+url)
				}
			}
		}
		if strings.Join(found, ", ") != strings.Join(want, ", ") {
			t.Errorf("found %v, want %v", found, want)
		}
	}
	finds("01 "+first, "02 "+second)
	command(t, "access", archive, "add", "takedown", second, "--why", "x")
	finds("01 " + first)
	command(t, "access", archive, "remove", "1", "--why", "x")
	command(t, "access", archive, "add", "takedown", digest, "--why", "x")
	finds()
}
