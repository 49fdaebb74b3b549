package warc

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// damage is a way in which files are broken, what Check says of it, and what Repair saves.
type damage struct {
	name  string
	file  func(t *testing.T) []byte
	rules string // distinct, in the order found
	sound int    // records that Check finds nothing wrong with
	saved string // names of the records that Repair writes
}

// The records of damaged files: a to f, of different lengths, without digests where the names are upper case.
func letters(names string) []sampleRecord {
	var rs []sampleRecord
	for _, c := range names {
		name := string(c)
		r := makeRecord("resource", "http://example.com/"+name, "text/plain", strings.Repeat("this is "+strings.ToLower(name)+"\n", 5+int(c)%7))
		if name == strings.ToUpper(name) {
			r.header.Del("WARC-Block-Digest")
		}
		rs = append(rs, r)
	}
	return rs
}

// build writes records and lets edit change the n-th one, as text; pack is for each record.
func build(names string, n int, edit func(string) string, pack func(string) string) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		var file strings.Builder
		for i, r := range letters(names) {
			text, _ := write(t, Compression{}, []sampleRecord{r})
			if i == n {
				changed := edit(string(text))
				if changed == string(text) {
					t.Fatal("the edit changes nothing")
				}
				text = []byte(changed)
			}
			file.WriteString(pack(string(text)))
		}
		return []byte(file.String())
	}
}

func plain(s string) string  { return s }
func member(s string) string { return string(gzipped(s)) }
func frame(s string) string  { return string(zstded(nil, s)) }

func replace(old, new string) func(string) string {
	return func(s string) string { return strings.Replace(s, old, new, 1) }
}

// lengthen changes Content-Length by n.
func lengthen(n int) func(string) string {
	return func(s string) string {
		head, rest, _ := strings.Cut(s, "Content-Length: ")
		digits, rest, _ := strings.Cut(rest, "\r\n")
		var length int
		fmt.Sscan(digits, &length)
		return fmt.Sprintf("%sContent-Length: %d\r\n%s", head, length+n, rest)
	}
}

// spoil changes packed files: f is given the file and where its members begin.
func spoil(pack func(string) string, f func(file []byte, starts []int) []byte) func(t *testing.T) []byte {
	return func(t *testing.T) []byte {
		var file []byte
		var starts []int
		for _, r := range letters("abcd") {
			text, _ := write(t, Compression{}, []sampleRecord{r})
			starts = append(starts, len(file))
			file = append(file, pack(string(text))...)
		}
		return f(file, starts)
	}
}

