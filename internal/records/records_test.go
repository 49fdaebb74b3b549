package records

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/header"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// memory is a small archive in memory: real records, and their entries.
type memory struct {
	t       *testing.T
	file    bytes.Buffer
	entries []cdx.Entry
}

func (m *memory) Open(name string) (io.ReaderAt, int64, func(), error) {
	if name != "x.warc.gz" {
		return nil, 0, nil, os.ErrNotExist
	}
	return bytes.NewReader(m.file.Bytes()), int64(m.file.Len()), func() {}, nil
}

func (m *memory) Query(_ context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error] {
	return q.Answer(func(q cdx.Query) iter.Seq2[cdx.Entry, error] {
		from, to, err := q.Range()
		if err != nil {
			m.t.Fatal(err)
		}
		entries := slices.SortedFunc(slices.Values(m.entries), func(a, b cdx.Entry) int { return cdx.Compare(&a, &b) })
		return cdx.Search(entries, from, to, q.Reverse)
	})
}

// put writes a record of 1 January of a year. digest is that of the payload; extra are more fields, names and values in turn.
func (m *memory) put(typ, url string, year int, digest, block string, extra ...string) *cdx.Entry {
	m.t.Helper()
	contentType := "application/http; msgtype=response"
	if typ == "resource" {
		contentType = "text/plain"
	}
	h := warc.Header{{Name: "WARC-Type", Value: typ}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Target-URI", Value: url},
		{Name: "WARC-Date", Value: fmt.Sprintf("%d-01-01T00:00:00Z", year)}, {Name: "Content-Type", Value: contentType}}
	for i := 0; i+1 < len(extra); i += 2 {
		h.Add(extra[i], extra[i+1])
	}
	h.Add("Content-Length", fmt.Sprint(len(block)))
	e := cdx.Entry{Key: weburl.SURT(url), Timestamp: fmt.Sprintf("%d0101000000", year), URL: url, Digest: digest, Offset: int64(m.file.Len()), Filename: "x.warc.gz"}
	if typ == "revisit" {
		e.MIME = revisitMIME
	}
	if _, err := warc.NewWriter(&m.file, warc.Compression{Format: warc.Gzip}).WriteRecord(h, strings.NewReader(block)); err != nil {
		m.t.Fatal(err)
	}
	m.entries = append(m.entries, e)
	return &e
}

// gate closes URLs, to lists too, but for the same content under another URL.
type gate struct{ closed map[string]kavosh.Access }

type revisiting struct{}

func (g gate) Refused(ctx context.Context, e *cdx.Entry) (*kavosh.Refused, error) {
	if r, _ := ctx.Value(revisiting{}).(*cdx.Entry); r != nil && r.Digest == e.Digest {
		e = r
	}
	if a := g.closed[e.URL]; a != "" {
		return &kavosh.Refused{Access: a}, nil
	}
	return nil, nil
}

func (g gate) Revisiting(ctx context.Context, e *cdx.Entry) context.Context {
	return context.WithValue(ctx, revisiting{}, e)
}
func (g gate) Withheld(context.Context, string) (*kavosh.Refused, error) { return nil, nil }
func (g gate) Edition() string                                           { return "" }

// opened is what a capture holds in one line: type, status, X-Own or Content-Type, body, and whose it is; or the error.
func opened(r *Records, e *cdx.Entry, among ...*Records) string {
	p, err := r.Open(context.Background(), e, among...)
	if err != nil {
		return err.Error()
	}
	defer p.Close()
	body, err := io.ReadAll(p.Body)
	if err != nil {
		return "body: " + err.Error()
	}
	again, err := p.Again(context.Background())
	if err != nil {
		return "again: " + err.Error()
	}
	if twice, err := io.ReadAll(again); err != nil || !bytes.Equal(body, twice) {
		return fmt.Sprintf("again: %q %v", twice, err)
	}
	text := fmt.Sprintf("%s %d %s %s", p.Type, p.Status, cmp.Or(p.Header.Get("X-Own"), p.Header.Get("Content-Type")), body)
	if !p.Chunked && p.Size != int64(len(body)) {
		text += fmt.Sprintf(" of %d", p.Size)
	}
	if p.Truncated != "" {
		text += " cut:" + p.Truncated
	}
	if p.Original != nil {
		text += " from " + p.Original.URL
	}
	if p.Record.Has("WARC-Refers-To-Target-URI") {
		text += " named"
	}
	return text
}

