package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/index"
	"kavosh/internal/journal"
	"kavosh/lib/warc"
)

// built says what was built, and how long it took.
type built struct {
	Texts          int     `json:"texts"`
	Captures       int     `json:"captures"`
	WriteSeconds   float64 `json:"write_seconds"`   // of the WARC files
	RebuildSeconds float64 `json:"rebuild_seconds"` // of capture log, index and originals, from the WARC files
	WARCBytes      int64   `json:"warc_bytes"`
	IndexBytes     int64   `json:"index_bytes"`
}

const (
	// busy is the page with busyTimes captures.
	busy      = "http://busy.test/"
	busyTimes = 100_000
	maxFile   = 1 << 30 // bytes after which the next WARC file begins
)

// maker writes an archive's WARC files.
type maker struct {
	dir  string
	file *os.File
	buf  *bufio.Writer
	warc *warc.Writer
	n    int // number of WARC files
	size int64
	sum  built
	urls *bufio.Writer // time and URL of each capture, one per line
}

// makeArchive makes an archive of at least that many captures in dir, unless there is one.
func makeArchive(ctx context.Context, dir, debs string, captures int) (built, error) {
	done := filepath.Join(dir, "built.json")
	var b built
	if data, err := os.ReadFile(done); err == nil {
		return b, json.Unmarshal(data, &b)
	}
	names, err := packages()
	if err == nil {
		err = download(ctx, names, debs)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "warc"), 0o777)
	}
	if err != nil {
		return b, err
	}
	about := fmt.Sprintf("{\"format\": 1, \"name\": %q, \"created\": \"2026-01-01T00:00:00Z\"}\n", filepath.Base(dir))
	if err := os.WriteFile(filepath.Join(dir, "archive.json"), []byte(about), 0o666); err != nil {
		return b, err
	}
	list, err := os.Create(filepath.Join(dir, "urls.txt"))
	if err != nil {
		return b, err
	}
	defer list.Close()
	m := &maker{dir: dir, urls: bufio.NewWriter(list), warc: warc.NewWriter(nil, warc.Compression{Format: warc.Gzip, Level: 1})}
	began := time.Now()
	if err := m.all(ctx, names, debs, captures); err != nil {
		return b, err
	}
	m.sum.WriteSeconds = time.Since(began).Seconds()
	began = time.Now()
	if _, err := archive.Rebuild(ctx, vfs.Default, dir, nil); err != nil {
		return b, err
	}
	m.sum.RebuildSeconds = time.Since(began).Seconds()
	if m.sum.IndexBytes, err = size(filepath.Join(dir, "index")); err != nil {
		return b, err
	}
	if m.sum.WARCBytes, err = size(filepath.Join(dir, "warc")); err != nil {
		return b, err
	}
	data, err := json.Marshal(m.sum)
	if err != nil {
		return b, err
	}
	return m.sum, os.WriteFile(done, data, 0o666)
}

// searchable builds the archive's search index, unless there is one: or the server would build it meanwhile.
func (o *settings) searchable(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, o.kavosh, "search", "--limit", "1", o.archive, "help")
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// size returns the total size of the files in a folder, in bytes.
func size(dir string) (total int64, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if info, ierr := e.Info(); ierr == nil && !e.IsDir() {
			total += info.Size()
		}
	}
	return total, err
}

