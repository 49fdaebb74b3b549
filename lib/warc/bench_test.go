package warc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nlnwa/gowarc"
)

// pages are n answers and as many requests, like those of a crawl of text: answers of 2 to 60 KiB of HTML.
func pages(n int) (records []sampleRecord, size int64) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var words []string
	for range 4000 {
		w := make([]byte, 2+rnd.IntN(9))
		for i := range w {
			w[i] = "etaoinshrdlucmfwypvbgkqjxz"[min(rnd.IntN(26), rnd.IntN(26))]
		}
		words = append(words, string(w))
	}
	for i := range n {
		var b strings.Builder
		b.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nServer: nginx\r\nDate: Sat, 31 Jan 2026 12:00:00 GMT\r\n\r\n<!DOCTYPE html><html><body>")
		for end := 2048 + rnd.IntN(60<<10); b.Len() < end; {
			fmt.Fprintf(&b, "<p class=\"text\"><a href=\"/%s/%s.html\">%s</a>", words[rnd.IntN(4000)], words[rnd.IntN(4000)], words[rnd.IntN(4000)])
			for range 20 {
				b.WriteByte(' ')
				b.WriteString(words[min(rnd.IntN(4000), rnd.IntN(4000))])
			}
			b.WriteString("</p>\n")
		}
		uri := fmt.Sprintf("http://example.com/pages/%d.html", i)
		records = append(records,
			makeRecord("response", uri, "application/http;msgtype=response", b.String(), "WARC-IP-Address", "192.0.2.1"),
			makeRecord("request", uri, "application/http;msgtype=request", "GET /pages/"+fmt.Sprint(i)+".html HTTP/1.1\r\nHost: example.com\r\nUser-Agent: kavosh\r\nAccept: */*\r\n\r\n"))
		size += int64(b.Len())
	}
	return records, size
}

// rate adds records a second to what the benchmark prints.
func rate(b *testing.B, records int) {
	b.ReportMetric(float64(records)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

func BenchmarkRead(b *testing.B) {
	records, size := pages(300)
	for _, f := range []struct {
		name string
		c    Compression
	}{{"plain", Compression{}}, {"gzip", Compression{Format: Gzip}}, {"zstd", Compression{Format: Zstd}}} {
		file, _ := write(b, f.c, records)
		b.Run(f.name+"/kavosh", func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(file))
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for {
					rec, err := r.Next()
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
					io.Copy(io.Discard, rec.Block)
					n++
				}
				if n != len(records) {
					b.Fatal(n)
				}
			}
			rate(b, len(records))
		})
		if f.c.Format == Zstd {
			continue // gowarc has none
		}
		b.Run(f.name+"/gowarc", func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				r, err := gowarc.NewWarcFileReaderFromStream(bytes.NewReader(file), 0, gowarc.WithNoValidation(), gowarc.WithSkipParseBlock())
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for {
					rec, _, _, err := r.Next()
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
					raw, err := rec.Block().RawBytes()
					if err != nil {
						b.Fatal(err)
					}
					io.Copy(io.Discard, raw)
					rec.Close()
					n++
				}
				if n != len(records) {
					b.Fatal(n)
				}
			}
			rate(b, len(records))
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	records, size := pages(300)
	for _, f := range []struct {
		name string
		c    Compression
	}{{"plain", Compression{}}, {"gzip1", Compression{Gzip, 1}}, {"gzip", Compression{Format: Gzip}}, {"zstd", Compression{Format: Zstd}}} {
		b.Run(f.name+"/kavosh", func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			w := NewWriter(io.Discard, f.c)
			block := strings.NewReader("")
			var packed int64
			for b.Loop() {
				packed = 0
				for _, r := range records {
					block.Reset(r.block)
					n, err := w.WriteRecord(r.header, block)
					if err != nil {
						b.Fatal(err)
					}
					packed += n
				}
			}
			rate(b, len(records))
			b.ReportMetric(float64(packed)/float64(size), "packed/size")
		})
		if f.c.Format != Gzip || f.c.Level != 0 {
			continue
		}
		b.Run(f.name+"/gowarc", func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			w := gowarc.NewWarcFileWriter(gowarc.WithFileNameGenerator(&gowarc.PatternNameGenerator{Directory: b.TempDir()}), gowarc.WithCompression(true),
				gowarc.WithMaxConcurrentWriters(1), gowarc.WithMaxFileSize(0), gowarc.WithRecordOptions(gowarc.WithNoValidation()))
			defer w.Close()
			for b.Loop() {
				for _, r := range records {
					builder := gowarc.NewRecordBuilder(gowarc.Response, gowarc.WithNoValidation(), gowarc.WithSkipParseBlock(), gowarc.WithAddMissingDigest(false))
					if r.header.Get("WARC-Type") == "request" {
						builder.SetRecordType(gowarc.Request)
					}
					for _, f := range r.header[1:] {
						builder.AddWarcHeader(f.Name, f.Value)
					}
					builder.WriteString(r.block)
					rec, _, err := builder.Build()
					if err != nil {
						b.Fatal(err)
					}
					for _, res := range w.Write(rec) {
						if res.Err != nil {
							b.Fatal(res.Err)
						}
					}
				}
			}
			rate(b, len(records))
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	records, size := pages(300)
	file, _ := write(b, Compression{Format: Gzip}, records)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		sum, err := Check(context.Background(), "", bytes.NewReader(file), CheckOptions{}, func(f Finding) { b.Fatal(f) })
		if err != nil || sum.Sound != len(records) {
			b.Fatal(sum, err)
		}
	}
	rate(b, len(records))
}

func BenchmarkReadAt(b *testing.B) {
	records, _ := pages(100)
	file, ends := write(b, Compression{Format: Gzip}, records)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i = (i + 2) % (len(records) - 2) // ends[1], ends[3] …: where answers begin
		rec, err := ReadAt(bytes.NewReader(file), int64(len(file)), ends[i+1])
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, rec.Block); err != nil {
			b.Fatal(err)
		}
	}
}
