package browser

// This file makes pictures and texts of a page that has loaded.

import (
	"context"
	"errors"
	"fmt"
	"image"

	"kavosh"
	"kavosh/internal/chromium/shown"
)

// thumbnailed is the area of the page that a thumbnail shows, in CSS pixels, and thumbnailScale its size beside it.
var thumbnailed = image.Pt(1280, 960)

const thumbnailScale = 0.5

// render makes what is asked for, one after the other, each within patience. What cannot be made of the page is noted.
func (l *load) render(ctx, tab context.Context) {
	for _, kind := range l.b.o.Render {
		data, note, err := l.made(ctx, tab, kind)
		hangs := errors.Is(err, context.DeadlineExceeded)
		switch {
		case hangs:
			note = fmt.Sprintf("browser: no %s of it: it does not answer", kind)
		case err != nil:
			note = fmt.Sprintf("browser: no %s of it: %v", kind, err)
		}
		if note != "" {
			l.note(note)
		}
		if len(data) > 0 {
			l.loaded.Renderings = append(l.loaded.Renderings, kavosh.Rendering{Kind: kind, Data: data})
		}
		if hangs {
			return // it would keep nothing else either
		}
	}
}

// made makes one rendering. note says what of it is missing; "" for nothing.
func (l *load) made(ctx, tab context.Context, kind kavosh.RenderingKind) (data []byte, note string, err error) {
	within, cancel := context.WithTimeout(tab, patience)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	text, whole := "", true
	switch kind {
	case kavosh.ViewPicture:
		data, err = shown.View(within)
	case kavosh.FullPicture:
		var cut int
		if data, cut, err = shown.Full(within); cut > 0 {
			note = fmt.Sprintf("browser: the picture of the full page shows %d of its %d pixels", shown.MaxHeight, cut)
		}
	case kavosh.ThumbnailPicture:
		data, err = shown.Thumbnail(within, thumbnailed, thumbnailScale)
	case kavosh.RenderedDOM:
		text, whole, err = shown.Document(within)
	case kavosh.RenderedText:
		text, whole, err = shown.Text(within)
	}
	if !whole {
		note = fmt.Sprintf("browser: the %s is cut after %d bytes", kind, len(text))
	}
	if data == nil {
		data = []byte(text)
	}
	return data, note, err
}
