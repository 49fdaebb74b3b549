package packed

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"kavosh/lib/httpwire"
)

// bzipped is "hello, packed world\n" as bzip2 packs it.
const bzipped = "QlpoOTFBWSZTWU4HeDAAAAVRgAAQQAQuTNCAIAAimRkZ6gQAAG4kjkBBTPq7EwXckU4UJBOB3gwA"

func gzipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

// zipOf packs files, of which each name ends with its text after a blank.
func zipOf(t *testing.T, method uint16, files ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		name, text, _ := strings.Cut(f, " ")
		var in io.Writer
		var err error
		if method == zip.Store {
			in, err = w.CreateRaw(&zip.FileHeader{Name: name, Method: method, CompressedSize64: uint64(len(text)), UncompressedSize64: uint64(len(text))})
		} else {
			in, err = w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		}
		if err != nil {
			t.Fatal(err)
		}
		_, _ = in.Write([]byte(text))
	}
	_ = w.Close()
	return b.Bytes()
}

func TestOpen(t *testing.T) {
	bz, err := base64.StdEncoding.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	z, _ := zstd.NewWriter(nil)
	const text = "hello, packed world\n"
	for _, c := range []struct {
		how  string
		file []byte
		name string
		want string
		err  error
	}{
		{"not at all", []byte(text), "a.nt.gz", "a.nt.gz", nil},
		{"gzip", gzipped(text), "https://a.test/b.nt.gz", "https://a.test/b.nt", nil},
		{"gzip twice", append(gzipped(text[:5]), gzipped(text[5:])...), "b.GZ", "b", nil},
		{"zstd", z.EncodeAll([]byte(text), nil), "b.nt.zst", "b.nt", nil},
		{"bzip2", bz, "b.nt.bz2", "b.nt", nil},
		{"zip", zipOf(t, zip.Deflate, "x/y.ttl "+text), "b.zip", "x/y.ttl", nil},
		{"zip, stored", zipOf(t, zip.Store, "y.ttl "+text), "b.zip", "y.ttl", nil},
		{"zip of two", zipOf(t, zip.Deflate, "y.ttl "+text, "z.ttl more"), "b.zip", "y.ttl", ErrMore},
		{"zip of two, stored", zipOf(t, zip.Store, "y.ttl "+text, "z.ttl more"), "b.zip", "y.ttl", ErrMore},
		{"zip with folders", zipOf(t, zip.Store, "a/ ", "a/b/ ", "a/b/y.ttl "+text), "b.zip", "a/b/y.ttl", nil},
	} {
		document, name := Open(bufio.NewReader(bytes.NewReader(c.file)), c.name, 1<<20, 1000)
		have, err := io.ReadAll(document)
		if string(have) != text || name != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q in %s, %v; want %q in %s, %v", c.how, have, name, err, text, c.want, c.err)
		}
	}
}

// TestBounds wants what is small and holds much to be read up to the bound.
func TestBounds(t *testing.T) {
	for how, file := range map[string][]byte{
		"gzip": gzipped(strings.Repeat("a", 8<<20)), "zip": zipOf(t, zip.Deflate, "a.nt "+strings.Repeat("a", 8<<20)),
	} {
		document, _ := Open(bufio.NewReader(bytes.NewReader(file)), "", 4<<20, 0)
		if n, err := io.Copy(io.Discard, document); n != 4<<20 || !errors.Is(err, httpwire.ErrTooLarge) {
			t.Errorf("%s: %d bytes, then %v", how, n, err)
		}
		document, _ = Open(bufio.NewReader(bytes.NewReader(file)), "", 0, 100)
		if n, err := io.Copy(io.Discard, document); n > 2<<20 || !errors.Is(err, httpwire.ErrTooLarge) {
			t.Errorf("%s: %d bytes for %d, then %v", how, n, len(file), err)
		}
		document, _ = Open(bufio.NewReader(bytes.NewReader(file[:len(file)/2])), "", 0, 0)
		if n, err := io.Copy(io.Discard, document); n == 0 || err == nil {
			t.Errorf("%s, cut: %d bytes, then %v", how, n, err)
		}
	}
}

// TestCut wants a zip that ends within its file to be told.
func TestCut(t *testing.T) {
	for how, method := range map[string]uint16{"packed": zip.Deflate, "stored": zip.Store} {
		file := zipOf(t, method, "a.nt "+strings.Repeat("a", 100))
		document, _ := Open(bufio.NewReader(bytes.NewReader(file[:37])), "", 0, 0)
		if _, err := io.ReadAll(document); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", how, err)
		}
	}
}

// FuzzOpen wants no more than was allowed, whatever comes.
func FuzzOpen(f *testing.F) {
	bz, _ := base64.StdEncoding.DecodeString(bzipped)
	f.Add(gzipped("a"))
	f.Add(bz)
	f.Add([]byte(localFile + strings.Repeat("\x00", 40)))
	f.Fuzz(func(t *testing.T, file []byte) {
		document, _ := Open(bufio.NewReader(bytes.NewReader(file)), "a.gz", 1<<16, 10)
		if n, _ := io.Copy(io.Discard, document); n > 1<<16 && n > int64(len(file)) {
			t.Errorf("%d bytes of %d", n, len(file))
		}
	})
}
