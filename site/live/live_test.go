package live

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"kavosh/site/draw"
)

// TestPage gives a wrong token and then the right one, as a browser would, and loads the answers again.
func TestPage(t *testing.T) {
	set, err := draw.New(draw.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	p := New(set, time.Now)
	p.Show(Crawl{ID: "1", Token: "right", File: "crawls/1/token",
		Crawl: func(context.Context) (*draw.Crawl, error) {
			return &draw.Crawl{ID: "1", Now: &draw.Running{State: "running"}}, nil
		},
		Settings: func() *draw.Settings { return &draw.Settings{} },
		Tell:     func(c Command) (string, error) { told = c.Words; return "done", nil }})
	s := httptest.NewServer(p)
	defer s.Close()
	jar, _ := cookiejar.New(nil) // it never fails
	browser := &http.Client{Jar: jar}
	has := func(r *http.Response, err error, status int, part string) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		r.Write(&b)
		if r.StatusCode != status || !strings.Contains(b.String(), part) || !strings.Contains(b.String(), `id="live"`) {
			t.Errorf("%d, want %d with %q:\n%s", r.StatusCode, status, part, b.String())
		}
		return b.String()
	}
	send := func(path string, form url.Values) (*http.Response, error) { return browser.PostForm(s.URL+path, form) }
	r, err := send("/enter", url.Values{"token": {"x"}})
	page := has(r, err, 403, "This is not the token")
	if strings.Index(page, "This is not the token") > strings.Index(page, "<h1") {
		t.Error("what is wrong stands below all numbers")
	}
	for _, path := range []string{"/enter", "/leave", "/control"} {
		r, err = browser.Get(s.URL + path)
		has(r, err, 200, "crawls/1/token")
	}
	r, err = send("/enter", url.Values{"token": {"right"}})
	page = has(r, err, 200, `name="secret" value="`)
	_, secret, _ := strings.Cut(page, `name="secret" value="`)
	secret, _, _ = strings.Cut(secret, `"`)
	r, err = send("/control", url.Values{"secret": {"x"}, "command": {"pause"}})
	has(r, err, 403, "Nothing was changed")
	if told != nil {
		t.Errorf("obeyed %q", told)
	}
	r, err = send("/control", url.Values{"secret": {secret}, "command": {"scope exclude"}, "value": {"/print/"}})
	has(r, err, 200, "done")
	if got := strings.Join(told, " "); got != "scope exclude /print/" {
		t.Errorf("obeyed %q", got)
	}
}
