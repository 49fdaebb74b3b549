package replay

// This file answers Memento's timegates, and writes its links.

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"kavosh/lib/weburl"
	"kavosh/replay/rewrite"
)

// mementos answers Memento (RFC 7089): timegates, timemaps and the links between them.
type mementos struct {
	problems  problems
	addresses *Addresses
	now       func() time.Time
}

// acceptDatetime reads the Accept-Datetime header. It returns the zero time if there is none, and false if it is not
// one date in the form of RFC 7089.
func acceptDatetime(r *http.Request) (time.Time, bool) {
	switch vs := r.Header.Values("Accept-Datetime"); len(vs) {
	case 0:
		return time.Time{}, true
	case 1:
		t, err := time.Parse(http.TimeFormat, strings.TrimSpace(vs[0]))
		return t, err == nil
	}
	return time.Time{}, false
}

// preferred returns the modifier for the form of a page that a request prefers, and the name of that form. The names in
// the Prefer header (RFC 7240) are those of pywb and of the Memento community. Unknown names are ignored, as the RFC
// demands. So is banner-only: a page with its links unchanged would load from the live web.
func preferred(r *http.Request) (mod, name string) {
	for _, value := range r.Header.Values("Prefer") {
		for p := range strings.SplitSeq(value, ",") {
			p, _, _ = strings.Cut(p, ";")
			switch name := strings.ToLower(strings.TrimSpace(p)); name {
			case "raw", "original-content":
				return rewrite.Raw, name
			case "rewritten", "url-rewritten":
				return rewrite.Frame, name
			}
		}
	}
	return "", ""
}

// prefer redirects a request that prefers another form of a page, and reports whether it did.
func prefer(w http.ResponseWriter, r *http.Request, rt route) bool {
	if rt.mod != rewrite.Page && rt.mod != rewrite.Frame && rt.mod != rewrite.Raw {
		return false
	}
	w.Header().Add("Vary", "prefer")
	mod, name := preferred(r)
	if name == "" {
		return false
	}
	w.Header().Set("Preference-Applied", name)
	if mod == rt.mod {
		return false
	}
	w.Header().Set("Location", "/"+rt.coll.Name+"/"+rt.time+mod+"/"+rt.url)
	w.WriteHeader(http.StatusTemporaryRedirect)
	return true
}

// timegate redirects the client to the capture nearest to its Accept-Datetime, or without one to the newest capture.
// This is pattern 2.1 of RFC 7089.
func (s *mementos) timegate(w http.ResponseWriter, r *http.Request, rt route) {
	w.Header().Set("Vary", "accept-datetime")
	w.Header().Add("Vary", "prefer")
	at, ok := acceptDatetime(r)
	if at.IsZero() {
		at = s.now()
	}
	h, err := rt.coll.History(r.Context(), rt.url, at)
	switch {
	case err != nil:
		s.problems.broken(w, r, rt, err)
		return
	case !ok:
		w.Header().Add("Link", s.links(r, rt, rt.url, h, nil))
		s.problems.answer(w, r, rt, http.StatusBadRequest, "accept-datetime")
		return
	case h.Count == 0:
		s.problems.answer(w, r, rt, http.StatusNotFound, "no-capture")
		return
	}
	if h.varies() {
		w.Header().Add("Vary", "accept")
	}
	if mod, name := preferred(r); name != "" {
		w.Header().Set("Preference-Applied", name)
		rt.mod = mod
	}
	nearest := h.Nearest(rt.url, at, wantsRDF(r))[0]
	w.Header().Add("Link", s.links(r, rt, rt.url, h, nil))
	redirect(w, rt.coll.Path(nearest.Timestamp, rt.mod, nearest.URL))
}

// links returns the Link header of Memento. With a capture, it is the header of a memento: original, timegate, timemap,
// and the first, previous, this, next and last memento. Without one, it is the header of the timegate or of a redirect.
func (s *mementos) links(r *http.Request, rt route, url string, h History, at *Capture) string {
	base := s.addresses.self(r)
	parts := []string{fmt.Sprintf(`<%s>; rel="original"`, url)}
	if rt.verb != timegate {
		parts = append(parts, fmt.Sprintf(`<%s/%s/timegate/%s>; rel="timegate"`, base, rt.coll.Name, url))
	}
	parts = append(parts, fmt.Sprintf(`<%s/%s/timemap/link/%s>; rel="timemap"; type="application/link-format"`, base, rt.coll.Name, url))
	if h.Count == 0 {
		return strings.Join(parts, ", ")
	}
	var prev, next *Capture
	if at != nil {
		prev, next = h.Neighbours(at)
	}
	type named struct {
		rel string
		c   *Capture
	}
	var last string
	for _, m := range []named{{"first", &h.First}, {"prev", prev}, {"", at}, {"next", next}, {"last", &h.Last}} {
		if m.c == nil || m.c.Timestamp == last {
			continue
		}
		last = m.c.Timestamp
		rel := "memento"
		for _, n := range []named{{"last", &h.Last}, {"next", next}, {"prev", prev}, {"first", &h.First}} {
			if n.c != nil && n.c.Timestamp == m.c.Timestamp {
				rel = n.rel + " " + rel
			}
		}
		parts = append(parts, fmt.Sprintf(`<%s%s>; rel="%s"; datetime="%s"`, base,
			rt.coll.Path(m.c.Timestamp, "", m.c.URL), rel, m.c.When().Format(http.TimeFormat)))
	}
	return strings.Join(parts, ", ")
}

// Path returns the path of a capture on the replay's origin.
func (c *Collection) Path(time, mod, url string) string {
	return "/" + c.Name + "/" + time + mod + "/" + Canonical(url)
}

// Canonical writes a captured URL as browsers do, so that it is safe in headers and pages. In a URL that cannot be
// parsed it escapes unsafe bytes.
func Canonical(url string) string {
	if key, err := weburl.Key(url); err == nil {
		return key
	}
	return weburl.Escape(url)
}

// redirect redirects the client to another path of this origin.
func redirect(w http.ResponseWriter, path string) {
	w.Header().Set("Location", path)
	w.WriteHeader(http.StatusFound)
}
