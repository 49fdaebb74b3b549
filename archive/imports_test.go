package archive

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"kavosh/lib/cdx"
	"kavosh/lib/warc"
)

var importedAt = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// foreign is a WARC file of another program with n pages of a host.
func foreign(t *testing.T, host string, n int) []byte {
	t.Helper()
	var file bytes.Buffer
	w := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip})
	for i := range n {
		block := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page %d of %s", i, host)
		var h warc.Header
		h.Add("WARC-Type", "response")
		h.Add("WARC-Record-ID", fmt.Sprintf("<urn:uuid:%x>", sha256.Sum256([]byte(host+fmt.Sprint(i)))))
		h.Add("WARC-Date", "2020-01-31T12:00:00Z")
		h.Add("WARC-Target-URI", fmt.Sprintf("http://%s/%d", host, i))
		h.Add("Content-Type", "application/http;msgtype=response")
		h.Add("Content-Length", fmt.Sprint(len(block)))
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

// incoming is a package of files, which are given by name and content.
func incoming(files ...any) Incoming {
	in := Incoming{Source: "x.wacz", Signature: "none", Pages: func(yield func(ImportedPage, error) bool) {
		yield(ImportedPage{URL: "http://one.test/0", Time: "2020-01-31T12:00:00Z", Title: "Zero", Text: "what scripts wrote"}, nil)
	}}
	for i := 0; i < len(files); i += 2 {
		b := files[i+1].([]byte)
		in.Files = append(in.Files, IncomingFile{Name: files[i].(string), SHA256: fmt.Sprintf("%x", sha256.Sum256(b)), Open: func() (io.Reader, error) { return bytes.NewReader(b), nil }})
	}
	return in
}

// captured are the URLs in the capture log of an archive, which the index must have too.
func captured(t *testing.T, fs vfs.FS, dir string) []string {
	t.Helper()
	log, err := OpenLog(fs, dir)
	if err != nil {
		t.Fatal(err)
	}
	var logged, indexed []string
	for c, err := range log.Read(log.Begin()) {
		if err != nil {
			t.Fatal(err)
		}
		logged = append(logged, c.URL)
	}
	for e, err := range RecordsOf(fs, dir).Index.Query(t.Context(), cdx.Query{URL: "*"}) {
		if err != nil {
			t.Fatal(err)
		}
		indexed = append(indexed, e.URL)
	}
	slices.Sort(logged)
	if slices.Sort(indexed); !slices.Equal(logged, indexed) {
		t.Errorf("logged %q, indexed %q", logged, indexed)
	}
	return logged
}

func TestImport(t *testing.T) {
	fs := vfs.NewMem()
	one, two := foreign(t, "one.test", 3), foreign(t, "two.test", 2)
	done, err := Import(t.Context(), fs, "a", incoming("one.warc.gz", one, "sub/two.warc.gz.open", two), importedAt)
	if err != nil || done.Before || done.Captures != 5 || done.Faults != 0 || done.Pages != 1 || !done.Done || len(done.Files) != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	all := captured(t, fs, "a")
	if want := []string{"http://one.test/0", "http://one.test/1", "http://one.test/2", "http://two.test/0", "http://two.test/1"}; !slices.Equal(all, want) {
		t.Errorf("captures %q", all)
	}
	for page, err := range ImportedPages(fs, "a") {
		if err != nil || page.Title != "Zero" {
			t.Errorf("%+v, %v", page, err)
		}
	}
	again, err := Import(t.Context(), fs, "a", incoming("other name.warc.gz", two, "one.warc.gz", one), importedAt)
	if err != nil || !again.Before || len(captured(t, fs, "a")) != 5 {
		t.Errorf("again: %+v, %v", again, err)
	}
	more, err := Import(t.Context(), fs, "a", incoming("one.warc.gz", one, "three.warc.gz", foreign(t, "three.test", 1)), importedAt)
	if err != nil || more.Captures != 1 || len(captured(t, fs, "a")) != 6 {
		t.Errorf("one that is new: %+v, %v", more, err)
	}
	rebuilt, err := Rebuild(t.Context(), fs, "a", nil)
	if err != nil || rebuilt.Captures != 6 || len(captured(t, fs, "a")) != 6 {
		t.Errorf("rebuilt: %+v, %v", rebuilt, err)
	}
}

// What cannot be imported leaves nothing behind, and says why in one line.
func TestImportRefuses(t *testing.T) {
	one := foreign(t, "one.test", 3)
	lying := incoming("one.warc.gz", one, "two.warc.gz", foreign(t, "two.test", 1))
	lying.Files[1].SHA256 = strings.Repeat("0", 64)
	failing := incoming("one.warc.gz", one)
	failing.Pages = func(yield func(ImportedPage, error) bool) { yield(ImportedPage{}, errors.New("the list is broken")) }
	for _, c := range []struct {
		in    Incoming
		cause string
	}{
		{lying, "two.warc.gz: its SHA-256 should be 000"},
		{failing, "the list is broken"},
		{incoming("empty.warc.gz", []byte{}), "empty.warc.gz: it holds no records"},
		{incoming("page.warc.gz", []byte("<html>")), "page.warc.gz: it holds no records"},
	} {
		fs := vfs.NewMem()
		if _, err := Import(t.Context(), fs, "a", incoming("old.warc.gz", foreign(t, "old.test", 1)), importedAt); err != nil {
			t.Fatal(err)
		}
		_, err := Import(t.Context(), fs, "a", c.in, importedAt)
		if err == nil || !strings.Contains(err.Error(), c.cause) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, c.cause)
		}
		warcs, _ := fs.List("a/warc")
		kept, _ := fs.List("a/imports")
		if all := captured(t, fs, "a"); len(all) != 1 || len(warcs) != 1 || len(kept) != 1 {
			t.Errorf("%s: it left %q, %q, %q", c.cause, all, warcs, kept)
		}
	}
}

