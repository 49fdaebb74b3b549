package replay

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

	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// archive is a small archive in memory: real WARC records and real CDXJ lines.
type archive struct {
	t     testing.TB
	files map[string]*bytes.Buffer
	lines []string
}

func newArchive(t testing.TB) *archive { return &archive{t: t, files: map[string]*bytes.Buffer{}} }

const testFile = "test.warc.gz"

// put writes a record and its index line.
func (a *archive) put(typ, url, stamp, contentType, block string, e cdx.Entry, extra ...string) {
	a.t.Helper()
	if a.files[testFile] == nil {
		a.files[testFile] = new(bytes.Buffer)
	}
	h := warc.Header{{Name: "WARC-Type", Value: typ}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Target-URI", Value: url},
		{Name: "WARC-Date", Value: warc.FormatDate(moment(stamp))}, {Name: "Content-Type", Value: contentType}}
	for i := 0; i+1 < len(extra); i += 2 {
		h.Add(extra[i], extra[i+1])
	}
	h.Add("Content-Length", fmt.Sprint(len(block)))
	e.Offset = int64(a.files[testFile].Len())
	n, err := warc.NewWriter(a.files[testFile], warc.Compression{Format: warc.Gzip}).WriteRecord(h, strings.NewReader(block))
	if err != nil {
		a.t.Fatal(err)
	}
	e.Key, e.Timestamp, e.URL, e.Length, e.Filename = weburl.SURT(url), stamp, url, n, testFile
	a.lines = append(a.lines, string(e.AppendLine(nil)))
}

// page archives an answer. head is its status and fields: "200 text/html", or several lines beginning with the status.
func (a *archive) page(url, stamp, head, body string, extra ...string) {
	a.t.Helper()
	status, rest, _ := strings.Cut(head, " ")
	if !strings.Contains(rest, ":") && rest != "" {
		rest = "Content-Type: " + rest
	}
	e := cdx.Entry{Digest: fmt.Sprintf("sha1:%08X", crc(body))}
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
	a.put("response", url, stamp, "application/http; msgtype=response", block+"\r\n"+body, e, extra...)
}

func crc(s string) (n uint32) {
	for i := range len(s) {
		n = n*31 + uint32(s[i])
	}
	return n
}

func (a *archive) Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	var entries []cdx.Entry
	for _, l := range a.lines {
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

func (a *archive) Open(_ context.Context, e *cdx.Entry) (io.ReaderAt, int64, func(), error) {
	f := a.files[e.Filename]
	if f == nil {
		return nil, 0, nil, fmt.Errorf("%s: %w", e.Filename, os.ErrNotExist)
	}
	return bytes.NewReader(f.Bytes()), int64(f.Len()), func() {}, nil
}

// server serves archives, the first as "one", the next as "two".
func server(t testing.TB, archives ...*archive) *Server {
	t.Helper()
	o := Options{HomeAddr: "http://home.test", ReplayAddr: "http://replay.test", Trouble: func(text string) { t.Log("trouble:", text) }}
	for i, a := range archives {
		o.Collections = append(o.Collections, Collection{Name: []string{"one", "two", "three"}[i], Index: a, Store: a})
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends a request to the replay's origin. Headers come as "Name: value".
func ask(s *Server, target string, headers ...string) *httptest.ResponseRecorder {
	return send(s.ReplayHandler(), "GET", "http://replay.test", target, headers...)
}

func send(h http.Handler, method, origin, target string, headers ...string) *httptest.ResponseRecorder {
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

// browser are the headers of a browser that opens a page.
var browser = []string{"Accept: text/html,application/xhtml+xml,*/*;q=0.8", "Sec-Fetch-Dest: document", "Accept-Language: en"}
