package replay

// This file chooses which capture a request gets.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/httpwire"
	"kavosh/lib/weburl"
	"kavosh/replay/client"
	"kavosh/replay/rewrite"
)

// maxDecoded is the most bytes of one body after its content coding is removed, unless a test sets another bound.
// Bodies are streamed, so this bounds time and not memory.
const maxDecoded = 1 << 30

// player replays captures: it chooses one and sends it.
type player struct {
	router     router
	problems   problems
	mementos   mementos
	client     *client.Scripts
	rules      *rules
	maxSpan    time.Duration
	maxDecoded int64
	decoders   *httpwire.Decoders
}

// role says what the client will use the response for. It comes from the modifier and from the headers that browsers
// set.
type role struct {
	part   bool // a part of a page: a picture, style sheet, script, font, or fetched data
	script bool // a part that is used as a script, whatever its type
	worker bool // a part that is the main script of a worker
	bytes  bool // a part that is not used as markup, whatever its type
	style  bool // a part that is used as a style sheet, whatever its type
	framed bool // a page inside another
	page   bool // a browser shows the response as a page, at the top or in a frame
	banner bool // a page at the top, which has the banner
}

func roleOf(r *http.Request, mod string) role {
	var o role
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "document":
		o.page = true
	case "iframe", "frame", "object", "embed", "fencedframe":
		o.page, o.framed = true, true
	case "style":
		o.part, o.style = true, true
	case "script":
		o.part, o.script = true, true
	case "worker", "sharedworker":
		o.part, o.script, o.worker = true, true, true
	case "image", "font", "audio", "video", "track", "audioworklet", "paintworklet":
		o.part, o.bytes = true, true
	case "":
		// An old browser, a browser on plain HTTP to another machine, or a program.
		o.page = strings.Contains(r.Header.Get("Accept"), "text/html")
		o.framed = o.page && mod == rewrite.Frame
		o.part = !o.page && slices.Contains([]string{rewrite.Image, rewrite.Script, rewrite.Style, rewrite.Object}, mod)
		o.bytes = !o.page && mod == rewrite.Image
		o.script = !o.page && mod == rewrite.Script
		o.style = !o.page && mod == rewrite.Style
	default:
		o.part = true
	}
	o.banner = o.page && !o.framed && mod == rewrite.Page
	return o
}

// kind is how a body is rewritten.
type kind uint8

const (
	asIs kind = iota
	htmlKind
	xmlKind
	cssKind
	scriptKind
	hlsKind
	dashKind
	manifestKind
)

// kindOf returns how a body of the given media type is rewritten for the given role.
func kindOf(media string, o role) kind {
	switch {
	case o.style:
		return cssKind
	case o.script:
		return scriptKind
	case media == "image/svg+xml":
		return xmlKind
	case media == "application/dash+xml":
		return dashKind
	case slices.Contains([]string{"application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl"}, media):
		return hlsKind
	case o.bytes:
		return asIs
	}
	switch media {
	case "text/html":
		return htmlKind
	case "application/xhtml+xml", "text/xml", "application/xml", "text/xsl", "application/xslt+xml":
		return xmlKind
	case "text/css":
		return cssKind
	case "text/javascript", "application/javascript", "application/x-javascript", "application/ecmascript", "text/ecmascript":
		if !o.page {
			return scriptKind
		}
	case "application/manifest+json":
		return manifestKind
	}
	return asIs
}

// show sends the capture of a URL nearest to a time.
//
// A request for a page is redirected to the exact time of its capture, so that the URL says what is shown. A part of a
// page is requested at the page's time and sent without redirect, as its capture nearest to that time. So all parts
// stay close to the time of the page.
func (s *player) show(w http.ResponseWriter, r *http.Request, rt route) {
	o := roleOf(r, rt.mod)
	if rt.mod == rewrite.Frame && o.page && !o.framed && r.Header.Get("Sec-Fetch-Site") == "same-origin" {
		rt.mod = rewrite.Page // a link in a frame opened a page at the top
		redirect(w, rt.coll.Path(rt.time+rt.span, rt.mod, rt.url))
		return
	}
	if prefer(w, r, rt) {
		return
	}
	ctx, at := r.Context(), Moment(rt.time)
	h, wanted, err := s.rules.look(r, rt, at)
	if err != nil {
		s.problems.broken(w, r, rt, err)
		return
	}
	a, err := rt.coll.Pick(ctx, rt.url, rt.time, h.Nearest(wanted, at, wantsRDF(r)), s.problems.trouble)
	switch {
	case errors.Is(err, records.ErrNoOriginal):
		s.problems.answer(w, r, rt, http.StatusNotFound, "no-original")
		return
	case err != nil:
		s.problems.broken(w, r, rt, err)
		return
	case a == nil:
		s.missed(r, rt, o)
		s.problems.answer(w, r, rt, http.StatusNotFound, "no-capture")
		return
	}
	defer a.Close()
	if a.Status >= 400 {
		s.missed(r, rt, o)
	}
	if h.varies() {
		w.Header().Add("Vary", "accept")
	}
	url := a.URL
	if wanted != rt.url {
		url = rt.url // keep the query for the page's own scripts
	}
	if widest := s.within(rt); widest > 0 && (o.part || o.framed) && a.When().Sub(at).Abs() > widest {
		rt.cause = "captured " + a.When().Format(http.TimeFormat)
		s.problems.answer(w, r, rt, http.StatusNotFound, "span")
		return
	}
	w.Header().Set("Server-Timing", `memento;desc="`+a.Timestamp+`"`) // tells the page script the times of its parts
	if o.part || o.framed || r.Method != http.MethodGet && r.Method != http.MethodHead {
		if !SamePath(url, rt.url) {
			redirect(w, rt.coll.Path(rt.time+rt.span, rt.mod, url))
			return
		}
		if a.Timestamp != rt.time {
			w.Header().Set("Content-Location", rt.coll.Path(a.Timestamp+rt.span, rt.mod, url))
		}
	} else if a.Timestamp != rt.time || Canonical(url) != rt.url {
		w.Header().Add("Link", s.mementos.links(r, rt, Canonical(url), h, nil))
		redirect(w, rt.coll.Path(a.Timestamp+rt.span, rt.mod, url))
		return
	}
	w.Header().Set("Memento-Datetime", a.When().Format(http.TimeFormat))
	w.Header().Add("Link", s.mementos.links(r, rt, Canonical(url), h, &a.Capture))
	s.send(w, r, rt, o, h, a)
}

// Pick loads the first candidate for url that can be shown. Its record must be readable, and it must not be a redirect
// to url itself: a capture at http: that redirects to https: has the same key in the index. stamp is the requested
// time: an error is returned at once if an access rule hides the first candidate and it has exactly this time. Pick
// returns nil if there is none.
func (c *Collection) Pick(ctx context.Context, url, stamp string, near []Capture, trouble func(string)) (*Answer, error) {
	var failed error
	for _, one := range near {
		a, err := c.Load(ctx, one)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			if _, refused := errors.AsType[*kavosh.Refused](err); refused {
				if one.Timestamp == stamp && failed == nil {
					return nil, err // exactly this capture was requested
				}
			} else if !errors.Is(err, records.ErrNoOriginal) {
				trouble(fmt.Sprintf("replay of %s %s: %v", one.Timestamp, one.URL, err))
			}
			if failed == nil || errors.Is(failed, records.ErrNoOriginal) {
				failed = err
			}
			continue
		}
		if to := a.Location(); to != "" && weburl.Same(to, url) {
			a.Close()
			continue
		}
		return a, nil
	}
	return nil, failed
}
