//go:build conformance

package warc

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nlnwa/gowarc"
)

// python is the interpreter of the environment that `make conformance-tools` makes.
func python(t *testing.T) string {
	path := os.Getenv("KAVOSH_PYTHON")
	if path == "" {
		path = "../../.cache/venv/bin/python"
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; run `make conformance-tools` or set KAVOSH_PYTHON", err)
	}
	return path
}

// gist is what a reader must find in a record: one line each.
func gist(kind, id, uri, block, payload string, size int64) string {
	return fmt.Sprintf("%s %s %s %s %s %d\n", kind, strings.Trim(id, "<>"), uri, block, payload, size)
}

func gistOf(records []sampleRecord) string {
	var b strings.Builder
	for _, r := range records {
		h := r.header
		b.WriteString(gist(h.Get("WARC-Type"), h.Get("WARC-Record-ID"), h.Get("WARC-Target-URI"), h.Get("WARC-Block-Digest"), h.Get("WARC-Payload-Digest"), int64(len(r.block))))
	}
	return b.String()
}

// written are files of these records, by path.
func written(t *testing.T, records []sampleRecord) (paths []string) {
	for name, c := range map[string]Compression{"plain.warc": {}, "gzip.warc.gz": {Format: Gzip}, "fast.warc.gz": {Format: Gzip, Level: 1}} {
		path := filepath.Join(t.TempDir(), name)
		file, _ := write(t, c, records)
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// notChunked is without the answer that was sent in chunks: gowarc and warcio take the digest of the payload before
// transfer decoding, against WARC 1.1 (iipc/warc-specifications#22). They read the record, but doubt its digest.
func notChunked(records []sampleRecord) (rest []sampleRecord) {
	for _, r := range records {
		if !strings.Contains(r.block, "chunked") {
			rest = append(rest, r)
		}
	}
	return rest
}

func TestGowarcReadsWhatWeWrite(t *testing.T) {
	for _, path := range written(t, sample()) {
		gowarcReads(t, path, sample(), gowarc.WithSpecViolationPolicy(gowarc.ErrIgnore))
	}
	for _, path := range written(t, notChunked(sample())) {
		gowarcReads(t, path, notChunked(sample()), gowarc.WithStrictValidation())
	}
}

func gowarcReads(t *testing.T, path string, records []sampleRecord, options gowarc.WarcRecordOption) {
	r, err := gowarc.NewWarcFileReader(path, 0, options, gowarc.WithAddMissingDigest(false))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got strings.Builder
	for {
		rec, offset, validation, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: offset %d: %v", path, offset, err)
		}
		h := rec.WarcHeader()
		size, _ := rec.ContentLength()
		raw, err := rec.Block().RawBytes()
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, raw); err != nil || n != size {
			t.Errorf("%s: offset %d: %d bytes of %d, %v", path, offset, n, size, err)
		}
		got.WriteString(gist(h.Get("WARC-Type"), h.Get("WARC-Record-ID"), h.Get("WARC-Target-URI"), h.Get("WARC-Block-Digest"), h.Get("WARC-Payload-Digest"), size))
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
		if !validation.Valid() {
			t.Errorf("%s: offset %d: %v", path, offset, validation)
		}
	}
	if want := gistOf(records); got.String() != want {
		t.Errorf("%s: gowarc finds\n%swe wrote\n%s", path, got.String(), want)
	}
}

const warcioLists = `
import sys
from warcio.archiveiterator import ArchiveIterator
for path in sys.argv[1:]:
    for r in ArchiveIterator(open(path, 'rb'), no_record_parse=True):
        h = r.rec_headers.get_header
        size = len(r.raw_stream.read())
        print(r.rec_type, h('WARC-Record-ID').strip('<>'), h('WARC-Target-URI') or '', h('WARC-Block-Digest') or '', h('WARC-Payload-Digest') or '', size)
`

func TestWarcioReadsWhatWeWrite(t *testing.T) {
	py := python(t)
	for _, path := range written(t, sample()) {
		out, err := exec.Command(py, "-c", warcioLists, path).Output()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if want := gistOf(sample()); string(out) != want {
			t.Errorf("%s: warcio finds\n%swe wrote\n%s", path, out, want)
		}
	}
	for _, path := range written(t, notChunked(sample())) {
		if out, err := exec.Command(py, "-m", "warcio.cli", "check", "-v", path).CombinedOutput(); err != nil {
			t.Errorf("warcio check %s: %v\n%s", path, err, out)
		}
	}
}

