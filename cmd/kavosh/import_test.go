package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Files of others are taken into an archive from disk, from folders and from servers, once each, and are then found by words, the
// words that a package has of a page too.
func TestImportFiles(t *testing.T) {
	dir := t.TempDir()
	one, two, three := warcOf(t, "one.test", 10, "/a", "/b"), warcOf(t, "two.test", 10, "/a"), warcOf(t, "three.test", 10, "/a")
	packed := waczOf(t, "data.warc.gz", one)
	files := map[string][]byte{"one.wacz": packed, "more/two.warc.gz": two, "more/deep/both.wacz": collectionOf(t, map[string][]byte{"1.wacz": packed, "2.wacz": waczOf(t, "data.warc.gz", three)}),
		"spoiled.wacz": bytes.Replace(packed, one[40:60], []byte("what is not so here!"), 1)}
	for name, b := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(packed))
	}))
	defer server.Close()
	t.Chdir(dir)
	wants := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	wants(command(t, "import", server.URL+"/x.wacz", "a"), server.URL+"/x.wacz: 1 file with 2 captures, 2 pages listed; the signature is valid.\n")
	wants(command(t, "import", "one.wacz", "--archive", "a"), "one.wacz: all of it is in the archive already.\n")
	wants(command(t, "import", "more", "a"), filepath.FromSlash("more/deep/both.wacz")+": 1 file with 1 capture, 3 pages listed; the signature is valid.\n"+
		filepath.FromSlash("more/two.warc.gz")+": 1 file with 1 capture.\n")
	command(t, "check", "a")
	if found := command(t, "search", "a", "words that scripts made", "--json"); !strings.Contains(found, "http://one.test/b") && !strings.Contains(found, "http://one.test/a") {
		t.Errorf("found %s", found)
	}

	var out, told bytes.Buffer
	status := run([]string{"import", "spoiled.wacz", "a"}, program{in: strings.NewReader(""), out: &out, err: &told})
	if status != exitFailed || !strings.HasPrefix(told.String(), "kavosh: spoiled.wacz: data.warc.gz: ") || strings.Count(told.String(), "\n") != 1 {
		t.Errorf("a package that is not what it says: status %d, %q", status, told.String())
	}
	told.Reset()
	if status := run([]string{"import", "one.wacz"}, program{in: strings.NewReader(""), out: &out, err: &told}); status != exitUsage {
		t.Errorf("without an archive: status %d, %q", status, told.String())
	}
}
