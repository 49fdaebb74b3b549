package replay

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"
)

// Whoever reads the figures must know what they are able to see: a picture is like itself, a missing style sheet or
// picture is far below the bound, a mark in the corner is not.
func TestCompare(t *testing.T) {
	page := func(edit func(*image.Gray)) image.Image {
		m := image.NewGray(image.Rect(0, 0, 1280, 1024))
		for i := range m.Pix {
			m.Pix[i] = 255
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for y := 40; y < 900; y += 20 { // lines of text
			for x := 100; x < 900; x++ {
				if rng.IntN(2) == 0 {
					for k := range 8 {
						m.SetGray(x, y+k, color.Gray{uint8(rng.IntN(80))})
					}
				}
			}
		}
		if edit != nil {
			edit(m)
		}
		return m
	}
	fill := func(r image.Rectangle, v uint8) func(*image.Gray) {
		return func(m *image.Gray) {
			for y := r.Min.Y; y < r.Max.Y; y++ {
				for x := r.Min.X; x < r.Max.X; x++ {
					m.SetGray(x, y, color.Gray{v})
				}
			}
		}
	}
	for _, c := range []struct {
		name        string
		edit        func(*image.Gray)
		least, most float64
	}{
		{"the same", nil, 1, 1},
		{"a mark in the corner", fill(image.Rect(8, 990, 190, 1016), 128), 0.98, 0.9999},
		{"a missing picture", fill(image.Rect(100, 40, 600, 440), 255), 0, 0.95},
		{"another background", func(m *image.Gray) {
			for i, v := range m.Pix {
				if v == 255 {
					m.Pix[i] = 120
				}
			}
		}, 0, 0.9},
		{"nothing at all", fill(image.Rect(0, 0, 1280, 1024), 255), 0, 0.8},
	} {
		s, err := Compare(page(nil), page(c.edit))
		if err != nil || s.All < c.least || s.All > c.most || s.Inked > s.All+1e-12 {
			t.Errorf("%s: %+v, %v; want %v to %v", c.name, s, err, c.least, c.most)
		}
	}
	if _, err := Compare(image.NewGray(image.Rect(0, 0, 8, 8)), image.NewGray(image.Rect(0, 0, 9, 8))); err == nil {
		t.Error("pictures of two sizes were compared")
	}
}