// Killed at any write, an import has happened as a whole or not at all once the archive was opened for writing again, and done
// again it is there once.
func TestImportKilled(t *testing.T) {
	mem := vfs.NewCrashableMem()
	if _, err := Import(t.Context(), mem, "a", incoming("old.warc.gz", foreign(t, "old.test", 1)), importedAt); err != nil {
		t.Fatal(err)
	}
	in := incoming("one.warc.gz", foreign(t, "one.test", 3), "two.warc.gz", foreign(t, "two.test", 2))
	var mu sync.Mutex // a database writes beside
	var left []vfs.FS
	watched := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpFileClose && op.Kind != errorfs.OpLock {
			mu.Lock()
			defer mu.Unlock()
			n := len(left) + 1
			left = append(left, mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: n % 3 * 50, RNG: rand.New(rand.NewPCG(1, uint64(n)))}))
		}
		return nil
	}))
	if _, err := Import(t.Context(), watched, "a", in, importedAt); err != nil {
		t.Fatal(err)
	}
	happened := 0
	for kill, fs := range left {
		if _, err := Check(t.Context(), fs, "a", false, func(f warc.Finding) {
			if f.Severity == warc.Fault {
				t.Errorf("kill %d: before anybody mended it: %s", kill, f.String())
			}
		}); err != nil {
			t.Errorf("kill %d: %v", kill, err)
		}
		a, err := Open(fs, "a", nil)
		if err == nil {
			err = errors.Join(a.Close(), a.Unlock())
		}
		if err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		switch n := len(captured(t, fs, "a")); n {
		case 1:
		case 6:
			happened++
		default:
			t.Errorf("kill %d: %d captures", kill, n)
		}
		if kill%3 > 0 { // each is done in one of three
			continue
		}
		if _, err := Import(t.Context(), fs, "a", in, importedAt); err != nil {
			t.Errorf("kill %d: again: %v", kill, err)
		}
		if all := captured(t, fs, "a"); len(all) != 6 || len(slices.Compact(all)) != 6 {
			t.Errorf("kill %d: again: %q", kill, all)
		}
	}
	if happened < 5 || len(left)-happened < 5 {
		t.Errorf("%d kills after it happened, %d in all: too few to tell", happened, len(left))
	}
}
