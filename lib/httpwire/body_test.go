package httpwire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

func TestChunked(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		err            error
	}{
		{"plain", "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world", nil},
		{"upper and lower hex", "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789", nil},
		{"leading zeros", "0005\r\nhello\r\n000\r\n\r\n", "hello", nil},
		{"extensions", "5;a=b;c=\"d\"\r\nhello\r\n0;x\r\n\r\n", "hello", nil},
		{"spaces", " 5  \r\nhello\r\n0 \r\n\r\n", "hello", nil},
		{"bare LF", "5\nhello\n0\n\n", "hello", nil},
		{"trailer", "5\r\nhello\r\n0\r\nA: b\r\nC: d\r\n\r\n", "hello", nil},
		{"no line end after a chunk", "5\r\nhello6\r\n world0\r\n\r\n", "hello world", nil},
		{"cut after the last chunk", "5\r\nhello\r\n0\r\n", "hello", nil},
		{"empty", "0\r\n\r\n", "", nil},
		{"cut before the last chunk", "5\r\nhello\r\n", "hello", io.ErrUnexpectedEOF},
		{"cut in a chunk", "5\r\nhel", "hel", io.ErrUnexpectedEOF},
		{"nothing", "", "", io.ErrUnexpectedEOF},
		{"not chunked", "<html>", "", ErrNotChunked},
		{"0x", "0x5\r\nhello", "", ErrNotChunked},
		{"negative", "-5\r\nhello", "", ErrNotChunked},
		{"no size later", "5\r\nhello\r\nxyz", "hello", ErrChunk},
		{"size overflow", "5\r\nhello\r\nffffffffffffffffff\r\n", "hello", ErrChunkSize},
		{"huge size", "5\r\nhello\r\n7fffffffffffffff\r\nabc", "helloabc", io.ErrUnexpectedEOF},
		{"endless extension", "5\r\nhello\r\n5;" + strings.Repeat("x", maxChunkLine), "hello", ErrChunkLine},
		{"endless trailer", "0\r\n" + strings.Repeat("x: y\r\n", maxTrailer/6+1), "", ErrChunkLine},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, err := io.ReadAll(NewChunked(bufio.NewReader(in), 0))
				if string(got) != tt.want || !errors.Is(err, tt.err) {
					t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
				}
			}
		})
	}
}

func TestChunkedStopsAtItsBound(t *testing.T) {
	in := "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
	for max, want := range map[int64]string{3: "hel", 5: "hello", 7: "hello w"} {
		got, err := io.ReadAll(NewChunked(bufio.NewReader(strings.NewReader(in)), max))
		if string(got) != want || err != ErrTooLarge {
			t.Errorf("bound %d: %q, %v", max, got, err)
		}
	}
	if got, err := io.ReadAll(NewChunked(bufio.NewReader(strings.NewReader(in)), 11)); string(got) != "hello world" || err != nil {
		t.Errorf("bound of the very size: %q, %v", got, err)
	}
}

func TestPayload(t *testing.T) {
	chunked, _ := ParseResponseHead([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))
	plain, _ := ParseResponseHead([]byte("HTTP/1.1 200 OK\r\n\r\n"))
	for _, tt := range []struct {
		head     Head
		in, want string
	}{
		{chunked, "5\r\nhello\r\n0\r\n\r\n", "hello"},
		{chunked, "<p>decoded before it was stored", "<p>decoded before it was stored"},
		{chunked, "", ""},
		{chunked, "5", "5"},
		{plain, "5\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n"},
	} {
		got, err := io.ReadAll(Payload(tt.head, iotest.OneByteReader(strings.NewReader(tt.in))))
		if err != nil || string(got) != tt.want {
			t.Errorf("Payload of %q = %q, %v", tt.in, got, err)
		}
	}
}

