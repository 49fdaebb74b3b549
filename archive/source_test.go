package archive

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kavosh/lib/wacz"
	"kavosh/lib/warc"
)

// packed packs files with one record each, whose fields are given beside those that all have, as a WACZ file.
func packed(t *testing.T, files ...warc.Header) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "packed.wacz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := wacz.NewWriter(f, "Packed", "", "a test", time.Unix(1e9, 0))
	for i, fields := range files {
		w, err := out.WARC(fmt.Sprintf("%d.warc", i))
		if err != nil {
			t.Fatal(err)
		}
		block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
		if fields.Get("WARC-Type") == "response" {
			block += "<p>hello"
		}
		h := append(warc.Header{{Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Date", Value: "2024-01-02T03:04:05Z"},
			{Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}, fields...)
		if _, err := warc.NewWriter(w, warc.Compression{}).WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Close(key); err != nil {
		t.Fatal(err)
	}
	return path
}

// recordOf has the fields of a record about a page whose payload has a digest.
func recordOf(kind, url string) warc.Header {
	return warc.Header{{Name: "WARC-Type", Value: kind}, {Name: "WARC-Target-URI", Value: url}, {Name: "WARC-Payload-Digest", Value: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"}}
}

// Whoever has seen enough of the captures of a package is given none of its later files.
func TestEnoughOfAPackage(t *testing.T) {
	path := packed(t, recordOf("response", "http://0.test/"), recordOf("response", "http://1.test/"))
	s := Source{Files: []string{path}, Trouble: func(text string) { t.Error(text) }, Broken: func(_ string, err error) error { return err }}
	all := 0
	for _, err := range s.Captures() {
		if err != nil {
			t.Fatal(err)
		}
		all++
	}
	if all != 2 {
		t.Fatalf("%d captures, want 2", all)
	}
	for c := range s.Captures() {
		if c.URL != "http://0.test/" {
			t.Error(c.URL)
		}
		break
	}
}

// What a revisit stands for is read, whether its original lies before it or behind it, in a package too.
func TestRevisitsInAPackage(t *testing.T) {
	path := packed(t, recordOf("revisit", "http://0.test/"), recordOf("response", "http://1.test/"), recordOf("revisit", "http://2.test/"))
	for _, with := range []bool{true, false} {
		answers, got := Answers{Revisits: with}, ""
		err := answers.All(t.Context(), []string{path}, func(a *Answer) error {
			got += a.Name + " " + a.Text + "\n"
			return nil
		})
		want := "http://1.test/ hello\n"
		if with {
			want += "http://2.test/ hello\nhttp://0.test/ hello\n"
		}
		if err != nil || got != want || answers.Skipped != 0 {
			t.Errorf("revisits %v: %v, %d skipped:\n%s", with, err, answers.Skipped, got)
		}
	}
}
