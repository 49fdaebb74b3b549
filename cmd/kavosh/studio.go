package main

import (
	"context"
	"net/http"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/chromium"
	"kavosh/replay/thumbnail"
)

// studio takes thumbnails of what is served, where Chromium is installed and may shut archived scripts in: not as root,
// for whom it has no sandbox. It starts when the first is asked for. Its browser reads the archived pages by an origin
// of its own on this machine, as a reader from elsewhere: what is kept for certain addresses is in no picture.
type studio struct {
	pages   http.Handler // the replay's, set before the first picture
	trouble func(text string)

	once   sync.Once
	camera *thumbnail.Camera // nil where there can be none
	server *http.Server
}

// Picture is as site.Camera says.
func (s *studio) Picture(ctx context.Context, dir, path string) (picture []byte, coming bool) {
	s.once.Do(s.open)
	if s.camera == nil {
		return nil, false
	}
	return s.camera.Picture(ctx, dir, path)
}

// Alike is as site.Camera says.
func (s *studio) Alike(dirs, paths [2]string) bool {
	s.once.Do(s.open)
	return s.camera != nil && s.camera.Alike(dirs, paths)
}

func (s *studio) open() {
	_, err := chromium.Find()
	if err == nil {
		err = chromium.Sandboxed()
	}
	if err != nil {
		s.trouble("thumbnails are drawn of titles alone: " + err.Error())
		return
	}
	l, err := listen("thumbnails", "127.0.0.1:0", nil)
	if err != nil {
		s.trouble("thumbnails: " + err.Error())
		return
	}
	s.server = l.server(s.pages, maxAsked)
	go s.server.Serve(l)
	s.camera = thumbnail.New(vfs.Default, l.baseURL(), s.trouble)
}

// close ends the browser.
func (s *studio) close() {
	s.once.Do(func() {})
	if s.camera != nil {
		s.camera.Close()
		s.server.Close()
	}
}
