package wacz

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh/lib/cdx"
)

// What another program reads in a package that we wrote: the sums and sizes in datapackage.json are those of the files,
// WARC files and the index can be read in place, each block of the index where index.idx says, and pages stand in the
// order in which they were given.
func TestWrittenPackage(t *testing.T) {
	var packed bytes.Buffer
	w := NewWriter(&packed, "A title", "About it.", "a test", time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC))
	for _, name := range []string{"B.warc.gz", "a b.warc.gz"} {
		out, err := w.WARC(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(out, "first half of "+name)
		io.WriteString(out, ", second half")
	}
	const entries = 2*indexBlock + 10
	if err := w.Index(func(yield func(cdx.Entry, error) bool) {
		for i := range entries {
			url := fmt.Sprintf("http://example.com/%04d", i)
			yield(cdx.Entry{Key: fmt.Sprintf("com,example)/%04d", i), Timestamp: "20260131120000", URL: url, Filename: "B.warc.gz", Offset: 7, Length: 5}, nil)
		}
	}); err != nil {
		t.Fatal(err)
	}
	for _, extra := range []bool{false, true} {
		if err := w.Pages(extra, func(yield func(PageLine, error) bool) {
			for _, url := range []string{"http://example.com/z", "http://example.com/a?b&c", "http://example.com/m"} {
				yield(PageLine{ID: "1", URL: url, Time: time.Unix(1e9, 0).UTC()}, nil)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err == nil {
		err = w.Close(key)
	}
	if err != nil {
		t.Fatal(err)
	}
	files, stored := unzipped(t, packed.Bytes())
	if want := []string{"archive/B.warc.gz", "archive/a b.warc.gz", "indexes/index.cdx.gz"}; !slices.Equal(stored, want) {
		t.Errorf("stored unchanged: %q, want %q", stored, want)
	}
	var about struct{ Resources []resource }
	if err := json.Unmarshal([]byte(files["datapackage.json"]), &about); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range about.Resources {
		names = append(names, r.Name)
		body := files[r.Path]
		if want := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(body))); r.Hash != want || r.Bytes != int64(len(body)) {
			t.Errorf("%s has %d bytes and %s, listed are %d and %s", r.Path, len(body), want, r.Bytes, r.Hash)
		}
	}
	if got := strings.Join(names, " "); got != "b.warc.gz a-b.warc.gz index.cdx.gz index.idx pages.jsonl extrapages.jsonl" {
		t.Errorf("listed: %s", got)
	}
	pages := strings.Split(files["pages/pages.jsonl"], "\n")
	if len(pages) != 5 || !strings.Contains(pages[1], "/z") || !strings.Contains(pages[2], "a?b&c") || !strings.Contains(pages[3], "/m") {
		t.Errorf("pages: %q", pages)
	}
	offset := int64(0)
	for i, line := range strings.Split(strings.TrimSpace(files["indexes/index.idx"]), "\n")[1:] {
		stem, b, ok := parseBlock([]byte(line), int64(len(files["indexes/index.cdx.gz"])))
		if !ok || b.Offset != offset || string(stem) != fmt.Sprintf("com,example)/%04d 20260131120000", i*indexBlock) {
			t.Fatalf("block %d: %s", i, line)
		}
		block := files["indexes/index.cdx.gz"][b.Offset : b.Offset+b.Length]
		if b.Digest != fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(block))) {
			t.Errorf("block %d has another digest", i)
		}
		offset += b.Length
	}
	if blocks := strings.Count(files["indexes/index.idx"], "\n") - 1; blocks != 3 || offset != int64(len(files["indexes/index.cdx.gz"])) {
		t.Errorf("index.idx has %d blocks, and ends at byte %d of %d", blocks, offset, len(files["indexes/index.cdx.gz"]))
	}
	f, err := Open(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range f.Index() {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != entries {
		t.Errorf("%d entries, want %d", n, entries)
	}
}

// unzipped returns the files of a package, and which of them are stored without compression.
func unzipped(t *testing.T, packed []byte) (files map[string]string, stored []string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name] = string(body); f.Method == zip.Store {
			stored = append(stored, f.Name)
		}
	}
	return files, stored
}

// A package without captures is sound too.
func TestWrittenWithoutCaptures(t *testing.T) {
	var packed bytes.Buffer
	w := NewWriter(&packed, "", "", "a test", time.Unix(1e9, 0))
	err := w.Index(func(func(cdx.Entry, error) bool) {})
	if err == nil {
		err = w.Pages(false, func(func(PageLine, error) bool) {})
	}
	key, kerr := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err == nil && kerr == nil {
		err = w.Close(key)
	}
	if err != nil || kerr != nil {
		t.Fatal(err, kerr)
	}
	files, _ := unzipped(t, packed.Bytes())
	if gz, err := gzip.NewReader(strings.NewReader(files["indexes/index.cdx.gz"])); err != nil {
		t.Errorf("an index that is no gzip: %v", err)
	} else if lines, err := io.ReadAll(gz); err != nil || len(lines) > 0 {
		t.Errorf("lines %q, %v", lines, err)
	}
}