// TestOpen opens captures of every kind as what they hold.
func TestOpen(t *testing.T) {
	m, other := &memory{t: t}, &memory{t: t}
	r := &Records{Index: m, Files: m}
	const head = "HTTP/1.1 200 OK\r\nX-Own: own\r\n\r\n"
	const a, b = "http://a.test/", "http://b.test/"
	names := func(url string, year int, profile string) []string {
		return []string{"WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/" + profile, "WARC-Refers-To-Target-URI", url, "WARC-Refers-To-Date", fmt.Sprintf("%d-01-01T00:00:00Z", year)}
	}
	m.put("response", a, 2001, "sha1:A", "HTTP/1.1 200 OK\r\nContent-Type: text/a\r\nContent-Encoding: x\r\n\r\nbody")
	m.put("response", a, 2003, "sha1:A", "HTTP/1.1 200 OK\r\nContent-Type: text/late\r\n\r\nbody")
	other.put("response", b, 2001, "sha1:B", head+"other")
	chunked := "HTTP/1.1 200 OK\r\nX-Own: own\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, c := range []struct {
		why, want string
		e         *cdx.Entry
	}{
		{"an answer", "response 200 own body", m.put("response", a, 2010, "", head+"body")},
		{"HTTP/2", "response 404 own body", m.put("response", a, 2011, "", "HTTP/2 404\r\nx-own: own\r\n\r\nbody")},
		{"interim answers", "response 200 own body", m.put("response", a, 2012, "", "HTTP/1.1 103 Early\r\nLink: x\r\n\r\n"+head+"body")},
		{"nothing but an interim answer", "response 103 own rest", m.put("response", a, 2013, "", "HTTP/1.1 103 Early\r\nX-Own: own\r\n\r\nrest")},
		{"no head", "response 200  <p>body", m.put("response", a, 2014, "", "<p>body")},
		{"chunks", "response 200 own body", m.put("response", a, 2015, "", chunked+"4\r\nbody\r\n0\r\n\r\n")},
		{"chunks undone", "response 200 own body", m.put("response", a, 2016, "", chunked+"body")},
		{"broken chunks", "response 200 own body", m.put("response", a, 2017, "", chunked+"4\r\nbody\r\nff\r\n")},
		{"cut", "response 200 own bo cut:length", m.put("response", a, 2018, "", head+"bo", "WARC-Truncated", "length")},
		{"a resource", "resource 200 text/plain note", m.put("resource", a, 2019, "", "note")},
		{"not modified, kept as an answer", ErrNoOriginal.Error(), m.put("response", a, 2020, "", "HTTP/1.1 304 Not Modified\r\n\r\n")},
		{"a request", `a record of type "request" has no answer to show`, m.put("request", a, 2021, "", "GET / HTTP/1.1\r\n\r\n")},
		{"a revisit", "revisit 200 own body from " + a + " named", m.put("revisit", b, 2002, "sha1:A", head, names(a, 2001, "identical-payload-digest")...)},
		{"of what has another date: the nearest before", "revisit 200 own body from " + a + " named", m.put("revisit", b, 2002, "sha1:A", head, names(a, 1999, "identical-payload-digest")...)},
		{"without head", "revisit 200 text/a body from " + a + " named", m.put("revisit", b, 2002, "sha1:A", "", names(a, 2001, "identical-payload-digest")...)},
		{"not modified", "revisit 200 text/late body from " + a + " named", m.put("revisit", a, 2004, "", "HTTP/1.1 304 Not Modified\r\nX-Own: own\r\n\r\n", names(a, 2003, "server-not-modified")...)},
		{"that names nothing", "revisit 200 own body from " + a, m.put("revisit", a, 2005, "sha1:A", head)},
		{"that names nothing and has no head: the nearest before", "revisit 200 text/late body from " + a, m.put("revisit", a, 2005, "sha1:A", "")},
		{"only something later", "revisit 200 own body from " + a, m.put("revisit", a, 2000, "sha1:A", head)},
		{"without original", ErrNoOriginal.Error(), m.put("revisit", b, 2002, "sha1:B", head, names(b, 2001, "identical-payload-digest")...)},
		{"of a revisit", ErrNoOriginal.Error(), m.put("revisit", b, 2006, "sha1:B", head, names(b, 2002, "identical-payload-digest")...)},
	} {
		if got := strings.TrimPrefix(opened(r, c.e), fmt.Sprintf("x.warc.gz at byte %d: ", c.e.Offset)); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
	alone := m.put("revisit", b, 2007, "sha1:B", head, names(b, 2001, "identical-payload-digest")...)
	if got := opened(r, alone, r, &Records{Index: other, Files: other}); got != "revisit 200 own other from "+b+" named" {
		t.Errorf("the original is in another collection: %q", got)
	}
	p, err := r.Alone(t.Context(), alone)
	if err != nil || p.Type != "revisit" || p.Header.Get("X-Own") != "own" {
		t.Errorf("a revisit by itself: %v %v", p, err)
	}
	p.Close()
	p.Close()
	wrong := *alone
	wrong.URL, wrong.Key = a, weburl.SURT(a)
	if got := opened(r, &wrong); !strings.Contains(got, "kavosh rebuild") {
		t.Errorf("the index names another URL: %q", got)
	}
}

