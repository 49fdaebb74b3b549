package record

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/internal/spool"
)

// prose is size bytes of a page whose words follow Zipf's law, as those of any language do.
func prose(size int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 4000)
	for i := range words {
		w := make([]byte, 2+rng.IntN(9))
		for j := range w {
			w[j] = "etaoinshrdlcumwfgypbvk"[min(rng.IntN(22), rng.IntN(22))]
		}
		words[i] = string(w)
	}
	z := rand.NewZipf(rng, 1.1, 3, uint64(len(words)-1))
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><body>")
	for b.Len() < size {
		fmt.Fprintf(&b, "<p><a href=\"/%d\">%s</a>", rng.IntN(20000), words[z.Uint64()])
		for range 40 {
			b.WriteString(" " + words[z.Uint64()])
		}
	}
	return b.String()[:size]
}

// pages are ordinary answers of 20 kB each.
func pages(n int) []*kavosh.Exchange {
	body := prose(20000)
	xs := make([]*kavosh.Exchange, n)
	for i := range xs {
		head := "HTTP/1.1 200 OK\r\nServer: a\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 20000\r\nDate: Fri, 02 Jan 2026 03:04:05 GMT\r\n\r\n"
		xs[i] = answer(uint64(i+1), fmt.Sprintf("http://a.test/page/%d.html", i), head, body, body)
		xs[i].Request = fmt.Appendf(nil, "GET /page/%d.html HTTP/1.1\r\nHost: a.test\r\nUser-Agent: Mozilla/5.0 (compatible; Kavosh/1.0; +https://example.org/)\r\n"+
			"Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\nAccept-Language: fa,en;q=0.7\r\nAccept-Encoding: gzip, br\r\n\r\n", i)
	}
	return xs
}

func BenchmarkWrite(b *testing.B) {
	for _, size := range []int{0, 20000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			xs := pages(64)
			for _, x := range xs {
				x.Wire = spool.Memory(x.Wire.Bytes()[:x.HeadLen+size])
				x.Payload = spool.Memory(x.Payload.Bytes()[:size])
			}
			r := New(Options{FS: vfs.Default, Dir: b.TempDir(), Crawl: "20260101000000", Clock: clock.Real{}})
			b.ReportAllocs()
			for i := range b.N {
				if _, err := r.Write(xs[i%len(xs)]); err != nil {
					b.Fatal(err)
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(r.End().Offset)/float64(b.N), "B/page")
			if err := r.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkDigest is a block digest of a page: what leaving it out spares.
func BenchmarkDigest(b *testing.B) {
	page := []byte(prose(20000))
	for range b.N {
		sha256.Sum256(page)
	}
}
