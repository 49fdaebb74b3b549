package site

// This file shows the parts of a captured page, so that somebody can point at the one that is to be watched.

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"kavosh"
	"kavosh/change"
	"kavosh/pages"
	"kavosh/replay"
	"kavosh/site/draw"
)

// maxParts is how many parts of a page are shown.
const maxParts = 500

// Parts shows a capture with its parts drawn over it. Its script looks into the frame of the capture, as that of a comparison
// does.
func (s replayPages) Parts(w http.ResponseWriter, r *http.Request, a replay.Asked) (found bool, err error) {
	lang, c := s.langOf(r, a), s.of(a.Coll)
	if !s.ownWindow(w, r, a) {
		return true, nil
	}
	p := &draw.Parts{Collection: c.summary(), URL: a.URL, Calendar: "/" + c.Name + "/*" + string(lang) + "/" + a.URL, Archive: "ARCHIVE",
		Switch: func(l pages.Lang) string { return partsPath(c, a.Time, string(l), a.URL) }}
	if c.Dir != "" {
		p.Archive = filepath.Base(c.Dir)
	}
	e, err := s.side(r.Context(), c, a.URL, a.Time, &p.Side)
	if e == nil || err != nil {
		return false, err
	}
	if !change.IsPage(&e.Entry) {
		s.Problem(w, r, replay.Problem{Asked: a, Status: http.StatusNotFound, Kind: "no-parts"})
		return true, nil
	}
	page, err := (&change.Reader{Records: e.Coll.Records}).Page(r.Context(), &e.Entry)
	if err != nil {
		return false, err
	}
	for _, b := range change.Blocks(page) {
		if len(p.List) == maxParts {
			p.More = true
			break
		}
		l := kavosh.Lens{Block: e.Timestamp + "/" + fmt.Sprintf("%016x", b.ID)}
		part := draw.Part{Place: string(b.Place), Lens: l}
		for _, t := range b.Texts {
			part.Words = append(part.Words, clip(t))
		}
		for _, link := range b.Links {
			if name := strings.TrimSpace(link.Name); name != "" {
				part.Words = append(part.Words, clip(name))
			}
		}
		for _, i := range b.Images {
			part.Pictures = append(part.Pictures, clip(i.Name))
		}
		if s.addresses.Home != "" {
			part.Feed = c.page("changes?") + url.Values{"url": {e.URL}, "block": {l.Block}}.Encode()
		}
		p.List = append(p.List, part)
	}
	p.URL = e.URL
	s.draw.Parts(w, r, lang, p)
	return true, nil
}

// partsPath returns the URL of the parts of a capture, in a language.
func partsPath(c *Collection, stamp, lang, url string) string {
	return "/" + c.Name + "/" + stamp + "parts" + lang + "/" + replay.Canonical(url)
}
