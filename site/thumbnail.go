package site

// This file hands out pictures of archived pages.

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"time"
	"unicode"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/pages"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// Camera takes pictures of replayed pages.
type Camera interface {
	// Works reports whether there is a browser to take pictures with.
	Works() bool
	// Picture returns a JPEG picture of the page at a path of the replay's origin, or nil. Then coming says whether
	// there may be one soon. Pictures are kept in dir, unless it is "".
	Picture(ctx context.Context, dir, path string) (picture []byte, coming bool)
	// Alike reports whether two pictures, given by folders and paths, were taken and look nearly the same.
	Alike(dirs, paths [2]string) bool
}

// picturePath returns the URL of a capture's picture.
func (c *Collection) picturePath(address, stamp string) string {
	return c.capturePath("thumbnail", address, stamp)
}

// shotPath returns the path of the page that the camera takes a picture of.
func shotPath(e *replay.Capture) string {
	path := e.Coll.Path(e.Timestamp, rewrite.Frame, e.URL)
	if e.Coll.Gate != nil {
		path += e.Coll.Gate.Edition() // since an older picture, a rule may have closed a part of the page
	}
	return path
}

// picturePage sends the picture of a captured page, or a placeholder with its title if there is none yet.
func (s *Site) picturePage(w http.ResponseWriter, r *http.Request, c *Collection) {
	ctx := r.Context()
	e, err := c.exactly(ctx, r.FormValue("url"), r.FormValue("time"))
	if err != nil || e == nil {
		s.problem(w, r, http.StatusNotFound, "no-capture", "")
		return
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	title, coming := "", false
	a, err := c.Load(ctx, *e) // fails if this reader may not see the page
	if err == nil {
		defer a.Close()
		picture := c.thumbnailThen(ctx, e)
		if picture == nil && s.camera != nil && openToAll(e) && a.Status == http.StatusOK && draw.KindOf(replay.MediaType(a.Get("Content-Type"))) == "page" {
			picture, coming = s.camera.Picture(ctx, s.of(e.Coll).Pictures, shotPath(e))
		}
		if picture != nil {
			h.Set("Content-Type", "image/jpeg")
			h.Set("Cache-Control", "private, no-cache") // a rule may close the page later
			h.Set("ETag", etagOf(picture))
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(picture))
			return
		}
		if page := s.pageOf(a); page != nil {
			title = clip(page.Title)
		}
	}
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Cache-Control", "no-store")
	w.Write(placeholder(hostOf(e.URL), title, coming))
}

// maxPicture is how many bytes of a recorded picture are sent.
const maxPicture = 1 << 20

// madeThen returns the capture of a rendering that was recorded with a page when it was captured, or nil.
func (c *Collection) madeThen(ctx context.Context, page *replay.Capture, kind kavosh.RenderingKind) *replay.Capture {
	url := kind.URL(page.URL)
	for e, err := range c.Captures(ctx, cdx.Query{URL: url, MatchType: cdx.Exact, From: page.Timestamp, To: page.Timestamp}) {
		if err != nil {
			return nil
		}
		if e.URL == url && e.MIME == kind.Type() {
			return &e
		}
	}
	return nil
}

// thumbnailThen returns the thumbnail that was recorded with a page, or nil.
func (c *Collection) thumbnailThen(ctx context.Context, page *replay.Capture) []byte {
	e := c.madeThen(ctx, page, kavosh.ThumbnailPicture)
	if e == nil {
		return nil
	}
	a, err := c.Load(ctx, *e)
	if err != nil {
		return nil
	}
	defer a.Close()
	picture, err := io.ReadAll(io.LimitReader(a.Body, maxPicture+1))
	if err != nil || len(picture) > maxPicture {
		return nil
	}
	return picture
}

// openToAll reports whether everybody may see a capture. Of a closed one, the camera would take a picture of the error
// page.
func openToAll(e *replay.Capture) bool {
	refused, err := e.Refused(context.Background())
	return refused == nil && err == nil
}

// The most lines of a placeholder, and letters of a line.
const (
	placeLines   = 5
	placeLetters = 24
)

// placeholder draws a picture for a page that has none: its title, in colours chosen by its host. If a picture is
// coming, it has half the size, which tells page.js to ask again.
func placeholder(host, title string, coming bool) []byte {
	f := fnv.New32a()
	f.Write([]byte(host))
	hue := f.Sum32() % 360
	if title == "" {
		title = host
	}
	var b bytes.Buffer
	width, height := 320, 240
	if coming {
		width, height = 160, 120
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240" width="%d" height="%d" font-family="sans-serif"><rect width="320" height="240" fill="hsl(%d 35%% 92%%)"/><rect width="320" height="34" fill="hsl(%d 40%% 35%%)"/>`, width, height, hue, hue)
	text := func(y, size int, fill, s string) {
		x, way := 16, "ltr"
		if rightToLeft(s) {
			x, way = 304, "rtl"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="%d" fill="%s" direction="%s">`, x, y, size, fill, way)
		xml.EscapeText(&b, []byte(s))
		b.WriteString("</text>")
	}
	text(22, 13, "#fff", cut(host, 38))
	for i, line := range lines(title) {
		text(72+30*i, 20, "#222", line)
	}
	b.WriteString("</svg>")
	return b.Bytes()
}

// rightToLeft reports whether the first letter of s is written from right to left.
func rightToLeft(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) {
			return pages.RightToLeft(r)
		}
	}
	return false
}

// lines breaks a title into lines at its blanks.
func lines(title string) []string {
	var list []string
	line := ""
	for _, word := range bytes.Fields([]byte(title)) {
		switch w := cut(string(word), placeLetters); {
		case line == "":
			line = w
		case len([]rune(line))+1+len([]rune(w)) <= placeLetters:
			line += " " + w
		default:
			list, line = append(list, line), w
		}
		if len(list) == placeLines {
			return list
		}
	}
	return append(list, line)
}

// cut shortens s to most letters.
func cut(s string, most int) string {
	letters := []rune(s)
	if len(letters) <= most {
		return s
	}
	return string(letters[:most-1]) + "…"
}
