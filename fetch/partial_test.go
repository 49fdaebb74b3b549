package fetch

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kavosh"
)

// The rest of a body is asked for by Range and If-Range, and bounds are those of the whole body.
func TestFetchOfTheRest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/whole" {
			io.WriteString(w, strings.Repeat("x", 100))
			return
		}
		w.Header().Set("Content-Range", "bytes 40-99/100")
		w.WriteHeader(http.StatusPartialContent)
		fmt.Fprintf(w, "%s%s%s", r.Header.Get("Range"), r.Header.Get("If-Range"), strings.Repeat("x", 60-len(`bytes=40-"v"`)))
	}))
	defer server.Close()
	for _, c := range []struct {
		path      string
		most      int64 // of MaxBody
		bound     int64 // of Options.Body
		want      int64 // bytes
		truncated kavosh.Truncation
		detail    string
	}{
		{"/", 0, -1, 60, "", ""},
		{"/", 100, 100, 60, "", ""},
		{"/", 99, -1, 59, kavosh.TruncLength, "longer than 99 bytes"},
		{"/", 0, 70, 30, kavosh.TruncLength, "for it has 100 bytes"},
		{"/", 0, 30, 0, kavosh.TruncLength, "for it has 100 bytes"},
		{"/whole", 100, 100, 100, "", ""},
		{"/whole", 0, 30, 30, kavosh.TruncLength, "for it has 100 bytes"},
	} {
		h := newHTTP(t, Options{MaxBody: c.most, Body: func(_ *kavosh.Task, _ string, length int64) (int64, string) {
			return c.bound, fmt.Sprintf("for it has %d bytes", length)
		}})
		x, _, err := h.Fetch(t.Context(), &kavosh.Task{URL: server.URL + c.path, Partial: &kavosh.Partial{Size: 40, Validator: `"v"`}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, x.Payload); int64(len(got)) != c.want || c.path == "/" && !strings.HasPrefix(`bytes=40-"v"`+strings.Repeat("x", 60), got) && got != "" {
			t.Errorf("%+v: %q", c, got)
		}
		if x.Truncated != c.truncated || !strings.Contains(x.Detail, c.detail) || x.Broken {
			t.Errorf("%+v: truncated %q, broken %v, %s", c, x.Truncated, x.Broken, x.Detail)
		}
		if request := string(x.Request); !strings.Contains(request, "\r\nRange: bytes=40-\r\nIf-Range: \"v\"\r\n") {
			t.Errorf("the request: %q", request)
		}
		x.Close()
	}
}
