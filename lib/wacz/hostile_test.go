package wacz

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"kavosh/lib/warc"
)

// use does what a reader does with a file: it opens it, looks everything up, and reads every record and page.
func use(b []byte) error {
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	for _, one := range f.Packages() {
		x, err := one.OpenIndex()
		if err != nil {
			return err
		}
		for _, backward := range []bool{false, true} {
			for e, err := range x.Search("", "", backward) {
				if err != nil {
					return err
				}
				at, err := one.At(e.Filename)
				if err != nil {
					return err
				}
				rec, err := warc.ReadAt(at, at.Size(), e.Offset)
				if err == nil {
					_, err = io.Copy(io.Discard, io.LimitReader(rec.Block, 1<<20))
				}
				if err != nil {
					return err
				}
			}
		}
		for _, err := range one.Pages() {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// raw is a file whose bytes and headers are told one by one.
type raw struct {
	head   zip.FileHeader
	packed []byte
}

func packRaw(t *testing.T, files ...raw) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		if f.head.CompressedSize64 == 0 {
			f.head.CompressedSize64 = uint64(len(f.packed))
		}
		w, err := z.CreateRaw(&f.head)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(f.packed)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func deflate(b []byte) []byte {
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, 9)
	w.Write(b)
	w.Close()
	return packed.Bytes()
}

// gzipped is n bytes of c packed.
func gzipped(c string, n int) string {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	chunk := strings.Repeat(c, 1<<16)
	for left := n; left > 0; left -= len(chunk) {
		io.WriteString(w, chunk[:min(left, len(chunk))])
	}
	w.Close()
	return packed.String()
}

// central is where the n-th entry of a zip's directory begins.
func centralAt(b []byte, n int) int {
	end := len(b) - endLen
	at := int(binary.LittleEndian.Uint32(b[end+16:]))
	for range n {
		at += centralLen + int(le16(b, at+28)) + int(le16(b, at+30)) + int(le16(b, at+32))
	}
	return at
}

func put16(b []byte, at int, v uint16) []byte { binary.LittleEndian.PutUint16(b[at:], v); return b }
func put32(b []byte, at int, v uint32) []byte { binary.LittleEndian.PutUint32(b[at:], v); return b }

// What a hostile file tries, and the line that it is refused with. None may make us hold more than a bound, or go on for long.
func TestHostileFiles(t *testing.T) {
	const mostHeld = 320 << 20 // bytes allocated in all, never at once
	packed := func(change func([]file) []file) []byte {
		files := change(sound(t))
		return pack(t, append(files, packageJSON(files))...)
	}
	with := func(name, body string) []byte {
		return packed(func(files []file) []file {
			for i := range files {
				if files[i].name == name {
					files[i].body = body
				}
			}
			return files
		})
	}
	add := func(name string) []byte {
		return packed(func(f []file) []file { return append(f, file{name, "x", false}) })
	}
	// A record that lies in archive/a.warc.gz at 0, unpacked, and an index line that leads there.
	record := func(text string) []byte {
		return packed(func(f []file) []file {
			f = []file{{"archive/a.warc.gz", text, false}, {"indexes/index.cdxj", "", false}, f[3]}
			f[1].body = `com,example)/0 20260131120000 {"url": "http://example.com/0", "mime": "text/html", "status": "200", "offset": "0", "length": "100", "filename": "a.warc.gz"}` + "\n"
			return f
		})
	}
	line := func(fields string) []byte {
		return packed(func(f []file) []file {
			f[1] = file{"indexes/index.cdxj", `com,example)/0 20260131120000 {"url": "http://example.com/0", "mime": "text/html", "status": "200", ` + fields + "}\n", true}
			return append(f[:2:2], f[3])
		})
	}
	block := func(fields string) []byte {
		return with("indexes/index.idx", "com,example)/0 20260131120000 {"+fields+"}\n")
	}
	whole := func() []byte { return packed(func(f []file) []file { return f }) }
	jsonOf := func(text string) []byte { return pack(t, append(sound(t), file{"datapackage.json", text, true})...) }
	collection := func(inner []byte, name string) []byte {
		files := []file{{name, string(inner), false}}
		return pack(t, append(files, packageJSON(files))...)
	}
	zeros := make([]byte, 2<<20)
	packedZeros := deflate(zeros)

	for _, c := range []struct {
		name  string
		file  []byte
		cause string
	}{
		{"sound", whole(), ""},
		{"a sound collection", collection(whole(), "a.wacz"), ""},

		// The zip.
		{"no zip", []byte("hello"), "no directory at its end"},
		{"the end alone", []byte(endSign + strings.Repeat("\xff", 18)), "no directory"},
		{"a bomb by its ratio", packRaw(t, raw{zip.FileHeader{Name: "big", Method: deflated, UncompressedSize64: 5 << 30}, packedZeros}), "packed into"},
		{"a bomb of many files", packRaw(t, func() (all []raw) {
			for i := range 2000 {
				all = append(all, raw{zip.FileHeader{Name: fmt.Sprint(i), Method: deflated, UncompressedSize64: 1 << 29}, []byte("xx")})
			}
			return all
		}()...), "packed into"},
		{"a file longer than it says", packRaw(t, raw{zip.FileHeader{Name: "datapackage.json", Method: deflated, UncompressedSize64: 100, CRC32: crc32.ChecksumIEEE(zeros)}, packedZeros}), "more than the 100 bytes"},
		{"a file shorter than it says", packRaw(t, raw{zip.FileHeader{Name: "datapackage.json", Method: deflated, UncompressedSize64: 3 << 20}, packedZeros}), "it has 2097152 bytes, not 3145728"},
		{"too many files", func() []byte { b := whole(); return put16(put16(b, len(b)-14, 6), len(b)-12, 6) }(), "breaks off"},
		{"too many files, zip64", func() []byte {
			b := whole()
			end := bytes.Clone(b[len(b)-endLen:])
			large := make([]byte, largeEndLen)
			copy(large, largeEndSign)
			binary.LittleEndian.PutUint64(large[32:], 1<<40)
			locator := make([]byte, locatorLen)
			copy(locator, locatorSign)
			binary.LittleEndian.PutUint64(locator[8:], uint64(len(b)-endLen))
			b = append(append(b[:len(b)-endLen:len(b)-endLen], large...), locator...)
			return append(b, put16(end, 10, inLargeShort)...)
		}(), "1099511627776 files in the zip"},
		{"zip64 that is not there", func() []byte { b := whole(); return put16(b, len(b)-12, inLargeShort) }(), "zip64 directory is missing"},
		{"a directory of gigabytes", func() []byte { b := whole(); return put32(b, len(b)-10, 3<<30) }(), "the zip's directory has 3221225472 bytes"},
		{"a directory beyond the end", func() []byte { b := whole(); return put32(b, len(b)-6, 1<<30) }(), "beyond the end"},
		{"packages in packages in packages", collection(collection(whole(), "a.wacz"), "b.wacz"), "no index"},
		{"a package in a package that is none", collection([]byte("PK"), "a.wacz"), "a.wacz: wacz: not a zip"},
		{"two files at one place", func() []byte { b := whole(); return put32(b, centralAt(b, 1)+42, 0) }(), "lie over each other"},
		{"a file that holds the next one's header", func() []byte {
			b := whole()
			at := centralAt(b, 0)
			n := le32(b, at+20) + 60
			return put32(put32(b, at+20, n), at+24, n)
		}(), "lie over each other"},
		{"a file beyond the end", func() []byte { b := whole(); return put32(b, centralAt(b, 4)+42, 1<<31) }(), "beyond the end of the file"},
		{"a name that leads up", add("../evil"), "leads out of the archive"},
		{"an absolute name", add("/etc/passwd"), "leads out of the archive"},
		{"a name of Windows", add(`C:\evil`), "leads out of the archive"},
		{"a name twice", add("archive/a.warc.gz"), "it is there twice"},
		{"a link", packRaw(t, raw{func() zip.FileHeader {
			h := zip.FileHeader{Name: "archive/a.warc.gz", UncompressedSize64: 11}
			h.SetMode(os.ModeSymlink | 0o777)
			return h
		}(), []byte("/etc/passwd")}), "no ordinary file"},
		{"a wrong CRC", packRaw(t, raw{zip.FileHeader{Name: "datapackage.json", UncompressedSize64: 2}, []byte("{}")}), "its CRC is not"},
		{"an encrypted file", packRaw(t, raw{zip.FileHeader{Name: "x", Flags: 1, UncompressedSize64: 1}, []byte("x")}), "encrypted"},
		{"an unknown method", packRaw(t, raw{zip.FileHeader{Name: "x", Method: 93, UncompressedSize64: 1}, []byte("x")}), "method 93"},
		{"another name in the file's own header", bytes.Replace(whole(), []byte("archive/a.warc.gz"), []byte("archive/b.warc.gz"), 1), "name it differently"},
		{"another method in the file's own header", put16(whole(), 8, deflated), "different things"},
		{"a long extra field in the file's own header", put16(whole(), 28, 60000), "lies over what follows"},
		{"no header where the file begins", put32(whole(), 0, 0), "no file begins where"},

		// The package.
		{"no datapackage.json", pack(t, sound(t)...), "no datapackage.json"},
		{"datapackage.json of a gigabyte", packRaw(t, raw{zip.FileHeader{Name: "datapackage.json", Method: deflated, UncompressedSize64: 1 << 30}, packedZeros}), "datapackage.json has 1073741824 bytes"},
		{"deep JSON", jsonOf(`{"resources": ` + strings.Repeat("[", 1<<20)), "datapackage.json: "},
		{"deep JSON that ends", jsonOf(`{"x": ` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + "}"), "exceeded max depth"},
		{"a million resources", jsonOf(`{"resources": [{}` + strings.Repeat(",{}", 1<<20) + "]}"), "more than 100000 resources"},
		{"resources that are none", jsonOf(`{"resources": {"path": "x"}}`), "no list"},

		// The index.
		{"no index", packed(func(f []file) []file { return append(f[:1:1], f[3]) }), "no index"},
		{"an .idx that leads outside", block(`"offset": 5000, "length": 10`), "leads to no part"},
		{"an .idx with a negative offset", block(`"offset": -1, "length": 10`), "leads to no part"},
		{"an .idx whose numbers run over", block(`"offset": 1, "length": 9223372036854775807`), "leads to no part"},
		{"an .idx that leads to one block often", with("indexes/index.idx", strings.Repeat("com,example)/0 20260131120000 {\"offset\": 0, \"length\": 100}\n", 2)), "read before"},
		{"an .idx that leads between blocks", block(`"offset": 3, "length": 10`), "block"},
		{"an index that is a bomb", packed(func(f []file) []file {
			f[1].body = gzipped("com,example)/0 20260131120000 {}\n", 6<<20)
			f[2].body = fmt.Sprintf("com,example)/0 20260131120000 {\"offset\": 0, \"length\": %d, \"digest\": \"sha256:%x\"}\n", len(f[1].body), sha256.Sum256([]byte(f[1].body)))
			return f
		}), "it is longer than"},
		{"an index of one long line", packed(func(f []file) []file {
			f[1].body = gzipped("x", 6<<20)
			f[2].body = fmt.Sprintf("com,example)/0 20260131120000 {\"offset\": 0, \"length\": %d}\n", len(f[1].body))
			return f
		}), "it is longer than"},
		{"an index without .idx that is too large", packed(func(f []file) []file {
			f[1].body = gzipped("com,example)/0 20260131120000 {}\n", 9<<20)
			return append(f[:2:2], f[3])
		}), "held in memory"},
		{"an index line beyond the WARC", line(`"offset": "99999999", "length": "10", "filename": "a.warc.gz"`), "the file has"},
		{"an index line with a negative offset", line(`"offset": "-5", "length": "10", "filename": "a.warc.gz"`), ""}, // no entry: passed over
		{"an index line between records", line(`"offset": "7", "length": "10", "filename": "a.warc.gz"`), "no-record"},
		{"an index line to a file outside", line(`"offset": "0", "length": "10", "filename": "../../etc/passwd"`), ""}, // passed over
		{"an index line to the list of pages", line(`"offset": "0", "length": "10", "filename": "pages.jsonl"`), ""},   // passed over

		// The records.
		{"a record with a huge header", record(gzipped("X: y\r\n", 4<<20)), "no-record"},
		{"a record with one endless header", record("WARC/1.1\r\nX: " + strings.Repeat("x", 4<<20)), "header"},
		{"a record of negative length", record("WARC/1.1\r\nWARC-Type: response\r\nContent-Length: -5\r\n\r\nhello"), "ength"},
		{"a record longer than its file", record("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.com/0\r\nContent-Length: 1099511627776\r\n\r\nhello"), "EOF"},
		{"a record longer than any file", record("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.com/0\r\nContent-Length: 9223372036854775807\r\n\r\nhello"), "is no length"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := use(c.file)
			runtime.ReadMemStats(&after)
			switch {
			case c.cause == "" && err != nil:
				t.Errorf("%v", err)
			case c.cause != "" && (err == nil || !strings.Contains(err.Error(), c.cause)):
				t.Errorf("%v, want %q", err, c.cause)
			case err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 300):
				t.Errorf("the cause is no short line: %q", err)
			}
			if held := after.TotalAlloc - before.TotalAlloc; held > mostHeld {
				t.Errorf("%d bytes allocated", held)
			}
		})
	}
}