func damages() []damage {
	return []damage{
		{"nothing", func(*testing.T) []byte { return nil }, "no-record", 0, ""},
		{"blank lines alone", func(*testing.T) []byte { return []byte("\r\n\r\n") }, "no-record", 0, ""},
		{"no archive at all", func(*testing.T) []byte { return []byte("<html>hello</html>\n") }, "garbage no-record", 0, ""},
		{"zeros", func(*testing.T) []byte { return make([]byte, 100000) }, "garbage no-record", 0, ""},
		{"an empty member", func(*testing.T) []byte { return gzipped("") }, "empty-member no-record", 0, ""},

		// What is between records.
		{"no blank lines", build("abcd", 1, func(s string) string { return s[:len(s)-4] }, plain), "blank-lines", 4, "abcd"},
		{"no blank lines in a member", build("abcd", 1, func(s string) string { return s[:len(s)-4] }, member), "blank-lines", 4, "abcd"},
		{"one blank line", build("abcd", 1, func(s string) string { return s[:len(s)-2] }, plain), "blank-lines", 4, "abcd"},
		{"five blank lines", build("abcd", 1, func(s string) string { return s + "\r\n\r\n\r\n" }, plain), "blank-lines", 4, "abcd"},
		{"LF everywhere", build("abcd", 1, func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }, plain), "line-end blank-lines", 4, "abcd"},
		{"garbage between records", build("abcd", 1, func(s string) string { return s + "garbage\x00\xff\x1f\x8b\x08 and more\n" }, plain), "garbage", 4, "abcd"},
		{"garbage between members", spoil(member, func(f []byte, at []int) []byte {
			return slices.Concat(f[:at[2]], []byte("garbage \x1f\x8b\x08\x00 and \x28\xb5\x2f\xfd more"), f[at[2]:])
		}), "garbage", 4, "abcd"},
		{"garbage in a member", build("abcd", 1, func(s string) string { return s + "garbage" }, member), "garbage", 3, "abcd"},
		{"garbage at the end", spoil(member, func(f []byte, _ []int) []byte { return append(f, make([]byte, 512)...) }), "garbage", 4, "abcd"},
		{"a member twice", spoil(member, func(f []byte, at []int) []byte { return slices.Concat(f[:at[2]], f[at[1]:]) }), "duplicate-id", 5, "abcd"},
		{"an ID twice", build("abcd", 1, func(s string) string {
			id := letters("a")[0].header.Get("WARC-Record-ID")
			return strings.Replace(s, letters("b")[0].header.Get("WARC-Record-ID"), id, 1)
		}, member), "duplicate-id", 4, "abcd"},

		// Content-Length.
		{"too long by 10", build("abcd", 1, lengthen(10), plain), "digest-block length-mismatch", 3, "abcd"},
		{"too long by 10, no digest", build("aBcd", 1, lengthen(10), plain), "length-mismatch", 3, "aBcd"},
		{"too long by 4", build("abcd", 1, lengthen(4), plain), "digest-block blank-lines", 3, "abcd"},
		{"too long by 4, no digest", build("aBcd", 1, lengthen(4), plain), "blank-lines", 4, "aBcd"},
		{"too long by far", build("abcd", 1, lengthen(100000), plain), "length-mismatch", 3, "abcd"},
		{"too long in the last record", build("abcd", 3, lengthen(10), plain), "truncated-record", 3, "abc"},
		{"too long by 10 in a member", build("abcd", 1, lengthen(10), member), "length-mismatch", 3, "abcd"},
		{"too long by 10 in a member, no digest", build("aBcd", 1, lengthen(10), member), "length-mismatch", 3, "aBcd"},
		{"too long by 2 in a member", build("abcd", 1, lengthen(2), member), "digest-block blank-lines", 3, "abcd"},
		{"too long by 10 in a frame", build("abcd", 1, lengthen(10), frame), "length-mismatch", 3, "abcd"},
		{"too short by 10", build("abcd", 1, lengthen(-10), plain), "digest-block length-mismatch", 3, "abcd"},
		{"too short by 10, no digest", build("aBcd", 1, lengthen(-10), plain), "length-mismatch", 3, "aBcd"},
		{"too short by 10 in a member", build("abcd", 1, lengthen(-10), member), "digest-block length-mismatch", 3, "abcd"},
		{"too short in the last record", build("abcd", 3, lengthen(-10), plain), "digest-block length-mismatch", 3, "abcd"},
		{"missing", build("abcd", 1, replace("Content-Length", "Content-Longth"), plain), "no-length", 3, "abcd"},
		{"missing in a member", build("abcd", 1, replace("Content-Length", "Content-Longth"), member), "no-length", 3, "abcd"},
		{"negative", build("abcd", 1, replace("Content-Length: ", "Content-Length: -"), member), "no-length", 3, "abcd"},
		{"beyond all bounds", build("abcd", 1, replace("Content-Length: ", "Content-Length: 99999999999999999"), member), "no-length", 3, "abcd"},
		{"twice and different", build("abcd", 1, replace("Content-Length: ", "Content-Length: 1\r\nContent-Length: "), member),
			"duplicate-field digest-block length-mismatch", 3, "abcd"},

		// Headers.
		{"a line without colon", build("abcd", 1, replace("WARC-Type", "nonsense\r\nWARC-Type"), plain), "header-line", 4, "abcd"},
		{"a line in Persian", build("abcd", 1, replace("WARC-Type", "عنوان: سلام\r\nWARC-Type"), plain), "field-name", 4, "abcd"},
		{"not UTF-8", build("abcd", 1, replace("text/plain", "text/\xe9\xff"), plain), "header-encoding", 4, "abcd"},
		{"a folded line", build("abcd", 1, replace("text/plain", "text/plain;\r\n charset=utf-8"), plain), "", 4, "abcd"},
		{"a line of 2 MiB", build("abcd", 1, replace("text/plain", strings.Repeat("x", 2<<20)), plain), "header-too-long", 3, "acd"},
		{"5000 fields", build("abcd", 1, replace("WARC-Type", strings.Repeat("X: y\r\n", 5000)+"WARC-Type"), plain), "header-too-long", 3, "acd"},
		{"no WARC-Type", build("abcd", 1, replace("WARC-Type: resource\r\n", ""), plain), "missing-field", 3, "acd"},
		{"no WARC-Record-ID", build("abcd", 1, replace("WARC-Record-ID", "X-ID"), plain), "missing-field", 3, "abcd"},
		{"no WARC-Date", build("abcd", 1, replace("WARC-Date", "X-Date"), plain), "missing-field", 3, "acd"},
		{"a date of 14 digits", build("abcd", 1, replace("2026-01-31T12:00:00.123456Z", "20260131120000"), plain), "date-form", 4, "abcd"},
		{"no date", build("abcd", 1, replace("2026-01-31T12:00:00.123456Z", "yesterday"), plain), "date", 3, "acd"},
		{"a URI in brackets", build("abcd", 1, replace("http://example.com/b", "<http://example.com/b>"), plain), "target-uri", 4, "abcd"},
		{"an unknown version", build("abcd", 1, replace("WARC/1.1", "WARC/2.7"), plain), "version date-form", 4, "abcd"},
		{"no empty line after the header", build("abcd", 1, replace("\r\n\r\n", "\r\n"), plain), "line-end header-line digest-block length-mismatch", 3, "acd"},
		{"no record at the beginning of a member", build("abcd", 1, replace("WARC/1.1", "XARC/1.1"), member), "garbage", 3, "acd"},

		// Damaged bytes.
		{"a flipped bit in a block", build("abcd", 1, replace("this", "thit"), plain), "digest-block", 3, "acd"},
		{"the same, in a member", build("abcd", 1, replace("this", "thit"), member), "digest-block", 3, "abcd"},
		{"a flipped bit in a member", spoil(member, func(f []byte, at []int) []byte { f[at[1]+40] ^= 4; return f }), "corrupt-member", 3, "acd"},
		{"a wrong checksum", spoil(member, func(f []byte, at []int) []byte { f[at[2]-6] ^= 4; return f }), "checksum", 3, "acd"},
		{"a wrong checksum of a frame", spoil(frame, func(f []byte, at []int) []byte { f[at[2]-2] ^= 4; return f }), "checksum", 3, "acd"},
		{"a broken member header", spoil(member, func(f []byte, at []int) []byte { f[at[1]] = 0; return f }), "garbage", 3, "acd"},
		{"unknown flags of a member", spoil(member, func(f []byte, at []int) []byte { f[at[1]+3] = 0xff; return f }), "truncated-member garbage", 3, "acd"},
		{"a broken frame header", spoil(frame, func(f []byte, at []int) []byte { f[at[1]] = 0; return f }), "garbage", 3, "acd"},
		{"a hole in a member", spoil(member, func(f []byte, at []int) []byte { return slices.Concat(f[:at[1]+60], f[at[1]+70:]) }), "garbage corrupt-member", 3, "acd"},
		{"a cut member before others", spoil(member, func(f []byte, at []int) []byte { return slices.Concat(f[:at[1]+70], f[at[2]:]) }), "truncated-record corrupt-member", 3, "acd"},
		{"a cut record before others", spoil(plain, func(f []byte, at []int) []byte { return slices.Concat(f[:at[2]-30], f[at[2]:]) }),
			"digest-block length-mismatch", 3, "acd"},
		{"a cut header before others", spoil(plain, func(f []byte, at []int) []byte { return slices.Concat(f[:at[1]+30], f[at[2]:]) }), "truncated-record", 3, "acd"},
		{"the beginning is missing", spoil(plain, func(f []byte, at []int) []byte { return f[20:] }), "garbage", 3, "bcd"},
		{"the beginning is missing, of members", spoil(member, func(f []byte, at []int) []byte { return f[20:] }), "garbage", 3, "bcd"},
		{"a stored block that claims more", spoil(member, storedBlock), "garbage truncated-member", 4, "abcd"},

		// Members and records.
		{"one member for all", func(t *testing.T) []byte { return gzipped(string(build("abcd", -1, nil, plain)(t))) }, "not-seekable", 3, "abcd"},
		{"the same, Content-Length too long", func(t *testing.T) []byte { return gzipped(string(build("abcd", 1, lengthen(10), plain)(t))) },
			"not-seekable digest-block length-mismatch", 2, "abcd"},
		{"the same, Content-Length too long by far", func(t *testing.T) []byte { return gzipped(string(build("abcd", 1, lengthen(9999), plain)(t))) },
			"not-seekable length-mismatch", 2, "abcd"},
		{"the same, the first Content-Length too long by far", func(t *testing.T) []byte { return gzipped(string(build("abcd", 0, lengthen(9999), plain)(t))) },
			"length-mismatch not-seekable", 3, "abcd"},
		{"the same, the last Content-Length too long", func(t *testing.T) []byte { return gzipped(string(build("abcd", 3, lengthen(99), plain)(t))) },
			"not-seekable length-mismatch", 2, "abcd"},
		{"one member for one, Content-Length too long", func(t *testing.T) []byte { return gzipped(string(build("a", 0, lengthen(9999), plain)(t))) },
			"length-mismatch", 0, "a"},
		{"the same, Content-Length too short", func(t *testing.T) []byte { return gzipped(string(build("abcd", 1, lengthen(-10), plain)(t))) },
			"not-seekable digest-block length-mismatch", 2, "abcd"},
		{"members of 300 bytes", func(t *testing.T) []byte {
			var parts []string
			for s := string(build("abcd", -1, nil, plain)(t)); s != ""; s = s[min(300, len(s)):] {
				parts = append(parts, s[:min(300, len(s))])
			}
			return gzipped(parts...)
		}, "spans-members not-seekable", 3, "abcd"},

		// ARC.
		{"ARC, length too long", func(*testing.T) []byte { return []byte(strings.Replace(arcFile(1), "html 53", "html 60", 1)) }, "target-uri length-mismatch", 2, "/bm"},
	}
}