const warcioWrites = `
import sys, io
from warcio.warcwriter import WARCWriter
from warcio.statusandheaders import StatusAndHeaders
with open(sys.argv[1], 'wb') as f:
    w = WARCWriter(f, gzip=sys.argv[1].endswith('.gz'), warc_version=sys.argv[2])
    w.write_record(w.create_warcinfo_record('a.warc.gz', {'software': 'warcio'}))
    for i in range(20):
        head = StatusAndHeaders('200 OK', [('Content-Type', 'text/plain')], protocol='HTTP/1.1')
        r = w.create_warc_record('http://example.com/%d' % i, 'response', payload=io.BytesIO(b'page %d ' % i * i), http_headers=head)
        w.write_record(r)
        w.write_record(w.create_revisit_record('http://example.com/again/%d' % i, digest=r.rec_headers.get_header('WARC-Payload-Digest'),
            refers_to_uri='http://example.com/%d' % i, refers_to_date=r.rec_headers.get_header('WARC-Date'), http_headers=head))
`

func TestWeReadWhatWarcioWrites(t *testing.T) {
	py := python(t)
	for _, name := range []string{"a.warc", "a.warc.gz"} {
		for _, version := range []string{"1.0", "1.1"} {
			path := filepath.Join(t.TempDir(), name)
			if out, err := exec.Command(py, "-c", warcioWrites, path, version).CombinedOutput(); err != nil {
				t.Fatalf("warcio: %v\n%s", err, out)
			}
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sum, err := Check(t.Context(), name, bytes.NewReader(file), CheckOptions{Strict: true}, func(f Finding) { t.Error(f) })
			if err != nil || sum.Records != 41 || sum.Sound != 41 || sum.Elsewhere != 0 {
				t.Errorf("%s, WARC/%s: %+v, %v", name, version, sum, err)
			}
		}
	}
}

func TestWeReadWhatGowarcWrites(t *testing.T) {
	dir := t.TempDir()
	for _, compress := range []bool{false, true} {
		name := fmt.Sprintf("a%v.warc", compress)
		w := gowarc.NewWarcFileWriter(gowarc.WithFileNameGenerator(fixedName{dir, name}), gowarc.WithCompression(compress), gowarc.WithMaxConcurrentWriters(1))
		for i := range 20 {
			b := gowarc.NewRecordBuilder(gowarc.Resource)
			fmt.Fprintf(b, "this is number %d", i)
			b.AddWarcHeader("WARC-Target-URI", fmt.Sprintf("http://example.com/%d", i))
			b.AddWarcHeader("WARC-Date", "2026-01-31T12:00:00Z")
			b.AddWarcHeader("Content-Type", "text/plain")
			rec, _, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range w.Write(rec) {
				if r.Err != nil {
					t.Fatal(r.Err)
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if compress {
			name += ".gz"
		}
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		sum, err := Check(t.Context(), name, f, CheckOptions{Strict: true}, func(f Finding) { t.Error(f) })
		if err != nil || sum.Records != 20 || sum.Digests == 0 {
			t.Errorf("%s: %+v, %v", name, sum, err)
		}
	}
}

// fixedName names the one file that a gowarc writer makes.
type fixedName struct{ dir, name string }

func (n fixedName) NewWarcfileName() (dir, name string) { return n.dir, n.name }

const warcioReads = `
import sys, time
from warcio.archiveiterator import ArchiveIterator
start, n = time.process_time(), 0
for r in ArchiveIterator(open(sys.argv[1], 'rb'), no_record_parse=True):
    while r.raw_stream.read(65536):
        pass
    n += 1
print(n, time.process_time() - start)
`

// How long warcio takes for a file, in seconds of processor time, and how long we do: printed, not judged.
func TestSpeedBesideWarcio(t *testing.T) {
	py := python(t)
	records, size := pages(600)
	for name, c := range map[string]Compression{"a.warc": {}, "a.warc.gz": {Format: Gzip}} {
		path := filepath.Join(t.TempDir(), name)
		file, _ := write(t, c, records)
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(py, "-c", warcioReads, path).Output()
		if err != nil {
			t.Fatal(err)
		}
		var n int
		var theirs float64
		if _, err := fmt.Sscan(string(out), &n, &theirs); err != nil || n != len(records) {
			t.Fatalf("warcio: %q, %v", out, err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		start := processorTime(t)
		r, err := NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		for n = 0; ; n++ {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, rec.Block)
		}
		ours := processorTime(t) - start
		mb := float64(size) / 1e6
		t.Logf("%s, %d records, %.0f MB: warcio %.0f MB/s, kavosh %.0f MB/s, %.1f times as fast", name, n, mb, mb/theirs, mb/ours, theirs/ours)
	}
}

// processorTime is what this process has used, in seconds.
func processorTime(t *testing.T) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
