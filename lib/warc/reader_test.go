package warc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

func formats() map[string]Compression {
	return map[string]Compression{"plain": {}, "gzip": {Format: Gzip}, "gzip 1": {Format: Gzip, Level: 1}, "zstd": {Format: Zstd}, "zstd 19": {Format: Zstd, Level: 19}}
}

// check compares what was read with what was written.
func same(t testing.TB, got []seen, want []sampleRecord) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i, g := range got {
		if !reflect.DeepEqual(g.Header, want[i].header) || g.block != want[i].block || !g.sound() {
			t.Errorf("record %d: %v, %d bytes of block, %v, broken %v", i, g.Header, len(g.block), g.err, g.Broken)
		}
	}
}

func TestReadWhatWasWritten(t *testing.T) {
	for name, c := range formats() {
		t.Run(name, func(t *testing.T) {
			file, ends := write(t, c, sample())
			for kind, r := range map[string]io.Reader{
				"file": bytes.NewReader(file), "stream": unseekable{bytes.NewReader(file)}, "bytes": iotest.OneByteReader(bytes.NewReader(file)),
				"eof": iotest.DataErrReader(bytes.NewReader(file)),
			} {
				records, notes := readAll(t, r)
				if len(notes) > 0 {
					t.Errorf("%s: notes %v", kind, notes)
				}
				same(t, records, sample())
				for i, rec := range records {
					start, end := int64(0), ends[i]
					if i > 0 {
						start = ends[i-1]
					}
					if c.Format == Plain {
						end -= 4 // the blank lines do not count
					}
					if rec.Offset != start || rec.Length != end-start || rec.Shared {
						t.Errorf("%s: record %d at %d+%d, want %d+%d", kind, i, rec.Offset, rec.Length, start, end-start)
					}
				}
			}
			for i, want := range sample() {
				start := int64(0)
				if i > 0 {
					start = ends[i-1]
				}
				rec, err := ReadAt(bytes.NewReader(file), int64(len(file)), start)
				if err != nil {
					t.Fatal(err)
				}
				block, err := io.ReadAll(rec.Block)
				if err != nil || string(block) != want.block || !reflect.DeepEqual(rec.Header, want.header) || rec.Offset != start {
					t.Errorf("ReadAt(%d) = %v, %v", start, rec.Header, err)
				}
			}
			for _, offset := range []int64{-1, 1, ends[0] - 3, ends[0] + 1, int64(len(file)), int64(len(file)) + 5} {
				if rec, err := ReadAt(bytes.NewReader(file), int64(len(file)), offset); err == nil && offset != ends[0]-3 {
					t.Errorf("ReadAt(%d) found %v", offset, rec.Header)
				}
			}
		})
	}
}

func TestCompressedAsAWhole(t *testing.T) {
	plain, _ := write(t, Compression{}, sample())
	for name, file := range map[string][]byte{"gzip": gzipped(string(plain)), "zstd": zstded(nil, string(plain))} {
		records, notes := readAll(t, bytes.NewReader(file))
		same(t, records, sample())
		if rules(notes) != "0 not-seekable" {
			t.Errorf("%s: notes %v", name, rules(notes))
		}
		for i, r := range records {
			if !r.Shared || r.Offset != 0 || r.Length != 0 {
				t.Errorf("%s: record %d: shared %v, at %d+%d", name, i, r.Shared, r.Offset, r.Length)
			}
		}
	}
}

// Members or frames cut without regard to records, as block-wise compressors do.
func TestRecordsSpanMembers(t *testing.T) {
	plain, _ := write(t, Compression{}, sample())
	for _, size := range []int{1000, 1537, 65280} {
		var parts []string
		for rest := string(plain); rest != ""; rest = rest[min(size, len(rest)):] {
			parts = append(parts, rest[:min(size, len(rest))])
		}
		for name, file := range map[string][]byte{"gzip": gzipped(parts...), "zstd": zstded(nil, parts...)} {
			records, notes := readAll(t, bytes.NewReader(file))
			same(t, records, sample())
			if len(notes) == 0 {
				t.Errorf("%s: nothing is said about members of %d bytes", name, size)
			}
		}
	}
}

