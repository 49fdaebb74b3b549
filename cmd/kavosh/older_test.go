package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An archive that an older program made, whose index, originals, search, links and statements each stored their cursor in a form of their
// own, opens: what was derived of it is there without being read again, and the crawl goes on.
func TestOlderArchive(t *testing.T) {
	dir := unpack(t, "testdata/older.tar.gz")
	aside := filepath.Join(t.TempDir(), "warc")
	if err := os.Rename(filepath.Join(dir, "warc"), aside); err != nil { // nothing can be read again
		t.Fatal(err)
	}
	if out := command(t, "search", dir, "gardens"); !strings.Contains(out, "http://a.test/") {
		t.Errorf("search: %s", out)
	}
	if out := command(t, "rdf", "match", dir, "? ? ?"); !strings.Contains(out, "The old garden") {
		t.Errorf("statements: %s", out)
	}
	if err := os.Rename(aside, filepath.Join(dir, "warc")); err != nil {
		t.Fatal(err)
	}
	if out := command(t, "crawl", "--archive", dir, "--resume", "--max-pages", "2", "--json"); !strings.Contains(out, `"end": "pages"`) {
		t.Errorf("resumed: %s", out)
	}
	command(t, "check", dir)
	for file, want := range map[string]string{
		"derived/search@1/manifest.json": `"next":1`, "derived/search@1/000000.segment": "", "derived/links@1/000001-000000.cdxj.gz": "", "index/000001-000000.cdxj.gz": "",
	} {
		if data, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s was made anew: %s %v", file, data, err)
		}
	}
}

// unpack unpacks a tar file and gives the folder that is in it.
func unpack(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return filepath.Join(dir, "a")
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o777)
		} else if data, rerr := io.ReadAll(r); rerr != nil {
			err = rerr
		} else {
			err = os.WriteFile(path, data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
