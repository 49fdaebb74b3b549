package thumbnail

// This file starts the browser that takes pictures, when the first is asked for.

import (
	"context"
	"net/http"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/chromium"
	"kavosh/internal/knownhosts"
)

// Studio takes thumbnails of served pages, if Chromium is installed and can confine archived scripts. It starts when the
// first picture is wanted. Its browser reads the archived pages through an origin of its own on this machine, like a
// reader from elsewhere. So captures that are only for readers on site are in no picture.
type Studio struct {
	Pages   http.Handler // the replay's
	Trouble func(text string)

	once   sync.Once
	camera *Camera // nil if there can be none
	server *http.Server
}

// Works reports whether pictures can be taken.
func (s *Studio) Works() bool {
	s.once.Do(s.open)
	return s.camera != nil
}

// Picture does the same as Camera.Picture.
func (s *Studio) Picture(ctx context.Context, dir, path string) (picture []byte, coming bool) {
	if !s.Works() {
		return nil, false
	}
	return s.camera.Picture(ctx, dir, path)
}

// Alike does the same as Camera.Alike.
func (s *Studio) Alike(dirs, paths [2]string) bool {
	return s.Works() && s.camera.Alike(dirs, paths)
}

func (s *Studio) open() {
	if err := chromium.Check(); err != nil {
		s.Trouble("thumbnails are drawn of titles alone: " + err.Error())
		return
	}
	var l *knownhosts.Listener
	at, err := knownhosts.ParseAddress("thumbnails", "127.0.0.1:0", nil)
	if err == nil {
		l, err = at.Listen()
	}
	if err != nil {
		s.Trouble("thumbnails: " + err.Error())
		return
	}
	s.server = l.Server(s.Pages, knownhosts.MaxAsked)
	go s.server.Serve(l)
	s.camera = New(vfs.Default, l.URL(), s.Trouble)
}

// Close ends the browser.
func (s *Studio) Close() {
	s.once.Do(func() {})
	if s.camera != nil {
		s.camera.Close()
		s.server.Close()
	}
}