func TestZstdDictionary(t *testing.T) {
	var parts []string
	var history [][]byte
	for i := range 60 {
		r := makeRecord("resource", fmt.Sprintf("http://example.com/%d", i), "text/plain", fmt.Sprintf("this is page number %d of the same kind of page\n", i))
		b, _ := write(t, Compression{}, []sampleRecord{r})
		parts = append(parts, string(b))
		history = append(history, b)
	}
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 77777, Contents: history, History: bytes.Join(history[:20], nil)})
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{dict, zstded(nil, string(dict))} {
		file := append([]byte(nil), dictMagic...)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(data)))
		file = append(file, data...)
		first := int64(len(file))
		file = append(file, zstded([]zstd.EOption{zstd.WithEncoderDict(dict)}, parts...)...)
		// An extension frame between records means nothing to us.
		file = append(file, 0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z')
		records, notes := readAll(t, bytes.NewReader(file))
		if len(records) != 60 || len(notes) > 0 {
			t.Fatalf("%d records, notes %v", len(records), notes)
		}
		if records[0].Offset != first {
			t.Errorf("the first record is at %d, want %d", records[0].Offset, first)
		}
		rec, err := ReadAt(bytes.NewReader(file), int64(len(file)), records[50].Offset)
		if err != nil || rec.TargetURI() != "http://example.com/50" {
			t.Errorf("ReadAt: %v, %v", rec, err)
		}
	}
}

func TestMixedFile(t *testing.T) {
	all := sample()
	plain, _ := write(t, Compression{}, all[:2])
	packed, _ := write(t, Compression{Format: Gzip}, all[2:4])
	frames, _ := write(t, Compression{Format: Zstd}, all[4:6])
	again, _ := write(t, Compression{}, all[6:])
	records, notes := readAll(t, bytes.NewReader(bytes.Join([][]byte{plain, packed, frames, again}, nil)))
	same(t, records, all)
	if len(notes) > 0 {
		t.Errorf("notes %v", notes)
	}
}

// Every beginning of a file gives the records that are whole in it, and says that something is missing.
func TestEveryPrefix(t *testing.T) {
	all := sample()
	all = append(all[:2], makeRecord("resource", "http://example.com/", "text/plain", strings.Repeat("line\n", 20)))
	plain, plainEnds := write(t, Compression{}, all)
	for _, f := range []Format{Plain, Gzip, Zstd} {
		file, ends := write(t, Compression{Format: f}, all)
		prefixes(t, fmt.Sprint("format ", f), file, ends, all)
	}
	var whole []int64
	for range plainEnds {
		whole = append(whole, -1)
	}
	prefixes(t, "whole gzip", gzipped(string(plain)), whole, all)
	prefixes(t, "whole zstd", zstded(nil, string(plain)), whole, all)
	arc := []byte(arcFile(1))
	records, _ := readAll(t, bytes.NewReader(arc))
	ends := []int64{}
	var want []sampleRecord
	for _, r := range records {
		ends = append(ends, r.Offset+r.Length)
		want = append(want, sampleRecord{r.Header, r.block})
	}
	prefixes(t, "arc", arc, ends, want)
}

func prefixes(t *testing.T, name string, file []byte, ends []int64, all []sampleRecord) {
	for n := range len(file) + 1 {
		records, notes := readAll(t, bytes.NewReader(file[:n]))
		whole, boundary := 0, n == 0
		for _, end := range ends {
			if end >= 0 && int64(n) >= end {
				whole++
			}
			boundary = boundary || int64(n) == end
		}
		sound := 0
		for i, r := range records {
			if r.sound() {
				if sound++; i >= len(all) || r.block != all[i].block || !reflect.DeepEqual(r.Header, all[i].header) {
					t.Fatalf("%s: %d of %d bytes: record %d is not what was written: %v", name, n, len(file), i, r.Header)
				}
			}
		}
		if sound < whole {
			t.Fatalf("%s: %d of %d bytes: %d sound records, want %d; %v", name, n, len(file), sound, whole, notes)
		}
		if len(notes) == 0 && !boundary && n < len(file) && name != "arc" {
			t.Fatalf("%s: %d of %d bytes: nothing is said of what is missing", name, n, len(file))
		}
	}
}

func arcFile(version int) string {
	desc := "1 0 Kavosh\nURL IP-address Archive-date Content-type Archive-length\n\n"
	tail := ""
	if version == 2 {
		desc = "2 0 Kavosh\nURL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length\n\n"
		tail = " 200 - - 0 a.arc"
	}
	answer := "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>hello\n"
	var b strings.Builder
	fmt.Fprintf(&b, "filedesc://a.arc 0.0.0.0 20010203040506 text/plain%s %d\n%s\n", tail, len(desc), desc)
	fmt.Fprintf(&b, "http://example.com/a b 192.0.2.1 20010203040507 text/html%s %d\n%s\n", tail, len(answer), answer)
	fmt.Fprintf(&b, "dns:example.com 192.0.2.9 20010203040508 text/dns%s %d\n%s\n", tail, len("example.com. A\n"), "example.com. A\n")
	return b.String()
}

