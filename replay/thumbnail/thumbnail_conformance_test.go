//go:build conformance

package thumbnail

import (
	"bytes"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/replay/render"
)

// A picture shows the page, is taken once, and is there for the next camera.
func TestPicture(t *testing.T) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/page" {
			asked.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Memento-Datetime", "Thu, 01 Jan 2026 00:00:00 GMT")
		w.Write([]byte(`<body style="background:#00f">`))
	}))
	defer s.Close()
	fs := vfs.NewMem()
	var picture []byte
	r := &render.Renderer{Pages: s.Config.Handler}
	defer r.Close()
	c := New(fs, r, func(text string) { t.Log(text) })
	for picture == nil && t.Context().Err() == nil {
		picture, _ = c.Picture(t.Context(), "pictures", "/page")
	}
	c.Close()
	img, err := jpeg.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != width || b.Dy() != height {
		t.Errorf("%v", b)
	}
	if r, _, b, _ := img.At(160, 120).RGBA(); r > 0x2000 || b < 0xe000 {
		t.Errorf("not blue: %v", img.At(160, 120))
	}
	again := New(fs, r, func(text string) { t.Error(text) })
	defer again.Close()
	if kept, _ := again.Picture(t.Context(), "pictures", "/page"); !bytes.Equal(kept, picture) || asked.Load() != 1 {
		t.Errorf("taken %d times", asked.Load())
	}
}

// A page that fails is tried again a few times, then no more.
func TestTriesAgain(t *testing.T) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/never" || r.URL.Path == "/later" && asked.Add(1) == 1 {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound) // where no browser goes
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Memento-Datetime", "Thu, 01 Jan 2026 00:00:00 GMT")
		w.Write([]byte("here"))
	}))
	defer s.Close()
	failed := make(chan string, 2*maxTries)
	r := &render.Renderer{Pages: s.Config.Handler}
	defer r.Close()
	c := New(vfs.NewMem(), r, func(text string) { failed <- text })
	defer c.Close()
	c.pause = time.Millisecond
	get := func(path string) []byte {
		for t.Context().Err() == nil {
			if picture, coming := c.Picture(t.Context(), "", path); !coming {
				return picture
			}
		}
		return nil
	}
	if get("/later") == nil || len(failed) != 1 {
		t.Errorf("no picture of a page that failed once; %d failures", len(failed))
	}
	if get("/never") != nil || len(failed) != 1+maxTries {
		t.Errorf("%d failures", len(failed))
	}
}
