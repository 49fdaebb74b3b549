package warc

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

func unpack(t *testing.T, member []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(member))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z) // checks the sum and the length
	if err != nil {
		t.Fatalf("% x: %v", member, err)
	}
	return data
}

// Go's own gzip reads what smallDeflater packs: every byte, length and distance.
func TestSmallMembers(t *testing.T) {
	var d smallDeflater
	rng := rand.New(rand.NewPCG(1, 1))
	check := func(data []byte) []byte {
		t.Helper()
		packed := d.member(nil, data)
		if got := unpack(t, packed); !bytes.Equal(got, data) {
			t.Fatalf("%q came back as %q", data, got)
		}
		return packed
	}
	for length := range smallRecord + 1 {
		random := make([]byte, length)
		few := make([]byte, length)
		for i := range random {
			random[i], few[i] = byte(rng.Uint32()), "ab"[rng.IntN(2)]
		}
		check(random)
		check(few)
		check(bytes.Repeat([]byte{'x'}, length))
		if length > 4 { // a repeat of every length from every distance
			check(append(append([]byte("word"), random[:length-4]...), "word"...)[:min(length+4, smallRecord)])
		}
	}
	request := fmt.Sprintf("WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: %s\r\nWARC-Target-URI: http://a.test/page/1.html\r\nWARC-Concurrent-To: %s\r\n"+
		"Content-Type: application/http;msgtype=request\r\n\r\nGET /page/1.html HTTP/1.1\r\nHost: a.test\r\nAccept: text/html,application/xhtml+xml,*/*;q=0.8\r\n\r\n\r\n\r\n", NewID(), NewID())
	if packed := check([]byte(request)); len(packed) > len(request)*9/10 {
		t.Errorf("a request of %d bytes takes %d", len(request), len(packed))
	}
}

func FuzzSmallMember(f *testing.F) {
	f.Add([]byte("WARC/1.1\r\nWARC-Type: request\r\n"))
	f.Add([]byte(strings.Repeat("abcd", 200)))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), smallRecord)]
		var d smallDeflater
		if got := unpack(t, d.member(nil, data)); !bytes.Equal(got, data) {
			t.Fatalf("%q came back as %q", data, got)
		}
	})
}

// BenchmarkSmallRecord packs a request by the fixed code and by the general compressor at the fastest level.
func BenchmarkSmallRecord(b *testing.B) {
	var request sampleRecord
	for _, r := range sample() {
		if r.header.Get("WARC-Type") == "request" {
			request = r
		}
	}
	for _, general := range []bool{false, true} {
		b.Run(fmt.Sprintf("general=%v", general), func(b *testing.B) {
			w := NewWriter(io.Discard, Compression{Format: Gzip, Level: 1})
			if general {
				w.small = nil
			}
			var size int64
			for range b.N {
				n, err := w.WriteRecord(request.header, strings.NewReader(request.block))
				if err != nil {
					b.Fatal(err)
				}
				size += n
			}
			b.ReportMetric(float64(size)/float64(b.N), "B/record")
		})
	}
}
