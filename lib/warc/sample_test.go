package warc

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A file of one record of each type, as a crawl leaves them.

type sampleRecord struct {
	header Header
	block  string
}

const httpAnswer = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n7\r\n, world\r\n0\r\n\r\n"

func makeRecord(kind, uri, contentType, block string, more ...string) sampleRecord {
	var h Header
	h.Add("WARC-Type", kind)
	id := sha1.Sum([]byte(kind + uri + block))
	h.Add("WARC-Record-ID", nameID(id[:]))
	h.Add("WARC-Date", "2026-01-31T12:00:00.123456Z")
	if uri != "" {
		h.Add("WARC-Target-URI", uri)
	}
	for i := 0; i < len(more); i += 2 {
		h.Add(more[i], more[i+1])
	}
	sum := sha256.Sum256([]byte(block))
	h.Add("WARC-Block-Digest", FormatDigest("sha256", sum[:]))
	if contentType != "" {
		h.Add("Content-Type", contentType)
	}
	h.Add("Content-Length", fmt.Sprint(len(block)))
	return sampleRecord{h, block}
}

func sample() []sampleRecord {
	payload := sha256.Sum256([]byte("hello, world"))
	digest := FormatDigest("sha256", payload[:])
	info := makeRecord("warcinfo", "", "application/warc-fields", "software: kavosh\r\nformat: WARC File Format 1.1\r\n")
	response := makeRecord("response", "http://example.com/", "application/http;msgtype=response", httpAnswer,
		"WARC-Payload-Digest", digest, "WARC-IP-Address", "192.0.2.1")
	id := response.header.Get("WARC-Record-ID")
	return []sampleRecord{
		info,
		response,
		makeRecord("request", "http://example.com/", "application/http;msgtype=request", "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n", "WARC-Concurrent-To", id),
		makeRecord("metadata", "http://example.com/", "application/warc-fields", "via: http://example.org/\r\n", "WARC-Concurrent-To", id),
		makeRecord("revisit", "http://example.com/again", "application/http;msgtype=response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
			"WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", "WARC-Payload-Digest", digest,
			"WARC-Refers-To", id, "WARC-Refers-To-Target-URI", "http://example.com/", "WARC-Refers-To-Date", "2026-01-31T12:00:00.123456Z"),
		makeRecord("resource", "dns:example.com", "text/dns", "20260131120000\nexample.com.\t60\tIN\tA\t192.0.2.1\n"),
		makeRecord("resource", "http://example.com/empty", "text/plain", ""),
		makeRecord("resource", "http://example.com/large", "application/octet-stream", strings.Repeat("0123456789abcdef\n", 9000)),
	}
}

// write gives the file and where each record begins and ends in it.
func write(t testing.TB, c Compression, records []sampleRecord) (file []byte, ends []int64) {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, c)
	for _, r := range records {
		n, err := w.WriteRecord(r.header, strings.NewReader(r.block))
		if err != nil {
			t.Fatal(err)
		}
		if int64(b.Len()) != n+lastOr(ends) {
			t.Fatalf("WriteRecord says %d bytes, it wrote %d", n, int64(b.Len())-lastOr(ends))
		}
		ends = append(ends, int64(b.Len()))
	}
	return b.Bytes(), ends
}

func lastOr(ends []int64) int64 {
	if len(ends) == 0 {
		return 0
	}
	return ends[len(ends)-1]
}

func gzipped(parts ...string) []byte {
	var b bytes.Buffer
	for _, p := range parts {
		w := gzip.NewWriter(&b)
		io.WriteString(w, p)
		w.Close()
	}
	return b.Bytes()
}

func zstded(options []zstd.EOption, parts ...string) []byte {
	var b []byte
	e, err := zstd.NewWriter(nil, options...)
	if err != nil {
		panic(err)
	}
	for _, p := range parts {
		b = e.EncodeAll([]byte(p), b)
	}
	return b
}

// seen is a record as it was read.
type seen struct {
	*Record
	block string
	err   error // of reading the block
}

func (s seen) sound() bool { return s.err == nil && !s.Broken }

// readAll reads to the end and gives the records, and the rules of all notes with their offsets.
func readAll(t testing.TB, r io.Reader) (records []seen, notes []Note) {
	t.Helper()
	rd, err := NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	rd.Report = func(n Note) { notes = append(notes, n) }
	for {
		rec, err := rd.Next()
		if err == io.EOF {
			return records, notes
		}
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(rec.Block)
		if err != nil && !errors.As(err, new(*FormatError)) {
			t.Fatalf("reading a block: %v", err)
		}
		if err := rd.Finish(); err != nil {
			t.Fatal(err)
		}
		records = append(records, seen{rec, string(block), err})
	}
}

func rules(notes []Note) string {
	var s []string
	for _, n := range notes {
		s = append(s, fmt.Sprintf("%d %s", n.Offset, n.Rule))
	}
	return strings.Join(s, ", ")
}

// unseekable hides every method but Read.
type unseekable struct{ io.Reader }