func encode(t testing.TB, coding string, data []byte) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw":
		w, _ = flate.NewWriter(&b, 6)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecode(t *testing.T) {
	text := strings.Repeat("کاوش means exploration. ", 500)
	gz, zl, raw := encode(t, "gzip", []byte(text)), encode(t, "deflate", []byte(text)), encode(t, "raw", []byte(text))
	br, zs := encode(t, "br", []byte(text)), encode(t, "zstd", []byte(text))
	var d Decoder // one for all: it has to forget the body before
	for _, tt := range []struct {
		name    string
		in      []byte
		codings []string
		want    string
		broken  bool
	}{
		{"gzip", gz, []string{"gzip"}, text, false},
		{"x-gzip", gz, []string{"X-GZip"}, text, false},
		{"two members", append(append([]byte{}, gz...), gz...), []string{"gzip"}, text + text, false},
		{"gzip and garbage", append(append([]byte{}, gz...), "garbage"...), []string{"gzip"}, text, false},
		{"deflate", zl, []string{"deflate"}, text, false},
		{"raw deflate", raw, []string{"deflate"}, text, false},
		{"br", br, []string{"br"}, text, false},
		{"zstd", zs, []string{"zstd"}, text, false},
		{"br over gzip", encode(t, "br", gz), []string{"gzip", "br"}, text, false},
		{"gzip over gzip", encode(t, "gzip", gz), []string{"gzip", "gzip"}, text, false},
		{"identity", []byte(text), []string{"identity"}, text, false},
		{"none", []byte(text), nil, text, false},
		{"unknown", []byte(text), []string{"sdch"}, text, false},
		{"gzip over unknown", gz, []string{"sdch", "gzip"}, text, false},
		{"says gzip, is plain", []byte(text), []string{"gzip"}, text, false},
		{"says zstd, is plain", []byte(text), []string{"zstd"}, text, false},
		{"empty", nil, []string{"gzip"}, "", false},
		{"one byte", []byte{0x1f}, []string{"gzip"}, "\x1f", false},
		{"cut gzip", gz[:len(gz)-9], []string{"gzip"}, text, true},
		{"cut zstd", zs[:len(zs)-4], []string{"zstd"}, text, true},
		{"gzip header only", gz[:5], []string{"gzip"}, string(gz[:5]), false},
		{"br of plain", []byte(text), []string{"br"}, text, false},
		{"deflate of plain", []byte(text), []string{"deflate"}, text, false},
		{"long plain", []byte(strings.Repeat(text, 50)), []string{"br"}, strings.Repeat(text, 50), false},
		{"script that begins as an empty br does", []byte(";(function(){})()"), []string{"br"}, ";(function(){})()", false},
		{"gzip said twice", gz, []string{"gzip", "gzip"}, text, false},
		{"br of what was said to be gzip before", br, []string{"gzip", "br"}, text, false},
		{"gzip that was said to be br afterwards", gz, []string{"gzip", "br"}, text, false},
		{"five codings of one", gz, []string{"gzip", "gzip", "br", "gzip", "deflate"}, text, false},
		{"damaged gzip", append(append([]byte{}, gz[:12]...), 0xff, 0xff, 0xff), []string{"gzip"}, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := io.ReadAll(d.Decode(bytes.NewReader(tt.in), tt.codings, 0, 1000))
			if (err != nil) != tt.broken {
				t.Fatalf("error %v", err)
			}
			if !tt.broken && string(got) != tt.want {
				t.Errorf("got %.60q…, %d bytes", got, len(got))
			}
			if tt.broken && !strings.HasPrefix(tt.want, string(got)) {
				t.Errorf("a broken stream gave wrong bytes %.60q", got)
			}
		})
	}
}

