package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Notes that crawlers pack with captures name closed URLs in many forms, and hold what closed pages say under names of their own:
// nothing of it leaves, by packages or by what is served.
func TestNotesDoNotNameWhatIsClosed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	closed := []string{"http://a.test/closed?sekret=1&b=<2>", "http://a.test/~sekret/\u0635\u0641\u062d\u0647", "http://a.test/closed/sekret"}
	var file bytes.Buffer
	w := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip})
	n := 0
	write := func(kind, uri, contentType, block string) {
		t.Helper()
		n++
		var h warc.Header
		h.Add("WARC-Type", kind)
		h.Add("WARC-Record-ID", warc.NewID())
		h.Add("WARC-Date", fmt.Sprintf("2026-01-31T12:%02d:%02dZ", n/60, n%60))
		h.Add("WARC-Target-URI", uri)
		h.Add("Content-Type", contentType)
		h.Add("Content-Length", fmt.Sprint(len(block)))
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	write("response", "http://a.test/open", "application/http;msgtype=response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>open page</title>")
	for _, c := range closed {
		key, err := weburl.Key(c)
		if err != nil {
			t.Fatal(err)
		}
		write("response", key, "application/http;msgtype=response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>sekret</title>")
		for _, name := range []string{"urn:text:", "urn:pageinfo:", "screenshot:", "urn:X-wpull:log:", "metadata:"} {
			write("resource", name+key, "text/plain", "sekret words of the page")
		}
		asJSON, err := json.Marshal(map[string]any{"page": key, "raw": c, "urls": map[string]int{key: 200}})
		if err != nil {
			t.Fatal(err)
		}
		long := strings.Repeat("words and words ", 5000)
		for _, text := range []string{
			"via: " + key + "\r\n", "outlink: " + strings.ReplaceAll(key, "~", "%7E") + " L a/@href\r\n", string(asJSON), strings.ReplaceAll(string(asJSON), "/", `\/`),
			"to: http://b.test/?u=" + url.QueryEscape(key), "to: http://b.test/?u=" + url.QueryEscape(url.QueryEscape(c)), "surt: " + weburl.SURT(key), "html: " + strings.ReplaceAll(key, "&", "&amp;"), long + string(asJSON),
		} {
			write("metadata", "http://a.test/open", "application/warc-fields", text)
			write("resource", "urn:note:1", "text/plain", text)
			write("request", "http://a.test/open", "application/http;msgtype=request", "GET /open HTTP/1.1\r\nHost: a.test\r\nReferer: "+strings.ReplaceAll(text, "\r\n", "")+"\r\n\r\n")
		}
	}
	source, archive := filepath.Join(dir, "notes.warc.gz"), filepath.Join(dir, "archive")
	if err := os.WriteFile(source, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, "import", source, archive)
	pack := func(name string) string {
		command(t, "export", "wacz", archive, "-o", filepath.Join(dir, name))
		text := all(t, filepath.Join(dir, name))
		command(t, "check", filepath.Join(dir, name))
		return text
	}
	if text := pack("all.wacz"); strings.Count(text, "sekret") < 100 {
		t.Fatalf("the notes were not packed while nothing was closed: %d", strings.Count(text, "sekret"))
	}
	command(t, "access", archive, "add", "takedown", closed[0], closed[1], "http://a.test/closed/*")
	text := pack("less.wacz")
	if i := strings.Index(text, "sekret"); i >= 0 {
		t.Errorf("the package holds %.200q", text[max(0, i-100):])
	}
	if !strings.Contains(text, "open page") || !strings.Contains(text, "via: -") || !strings.Contains(text, "http://b.test/?u=-") {
		t.Error("what is open, and what stands around a closed URL, is not packed")
	}
	on := newWalkerOf(t, archive, "203.0.113.5:4", "open")
	on.walk(homeOrigin + "/")
	for _, form := range []string{"/one/2id_/", "/one/*/", "/one/timemap/cdxj/", "/one/cdx?matchType=prefix&url="} {
		for _, c := range closed {
			for _, name := range []string{"urn:text:", "screenshot:", "metadata:"} {
				on.walk(replayOrigin + form + name + c)
			}
		}
	}
	on.walk(replayOrigin + "/one/cdx?url=*")
	for address, answer := range on.answers {
		if !strings.Contains(address, "sekret") && strings.Contains(answer, "sekret") || strings.Contains(answer, "sekret words") {
			i := strings.Index(answer, "sekret")
			t.Errorf("%s: %.200q", address, answer[max(0, i-100):])
		}
	}
}