// storedBlock puts a member before the third whose last block says that it is stored and longer than the member.
func storedBlock(f []byte, at []int) []byte {
	m := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1}
	m = binary.LittleEndian.AppendUint16(m, 0xffff)
	m = binary.LittleEndian.AppendUint16(m, 0)
	return slices.Concat(f[:at[2]], m, []byte("some bytes"), f[at[2]:])
}

// names are the last letters of the target URIs.
func names(t *testing.T, file []byte) string {
	var b strings.Builder
	records, notes := readAll(t, bytes.NewReader(file))
	for _, r := range records {
		uri := r.TargetURI()
		if b.WriteString(uri[max(0, len(uri)-1):]); uri == "" {
			b.WriteString("/") // the description of an ARC file
		}
	}
	if len(notes) > 0 {
		t.Errorf("the repaired file: %v", notes)
	}
	return b.String()
}

func TestDamage(t *testing.T) {
	for _, d := range damages() {
		t.Run(d.name, func(t *testing.T) {
			file := d.file(t)
			for kind, r := range map[string]io.Reader{"file": bytes.NewReader(file), "stream": unseekable{bytes.NewReader(file)}} {
				var found []string
				sum, err := Check(context.Background(), "x", r, CheckOptions{}, func(f Finding) {
					if !slices.Contains(found, f.Rule) {
						found = append(found, f.Rule)
					}
					if f.File != "x" || strings.ContainsAny(f.Text, "\r\n") {
						t.Errorf("finding %v", f)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(found, " "); got != d.rules || sum.Sound != d.sound {
					t.Errorf("%s: rules %q, want %q; %d sound, want %d", kind, got, d.rules, sum.Sound, d.sound)
				}
			}
			var out bytes.Buffer
			sum, err := Repair(context.Background(), bytes.NewReader(file), &out, RepairOptions{Compression: Compression{Format: Gzip}}, func(r Repaired) { t.Log(r) })
			if err != nil {
				t.Fatal(err)
			}
			if got := names(t, out.Bytes()); got != d.saved || sum.Written != len(got) {
				t.Errorf("repaired: %q, want %q; %+v", got, d.saved, sum)
			}
			after, err := Check(context.Background(), "x", &out, CheckOptions{}, func(f Finding) {
				if f.Severity == Fault && f.Rule != "no-record" {
					t.Errorf("after repair: %v", f)
				}
			})
			if err != nil || after.Sound != sum.Written {
				t.Errorf("after repair: %+v, %v", after, err)
			}
		})
	}
}

// Files made to be gone over again and again come to an end within the bound.
func TestHostileFilesEnd(t *testing.T) {
	repeat := func(s string, size int) []byte { return bytes.Repeat([]byte(s), size/len(s)) }
	for name, file := range map[string][]byte{
		"gzip headers":          repeat("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01\x05\x00\xfa\xffhello", 200<<10),
		"stored blocks":         repeat("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\xff\xff\x00\x00WARC/1.0\r\nContent-Length: 9999999\r\n\r\n", 512<<10),
		"zstd headers":          repeat("\x28\xb5\x2f\xfd\x04\x58\x00\x00\x00", 100<<10),
		"lengths too long":      repeat("WARC/1.0\r\nContent-Length: 9999999999\r\n\r\nhello\r\n\r\n", 512<<10),
		"ARC lengths too long":  repeat("http://a.b/ 1.2.3.4 20010101000000 text/html 99999999\n", 512<<10),
		"version lines":         repeat("WARC/1.0\n", 512<<10),
		"members of zeros":      repeat(string(gzipped(strings.Repeat("\x00", 1<<20))), 16<<10),
		"a member of too long":  gzipped(string(repeat("WARC/1.0\r\nContent-Length: 9999999999\r\n\r\nhello\r\n\r\n", 100<<10))),
		"beginnings of members": repeat(string(gzipped("WARC/1.0\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n"))[:40], 200<<10),
	} {
		r := &countingReader{Reader: bytes.NewReader(file)}
		readAll(t, r)
		if limit := int64(256<<20 + 20*len(file)); r.n > limit {
			t.Errorf("%s: %d bytes were read of a file of %d", name, r.n, len(file))
		}
	}
}

type countingReader struct {
	*bytes.Reader
	n int64
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += int64(n)
	return n, err
}

// A flipped bit costs one record at most: the one it stands in. In a compressed file it never goes unnoticed; in a
// plain one the digests of the blocks tell.
func TestFlippedBits(t *testing.T) {
	for name, pack := range map[string]func(string) string{"plain": plain, "gzip": member, "zstd": frame} {
		file := build("abcd", -1, nil, pack)(t)
		want := letters("abcd")
		for i := 0; i < len(file)*8; i += 3 { // every byte is met; all bits take long
			file[i/8] ^= 1 << (i % 8)
			records, notes := readAll(t, bytes.NewReader(file))
			found := 0
			for _, r := range records {
				for _, w := range want {
					if r.sound() && r.block == w.block && r.ID() == w.header.Get("WARC-Record-ID") {
						found++
					}
				}
			}
			if found < 3 {
				t.Errorf("%s: bit %d of byte %d: only %d records are left: %v", name, i%8, i/8, found, notes)
			}
			if found < 4 && len(notes) == 0 && name != "plain" {
				t.Errorf("%s: bit %d of byte %d: nothing is said", name, i%8, i/8)
			}
			file[i/8] ^= 1 << (i % 8)
		}
	}
}
