package warc

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

func fields(size string, more ...string) Header {
	h := Header{{Name: "WARC-Type", Value: "resource"}, {Name: "WARC-Record-ID", Value: "<urn:uuid:00000000-0000-4000-8000-000000000000>"}, {Name: "WARC-Date", Value: "2026-01-31T12:00:00Z"}}
	if size != "" {
		h.Add("Content-Length", size)
	}
	for i := 0; i < len(more); i += 2 {
		h.Add(more[i], more[i+1])
	}
	return h
}

func TestBytesWritten(t *testing.T) {
	var b bytes.Buffer
	n, err := NewWriter(&b, Compression{}).WriteRecord(fields("5", "X-Ünknown", "x"), strings.NewReader("hello"))
	if err == nil || n != 0 || b.Len() != 0 {
		t.Errorf("a name that is no token: %d, %v", n, err)
	}
	if _, err = NewWriter(&b, Compression{}).WriteRecord(fields("5", "X-Name", "سلام"), strings.NewReader("hello")); err != nil {
		t.Fatal(err)
	}
	want := "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\nWARC-Date: 2026-01-31T12:00:00Z\r\nContent-Length: 5\r\nX-Name: سلام\r\n\r\nhello\r\n\r\n"
	if b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
}

func TestUnfitHeadersAreRefused(t *testing.T) {
	for name, h := range map[string]Header{
		"no length":   fields(""),
		"two lengths": fields("5", "content-length", "5"),
		"no number":   fields("5x"),
		"negative":    fields("-5"),
		"line end":    fields("5", "X", "a\r\nWARC-Type: response"),
		"NUL":         fields("5", "X", "a\x00"),
		"empty name":  fields("5", "", "a"),
		"name with :": fields("5", "X:Y", "a"),
		"no type":     {{Name: "WARC-Record-ID", Value: "<a:b>"}, {Name: "WARC-Date", Value: "2026"}, {Name: "Content-Length", Value: "5"}},
		"no id":       {{Name: "WARC-Type", Value: "resource"}, {Name: "WARC-Date", Value: "2026"}, {Name: "Content-Length", Value: "5"}},
		"no date":     {{Name: "WARC-Type", Value: "resource"}, {Name: "WARC-Record-ID", Value: "<a:b>"}, {Name: "Content-Length", Value: "5"}},
		"too long":    fields("5", "X", strings.Repeat("x", 2<<20)),
	} {
		var b bytes.Buffer
		w := NewWriter(&b, Compression{Format: Gzip})
		if n, err := w.WriteRecord(h, strings.NewReader("hello")); err == nil || n != 0 || b.Len() != 0 {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
		if _, err := w.WriteRecord(fields("5"), strings.NewReader("hello")); err != nil {
			t.Errorf("%s: the writer is spoilt: %v", name, err)
		}
	}
}

func TestBlockMustBeContentLengthLong(t *testing.T) {
	for name, c := range formats() {
		for block, says := range map[string]string{"hell": "has 4", "hello!": "has more", "": "has 0"} {
			w := NewWriter(&bytes.Buffer{}, c)
			if _, err := w.WriteRecord(fields("5"), strings.NewReader(block)); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: block %q: %v", name, block, err)
			}
			if _, err := w.WriteRecord(fields("5"), strings.NewReader("hello")); err == nil {
				t.Errorf("%s: the error does not last", name)
			}
			var b bytes.Buffer
			w.Reset(&b)
			if n, err := w.WriteRecord(fields("5"), strings.NewReader("hello")); err != nil || n != int64(b.Len()) {
				t.Errorf("%s: after Reset: %d, %v", name, n, err)
			}
			if records, notes := readAll(t, &b); len(records) != 1 || len(notes) > 0 || records[0].block != "hello" {
				t.Errorf("%s: after Reset: %v %v", name, records, notes)
			}
		}
	}
}

func TestFailuresOfBothSides(t *testing.T) {
	gone := errors.New("gone")
	w := NewWriter(io.Discard, Compression{Format: Gzip})
	if _, err := w.WriteRecord(fields("5"), iotest.ErrReader(gone)); !errors.Is(err, gone) {
		t.Errorf("a block that cannot be read: %v", err)
	}
	for name, c := range formats() {
		w := NewWriter(full{gone}, c)
		if _, err := w.WriteRecord(fields("5"), strings.NewReader("hello")); !errors.Is(err, gone) {
			t.Errorf("%s: a full disk: %v", name, err)
		}
	}
}

type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

// The specification of zstd in WARC files asks for the content's size and checksum in each frame.
func TestZstdFrames(t *testing.T) {
	file, ends := write(t, Compression{Format: Zstd}, sample())
	start := int64(0)
	for i, r := range sample() {
		var h zstd.Header
		if err := h.Decode(file[start:]); err != nil {
			t.Fatal(err)
		}
		plain, _ := write(t, Compression{}, []sampleRecord{r})
		if !h.HasFCS || h.FrameContentSize != uint64(len(plain)) || !h.HasCheckSum {
			t.Errorf("record %d: %+v, want a content size of %d and a checksum", i, h, len(plain))
		}
		start = ends[i]
	}
}

func TestLevels(t *testing.T) {
	sizes := map[string]int{}
	for _, c := range []Compression{{Gzip, 1}, {Gzip, 9}, {Gzip, 99}, {Zstd, 1}, {Zstd, 22}} {
		file, _ := write(t, c, sample())
		sizes[string('0'+rune(c.Format))+string('0'+rune(min(c.Level, 9)))] = len(file)
	}
	if sizes["19"] >= sizes["11"] {
		t.Errorf("sizes %v: level 9 should be smaller than level 1", sizes)
	}
}

func TestWritingAllocatesNothing(t *testing.T) {
	h := fields("100000", "X", "y")
	block := bytes.NewReader(make([]byte, 100000))
	for name, c := range map[string]Compression{"plain": {}, "gzip": {Format: Gzip}} {
		w := NewWriter(io.Discard, c)
		n := testing.AllocsPerRun(20, func() {
			block.Seek(0, io.SeekStart)
			if _, err := w.WriteRecord(h, block); err != nil {
				t.Fatal(err)
			}
		})
		if n > 0 {
			t.Errorf("%s: %v allocations a record", name, n)
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add("X-Name", "a value", []byte("block"), byte(0))
	f.Add("WARC-Target-URI", "http://example.com/", []byte("\r\n\r\nWARC/1.0\r\n"), byte(1))
	f.Add("X", " \tfolded ", []byte{0x1f, 0x8b, 8}, byte(2))
	f.Fuzz(func(t *testing.T, name, value string, block []byte, format byte) {
		h := makeRecord("resource", "", "", string(block)).header
		h.Add(name, value)
		var b bytes.Buffer
		w := NewWriter(&b, Compression{Format: Format(format % 3)})
		for range 2 {
			if _, err := w.WriteRecord(h, bytes.NewReader(block)); err != nil {
				return
			}
		}
		records, _ := readAll(t, bytes.NewReader(b.Bytes()))
		if len(records) != 2 {
			t.Fatalf("%d records", len(records))
		}
		h[len(h)-1].Value = strings.Trim(value, " \t")
		for _, r := range records {
			if !r.sound() || r.block != string(block) || !reflect.DeepEqual(r.Header, h) {
				t.Fatalf("wrote %q and %q, read %q and %q", h, block, r.Header, r.block)
			}
		}
	})
}
