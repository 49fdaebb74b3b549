package site

import (
	"net/http"
	"net/url"
	"strings"

	"kavosh/lib/warc"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// Calendar shows all captures of a URL. For "example.com/*" it redirects to the list of URLs with this beginning.
func (s replayPages) Calendar(w http.ResponseWriter, r *http.Request, a replay.Asked) (found bool, err error) {
	in := s.of(a.Coll)
	if prefix, ok := strings.CutSuffix(a.URL, "*"); ok && s.addresses.Home != "" {
		w.Header().Set("Location", in.page("pages?prefix=")+url.QueryEscape(prefix))
		w.WriteHeader(http.StatusFound)
		return true, nil
	}
	c := draw.NewCalendar(s.langOf(r, a), in.summary(), a.URL, "/"+in.Name+"/")
	c.Within = a.Time
	c.Timemap = "/" + in.Name + "/timemap/link/" + a.URL
	if s.addresses.Home != "" {
		c.Changes, c.Compare = in.page(""), in.page("compare")
	}
	if s.camera != nil {
		c.Alike = func(a, b *draw.Row) bool {
			return s.camera.Alike([2]string{a.Kept, b.Kept}, [2]string{a.Shot, b.Shot})
		}
	}
	digest := ""
	for e, err := range in.Of(r.Context(), a.URL) {
		if err != nil {
			return false, err
		}
		if !strings.HasPrefix(e.Timestamp, a.Time) {
			digest = e.Digest
			continue
		}
		c.Approximate = !replay.SamePath(e.URL, a.URL)
		row := draw.Row{Time: e.When(), Stamp: e.Timestamp, Path: in.Path(e.Timestamp, rewrite.Page, e.URL), Status: e.Status, MIME: e.MIME, Length: e.Length,
			Same: e.MIME == replay.RevisitMIME || warc.SameDigest(e.Digest, digest) && digest != ""}
		if s.addresses.Home != "" {
			row.Details, row.Picture = in.detailsPath(e.URL, e.Timestamp), in.picturePath(e.URL, e.Timestamp)
			if s.camera != nil && !row.Same && row.Status == http.StatusOK {
				row.Shot, row.Kept = shotPath(&e), s.of(e.Coll).Pictures
			}
		}
		digest = e.Digest
		c.Add(row)
	}
	if c.Count == 0 {
		return false, nil
	}
	s.draw.Calendar(w, r, c)
	return true, nil
}
