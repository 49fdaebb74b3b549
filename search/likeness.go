package search

// This file tells by a small hash which pictures look alike. Pictures are hostile input: their size is bounded before
// they are decoded.

import (
	"bytes"
	"image"
	_ "image/gif" // pictures are read in these formats
	_ "image/jpeg"
	_ "image/png"
	"math"

	_ "golang.org/x/image/webp"
)

// These constants bound the pictures that are looked at.
const (
	mostPixels = 40 << 20
	leastSide  = 16 // pixels: smaller ones are dots and lines, which all look the same
)

// likeness returns the perceptual hash of a picture: 64 bits that stay nearly the same when it is scaled, compressed in
// another way, or made a little lighter. Each bit says whether one of 8 by 8 parts is darker than the part to its right
// (difference hash). It returns 0 for what is no picture, too small, too large, or of one colour.
func likeness(payload []byte) uint64 {
	size, _, err := image.DecodeConfig(bytes.NewReader(payload))
	if err != nil || size.Width < leastSide || size.Height < leastSide || size.Width > mostPixels/size.Height {
		return 0
	}
	picture, _, err := image.Decode(bytes.NewReader(payload))
	if err != nil {
		return 0
	}
	light := shrink(picture)
	var hash uint64
	for y := range 8 {
		for x := range 8 {
			hash <<= 1
			if light[y][x]+0.5 < light[y][x+1] {
				hash |= 1
			}
		}
	}
	return hash
}

// shrink returns the brightness of 9 by 8 parts of a picture, from 0 to 255: the mean of at most sampled × sampled
// pixels each.
func shrink(picture image.Image) (light [8][9]float64) {
	const sampled = 16
	b := picture.Bounds()
	for y := range 8 {
		for x := range 9 {
			x0, x1 := b.Min.X+b.Dx()*x/9, b.Min.X+b.Dx()*(x+1)/9
			y0, y1 := b.Min.Y+b.Dy()*y/8, b.Min.Y+b.Dy()*(y+1)/8
			sum, n := 0.0, 0.0
			for i := range sampled {
				for j := range sampled {
					r, g, blue, a := picture.At(x0+(x1-x0)*i/sampled, y0+(y1-y0)*j/sampled).RGBA()
					white := float64(0xFFFF - a) // transparent pixels count as white
					sum += 0.299*(float64(r)+white) + 0.587*(float64(g)+white) + 0.114*(float64(blue)+white)
					n++
				}
			}
			light[y][x] = math.Floor(sum / n / 257)
		}
	}
	return light
}
