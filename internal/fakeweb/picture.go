package fakeweb

// This file paints the pictures of a made-up web.

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"
)

// picture paints hills under a sky: "640x360,#f4d7a1,#1f5f5b" is its size and two colours. The same spec always gives
// the same bytes.
func picture(spec string) ([]byte, error) {
	parts := strings.Split(spec, ",")
	var w, h int
	if _, err := fmt.Sscanf(parts[0], "%dx%d", &w, &h); err != nil || w < 1 || h < 1 || w*h > 1<<24 {
		return nil, fmt.Errorf("png=%s: size must be WIDTHxHEIGHT, at most 16 million points", spec)
	}
	colours := [2]color.RGBA{{0xf4, 0xd7, 0xa1, 255}, {0x1f, 0x5f, 0x5b, 255}}
	for i, p := range parts[1:] {
		n, err := strconv.ParseUint(strings.TrimPrefix(p, "#"), 16, 24)
		if err != nil || i > 1 {
			return nil, fmt.Errorf("png=%s: %q is not a colour such as #1f5f5b", spec, p)
		}
		colours[i] = color.RGBA{byte(n >> 16), byte(n >> 8), byte(n), 255}
	}
	sky, land := colours[0], colours[1]
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for x := range w {
		fx := float64(x) / float64(w)
		var tops [4]float64 // of the hills in this column, the farthest first
		for hill := range tops {
			k := float64(hill)
			tops[hill] = 0.48 + k*0.13 + 0.09*math.Sin(fx*(5+k*2)+k*1.9+float64(land.R)*0.7+float64(land.B)*0.3) + 0.03*math.Sin(fx*(17-k*3)+k)
		}
		for y := range h {
			fy := float64(y) / float64(h)
			c := mix(color.RGBA{255, 255, 255, 255}, sky, 1-fy*0.8)
			if math.Hypot((fx-0.72)*float64(w)/float64(h), fy-0.3) < 0.11 {
				c = mix(c, color.RGBA{255, 255, 255, 255}, 0.75) // the sun
			}
			for hill, top := range tops {
				if fy > top {
					c = mix(sky, land, 0.4+float64(hill)*0.2)
				}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// mix mixes a and b in the proportion 1-t to t.
func mix(a, b color.RGBA, t float64) color.RGBA {
	m := func(x, y uint8) uint8 { return uint8(float64(x)*(1-t) + float64(y)*t) }
	return color.RGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), 255}
}
