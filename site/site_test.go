package site

import (
	"net/http/httptest"
	"testing"

	"kavosh/internal/records"
	"kavosh/replay"
	"kavosh/replay/replaytest"
)

const stamp = "20240102030405"

// at is the path of a capture of collection one.
func at(mod, url string) string { return "/one/" + stamp + mod + "/" + url }

// server serves archives, the first as "one", the next as "two".
func server(t testing.TB, archives ...*replaytest.Archive) *Site {
	t.Helper()
	o := Options{HomeAddr: "http://home.test", ReplayAddr: "http://replay.test", Trouble: func(text string) { t.Log("trouble:", text) }}
	for i, a := range archives {
		o.Collections = append(o.Collections, Collection{Collection: &replay.Collection{Name: []string{"one", "two", "three"}[i], Records: &records.Records{Index: a, Files: a}}})
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask sends a request to the replay's origin. Headers come as "Name: value".
func ask(s *Site, target string, headers ...string) *httptest.ResponseRecorder {
	return replaytest.Send(s.ReplayHandler(), "GET", "http://replay.test", target, headers...)
}