// all writes the texts of all packages, then the busy page.
func (m *maker) all(ctx context.Context, names []string, debs string, captures int) error {
	met := map[[16]byte]bool{}
	var first *text
	for _, pkg := range names {
		if m.sum.Captures >= captures-busyTimes {
			break
		}
		err := texts(ctx, pkg, debs, met, func(t text) error {
			if first == nil {
				first = &t
			}
			m.sum.Texts++
			return m.captures(pkg, t)
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: %d texts, %d captures\n", pkg, m.sum.Texts, m.sum.Captures)
	}
	if first == nil {
		return fmt.Errorf("no text in %s", debs)
	}
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	origin, err := m.response(busy, at, *first)
	for n := 1; n < busyTimes && err == nil; n++ {
		err = m.revisit(busy, at.Add(time.Duration(n)*time.Hour/4), *first, origin)
	}
	if err != nil {
		return err
	}
	if err := m.urls.Flush(); err != nil {
		return err
	}
	return m.seal()
}

// whole is a capture that others revisit.
type whole struct {
	url, digest string
	at          time.Time
}

// captures writes the captures of a text: on each of two hosts one full response and two revisits.
func (m *maker) captures(pkg string, t text) error {
	h := fnv.New32a()
	h.Write([]byte(pkg + t.path))
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(h.Sum32()%(365*86400)) * time.Second)
	const year = 365 * 24 * time.Hour
	for _, host := range []string{".docs.test", ".mirror.test"} {
		url := "https://" + pkg + host + t.path
		origin, err := m.response(url, at, t)
		if err == nil {
			err = m.revisit(url, at.Add(year), t, origin)
		}
		if err == nil {
			err = m.revisit(url, at.Add(2*year), t, origin)
		}
		if err != nil {
			return err
		}
		at = at.Add(year / 2)
	}
	return nil
}

func (m *maker) response(url string, at time.Time, t text) (whole, error) {
	sum := sha256.Sum256(t.body)
	digest := warc.FormatDigest("sha256", sum[:])
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nServer: Apache\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", t.mime, len(t.body))
	return whole{url, digest, at}, m.record("response", url, at, digest, append([]byte(head), t.body...))
}

func (m *maker) revisit(url string, at time.Time, t text, of whole) error {
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nServer: Apache\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", t.mime, len(t.body))
	return m.record("revisit", url, at, of.digest, []byte(head), "WARC-Profile",
		"http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
		"WARC-Refers-To-Target-URI", of.url, "WARC-Refers-To-Date", warc.FormatDate(of.at))
}

func (m *maker) record(kind, url string, at time.Time, digest string, block []byte, more ...string) error {
	if m.file == nil || m.size > maxFile {
		if err := m.next(); err != nil {
			return err
		}
	}
	h := warc.Header{
		{Name: "WARC-Type", Value: kind}, {Name: "WARC-Record-ID", Value: warc.NewID()},
		{Name: "WARC-Target-URI", Value: url}, {Name: "WARC-Date", Value: warc.FormatDate(at)},
		{Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "WARC-Payload-Digest", Value: digest},
	}
	for i := 0; i+1 < len(more); i += 2 {
		h.Add(more[i], more[i+1])
	}
	h.Add("Content-Length", fmt.Sprint(len(block)))
	n, err := m.warc.WriteRecord(h, bytes.NewReader(block))
	m.size += n
	m.sum.Captures++
	if err == nil {
		_, err = fmt.Fprintf(m.urls, "%s %s\n", at.Format("20060102150405"), url)
	}
	return err
}

// next begins a WARC file.
func (m *maker) next() (err error) {
	if err := m.seal(); err != nil {
		return err
	}
	m.n++
	m.file, err = os.Create(filepath.Join(m.dir, "warc", fmt.Sprintf("docs-%05d.warc.gz", m.n)))
	if err != nil {
		return err
	}
	m.buf, m.size = bufio.NewWriterSize(m.file, 1<<20), 0
	m.warc.Reset(m.buf)
	return nil
}

func (m *maker) seal() error {
	if m.file == nil {
		return nil
	}
	if err := m.buf.Flush(); err != nil {
		return err
	}
	return m.file.Close()
}

// makeLines makes an archive that has only an index of n lines: the captures of urls under many more hosts, shuffled.
func makeLines(dir string, urls []visit, n int) (seconds float64, bytes int64, err error) {
	done := filepath.Join(dir, "built.json")
	var b struct {
		Lines   int
		Seconds float64
		Bytes   int64
	}
	if data, err := os.ReadFile(done); err == nil {
		if err := json.Unmarshal(data, &b); err != nil || b.Lines == n {
			return b.Seconds, b.Bytes, err
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	x, err := index.Open(vfs.Default, filepath.Join(dir, "index"))
	if err == nil {
		err = x.Reset(1)
	}
	if err != nil {
		return 0, 0, err
	}
	for i := range n {
		c := scattered(urls, i)
		full, err := x.Add(context.Background(), &c, 0)
		if full && err == nil {
			err = x.Commit(journal.At(1, 0))
		}
		if err != nil {
			return 0, 0, err
		}
	}
	if err := x.Merge(); err != nil {
		return 0, 0, err
	}
	b.Lines, b.Seconds = n, time.Since(began).Seconds()
	if b.Bytes, err = size(filepath.Join(dir, "index")); err != nil {
		return 0, 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "archive.json"),
		[]byte("{\"format\": 1, \"name\": \"lines\", \"created\": \"2026-01-01T00:00:00Z\"}\n"), 0o666); err != nil {
		return 0, 0, err
	}
	data, err := json.Marshal(b)
	if err != nil {
		return 0, 0, err
	}
	return b.Seconds, b.Bytes, os.WriteFile(done, data, 0o666)
}

// scattered returns the i-th capture of urls under other hosts, shuffled.
func scattered(urls []visit, i int) kavosh.Capture {
	const prime = 1_000_003
	v := urls[i*prime%len(urls)]
	host, rest := v.host()
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
	return kavosh.Capture{
		URL: fmt.Sprintf("https://m%d.%s%s", i/len(urls), host, rest), Time: v.time.Add(time.Duration(i%1000) * time.Hour),
		Type: "response", Status: 200, MIME: "text/html",
		Digest: warc.FormatDigest("sha256", sum[:]), File: fmt.Sprintf("docs-%05d.warc.gz", i%40),
		Offset: int64(i) * 7000 % maxFile, Length: 7000,
	}
}
