package thumbnail

// This file tells which pictures of pages look nearly the same.

import (
	"bytes"
	"image"
	"image/jpeg"
)

// A look is a coarse fingerprint of a picture: the mean brightness and the two mean colours of each of its 16 × 12
// parts.
type look [3 * partsAcross * partsDown]uint8

const (
	partsAcross, partsDown = 16, 12
	mostInOne              = 32 // how much one value may differ in pictures that look alike, of 255
	mostInAll              = 3  // how much all values may differ on average
)

// lookOf returns the look of a JPEG picture; ok is false if it is no JPEG.
func lookOf(picture []byte) (l *look, ok bool) {
	decoded, err := jpeg.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, false
	}
	colours, ok := decoded.(*image.YCbCr)
	b := decoded.Bounds()
	if !ok || b.Dx() < partsAcross || b.Dy() < partsDown {
		return nil, false
	}
	l = &look{}
	for part := range partsAcross * partsDown {
		x, y := part%partsAcross, part/partsAcross
		var sum [3]int
		points := 0
		for py := b.Min.Y + y*b.Dy()/partsDown; py < b.Min.Y+(y+1)*b.Dy()/partsDown; py++ {
			for px := b.Min.X + x*b.Dx()/partsAcross; px < b.Min.X+(x+1)*b.Dx()/partsAcross; px++ {
				at := colours.COffset(px, py)
				sum[0] += int(colours.Y[colours.YOffset(px, py)])
				sum[1] += int(colours.Cb[at])
				sum[2] += int(colours.Cr[at])
				points++
			}
		}
		for i := range sum {
			l[3*part+i] = uint8(sum[i] / points)
		}
	}
	return l, true
}

func (l *look) like(other *look) bool {
	all := 0
	for i := range l {
		by := int(l[i]) - int(other[i])
		by = max(by, -by)
		if all += by; by > mostInOne {
			return false
		}
	}
	return all <= mostInAll*len(l)
}

// Alike reports whether the pictures of two paths, kept in dirs, look nearly the same. It returns false while one of
// them is not taken yet.
func (c *Camera) Alike(dirs, paths [2]string) bool {
	var looks [2]*look
	for i, path := range paths {
		if looks[i] = c.look(dirs[i], keyOf(path)); looks[i] == nil {
			return false
		}
	}
	return looks[0].like(looks[1])
}

// look returns the look of a picture that was taken, or nil.
func (c *Camera) look(dir, key string) *look {
	c.mu.Lock()
	held, ok := c.mu.held[key]
	c.mu.Unlock()
	if held.look != nil {
		return held.look
	}
	if !ok {
		held.picture = c.read(dir, key)
	}
	if held.picture == nil {
		return nil
	}
	l, ok := lookOf(held.picture)
	if !ok {
		return nil
	}
	c.hold(key, held.picture)
	c.mu.Lock()
	defer c.mu.Unlock()
	held = c.mu.held[key]
	held.look = l
	c.mu.held[key] = held
	return l
}
