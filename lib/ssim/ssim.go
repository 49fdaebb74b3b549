// Package ssim says how alike two pictures look, by the structural similarity index.
package ssim

import (
	"fmt"
	"image"
	"image/draw"
)

// Similarity of two pictures by the structural similarity index (Wang, Bovik, Sheikh, Simoncelli 2004).
type Similarity struct {
	All   float64 // mean over all tiles
	Inked float64 // mean over the tiles that are not one plain colour in both pictures; 1 if there are none
	Tiles int     // number of those tiles
}

const (
	tile   = 8
	stride = 4
	// The index's constants for 8-bit values: (0.01·255)² and (0.03·255)².
	c1 = 6.5025
	c2 = 58.5225
)

// Compare compares two pictures of the same size in grey, over tiles of 8×8 pixels that overlap by half.
func Compare(a, b image.Image) (Similarity, error) {
	if a.Bounds().Size() != b.Bounds().Size() {
		return Similarity{}, fmt.Errorf("pictures of %v and %v", a.Bounds().Size(), b.Bounds().Size())
	}
	x, y := grey(a), grey(b)
	size := x.Rect.Size()
	var sum, inked float64
	n, marked := 0, 0
	for top := 0; top+tile <= size.Y; top += stride {
		for left := 0; left+tile <= size.X; left += stride {
			v, plain := index(x, y, left, top)
			sum += v
			n++
			if !plain {
				inked += v
				marked++
			}
		}
	}
	s := Similarity{All: 1, Inked: 1, Tiles: marked}
	if n > 0 {
		s.All = sum / float64(n)
	}
	if marked > 0 {
		s.Inked = inked / float64(marked)
	}
	return s, nil
}

// index returns the similarity of one tile, and whether it is the same plain colour in both.
func index(x, y *image.Gray, left, top int) (v float64, plain bool) {
	var sx, sy, sxx, syy, sxy float64
	for r := top; r < top+tile; r++ {
		i := r*x.Stride + left
		rx, ry := x.Pix[i:i+tile], y.Pix[r*y.Stride+left:]
		for k, p := range rx {
			p, q := float64(p), float64(ry[k])
			sx += p
			sy += q
			sxx += p * p
			syy += q * q
			sxy += p * q
		}
	}
	const n = tile * tile
	mx, my := sx/n, sy/n
	vx, vy, cov := sxx/n-mx*mx, syy/n-my*my, sxy/n-mx*my
	v = ((2*mx*my + c1) * (2*cov + c2)) / ((mx*mx + my*my + c1) * (vx + vy + c2))
	return v, vx == 0 && vy == 0 && mx == my
}

// grey returns a picture in grey, as large as it is.
func grey(m image.Image) *image.Gray {
	if g, ok := m.(*image.Gray); ok && g.Rect.Min == (image.Point{}) {
		return g
	}
	return Fit(m, m.Bounds().Size())
}

// Fit returns a picture in grey that has a size: what is beyond it at the right and the bottom is cut off, what is missing there is
// white.
func Fit(m image.Image, size image.Point) *image.Gray {
	g := image.NewGray(image.Rectangle{Max: size})
	draw.Draw(g, g.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(g, g.Rect.Intersect(image.Rectangle{Max: m.Bounds().Size()}), m, m.Bounds().Min, draw.Src)
	return g
}

// Shrink returns a picture that is so many times smaller on each side: its pixels are the means of squares. What is left over at the
// right and the bottom is left out.
func Shrink(m *image.Gray, by int) *image.Gray {
	size := m.Rect.Size().Div(by)
	small := image.NewGray(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			sum := 0
			for row := range by {
				at := (y*by+row)*m.Stride + x*by
				for _, v := range m.Pix[at : at+by] {
					sum += int(v)
				}
			}
			small.Pix[y*small.Stride+x] = uint8((sum + by*by/2) / (by * by))
		}
	}
	return small
}
