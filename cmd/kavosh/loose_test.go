package main

import (
	"archive/zip"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kavosh/index"
	"kavosh/lib/cdx"
	"kavosh/lib/wacz"
	"kavosh/lib/warc"
)

// warcOf is a WARC file with one page for each path, of size bytes that do not compress.
func warcOf(t *testing.T, host string, size int, paths ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	w := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip})
	for i, path := range paths {
		noise := make([]byte, size)
		rand.Read(noise)
		block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>%s</title><p>the page %s%s<!--%x-->", path, host, path, noise)
		var h warc.Header
		h.Add("WARC-Type", "response")
		h.Add("WARC-Record-ID", warc.NewID())
		h.Add("WARC-Date", fmt.Sprintf("2026-01-31T12:00:%02dZ", i))
		h.Add("WARC-Target-URI", "http://"+host+path)
		h.Add("Content-Type", "application/http;msgtype=response")
		h.Add("Content-Length", fmt.Sprint(len(block)))
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

// waczOf packs a WARC file, with its index and a page of each capture.
func waczOf(t *testing.T, name string, records []byte) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	memory := &index.Memory{}
	if err := memory.Read(t.Context(), bytes.NewReader(records), name); err != nil {
		t.Fatal(err)
	}
	memory.Sort()
	entries := memory.Search("", "", false)
	var packed bytes.Buffer
	w := wacz.NewWriter(&packed, "A title", "", "a test", time.Unix(1e9, 0))
	out, err := w.WARC(name)
	if err == nil {
		_, err = out.Write(records)
	}
	if err == nil {
		err = w.Index(entries)
	}
	pages := func(yield func(wacz.PageLine, error) bool) {
		for e, err := range entries {
			at, _ := time.Parse("20060102150405", e.Timestamp)
			if !yield(wacz.PageLine{ID: e.Timestamp, URL: e.URL, Time: at, Title: "Title of " + e.URL, Text: "words that scripts made, and more of them than the page itself has " + e.Timestamp}, err) {
				return
			}
		}
	}
	for _, extra := range []bool{false, true} {
		if err == nil && extra {
			pages = func(func(wacz.PageLine, error) bool) {}
		}
		if err == nil {
			err = w.Pages(extra, pages)
		}
	}
	if err == nil {
		err = w.Close(key)
	}
	if err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// collectionOf packs WACZ files into one, as Browsertrix does.
func collectionOf(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, b := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		w.Write(b)
	}
	w, err := z.Create("datapackage.json")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, `{"profile": "multi-wacz-package", "resources": []}`)
	z.Close()
	return packed.Bytes()
}

// What files hold is found and read in the same way wherever they lie, and of packages at a server no more comes over the wire
// than is wanted.
func TestFilesOnDiskAndAtServers(t *testing.T) {
	const large = 300_000
	one, two := warcOf(t, "one.test", large, "/a", "/b", "/c", "/d", "/e", "/f"), warcOf(t, "two.test", large, "/a")
	files := map[string][]byte{
		"one.warc.gz": one, "one.wacz": waczOf(t, "data.warc.gz", one),
		"both.wacz": collectionOf(t, map[string][]byte{"1.wacz": waczOf(t, "data.warc.gz", one), "2.wacz": waczOf(t, "data.warc.gz", two)}),
	}
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var sent atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"x"`)
		counting := &countingWriter{w, &sent}
		http.ServeContent(counting, r, "", time.Time{}, bytes.NewReader(files[filepath.Base(r.URL.Path)]))
	}))
	defer server.Close()
	for name := range files {
		for _, place := range []string{dir, server.URL} {
			t.Run(place[:4]+" "+name, func(t *testing.T) {
				sent.Store(0)
				var told bytes.Buffer
				set, err := openCollections(t.Context(), &program{err: &told}, []string{"mine=" + place + "/" + name})
				if err != nil {
					t.Fatal(err, told.String())
				}
				c := set.collections[0]
				if c.Name != "mine" {
					t.Errorf("the collection is called %q", c.Name)
				}
				var got []string
				for e, err := range c.Index.Query(t.Context(), cdx.Query{URL: "*"}) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, e.URL)
				}
				want := []string{"http://one.test/a", "http://one.test/b", "http://one.test/c", "http://one.test/d", "http://one.test/e", "http://one.test/f"}
				if name == "both.wacz" {
					want = append(want, "http://two.test/a")
				}
				if !slices.Equal(got, want) {
					t.Errorf("captures %q, want %q", got, want)
				}
				last := want[len(want)-1]
				for e, err := range c.Index.Query(t.Context(), cdx.Query{URL: last}) {
					if err != nil {
						t.Fatal(err)
					}
					held, err := c.Open(t.Context(), &e)
					if err != nil {
						t.Fatal(err)
					}
					defer held.Close()
					text, err := io.ReadAll(held.Body)
					if err != nil || !strings.Contains(string(text), "the page "+strings.TrimPrefix(last, "http://")) {
						t.Errorf("%v: %.100q", err, text)
					}
				}
				// Half of a page's bytes compress away: it is two hexadecimal digits a byte.
				if n := sent.Load(); place == server.URL && strings.HasSuffix(name, ".wacz") && n > int64(len(files[name]))/2 {
					t.Errorf("%d bytes of %d came over the wire", n, len(files[name]))
				}
			})
		}
	}
}

// countingWriter counts what is sent.
type countingWriter struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.sent.Add(int64(n))
	return n, err
}

// A file that cannot be read at a server is told of in a line, and the others are shown.
func TestFileThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.wacz")
	if err := os.WriteFile(good, waczOf(t, "data.warc.gz", warcOf(t, "one.test", 10, "/a")), 0o666); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/whole.wacz" {
			w.Write([]byte("PK"))
			return
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	var told bytes.Buffer
	set, err := openCollections(t.Context(), &program{err: &told}, []string{server.URL + "/gone.wacz", server.URL + "/whole.wacz", good})
	if err != nil || len(set.collections) != 1 {
		t.Fatal(err)
	}
	want := fmt.Sprintf("kavosh: %[1]s/gone.wacz: the server answered \"404 Not Found\"\nkavosh: %[1]s/whole.wacz: the server gives the file whole alone, no ranges of it: download it, and name the copy\n", server.URL)
	if told.String() != want {
		t.Errorf("told %q, want %q", told.String(), want)
	}
}