func TestDecodeBounds(t *testing.T) {
	zeros := make([]byte, 32<<20)
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		bomb := encode(t, coding, zeros)
		n, err := io.Copy(io.Discard, Decode(bytes.NewReader(bomb), []string{coding}, 1<<20, 0))
		if n != 1<<20 || !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: size bound gave %d bytes, %v", coding, n, err)
		}
		n, err = io.Copy(io.Discard, Decode(bytes.NewReader(bomb), []string{coding}, 0, 100))
		if n > 4<<20 || !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: ratio bound gave %d bytes, %v", coding, n, err)
		}
		n, err = io.Copy(io.Discard, Decode(bytes.NewReader(bomb), []string{coding}, 32<<20, 0))
		if n != 32<<20 || err != nil {
			t.Errorf("%s: a body of the very bound gave %d bytes, %v", coding, n, err)
		}
	}
	nested := zeros
	for range 3 {
		nested = encode(t, "gzip", nested)
	}
	n, err := io.Copy(io.Discard, Decode(bytes.NewReader(nested), []string{"gzip", "gzip", "gzip"}, 0, 200))
	if n > 4<<20 || !errors.Is(err, ErrTooLarge) {
		t.Errorf("nested: %d bytes, %v", n, err)
	}
	many := strings.Split(strings.Repeat("gzip ", 20)+"gzip", " ")
	if _, err := io.ReadAll(Decode(strings.NewReader("x"), many, 0, 0)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("21 codings: %v", err)
	}
}

func FuzzChunked(f *testing.F) {
	f.Add([]byte("5;x\r\nhello\r\n0\r\nA: b\r\n\r\nrest"), uint8(3))
	f.Add([]byte("A\n0123456789a\nx"), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, step uint8) {
		// What the pushed and the pulled form read is the same, however the bytes are cut.
		var d Dechunker
		var pushed []byte
		var err error
		taken := 0
		for taken < len(b) && !d.Done() && err == nil {
			src := b[taken:min(len(b), taken+1+int(step))]
			var n int
			var data []byte
			n, data, err = d.Step(src)
			if n == 0 && err == nil {
				t.Fatal("no progress")
			}
			taken += n
			pushed = append(pushed, data...)
		}
		pulled, perr := io.ReadAll(NewChunked(bufio.NewReader(bytes.NewReader(b)), 0))
		if !bytes.Equal(pushed, pulled) {
			t.Fatalf("pushed %q, pulled %q", pushed, pulled)
		}
		if whole := d.Done() || d.Last() && err == nil; whole != (perr == nil) {
			t.Fatalf("done %v, pushed error %v, pulled error %v", d.Done(), err, perr)
		}
	})
}

// FuzzChunkedRound cuts any data into chunks and reads it back.
func FuzzChunkedRound(f *testing.F) {
	f.Add([]byte("hello world"), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		var b bytes.Buffer
		for rest := data; len(rest) > 0; {
			n := min(len(rest), int(size)+1)
			fmt.Fprintf(&b, "%x\r\n%s\r\n", n, rest[:n])
			rest = rest[n:]
		}
		b.WriteString("0\r\n\r\n")
		head, _ := ParseResponseHead([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))
		if got, err := io.ReadAll(Payload(head, &b)); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%q, %v", got, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, c := range []string{"gzip", "deflate", "raw", "br", "zstd"} {
		f.Add(encode(f, c, []byte("hello hello hello")), strings.ReplaceAll(c, "raw", "deflate"))
	}
	f.Add([]byte("x"), "gzip,br,zstd")
	var d Decoder
	f.Fuzz(func(t *testing.T, b []byte, codings string) {
		n, _ := io.Copy(io.Discard, d.Decode(bytes.NewReader(b), strings.Split(codings, ","), 1<<20, 100))
		if n > 1<<20 {
			t.Fatalf("%d bytes", n)
		}
	})
}

// BenchmarkDecode shows what it saves to use a Decoder again.
func BenchmarkDecode(b *testing.B) {
	page := []byte(strings.Repeat("<p>kavosh means exploration</p>\n", 640))
	for _, coding := range []string{"gzip", "br", "zstd"} {
		body := encode(b, coding, page)
		var kept Decoder
		for name, d := range map[string]*Decoder{"kept": &kept, "fresh": nil} {
			b.Run(coding+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(page)))
				b.ReportAllocs()
				for b.Loop() {
					if d != &kept {
						d = new(Decoder)
					}
					if n, err := io.Copy(io.Discard, d.Decode(bytes.NewReader(body), []string{coding}, 1<<20, 1000)); err != nil || n != int64(len(page)) {
						b.Fatal(n, err)
					}
				}
			})
		}
	}
}
