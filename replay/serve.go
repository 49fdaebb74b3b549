package replay

// This file leads each request to the part of the replay that answers it.

import (
	"net/http"

	"kavosh/replay/client"
)

// ServeHTTP serves the replay's origin.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard(w.Header(), s.addresses.Home)
	rt := s.route(r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead && rt.verb != memento && rt.verb != stray {
		w.Header().Set("Allow", "GET, HEAD")
		s.problems.answer(w, r, rt, http.StatusMethodNotAllowed, "method")
		return
	}
	if r.Header.Get("Service-Worker") != "" && r.URL.Path != client.ServiceWorkerPath {
		// A service worker of one archived page would answer for all others.
		s.problems.answer(w, r, rt, http.StatusForbidden, "service-worker")
		return
	}
	if to := s.elsewhere(r, rt); to != "" {
		w.Header().Set("Location", to+r.RequestURI)
		w.WriteHeader(http.StatusFound)
		return
	}
	if rt.verb == stray || rt.loose {
		if path := s.strayPath(r); path != "" {
			if r.Method == http.MethodGet || r.Method == http.MethodHead {
				redirect(w, path)
				return
			}
			w.Header().Set("Location", path)
			w.WriteHeader(http.StatusTemporaryRedirect) // 307 keeps method and body
			return
		}
	}
	switch rt.verb {
	case asset:
		if !s.client.Serve(w, r) {
			s.problems.pages.ServeStatic(w, r)
		}
	case root:
		s.home(w, r, rt)
	case memento:
		s.player.show(w, r, rt)
	case timegate:
		s.mementos.timegate(w, r, rt)
	case timemap:
		s.mementos.timemap(w, r, rt)
	case calendar:
		s.page(w, r, rt, s.problems.pages.Calendar)
	case comparison:
		s.page(w, r, rt, s.problems.pages.Compare)
	case parts:
		s.page(w, r, rt, s.problems.pages.Parts)
	case links:
		s.page(w, r, rt, s.problems.pages.Links)
	case cdxQuery:
		s.cdx.answer(w, r, rt)
	case badRequest:
		s.problems.answer(w, r, rt, http.StatusBadRequest, "bad-request")
	default:
		if r.URL.Path == "/" {
			s.home(w, r, rt)
			return
		}
		s.problems.answer(w, r, rt, http.StatusNotFound, "no-page")
	}
}

// home redirects to the page of a collection, or to that of all collections if the path names none.
func (s *Server) home(w http.ResponseWriter, r *http.Request, rt route) {
	if to := s.problems.pages.Home(rt.coll); to != "" {
		redirect(w, to)
		return
	}
	s.problems.answer(w, r, rt, http.StatusNotFound, "no-page")
}

// page sends a page about a URL, drawn by draw.
func (s *Server) page(w http.ResponseWriter, r *http.Request, rt route, draw func(http.ResponseWriter, *http.Request, Asked) (bool, error)) {
	switch found, err := draw(w, r, rt.asked()); {
	case err != nil:
		s.problems.broken(w, r, rt, err)
	case !found:
		s.problems.answer(w, r, rt, http.StatusNotFound, "no-capture")
	}
}