func TestARC(t *testing.T) {
	for version := 1; version <= 2; version++ {
		plain := arcFile(version)
		one, two, three := strings.Index(plain, "http://"), strings.Index(plain, "dns:"), len(plain)
		for name, file := range map[string][]byte{"plain": []byte(plain), "gzip": gzipped(plain[:one], plain[one:two], plain[two:three])} {
			records, notes := readAll(t, bytes.NewReader(file))
			if len(records) != 3 || len(notes) != 1 || notes[0].Rule != "target-uri" {
				t.Fatalf("ARC/%d %s: %d records, notes %v", version, name, len(records), notes)
			}
			for i, want := range []struct{ kind, uri, mime, date string }{
				{"warcinfo", "", "text/plain", "2001-02-03T04:05:06Z"},
				{"response", "http://example.com/a%20b", "application/http;msgtype=response", "2001-02-03T04:05:07Z"},
				{"resource", "dns:example.com", "text/dns", "2001-02-03T04:05:08Z"},
			} {
				r := records[i]
				if r.Type() != want.kind || r.TargetURI() != want.uri || r.Header.Get("Content-Type") != want.mime || r.Header.Get("WARC-Date") != want.date ||
					!r.sound() || r.Version != fmt.Sprintf("ARC/%d", version) {
					t.Errorf("ARC/%d %s: record %d: %s %v", version, name, i, r.Version, r.Header)
				}
				at, err := ReadAt(bytes.NewReader(file), int64(len(file)), r.Offset)
				if err != nil || at.ID() != r.ID() {
					t.Errorf("ARC/%d %s: ReadAt(%d): %v", version, name, r.Offset, err)
				}
			}
			if got := records[1].Header.Get("WARC-IP-Address"); got != "192.0.2.1" {
				t.Errorf("address %q", got)
			}
		}
	}
}

func TestStrictStopsAtTheFirstOddity(t *testing.T) {
	file := "WARC/1.0\nWARC-Type: warcinfo\nContent-Length: 0\n\n\n\n"
	r, err := NewReader(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	r.Strict = true
	_, err = r.Next()
	if _, ok := err.(*FormatError); !ok {
		t.Fatalf("err = %v", err)
	}
	if _, again := r.Next(); again != err {
		t.Errorf("the error does not last: %v", again)
	}
}

func TestFailureToReadIsAnError(t *testing.T) {
	for name, c := range formats() {
		file, ends := write(t, c, sample())
		r, _ := NewReader(io.MultiReader(bytes.NewReader(file[:ends[3]+20]), iotest.ErrReader(io.ErrNoProgress)))
		n := 0
		var err error
		for {
			if _, err = r.Next(); err != nil {
				break
			}
			n++
		}
		if err != io.ErrNoProgress || n < 4 {
			t.Errorf("%s: %v after %d records", name, err, n)
		}
	}
}

func TestWhatCannotBeReadAtAll(t *testing.T) {
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if _, err := NewReader(dir); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory: %v", err)
	}
}

func TestBlockEndsWithNext(t *testing.T) {
	file, _ := write(t, Compression{}, sample())
	r, _ := NewReader(bytes.NewReader(file))
	first, _ := r.Next()
	r.Next()
	if n, err := first.Block.Read(make([]byte, 10)); n > 0 || err == nil || err == io.EOF {
		t.Errorf("a past block gives %d bytes, %v", n, err)
	}
}

func FuzzReader(f *testing.F) {
	all := sample()[:5]
	for _, c := range formats() {
		file, _ := write(f, c, all)
		f.Add(file)
	}
	f.Add([]byte(arcFile(1)))
	f.Add([]byte(arcFile(2)))
	f.Add(gzipped("WARC/1.0\r\nContent-Length: 5\r\n\r\nhel", "lo\r\n\r\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		fromFile, fileNotes := readAll(t, bytes.NewReader(file))
		fromStream, streamNotes := readAll(t, unseekable{bytes.NewReader(file)})
		if len(file) <= lookBack && (len(fromFile) != len(fromStream) || rules(fileNotes) != rules(streamNotes)) {
			t.Fatalf("a file gives %d records (%s), a stream %d (%s)", len(fromFile), rules(fileNotes), len(fromStream), rules(streamNotes))
		}
		last := int64(-1)
		for _, r := range fromFile {
			if r.Offset < last || r.Offset > int64(len(file)) || r.Length < 0 || r.Offset+r.Length > int64(len(file)) {
				t.Fatalf("a record at %d+%d of %d", r.Offset, r.Length, len(file))
			}
			last = r.Offset
			if !r.Shared && r.sound() {
				at, err := ReadAt(bytes.NewReader(file), int64(len(file)), r.Offset)
				if err != nil || !reflect.DeepEqual(at.Header, r.Header) {
					t.Fatalf("ReadAt(%d): %v", r.Offset, err)
				}
			}
		}
	})
}
