package main

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// storedRecord is a WARC record as a file has it: its type, URL and further fields, a line each, and its block.
func storedRecord(kind, id, target, fields, block string) string {
	if kind == "response" || kind == "revisit" || kind == "request" {
		fields += "\r\nContent-Type: application/http; msgtype=" + strings.Replace(kind, "revisit", "response", 1)
	}
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-0000000000%s>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: %s\r\n%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, id, target, strings.TrimSpace(fields), len(block), block)
}

func sha1Of(text string) string {
	sum := sha1.Sum([]byte(text))
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

// storedArchive is an archive of records.
func storedArchive(t *testing.T, records ...string) string {
	t.Helper()
	name, dir := filepath.Join(t.TempDir(), "stored.warc.gz"), filepath.Join(t.TempDir(), "stored")
	var file bytes.Buffer
	for _, r := range records {
		member := gzip.NewWriter(&file)
		io.WriteString(member, r)
		member.Close()
	}
	if err := os.WriteFile(name, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, "import", name, dir)
	return dir
}

const (
	htmlHead = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	ofSheet  = "WARC-Concurrent-To: <urn:uuid:00000000-0000-4000-8000-000000000003>"
)

// Requests and notes name other pages. Neither the page of a capture nor a package names those that are taken down by address or by
// content, however long the record is and in whatever case the address is written.
func TestRecordsDoNotNameWhatIsTakenDown(t *testing.T) {
	t.Parallel()
	page, content := "<title>one</title>one", "<title>two</title>two"
	named := "GET /x.css HTTP/1.1\r\nHost: b.test\r\nReferer: http://a.test/SECRET-A\r\nX-Else: HTTP://A.test/SECRET-A, http://a.test/SECRET-B;\r\n\r\nhttp://a.test/SECRET-A\nhttp://a.test/open\n"
	dir := storedArchive(t,
		storedRecord("response", "01", "http://a.test/SECRET-A", "WARC-Payload-Digest: "+sha1Of(page), htmlHead+page),
		storedRecord("response", "02", "http://a.test/SECRET-B", "WARC-Payload-Digest: "+sha1Of(content), htmlHead+content),
		storedRecord("response", "03", "http://b.test/x.css", "WARC-Payload-Digest: "+sha1Of("p{}"), "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\np{}"),
		storedRecord("request", "04", "http://b.test/x.css", ofSheet, named),
		storedRecord("metadata", "05", "http://b.test/x.css", ofSheet+"\r\nContent-Type: application/warc-fields", "via: http://a.test/SECRET-B\r\nseed: http://a.test/SECRET-A\r\n"),
		storedRecord("metadata", "06", "http://b.test/x.css", ofSheet+"\r\nContent-Type: application/warc-fields", strings.Repeat("outlink: http://far.test/ L a/@href\r\n", 2000)+"outlink: http://a.test/SECRET-A L a/@href\r\n"),
		storedRecord("metadata", "07", "http://b.test/x.css", ofSheet+"\r\nContent-Type: application/warc-fields", strings.Repeat("outlink: http://far.test/ L a/@href\r\n", 2000)+"outlink: http://kept.test/ L a/@href\r\n"),
	)
	for _, step := range []struct{ rule, gone string }{{"", ""}, {"http://a.test/SECRET-A", "SECRET-A"}, {sha1Of(content), "SECRET-"}} {
		if step.rule != "" {
			command(t, "access", dir, "add", "takedown", step.rule)
		}
		packed := filepath.Join(t.TempDir(), "out.wacz")
		command(t, "export", "wacz", dir, "-o", packed)
		for where, text := range map[string]string{
			"the capture's page": newWalker(t, dir, "203.0.113.5:4").ask(homeOrigin + "/c/one/capture?time=20200101000000&url=" + url.QueryEscape("http://b.test/x.css")),
			"the package":        all(t, packed),
		} {
			for _, word := range []string{"SECRET-A", "SECRET-B", "http://a.test/open"} {
				if want := step.gone == "" || !strings.HasPrefix(word, step.gone); strings.Contains(text, word) != want {
					t.Errorf("%s, after a rule about %q: names %s: want %t: %.3000s", where, step.rule, word, want, text)
				}
			}
			if where == "the package" && !strings.Contains(text, "http://kept.test/") {
				t.Errorf("the package lacks a long note that names nothing closed")
			}
		}
		command(t, "check", packed)
	}
}

// A package names no original that is taken down, where its payload cannot be put in the revisit's place either; and a revisit whose head
// says 304 has the payload under a head that fits it.
func TestPackedRevisitsOfWhatIsTakenDown(t *testing.T) {
	const same = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\nWARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\nWARC-Refers-To-Target-URI: http://a.test/SECRET\r\n"
	page := "<title>one</title>WHAT-IT-HELD"
	dir := storedArchive(t,
		storedRecord("response", "01", "http://a.test/SECRET", "WARC-Payload-Digest: "+sha1Of(page), htmlHead+page),
		storedRecord("revisit", "02", "http://b.test/lost", same+"WARC-Payload-Digest: "+sha1Of("in no file"), htmlHead),
		storedRecord("revisit", "03", "http://b.test/304", same+"WARC-Payload-Digest: "+sha1Of(page), "HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"),
	)
	command(t, "access", dir, "add", "takedown", "http://a.test/SECRET")
	packed := filepath.Join(t.TempDir(), "out.wacz")
	command(t, "export", "wacz", dir, "-o", packed)
	command(t, "check", packed)
	text := all(t, packed)
	if strings.Contains(text, "SECRET") || strings.Contains(text, "304 Not Modified") || strings.Count(text, "WHAT-IT-HELD") != 1 ||
		!strings.Contains(text, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: "+fmt.Sprint(len(page))+"\r\n") || !strings.Contains(text, "WARC-Target-URI: http://b.test/lost\r\n") {
		t.Error(text)
	}
}
