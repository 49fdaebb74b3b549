// Package replaytest makes small archives in memory, for tests of packages that replay or show archives.
package replaytest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Archive is a small archive in memory: real WARC records and real CDXJ lines.
type Archive struct {
	t     testing.TB
	Files map[string]*bytes.Buffer
	Lines []string // lines of the index
}

// New returns an empty archive.
func New(t testing.TB) *Archive { return &Archive{t: t, Files: map[string]*bytes.Buffer{}} }

// File is the name of the file that has its records.
const File = "test.warc.gz"

// Put adds a record and its index line.
func (a *Archive) Put(typ, url, stamp, contentType, block string, e cdx.Entry, extra ...string) {
	a.t.Helper()
	if a.Files[File] == nil {
		a.Files[File] = new(bytes.Buffer)
	}
	when, err := time.Parse("20060102150405", stamp)
	if err != nil {
		a.t.Fatal(err)
	}
	h := warc.Header{{Name: "WARC-Type", Value: typ}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Target-URI", Value: url},
		{Name: "WARC-Date", Value: warc.FormatDate(when)}, {Name: "Content-Type", Value: contentType}}
	for i := 0; i+1 < len(extra); i += 2 {
		h.Add(extra[i], extra[i+1])
	}
	h.Add("Content-Length", fmt.Sprint(len(block)))
	e.Offset = int64(a.Files[File].Len())
	n, err := warc.NewWriter(a.Files[File], warc.Compression{Format: warc.Gzip}).WriteRecord(h, strings.NewReader(block))
	if err != nil {
		a.t.Fatal(err)
	}
	e.Key, e.Timestamp, e.URL, e.Length, e.Filename = weburl.SURT(url), stamp, url, n, File
	a.Lines = append(a.Lines, string(e.AppendLine(nil)))
}

// Page adds a response. head has its status and fields: "200 text/html", or several lines that begin with the status.
func (a *Archive) Page(url, stamp, head, body string, extra ...string) {
	a.t.Helper()
	status, rest, _ := strings.Cut(head, " ")
	if !strings.Contains(rest, ":") && rest != "" {
		rest = "Content-Type: " + rest
	}
	e := cdx.Entry{Digest: fmt.Sprintf("sha1:%08X", CRC(body))}
	fmt.Sscan(status, &e.Status)
	for l := range strings.SplitSeq(rest, "\n") {
		if k, v, _ := strings.Cut(l, ": "); strings.EqualFold(k, "Content-Type") {
			e.MIME, _, _ = strings.Cut(v, ";")
		}
	}
	block := "HTTP/1.1 " + status + " X\r\n"
	if rest != "" {
		block += strings.ReplaceAll(rest, "\n", "\r\n") + "\r\n"
	}
	a.Put("response", url, stamp, "application/http; msgtype=response", block+"\r\n"+body, e, extra...)
}

// CRC returns a checksum of a text. Pages have it as their digest.
func CRC(s string) (n uint32) {
	for i := range len(s) {
		n = n*31 + uint32(s[i])
	}
	return n
}

// Query answers a query as an index does.
func (a *Archive) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	var entries []cdx.Entry
	for _, l := range a.Lines {
		e, err := cdx.ParseLine([]byte(l))
		if err != nil {
			a.t.Fatal(err)
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b cdx.Entry) int { return cdx.Compare(&a, &b) })
	return q.Answer(func(q cdx.Query) iter.Seq2[cdx.Entry, error] {
		from, to, err := q.Range()
		if err != nil {
			return func(yield func(cdx.Entry, error) bool) { yield(cdx.Entry{}, err) }
		}
		return cdx.Search(entries, from, to, q.Reverse)
	})
}

// Open opens a file of records.
func (a *Archive) Open(filename string) (io.ReaderAt, int64, func(), error) {
	f := a.Files[filename]
	if f == nil {
		return nil, 0, nil, fmt.Errorf("%s: %w", filename, os.ErrNotExist)
	}
	return bytes.NewReader(f.Bytes()), int64(f.Len()), func() {}, nil
}

// Send sends a request for target at an origin to a handler, with target unchanged. headers have the form "Name:
// value".
func Send(h http.Handler, method, origin, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, origin+"/", nil)
	r.RequestURI = target
	if u, err := r.URL.Parse(target); err == nil {
		r.URL = u
	}
	for _, line := range headers {
		k, v, _ := strings.Cut(line, ": ")
		r.Header.Add(k, v)
	}
	w := httptest.NewRecorder()
	func() {
		defer func() {
			if v := recover(); v != nil && v != http.ErrAbortHandler {
				panic(v)
			}
		}()
		h.ServeHTTP(w, r)
	}()
	return w
}

// Browser returns the headers that a browser sends when it opens a page.
func Browser() []string {
	return []string{"Accept: text/html,application/xhtml+xml,*/*;q=0.8", "Sec-Fetch-Dest: document", "Accept-Language: en"}
}
