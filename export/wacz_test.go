package export

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/index"
	"kavosh/internal/disk"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/wacz"
	"kavosh/lib/warc"
)

// shelf is a folder of WARC files with an index.
type shelf struct {
	t      *testing.T
	fs     vfs.FS
	names  []string
	memory index.Memory
	file   bytes.Buffer
	second int
}

// put adds a record. A request or metadata record is of the same second as the record before it.
func (s *shelf) put(typ, id, url, block string, fields ...string) {
	s.t.Helper()
	if typ != "request" && typ != "metadata" {
		s.second++
	}
	media := map[string]string{"warcinfo": "application/warc-fields", "metadata": "application/warc-fields", "request": "application/http; msgtype=request"}[typ]
	if media == "" {
		media = "application/http; msgtype=response"
	}
	h := warc.Header{{Name: "WARC-Type", Value: typ}, {Name: "WARC-Record-ID", Value: "<urn:uuid:" + id + ">"}, {Name: "WARC-Date", Value: fmt.Sprintf("2026-01-31T12:00:%02dZ", s.second)},
		{Name: "Content-Type", Value: media}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
	if url != "" {
		h.Add("WARC-Target-URI", url)
	}
	for i := 0; i < len(fields); i += 2 {
		h.Add(fields[i], fields[i+1])
	}
	if _, err := warc.NewWriter(&s.file, warc.Compression{Format: warc.Gzip}).WriteRecord(h, strings.NewReader(block)); err != nil {
		s.t.Fatal(err)
	}
}

// end writes the file of the records so far.
func (s *shelf) end(name string) {
	s.t.Helper()
	if err := disk.WriteFile(s.fs, name, s.file.Bytes()); err != nil {
		s.t.Fatal(err)
	}
	if err := s.memory.Read(s.t.Context(), bytes.NewReader(s.file.Bytes()), name); err != nil {
		s.t.Fatal(err)
	}
	s.names = append(s.names, name)
	s.file = bytes.Buffer{}
}

func (s *shelf) Open(name string) (io.ReaderAt, int64, func(), error) {
	data, err := disk.ReadFile(s.fs, name)
	return bytes.NewReader(data), int64(len(data)), func() {}, err
}

// pack exports all files without what is closed, and returns the package and the text of its records.
func (s *shelf) pack(closed func(*cdx.Entry) bool, seeds ...string) (WACZCounts, *wacz.File, string) {
	s.t.Helper()
	s.memory.Sort()
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	p := WACZ{
		FS: s.fs, Files: s.names, Software: "a test", Created: time.Unix(1e9, 0), Key: key, Seeds: map[string]bool{},
		Index:   func() iter.Seq2[cdx.Entry, error] { return s.memory.Search("", "", false) },
		Shows:   func(e *cdx.Entry) bool { return !closed(e) },
		Records: &records.Records{Index: &s.memory, Files: s},
	}
	for _, url := range seeds {
		p.Seeds[url] = true
	}
	var packed bytes.Buffer
	if err := p.Write(s.t.Context(), &packed); err != nil {
		s.t.Fatal(err)
	}
	var found []string
	if _, err := wacz.Check(s.t.Context(), "x.wacz", bytes.NewReader(packed.Bytes()), int64(packed.Len()), warc.CheckOptions{}, func(f warc.Finding) {
		if f.Severity == warc.Fault {
			found = append(found, f.String())
		}
	}); err != nil || len(found) > 0 {
		s.t.Errorf("the package is not sound: %q, %v", found, err)
	}
	f, err := wacz.Open(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		s.t.Fatal(err)
	}
	var text strings.Builder
	for _, name := range f.WARCs() {
		section, err := f.At(name)
		if err != nil {
			s.t.Fatal(err)
		}
		plain, err := gzip.NewReader(section)
		if err == nil {
			_, err = io.Copy(&text, plain)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return p.Counts, f, text.String()
}

// wants reports what of a text is missing, and what is in it with a ! before it here.
func wants(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if p, not := strings.CutPrefix(p, "!"); strings.Contains(text, p) == not {
			t.Errorf("%q is in it: %t\n%s", p, not, text)
		}
	}
}

func page(body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
}

// A file of which nothing may be shown is not in the package, and neither is one that had nothing.
func TestWACZWithoutEmptyFiles(t *testing.T) {
	s := &shelf{t: t, fs: vfs.NewMem()}
	s.put("response", "1", "http://a.test/closed", page("<p>one"))
	s.put("request", "2", "http://a.test/closed", "GET /closed HTTP/1.1\r\n\r\n")
	s.put("response", "3", "http://a.test/closed", page("<p>two"))
	s.end("closed.warc.gz")
	s.put("response", "4", "http://a.test/open", page("<p>three"))
	s.end("open.warc.gz")
	if err := disk.WriteFile(s.fs, "empty.warc.gz", nil); err != nil {
		t.Fatal(err)
	}
	s.names = append(s.names, "empty.warc.gz")
	counts, f, text := s.pack(func(e *cdx.Entry) bool { return e.URL == "http://a.test/closed" })
	if want := (WACZCounts{Files: 1, Captures: 1, Pages: 1, LeftOut: 3}); counts != want {
		t.Errorf("%+v, want %+v", counts, want)
	}
	if names := f.WARCs(); len(names) != 1 || !strings.HasSuffix(names[0], "open.warc.gz") {
		t.Errorf("the package has %q, want open.warc.gz alone", names)
	}
	wants(t, text, "<p>three", "!a.test/closed")
}

// What is closed is left out with its request and its notes. What stays no longer names it: a revisit of it becomes a
// full response, requests and notes name "-". Pages of seeds come first.
func TestWACZWithoutWhatIsClosed(t *testing.T) {
	s := &shelf{t: t, fs: vfs.NewMem()}
	const payload = "<p>the same payload"
	digest := warc.FormatDigest("sha256", sum(payload))
	s.put("warcinfo", "0", "", "software: a test\r\nsecrets: kept\r\n")
	s.put("response", "1", "http://a.test/closed", page(payload), "WARC-Payload-Digest", digest)
	s.put("request", "2", "http://a.test/closed", "GET /closed HTTP/1.1\r\nX: closed-request\r\n\r\n")
	s.put("metadata", "3", "urn:note:3", "closed-note: 1\r\n", "WARC-Concurrent-To", "<urn:uuid:1>")
	refers := []string{"WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", "WARC-Payload-Digest", digest,
		"WARC-Refers-To", "<urn:uuid:1>", "WARC-Refers-To-Target-URI", "http://a.test/closed", "WARC-Refers-To-Date", "2026-01-31T12:00:02Z"}
	const own = "HTTP/1.1 200 Fine\r\nContent-Type: Application/XHTML+XML; charset=x\r\nX-Own: head\r\n\r\n"
	s.put("revisit", "4", "http://a.test/copy", own, append([]string{"WARC-Block-Digest", warc.FormatDigest("sha256", sum(own))}, refers...)...)
	s.put("request", "5", "http://a.test/copy", "GET /copy HTTP/1.1\r\nReferer: http://a.test/closed\r\nX: copy-request\r\n\r\n")
	const note = "via: http://a.test/closed\r\nhops: L\r\n"
	s.put("metadata", "6", "http://a.test/copy", note, "WARC-Block-Digest", warc.FormatDigest("sha256", sum(note)))
	s.end("one.warc.gz")
	s.put("revisit", "7", "http://a.test/chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", refers...)
	s.put("revisit", "8", "http://a.test/headless", "", refers...)
	s.put("revisit", "9", "http://a.test/unchanged", "HTTP/1.1 304 Not Modified\r\n\r\n", append([]string{"WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/server-not-modified"}, refers[2:]...)...)
	s.put("revisit", "14", "http://a.test/other", "HTTP/1.1 200 OK\r\nX-Other: payload\r\n\r\n", append([]string{refers[0], refers[1], refers[2], warc.FormatDigest("sha256", sum("other"))}, refers[4:]...)...)
	s.put("response", "10", "http://a.test/b", page("<p>b"))
	s.put("metadata", "11", "http://a.test/b", "via: http://a.test/copy\r\nhops: LL\r\n")
	s.put("response", "12", "http://a.test/z", page("<p>z"))
	s.put("response", "13", "http://a.test/z", page("<p>z again"))
	s.put("response", "15", "http://a.test/gone", "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>gone")
	s.end("two.warc.gz")

	counts, f, text := s.pack(func(e *cdx.Entry) bool { return e.URL == "http://a.test/closed" }, "http://a.test/z")
	if want := (WACZCounts{Files: 2, Captures: 9, Pages: 5, LeftOut: 3, Whole: 3, Secrets: 1}); counts != want {
		t.Errorf("%+v, want %+v", counts, want)
	}
	wants(t, text, "!a.test/closed", "!closed-request", "!closed-note", "!urn:uuid:1>", "Referer: -\r\nX: copy-request\r\n", "via: -\r\nhops: L\r\n", "via: http://a.test/copy\r\nhops: LL\r\n",
		"HTTP/1.1 200 Fine\r\nContent-Type: Application/XHTML+XML; charset=x\r\nX-Own: head\r\n\r\n"+payload+"\r\n",
		"Transfer-Encoding: chunked\r\n\r\n13\r\n"+payload+"\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 19\r\n\r\n"+payload,
		"revisit/server-not-modified", "X-Other: payload\r\n\r\n\r\n\r\n")
	var entries []string
	for e, err := range f.Index() {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, fmt.Sprint(strings.TrimPrefix(e.URL, "http://a.test/"), " ", e.Status, " ", e.MIME))
	}
	if got, want := strings.Join(entries, ", "), "b 200 text/html, chunked 200 text/html, copy 200 application/xhtml+xml, gone 404 text/html, headless 200 text/html, other 200 warc/revisit, unchanged 304 warc/revisit, z 200 text/html, z 200 text/html"; got != want {
		t.Errorf("index: %s\nwant   %s", got, want)
	}
	var pages []string
	for p, err := range f.Pages() {
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, strings.TrimPrefix(p.URL, "http://a.test/"))
	}
	if got := strings.Join(pages, " "); !strings.HasPrefix(got, "z") {
		t.Errorf("pages: %s", got)
	}
}

// What is closed by its content is left out with its request, of which only URL and time tell that it belongs to it.
func TestWACZWithoutClosedContent(t *testing.T) {
	s := &shelf{t: t, fs: vfs.NewMem()}
	digest := warc.FormatDigest("sha256", sum("closed"))
	s.put("response", "1", "http://a.test/", page("open"), "WARC-Payload-Digest", warc.FormatDigest("sha256", sum("open")))
	s.put("request", "2", "http://a.test/", "GET / HTTP/1.1\r\nX: first\r\n\r\n")
	s.put("response", "3", "http://a.test/", page("closed"), "WARC-Payload-Digest", digest)
	s.put("request", "4", "http://a.test/", "GET / HTTP/1.1\r\nX: second\r\n\r\n")
	s.end("one.warc.gz")
	counts, _, text := s.pack(func(e *cdx.Entry) bool { return e.Digest == digest })
	wants(t, text, "X: first", "!X: second", "!closed")
	if counts.LeftOut != 2 || counts.Captures != 1 {
		t.Errorf("%+v", counts)
	}
}

func sum(text string) []byte {
	s := sha256.Sum256([]byte(text))
	return s[:]
}
