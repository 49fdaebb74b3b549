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

// Whoever has seen enough of the captures of a package is given none of its later files.
func TestEnoughOfAPackage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.wacz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed := wacz.NewWriter(f, "Two", "", "a test", time.Unix(1e9, 0))
	for i := range 2 {
		w, err := packed.WARC(fmt.Sprintf("%d.warc", i))
		if err != nil {
			t.Fatal(err)
		}
		block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello"
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()},
			{Name: "WARC-Date", Value: "2024-01-02T03:04:05Z"}, {Name: "WARC-Target-URI", Value: fmt.Sprintf("http://%d.test/", i)},
			{Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if _, err := warc.NewWriter(w, warc.Compression{}).WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(key); err != nil {
		t.Fatal(err)
	}
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
