package thumbnail

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const width, height = 320, 240

// drawn is a picture of a page: a heading of one colour, and lines of text that begin so far down.
func drawn(t *testing.T, heading color.Color, lines int) []byte {
	t.Helper()
	page := image.NewRGBA(image.Rect(0, 0, width, height))
	fill := func(r image.Rectangle, c color.Color) {
		draw.Draw(page, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	fill(page.Rect, color.White)
	fill(image.Rect(0, 0, width, 30), heading)
	for y := lines; y < height; y += 12 {
		fill(image.Rect(20, y, width-20-(y*7)%40, y+2), color.Gray{90})
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, page, &jpeg.Options{Quality: 70}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Pictures that differ by a line of text look alike from afar; another colour or another arrangement does not.
func TestAlike(t *testing.T) {
	green, red := color.RGBA{0, 120, 90, 255}, color.RGBA{150, 30, 30, 255}
	fs := vfs.NewMem()
	c := &Camera{fs: fs}
	c.mu.held, c.mu.asking = map[string]shot{}, map[string]bool{}
	for path, picture := range map[string][]byte{"/a": drawn(t, green, 50), "/moved": drawn(t, green, 53), "/red": drawn(t, red, 50), "/short": drawn(t, green, 150), "/none": []byte("no picture")} {
		c.write(job{keyOf(path), "pictures", path, nil}, picture)
	}
	for path, alike := range map[string]bool{"/a": true, "/moved": true, "/red": false, "/short": false, "/none": false, "/never-taken": false} {
		for range 2 { // read from the disk, then from memory
			if got := c.Alike([2]string{"pictures", "pictures"}, [2]string{"/a", path}); got != alike {
				t.Errorf("%s looks like /a: %v", path, got)
			}
		}
	}
}
