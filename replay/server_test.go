package replay

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"kavosh/internal/records"
	"kavosh/replay/replaytest"
)

// names are pages that name what they were asked for.
type names struct{ home string }

func (names) ServeStatic(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }
func (names) Line(p Problem) string                              { return p.Kind + " " + p.URL + " " + p.Cause }

// Banner says how many captures there are, and of a revisit since when it is as it was.
func (names) Banner(r *http.Request, a Asked, h *History, shown *Answer) string {
	n, more := a.Coll.HowMany(r.Context(), h)
	text := fmt.Sprintf("%d captures", n)
	if more {
		text = "more than " + text
	}
	if shown.Original != nil {
		text += " since " + shown.Original.Timestamp
	}
	return "<script data-kavosh='" + text + "'></script>"
}

func (names) Problem(w http.ResponseWriter, _ *http.Request, p Problem) {
	w.WriteHeader(p.Status)
	fmt.Fprint(w, p.Kind)
}

func (p names) Home(c *Collection) string {
	if c != nil {
		return p.home + "/c/" + c.Name
	}
	return p.home + "/"
}

// Calendar knows no captures.
func (names) Calendar(http.ResponseWriter, *http.Request, Asked) (bool, error) { return false, nil }

// Compare finds no captures.
func (names) Compare(http.ResponseWriter, *http.Request, Asked) (bool, error) { return false, nil }

// Parts finds no captures.
func (names) Parts(http.ResponseWriter, *http.Request, Asked) (bool, error) { return false, nil }

// Links finds no captures.
func (names) Links(http.ResponseWriter, *http.Request, Asked) (bool, error) { return false, nil }

// serving serves collections at two addresses.
func serving(t testing.TB, home, replay, collectionHost string, list ...Collection) *Server {
	t.Helper()
	colls, err := NewCollections(list)
	if err != nil {
		t.Fatal(err)
	}
	addresses, err := NewAddresses(home, replay, collectionHost)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Collections: colls, Addresses: addresses, Pages: names{home}, Trouble: func(text string) { t.Log("trouble:", text) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// server serves archives, the first as "one", the next as "two".
func server(t testing.TB, archives ...*replaytest.Archive) *Server {
	t.Helper()
	var list []Collection
	for i, a := range archives {
		list = append(list, Collection{Name: []string{"one", "two", "three"}[i], Records: &records.Records{Index: a, Files: a}})
	}
	return serving(t, "http://home.test", "http://replay.test", "", list...)
}

// ask sends a request to the replay's origin. Headers come as "Name: value".
func ask(s *Server, target string, headers ...string) *httptest.ResponseRecorder {
	return replaytest.Send(s, "GET", "http://replay.test", target, headers...)
}
