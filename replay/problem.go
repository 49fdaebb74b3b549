package replay

// This file sends error pages on the replay's origin.

import (
	"errors"
	"net/http"
	"time"

	"kavosh"
)

// Problem says why there is nothing to show for a request.
type Problem struct {
	Asked
	Status int
	Kind   string    // "no-capture", "no-original", …
	Cause  string    // in English, for who runs the server; "" for none
	Opens  time.Time // when an embargo ends that hides what was asked for; otherwise zero
}

// problems sends error pages.
type problems struct {
	pages   Pages
	trouble func(text string)
}

// broken sends an error that is the archive's own fault.
func (s *problems) broken(w http.ResponseWriter, r *http.Request, rt route, err error) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	if refused, ok := errors.AsType[*kavosh.Refused](err); ok {
		s.refuse(w, r, rt, refused)
		return
	}
	s.trouble("replay of " + rt.url + ": " + err.Error())
	rt.cause = err.Error()
	s.answer(w, r, rt, http.StatusInternalServerError, "broken")
}

// refuse sends an error for what an access rule hides from this reader.
func (s *problems) refuse(w http.ResponseWriter, r *http.Request, rt route, refused *kavosh.Refused) {
	if !refused.Until.IsZero() {
		rt.cause, rt.opens = refused.Error(), refused.Until
	}
	status, kind := OfRefused(refused)
	s.answer(w, r, rt, status, kind)
}

// OfRefused returns the HTTP status and the kind of problem for a refused request.
func OfRefused(refused *kavosh.Refused) (status int, kind string) {
	if refused.Access == kavosh.Takedown {
		return http.StatusUnavailableForLegalReasons, "access-" + string(refused.Access)
	}
	return http.StatusForbidden, "access-" + string(refused.Access)
}

// answer sends an error: a page for people, one line for programs and for parts of a page.
func (s *problems) answer(w http.ResponseWriter, r *http.Request, rt route, status int, kind string) {
	if kind == "no-capture" {
		refused, err := rt.coll.Withheld(r.Context(), rt.url)
		if err != nil {
			s.trouble(err.Error())
		}
		if refused != nil {
			s.refuse(w, r, rt, refused)
			return
		}
	}
	p := Problem{Asked: rt.asked(), Status: status, Kind: kind, Cause: rt.cause, Opens: rt.opens}
	if rt.verb == cdxQuery || rt.verb == badRequest {
		p.URL = ""
	}
	for _, name := range []string{"Memento-Datetime", "ETag", "Content-Encoding", "Content-Location"} {
		w.Header().Del(name)
	}
	if !roleOf(r, rt.mod).page {
		plain(w, status, s.pages.Line(p))
		return
	}
	s.pages.Problem(w, r, p)
}
