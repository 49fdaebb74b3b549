package ssim

import (
	"image"
	"image/color"
	"math"
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

// The index of two plain pictures is (2ab + c1) / (a² + b² + c1), as the publication has it; of a picture of stripes and its negative
// it is -1 but for the constants.
func TestKnownValues(t *testing.T) {
	plain := func(v uint8) *image.Gray {
		m := image.NewGray(image.Rect(0, 0, 64, 64))
		for i := range m.Pix {
			m.Pix[i] = v
		}
		return m
	}
	stripes, negative := plain(0), plain(0)
	for i := range stripes.Pix {
		stripes.Pix[i], negative.Pix[i] = 255*uint8(i%2), 255*uint8(1-i%2)
	}
	variance, c2 := 127.5*127.5, 58.5225
	for _, c := range []struct {
		a, b *image.Gray
		want float64
	}{
		{plain(100), plain(100), 1},
		{plain(0), plain(255), 6.5025 / (255*255 + 6.5025)},
		{plain(100), plain(200), (2*100*200 + 6.5025) / (100*100 + 200*200 + 6.5025)},
		{stripes, stripes, 1},
		{stripes, negative, (-2*variance + c2) / (2*variance + c2)},
	} {
		s, err := Compare(c.a, c.b)
		if err != nil || math.Abs(s.All-c.want) > 1e-9 {
			t.Errorf("%v, %v; want %v", s.All, err, c.want)
		}
	}
}

// A picture that is fitted has white where it had nothing, and one that is shrunk the means of its squares.
func TestFitAndShrink(t *testing.T) {
	m := image.NewGray(image.Rect(3, 5, 5, 7))
	copy(m.Pix, []uint8{10, 20, 30, 40})
	fitted := Fit(m, image.Pt(4, 2))
	if got := string(fitted.Pix); got != "\x0a\x14\xff\xff\x1e\x28\xff\xff" {
		t.Errorf("fitted: %x", got)
	}
	if small := Shrink(fitted, 2); small.Rect.Size() != image.Pt(2, 1) || small.Pix[0] != 25 || small.Pix[1] != 255 {
		t.Errorf("shrunk: %v %v", small.Rect, small.Pix)
	}
}