// TestOpenCompressed keeps content codings, which a revisit has as its original has them.
func TestOpenCompressed(t *testing.T) {
	m := &memory{t: t}
	r := &Records{Index: m, Files: m}
	m.put("response", "http://a.test/", 2001, "sha1:A", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nGZ")
	e := m.put("revisit", "http://a.test/", 2002, "sha1:A", "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nX-Own: own\r\n\r\n")
	p, err := r.Open(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	want := header.Header{{Name: "X-Own", Value: "own"}, {Name: "Content-Encoding", Value: "gzip"}}
	if !slices.Equal(p.Header, want) || !slices.Equal(p.Codings(), []string{"gzip"}) {
		t.Errorf("%v, want %v", p.Header, want)
	}
}

// TestOpenClosed gives a revisit the body of an original that is closed by its URL, and nothing else of it.
func TestOpenClosed(t *testing.T) {
	const a, b = "http://a.test/", "http://b.test/"
	for _, c := range []struct {
		closed kavosh.Access
		block  string
		want   string
	}{
		{kavosh.MetadataOnly, "HTTP/1.1 200 OK\r\nX-Own: own\r\n\r\n", "revisit 200 own body from " + a + " named"},
		{kavosh.Takedown, "HTTP/1.1 200 OK\r\nX-Own: own\r\n\r\n", "revisit 200 own body"},
		{kavosh.Takedown, "", "revisit 200 text/a body"},
	} {
		m := &memory{t: t}
		r := &Records{Index: m, Files: m, Gate: gate{map[string]kavosh.Access{a: c.closed}}}
		original := m.put("response", a, 2001, "sha1:A", "HTTP/1.1 203 OK\r\nX-Secret: s\r\nContent-Type: text/a\r\n\r\nbody")
		revisit := m.put("revisit", b, 2002, "sha1:A", c.block, "WARC-Refers-To", "<urn:x>", "WARC-Refers-To-Target-URI", a, "WARC-Refers-To-Date", "2001-01-01T00:00:00Z")
		if got := opened(r, revisit); got != c.want {
			t.Errorf("%s: %q, want %q", c.closed, got, c.want)
		}
		p, err := r.Open(t.Context(), revisit)
		if err != nil || p.Header.Has("X-Secret") || c.closed == kavosh.Takedown && p.Record.Has("WARC-Refers-To") {
			t.Errorf("%s: of the closed head: %v %v", c.closed, p.Header, err)
		}
		p.Close()
		for _, open := range []func(context.Context, *cdx.Entry) (*Payload, error){func(ctx context.Context, e *cdx.Entry) (*Payload, error) { return r.Open(ctx, e) }, r.Alone} {
			if _, err := open(t.Context(), original); !isRefused(err, c.closed) {
				t.Errorf("%s: the original by itself: %v", c.closed, err)
			}
		}
		if _, _, err := r.From(t.Context(), original); !isRefused(err, c.closed) {
			t.Errorf("%s: the records of the original: %v", c.closed, err)
		}
	}
}

func isRefused(err error, by kavosh.Access) bool {
	refused, is := errors.AsType[*kavosh.Refused](err)
	return is && refused.Access == by
}
