package httpwire

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"kavosh/lib/header"
)

func TestHeadEnd(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int
	}{
		{"HTTP/1.1 200 OK\r\n\r\nbody", 19},
		{"HTTP/1.1 200 OK\n\nbody", 17},
		{"HTTP/1.1 200 OK\r\nA: b\n\r\nbody", 24},
		{"HTTP/1.1 200 OK\nA: b\r\n\nbody", 23},
		{"\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", 23},
		{"HTTP/1.1 200 OK\r\n", -1},
		{"HTTP/1.1 200 OK\r\n\r", -1},
		{"HTTP/1.1 200 OK\r\r\r\r", -1},
		{"", -1},
	} {
		if got := HeadEnd([]byte(tt.in)); got != tt.want {
			t.Errorf("HeadEnd(%q) = %d, want %d", tt.in, got, tt.want)
		}
		// The same answer when the head comes byte by byte.
		got := -1
		for n := 1; n <= len(tt.in) && got < 0; n++ {
			got = HeadEndFrom([]byte(tt.in[:n]), n-1)
		}
		if got != tt.want {
			t.Errorf("HeadEndFrom(%q) byte by byte = %d, want %d", tt.in, got, tt.want)
		}
	}
}

func TestParseResponseHead(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   string
		want Head // Len is checked apart
	}{
		{"plain", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX:\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: header.Header{{Name: "Content-Type", Value: "text/html"}, {Name: "X", Value: ""}}}},
		{"no reason", "HTTP/1.1 200\r\n\r\n", Head{Proto: "HTTP/1.1", Status: 200}},
		{"no reason but a space", "HTTP/1.0 404 \r\n\r\n", Head{Proto: "HTTP/1.0", Status: 404}},
		{"shoutcast", "ICY 200 OK\r\nicy-name: x\r\n\r\n",
			Head{Proto: "ICY", Status: 200, Reason: "OK", Fields: header.Header{{Name: "icy-name", Value: "x"}},
				Malformed: `the status line begins with "ICY"`}},
		{"no version", "HTTP 200\r\n\r\n",
			Head{Proto: "HTTP", Status: 200, Malformed: `the status line begins with "HTTP"`}},
		{"lower case", "http/1.1 301 moved\r\n\r\n",
			Head{Proto: "http/1.1", Status: 301, Reason: "moved", Malformed: `the status line begins with "http/1.1"`}},
		{"tabs", "HTTP/1.1\t200\tOK\r\n\r\n", Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK"}},
		{"glued reason", "HTTP/1.1 200OK\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Malformed: "no space after the status number"}},
		{"no number", "HTTP/1.1 OK\r\n\r\n",
			Head{Proto: "HTTP/1.1", Reason: "OK", Malformed: `no status number in the status line "HTTP/1.1 OK"`}},
		{"number too long", "HTTP/1.1 2000 OK\r\n\r\n",
			Head{Proto: "HTTP/1.1", Reason: "2000 OK", Malformed: `no status number in the status line "HTTP/1.1 2000 OK"`}},
		{"number too small", "HTTP/1.1 099 OK\r\n\r\n",
			Head{Proto: "HTTP/1.1", Reason: "099 OK", Malformed: `no status number in the status line "HTTP/1.1 099 OK"`}},
		{"junk before", "xx\x01HTTP/1.1 200 OK\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Malformed: "3 bytes before the status line"}},
		{"line ends before", "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Malformed: "4 bytes before the status line"}},
		{"no colon", "HTTP/1.1 200 OK\r\nthis is no field\r\nA: b\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: header.Header{{Name: "A", Value: "b"}}, Malformed: "line 2 has no colon"}},
		{"no name", "HTTP/1.1 200 OK\r\n: b\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Malformed: "line 2 has no field name"}},
		{"space before colon", "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: header.Header{{Name: "Content-Length", Value: "5"}},
				Malformed: "line 2 has white space before its colon"}},
		{"folded", "HTTP/1.1 200 OK\r\nA: b\r\n  c\r\n\td\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: header.Header{{Name: "A", Value: "b c d"}},
				Malformed: "line 3 continues the field before it; line 4 continues the field before it"}},
		{"fold of nothing", "HTTP/1.1 200 OK\r\n c\r\nA: b\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: header.Header{{Name: "A", Value: "b"}},
				Malformed: "line 2 continues no field"}},
		{"non-ASCII name", "HTTP/1.1 200 OK\r\nИмя: значение\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: header.Header{{Name: "Имя", Value: "значение"}},
				Malformed: `line 2 has the field name "\u0418\u043c\u044f"`}},
		{"NUL", "HTTP/1.1 200 OK\r\nSet-Cookie: a\x00b\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: header.Header{{Name: "Set-Cookie", Value: "ab"}},
				Malformed: "NUL bytes, removed"}},
		{"bare CR", "HTTP/1.1 200 OK\r\nA: b\rC: d\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK", Fields: header.Header{{Name: "A", Value: "b C: d"}},
				Malformed: "line 2 holds a bare CR"}},
		{"no blank line", "HTTP/1.1 302 Found\r\nLocation: /x\r\n",
			Head{Proto: "HTTP/1.1", Status: 302, Reason: "Found", Fields: header.Header{{Name: "Location", Value: "/x"}},
				Malformed: "no blank line after the last field"}},
		{"many odd lines", "HTTP/1.1 200 OK\r\na\r\nb\r\nc\r\nd\r\ne\r\nf\r\n\r\n",
			Head{Proto: "HTTP/1.1", Status: 200, Reason: "OK",
				Malformed: "line 2 has no colon; line 3 has no colon; line 4 has no colon; line 5 has no colon; and more"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := ParseResponseHead([]byte(tt.in))
			if !ok {
				t.Fatal("no status line found")
			}
			if got.Len != len(tt.in) {
				t.Errorf("Len = %d, want %d", got.Len, len(tt.in))
			}
			got.Len = 0
			if len(got.Fields) == 0 {
				got.Fields = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNoStatusLine(t *testing.T) {
	for _, in := range []string{
		"<html>old page</html>", "SSH-2.0-OpenSSH_9.2\r\n", "Content-Type: text/html\r\n\r\n<p>",
		"HTTPS is required\r\n\r\n", "xxxxxHTTP/1.1 200 OK\r\n\r\n", "",
	} {
		h, ok := ParseResponseHead([]byte(in))
		if ok || h.Len != 0 || h.Malformed == "" {
			t.Errorf("ParseResponseHead(%q) = %+v, %v; want no head", in, h, ok)
		}
	}
}

func TestStartKnowsWhenItCannotTellYet(t *testing.T) {
	for _, tt := range []struct {
		in    string
		off   int
		known bool
	}{
		{"HTTP/", 0, true}, {"HTTP", -1, false}, {"HT", -1, false}, {"", -1, false}, {"<htm", -1, false},
		{"<html>xxx", -1, true}, {"\r\nhttp/1", 2, true}, {"IC", -1, false}, {"ICY 2", 0, true},
	} {
		if off, known := Start([]byte(tt.in)); off != tt.off || known != tt.known {
			t.Errorf("Start(%q) = %d, %v; want %d, %v", tt.in, off, known, tt.off, tt.known)
		}
	}
}

func TestFrame(t *testing.T) {
	for _, tt := range []struct {
		fields string
		method string
		status int
		want   Framing
	}{
		{"Content-Length: 5\r\n", "GET", 200, Framing{By: ByLength, Length: 5}},
		{"Content-Length: 5\r\nContent-Length: 5\r\n", "GET", 200, Framing{By: ByLength, Length: 5}},
		{"Content-Length: 5, 5\r\n", "GET", 200, Framing{By: ByLength, Length: 5}},
		{"Content-Length: 5, 7\r\n", "GET", 200, Framing{Length: -1, Impossible: "Content-Length says 5 and 7"}},
		{"Content-Length: -5\r\n", "GET", 200, Framing{Length: -1, Note: `Content-Length is "-5"`}},
		{"Content-Length: +5\r\n", "GET", 200, Framing{Length: -1, Note: `Content-Length is "+5"`}},
		{"Content-Length: 99999999999999999999\r\n", "GET", 200,
			Framing{Length: -1, Note: `Content-Length is "99999999999999999999"`}},
		{"Transfer-Encoding: chunked\r\n", "GET", 200, Framing{By: ByChunks, Length: -1}},
		{"Transfer-Encoding: CHUNKED\r\n", "GET", 200, Framing{By: ByChunks, Length: -1}},
		{"Transfer-Encoding: gzip, chunked\r\n", "GET", 200,
			Framing{By: ByChunks, Length: -1, Note: `Transfer-Encoding: "gzip, chunked"`}},
		{"Transfer-Encoding: identity\r\nContent-Length: 3\r\n", "GET", 200, Framing{By: ByLength, Length: 3}},
		{"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "GET", 200,
			Framing{By: ByChunks, Length: 3, Note: "Content-Length beside chunked"}},
		{"Transfer-Encoding: chunked\r\nContent-Length: 3, 4\r\n", "GET", 200, Framing{By: ByChunks, Length: -1}},
		{"", "GET", 200, Framing{Length: -1}},
		{"Content-Length: 5\r\n", "HEAD", 200, Framing{By: NoBody, Length: -1}},
		{"Content-Length: 5\r\n", "GET", 304, Framing{By: NoBody, Length: -1}},
		{"Content-Length: 5\r\n", "GET", 204, Framing{By: NoBody, Length: -1}},
		{"Transfer-Encoding: chunked\r\n", "GET", 103, Framing{By: NoBody, Length: -1}},
	} {
		h, _ := ParseResponseHead([]byte("HTTP/1.1 200 OK\r\n" + tt.fields + "\r\n"))
		if got := Frame(&h, tt.method, tt.status); got != tt.want {
			t.Errorf("Frame(%q, %s, %d) = %+v, want %+v", tt.fields, tt.method, tt.status, got, tt.want)
		}
	}
}

func TestKeepAlive(t *testing.T) {
	for head, want := range map[string]bool{
		"HTTP/1.1 200 OK\r\n\r\n":                                     true,
		"HTTP/1.1 200 OK\r\nConnection: Close\r\n\r\n":                false,
		"HTTP/1.1 200 OK\r\nConnection: keep-alive, close\r\n\r\n":    false,
		"HTTP/1.0 200 OK\r\n\r\n":                                     false,
		"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n\r\n":           true,
		"ICY 200 OK\r\n\r\n":                                          false,
		"HTTP/1.1 200 OK\r\nConnection: x\r\nConnection: close\r\n\r": false,
	} {
		h, _ := ParseResponseHead([]byte(head))
		if got := h.KeepAlive(); got != want {
			t.Errorf("KeepAlive of %q = %v, want %v", head, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		in, head, body string
		status         int
	}{
		{"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "body", 200},
		{"HTTP/1.1 302 Found\r\nLocation: /\r\n", "HTTP/1.1 302 Found\r\nLocation: /\r\n", "", 302},
		{"<html>", "", "<html>", 0},
		{"", "", "", 0},
		{"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 5000), "", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 5000), 0},
	} {
		for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
			h, raw, body, err := Split(r, 4096)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(body)
			if err != nil || string(raw) != tt.head || string(got) != tt.body || h.Status != tt.status || h.Len != len(tt.head) {
				t.Errorf("Split(%.40q) = %+v, %q, %.40q, %v", tt.in, h, raw, got, err)
			}
		}
	}
}

func TestContentRange(t *testing.T) {
	for _, s := range []string{"", "bytes", "bytes */7", "bytes 0-6/*", "bytes 0-7/7", "bytes 3-2/7", "bytes -1-2/7", "bytes 0-6", "items 0-6/7", "bytes 0-6/7, 1-2/7",
		"bytes +0-6/7", "bytes 0-6/99999999999999999999", "bytes 0-6/7 "} {
		if first, last, size, ok := ContentRange(s); ok {
			t.Errorf("%q: bytes %d to %d of %d", s, first, last, size)
		}
	}
	if first, last, size, ok := ContentRange("bytes 3-6/7"); !ok || first != 3 || last != 6 || size != 7 {
		t.Errorf("bytes %d to %d of %d, %v", first, last, size, ok)
	}
}

func FuzzContentRange(f *testing.F) {
	f.Add("bytes 3-6/7")
	f.Fuzz(func(t *testing.T, s string) {
		if first, last, size, ok := ContentRange(s); ok && (first < 0 || last < first || size <= last) {
			t.Errorf("%q: bytes %d to %d of %d", s, first, last, size)
		}
	})
}

func FuzzHead(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nSet-Cookie: a\r\n b\r\n\r\nhello"))
	f.Add([]byte("\r\nICY 200\n\nx"))
	f.Add([]byte("http 20\x00\r\nA\r: b\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		end := HeadEnd(b)
		piecemeal := -1
		for n := 1; n <= len(b) && piecemeal < 0; n++ {
			piecemeal = HeadEndFrom(b[:n], n-1)
		}
		if end != piecemeal {
			t.Fatalf("HeadEnd = %d, piecemeal %d", end, piecemeal)
		}
		h, ok := ParseResponseHead(b)
		if ok != (h.Len > 0) || !ok && h.Malformed == "" {
			t.Fatalf("%v %+v", ok, h)
		}
		if h.Status != 0 && (h.Status < 100 || h.Status > 999) {
			t.Fatalf("status %d", h.Status)
		}
		for _, f := range h.Fields {
			if f.Name == "" || strings.ContainsAny(f.Name+f.Value, "\n\x00") || strings.Contains(f.Value, "\r") {
				t.Fatalf("field %q", f)
			}
		}
		if fr := Frame(&h, "GET", h.Status); fr.By == ByLength && fr.Length < 0 {
			t.Fatalf("%+v", fr)
		}
		_, raw, body, err := Split(strings.NewReader(string(b)), 1<<10)
		rest, _ := io.ReadAll(body)
		if err != nil || string(raw)+string(rest) != string(b) {
			t.Fatal("Split changed the bytes")
		}
	})
}

func BenchmarkParse(b *testing.B) {
	head := []byte("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n" +
		"Content-Type: text/html; charset=utf-8\r\nContent-Length: 20480\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n" +
		"Connection: keep-alive\r\nETag: \"5e1c-5000\"\r\nAccept-Ranges: bytes\r\n\r\n")
	var h Head
	b.SetBytes(int64(len(head)))
	b.ReportAllocs()
	for b.Loop() {
		h.Parse(head)
	}
}
