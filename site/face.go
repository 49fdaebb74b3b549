package site

// This file finds what readers recognise a page by in a list: its title and its picture.

import (
	"context"
	"net/http"

	"kavosh/replay"
	"kavosh/search"
	"kavosh/site/draw"
)

// faced is a capture in a list, and where its face goes.
type faced struct {
	replay.Capture
	mime string // its media type; of a revisit, that of the original
	face *draw.Face
}

// recognise fills in the faces of captures that c shows. A capture that the reader of ctx may not see keeps none, and
// neither does one that the server answered with an error or a redirect.
func (s *Site) recognise(ctx context.Context, c *Collection, list []faced) {
	asked := map[*Collection][]search.Payload{}
	of := map[*Collection][]*draw.Face{}
	for _, f := range list {
		if f.Status >= http.StatusMultipleChoices && f.MIME != replay.RevisitMIME {
			continue
		}
		if refused, err := f.Refused(ctx); refused != nil || err != nil {
			continue
		}
		in := s.of(f.Coll)
		asked[in], of[in] = append(asked[in], search.Payload{URL: f.URL, Digest: f.Digest}), append(of[in], f.face)
		if draw.KindOf(f.mime) == "page" && s.takes() && openToAll(&f.Capture) {
			f.face.Picture = c.picturePath(f.URL, f.Timestamp)
		}
	}
	for in, payloads := range asked {
		if in.Titles == nil {
			continue
		}
		for i, title := range in.Titles(payloads) {
			of[in][i].Title = clip(title)
		}
	}
}

// takes reports whether pictures of pages can be taken here.
func (s *Site) takes() bool { return s.camera != nil && s.camera.Works() }
