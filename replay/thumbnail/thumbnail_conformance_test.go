//go:build conformance

package thumbnail

import (
	"bytes"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A picture shows the page, is taken once, and is there for the next camera.
func TestPicture(t *testing.T) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/page" {
			asked.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<body style="background:#00f">`))
	}))
	defer s.Close()
	fs := vfs.NewMem()
	var picture []byte
	c := New(fs, s.URL, func(text string) { t.Log(text) })
	c.unsandboxed = true
	for picture == nil && t.Context().Err() == nil {
		picture = c.Picture(t.Context(), "pictures", "/page")
	}
	c.Close()
	img, err := jpeg.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != Width || b.Dy() != Height {
		t.Errorf("%v", b)
	}
	if r, _, b, _ := img.At(160, 120).RGBA(); r > 0x2000 || b < 0xe000 {
		t.Errorf("not blue: %v", img.At(160, 120))
	}
	again := New(fs, "http://127.0.0.1:1", func(text string) { t.Error(text) })
	defer again.Close()
	if !bytes.Equal(again.Picture(t.Context(), "pictures", "/page"), picture) || asked.Load() != 1 {
		t.Errorf("taken %d times", asked.Load())
	}
}
