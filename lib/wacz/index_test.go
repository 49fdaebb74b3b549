package wacz

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// Whatever form the index of a package has, and whatever zip it lies in, look-ups find the same.
func TestFormsOfIndexes(t *testing.T) {
	files := sound(t)
	gz, err := gzip.NewReader(strings.NewReader(files[1].body))
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := io.ReadAll(gz)
	lines := strings.SplitAfter(string(plain), "\n")
	for _, c := range []struct {
		name  string
		index []file
	}{
		{"gzip members with .idx", files[1:3]},
		{"gzip without .idx", files[1:2]},
		{"gzip packed once more", []file{{"indexes/index.cdx.gz", files[1].body, true}}},
		{"cdxj", []file{{"indexes/index.cdxj", string(plain), false}}},
		{"cdxj without a line feed at the end", []file{{"indexes/index.cdxj", strings.TrimSpace(string(plain)), false}}},
		{"cdxj packed", []file{{"indexes/index.cdxj", string(plain), true}}},
		{"cdxj packed, in another order", []file{{"indexes/index.cdxj", lines[2] + lines[0] + lines[1], true}}},
		{"two", []file{{"indexes/a.cdxj", lines[0] + lines[2], false}, {"indexes/b.cdx", lines[1], true}}},
		{"CDX of 11 columns", []file{{"indexes/index.cdx", eleven(t, files), false}}},
	} {
		all := slices.Concat(files[:1], c.index, files[3:])
		b := pack(t, append(all, packageJSON(all))...)
		for _, form := range []struct {
			name string
			b    []byte
		}{{"", b}, {" in zip64", zip64(b)}, {" with a comment", withComment(b, "PK\x05\x06 made of nothing much at all")}} {
			t.Run(c.name+form.name, func(t *testing.T) {
				f, err := Open(bytes.NewReader(form.b), int64(len(form.b)))
				if err != nil {
					t.Fatal(err)
				}
				x, err := f.OpenIndex()
				if err != nil {
					t.Fatal(err)
				}
				got := func(from, to string, backward bool) string {
					var found []string
					for e, err := range x.Search(from, to, backward) {
						if err != nil {
							t.Fatal(err)
						}
						found = append(found, fmt.Sprintf("%s %s %s", e.URL, e.Timestamp, e.Filename))
					}
					return strings.Join(found, "\n")
				}
				at := func(i int) string {
					return fmt.Sprintf("http://example.com/%d 2026013112000%d archive/a.warc.gz", i, i)
				}
				if got := got("", "", false); got != at(0)+"\n"+at(1)+"\n"+at(2) {
					t.Errorf("all:\n%s", got)
				}
				if got := got("com,example)/1", "", true); got != at(2)+"\n"+at(1) {
					t.Errorf("the last two, backward:\n%s", got)
				}
				if got := got("com,example)/1 ", "com,example)/1!", false); got != at(1) {
					t.Errorf("one: %s", got)
				}
			})
		}
	}
}

// eleven is the index of files in the form that came before CDXJ.
func eleven(t *testing.T, files []file) string {
	b := pack(t, append(slices.Clone(files), packageJSON(files))...)
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	text := " CDX N b a m s k r M S V g\n"
	for e, err := range f.Index() {
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("%s %s %s %s %d - - - %d %d %s\n", e.Key, e.Timestamp, e.URL, e.MIME, e.Status, e.Length, e.Offset, e.Filename)
	}
	return text
}

// zip64 is a zip with all its numbers where large ones stand.
func zip64(b []byte) []byte {
	begin := int(le32(b, len(b)-endLen+16))
	out := bytes.Clone(b[:begin])
	count := int(le16(b, len(b)-endLen+10))
	for n := range count {
		at := centralAt(b, n)
		name, extra := int(le16(b, at+28)), int(le16(b, at+30))
		head := bytes.Clone(b[at : at+centralLen+name])
		wide := []byte{0xfe, 0xca, 2, 0, 1, 2, 1, 0, 24, 0} // another extra field comes before
		for _, field := range []int{24, 20, 42} {
			wide = binary.LittleEndian.AppendUint64(wide, uint64(le32(head, field)))
			put32(head, field, inLarge)
		}
		wide = append(wide, b[at+centralLen+name:at+centralLen+name+extra]...)
		put16(head, 30, uint16(len(wide)))
		put16(head, 32, 0)
		out = append(append(out, head...), wide...)
	}
	large := make([]byte, largeEndLen)
	copy(large, largeEndSign)
	for at, v := range map[int]int{4: largeEndLen - 12, 24: count, 32: count, 40: len(out) - begin, 48: begin} {
		binary.LittleEndian.PutUint64(large[at:], uint64(v))
	}
	locator := make([]byte, locatorLen)
	copy(locator, locatorSign)
	binary.LittleEndian.PutUint64(locator[8:], uint64(len(out)))
	out = append(append(out, large...), locator...)
	end := bytes.Clone(b[len(b)-endLen:])
	return append(out, put32(put32(put16(end, 10, inLargeShort), 12, inLarge), 16, inLarge)...)
}

func withComment(b []byte, comment string) []byte {
	return append(put16(bytes.Clone(b), len(b)-2, uint16(len(comment))), comment...)
}

// Whatever a file holds, reading it ends, with entries or with an error.
func FuzzUse(f *testing.F) {
	files := sound(f)
	b := pack(f, append(files, packageJSON(files))...)
	f.Add(b)
	f.Add(zip64(b))
	f.Fuzz(func(t *testing.T, b []byte) { _ = use(b) })
}
