package shown

import (
	"context"
	"fmt"
	"image"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// View returns a PNG picture of what the tab's window shows.
func View(tab context.Context) ([]byte, error) {
	return shoot(tab, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng})
}

// Full returns a PNG picture of the whole page, as wide as the tab's window. If the page is higher than MaxHeight, cut
// is its height and the picture shows its top; else cut is 0.
func Full(tab context.Context) (picture []byte, cut int, err error) {
	m, err := chromedp.Call(tab, page.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return nil, 0, err
	}
	if m.CSSContentSize == nil || m.CSSLayoutViewport == nil {
		return nil, 0, ErrEmpty
	}
	clip := &page.Viewport{Width: float64(m.CSSLayoutViewport.ClientWidth), Height: m.CSSContentSize.Height, Scale: 1}
	if clip.Height > MaxHeight {
		cut, clip.Height = int(min(clip.Height, 1e9)), MaxHeight
	}
	if clip.Width < 1 || clip.Height < 1 {
		return nil, 0, ErrEmpty
	}
	beyond := true
	picture, err = shoot(tab, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, Clip: clip, CaptureBeyondViewport: &beyond})
	return picture, cut, err
}

// Thumbnail returns a small JPEG picture of the top of the page. It shows an area of the given size in CSS pixels, and
// is by is scale as large, such as 0.25.
func Thumbnail(tab context.Context, area image.Point, scale float64) ([]byte, error) {
	quality := int64(70)
	return shoot(tab, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatJpeg, Quality: &quality,
		Clip: &page.Viewport{Width: float64(area.X), Height: float64(area.Y), Scale: scale}})
}

func shoot(tab context.Context, p page.CaptureScreenshotParams) ([]byte, error) {
	shot, err := chromedp.Call(tab, page.CaptureScreenshot, p)
	switch {
	case err != nil:
		return nil, fmt.Errorf("no picture: %w", err)
	case len(shot.Data) == 0:
		return nil, ErrEmpty
	case len(shot.Data) > MaxPicture:
		return nil, tooLarge("the picture", len(shot.Data), MaxPicture)
	}
	return shot.Data, nil
}
