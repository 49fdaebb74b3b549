//go:build conformance

package warc

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// realPages are records of the first 20,000 bytes of the first files that pattern names, of at least 5,000, with their requests:
// response, request, response, …
func realPages(t *testing.T, pattern string) (records []sampleRecord) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names[:min(len(names), 400)] {
		page, err := os.ReadFile(name)
		if err != nil || len(page) < 5000 {
			continue
		}
		page = page[:min(len(page), 20000)]
		add := func(kind, block string) {
			records = append(records, sampleRecord{Header{
				{Name: "WARC-Type", Value: kind}, {Name: "WARC-Record-ID", Value: NewID()}, {Name: "WARC-Date", Value: "2026-01-02T03:04:05.678901Z"}, {Name: "WARC-Target-URI", Value: "http://a.test" + name},
				{Name: "Content-Type", Value: "application/http;msgtype=" + kind}, {Name: "Content-Length", Value: fmt.Sprint(len(block))},
			}, block})
		}
		add("response", fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(page), page))
		add("request", "GET "+name+" HTTP/1.1\r\nHost: a.test\r\nUser-Agent: Mozilla/5.0 (compatible; Kavosh/1.0; +https://example.org/)\r\nAccept: text/html,*/*;q=0.8\r\n\r\n")
	}
	return records
}

// The fastest level of gzip takes at most a fifth more bytes on real prose than zlib's level 9, which wget uses, and zstd
// less than gzip. The bytes and the processor time of each level are logged.
func TestLevelsBesideZlib(t *testing.T) {
	const handbook = "/usr/share/doc/debian-handbook/html/"
	for _, c := range []struct {
		name, pattern string
		bound         float64 // of gzip's level 1; 0 for files that need not be installed
	}{
		{"English", handbook + "en-US/*.html", 1.2},
		{"Persian", handbook + "fa-IR/*.html", 1.2},
		{"Russian", handbook + "ru-RU/*.html", 1.2},
		{"PostgreSQL manual", "/usr/share/doc/postgresql-doc-15/html/*.html", 0},
		{"GTK reference", "/usr/share/doc/libgtk-4-doc/gtk4/*.html", 0},
		{"scripts", "/usr/share/javascript/*/*.js", 0},
		{"style sheets", "/usr/share/javascript/*/*.css", 0},
	} {
		records := realPages(t, c.pattern)
		if len(records) == 0 {
			if c.bound != 0 {
				t.Errorf("%s: no file of that name; install Debian's package debian-handbook", c.pattern)
			}
			t.Logf("%s: not installed", c.pattern)
			continue
		}
		zlib := zlibSize(t, records)
		size := func(z Compression) float64 {
			var out bytes.Buffer
			w := NewWriter(&out, z)
			best := math.Inf(1)
			for range 3 {
				out.Reset()
				began := processorTime(t)
				for _, r := range records {
					if _, err := w.WriteRecord(r.header, strings.NewReader(r.block)); err != nil {
						t.Fatal(err)
					}
				}
				best = min(best, processorTime(t)-began)
			}
			ratio := float64(out.Len()) / float64(zlib)
			t.Logf("%-18s %d pages, format %d level %d: %.3f of zlib 9, %3.0f µs of processor time a page", c.name, len(records)/2, z.Format, z.Level, ratio, best*1e6/float64(len(records)/2))
			return ratio
		}
		var fast float64
		for level := range 6 {
			if ratio := size(Compression{Gzip, level + 1}); level == 0 {
				fast = ratio
			}
		}
		if zst := size(Compression{Zstd, 1}); c.bound != 0 && (fast > c.bound || zst > fast) {
			t.Errorf("%s: gzip level 1 takes %.3f of the bytes of zlib 9, want at most %.2f; zstd %.3f", c.name, fast, c.bound, zst)
		}
	}
}

// zlibSize is the bytes of the records as gzip members by C zlib at level 9.
func zlibSize(t *testing.T, records []sampleRecord) (size int) {
	t.Helper()
	var plain bytes.Buffer
	w := NewWriter(&plain, Compression{})
	var sizes strings.Builder
	for _, r := range records {
		n, err := w.WriteRecord(r.header, strings.NewReader(r.block))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&sizes, n)
	}
	lengths := filepath.Join(t.TempDir(), "lengths")
	if err := os.WriteFile(lengths, []byte(sizes.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python(t), "-c", `
import sys, zlib
total = 0
for n in open(sys.argv[1]):
    z = zlib.compressobj(9, zlib.DEFLATED, 31)
    total += len(z.compress(sys.stdin.buffer.read(int(n)))) + len(z.flush())
print(total)`, lengths)
	cmd.Stdin, cmd.Stderr = io.Reader(&plain), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(out), &size); err != nil {
		t.Fatal(err)
	}
	return size
}
