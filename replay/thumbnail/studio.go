package thumbnail

// This file starts the camera when the first picture is asked for.

import (
	"context"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Studio takes thumbnails of served pages, if they can be rendered. It finds that out when the first picture is wanted.
type Studio struct {
	Renderer Renderer
	Check    func() error // why nothing can be rendered; nil if it can
	Trouble  func(text string)

	once   sync.Once
	camera *Camera // nil if there can be none
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
	if err := s.Check(); err != nil {
		s.Trouble("thumbnails are drawn of titles alone: " + err.Error())
		return
	}
	s.camera = New(vfs.Default, s.Renderer, s.Trouble)
}

// Close ends the camera.
func (s *Studio) Close() {
	s.once.Do(func() {})
	if s.camera != nil {
		s.camera.Close()
	}
}
