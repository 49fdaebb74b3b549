package seen

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
)

// FuzzRun reads files that are anything, their checksums made right, by key and in order: an answer or an error, never a
// panic, nor memory beyond the file's size.
func FuzzRun(f *testing.F) {
	mem := vfs.NewMem()
	for _, n := range []int{1, 10, 100} {
		w, err := createRun(mem, "seed", 1, 128, int64(n), n*10)
		if err != nil {
			f.Fatal(err)
		}
		for i := range n {
			k := alike(i)
			binary.BigEndian.PutUint32(k[:], uint32(i/3))
			binary.BigEndian.PutUint64(k[8:], uint64(i))
			if err := w.add(&k, fmt.Append(nil, i)); err != nil {
				f.Fatal(err)
			}
		}
		if err := w.finish(); err != nil {
			f.Fatal(err)
		}
		data, err := disk.ReadFile(mem, "seed")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint64(3), uint64(7))
	}
	f.Fuzz(func(t *testing.T, data []byte, hi, lo uint64) {
		fs := vfs.NewMem()
		records := int64(1)
		if len(data) >= footBytes { // make all checksums right
			foot := data[len(data)-footBytes:]
			page, pages := binary.LittleEndian.Uint32(foot), binary.LittleEndian.Uint64(foot[4:])
			records = int64(binary.LittleEndian.Uint64(foot[12:]))
			at := 0
			for range min(pages, uint64(len(data))) {
				if end := at + int(page); page > pageTail && end <= len(data)-footBytes {
					binary.LittleEndian.PutUint32(data[end-pageTail:], crc32.Checksum(data[at:end-pageTail], castagnoli))
					at = end
				}
			}
			binary.LittleEndian.PutUint32(foot[footBytes-4:], crc32.Checksum(data[at:len(data)-4], castagnoli))
		}
		if err := disk.WriteFile(fs, "1.run", data); err != nil {
			t.Fatal(err)
		}
		r, err := openRun(fs, "1.run", listed{number: 1, records: records, size: int64(len(data))})
		if err != nil {
			return
		}
		defer r.release()
		g := &reading{}
		for _, k := range [][2]uint64{{hi, lo}, {0, 0}, {^uint64(0), ^uint64(0)}} {
			if v, err := g.find(r, k[0], k[1]); err == nil && len(v) > MaxEntry {
				t.Fatalf("a value of %d bytes", len(v))
			}
		}
		c := &cursor{run: r, file: r.file, buf: make([]byte, r.page)}
		var last Key
		for n := 0; ; n++ {
			if err := c.next(); err != nil || c.done {
				return
			}
			if k := *c.page.key(c.at); n > 0 && bytes.Compare(last[:], k[:]) >= 0 {
				t.Fatalf("key %x after %x", k, last)
			} else {
				last = k
			}
		}
	})
}

// FuzzManifest: a text is refused, or is exactly what would be written for what was read.
func FuzzManifest(f *testing.F) {
	m := manifest{flushed: 12, next: 35, runs: []listed{{34, 1 << 20, 7}, {33, 8, 9}}}
	f.Add(m.text())
	f.Add((&manifest{}).text())
	f.Add([]byte(manifestHead + "run 1\ncrc 00000000\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if m, err := parseManifest(text); err == nil && !bytes.Equal(m.text(), text) {
			t.Errorf("%q is read as %q", text, m.text())
		}
	})
}
