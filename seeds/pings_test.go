package seeds

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPings wants URLs to come to the crawl in each form, and nothing from the pages of others.
func TestPings(t *testing.T) {
	var who string
	var told []string
	now := time.Unix(0, 0)
	h := Pings(func(from string, urls []string) (string, bool, error) {
		who, told = from, urls
		switch urls[0] {
		case "https://refused.test/":
			return "the crawl is ending", false, nil
		case "https://late.test/":
			return "", false, errors.New("no crawl is running")
		}
		return "taken", true, nil
	}, func() time.Time { return now })
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct {
		kind, body, origin string
		status             int
		urls               []string
		says               string
	}{
		{form, "url=https%3A%2F%2Fa.test%2Fx&url=b.example.org", "", 202, []string{"https://a.test/x", "https://b.example.org/"}, "taken"},
		{"text/plain", "https://a.test/x\n\nhttps://a.test/y", "", 202, []string{"https://a.test/x", "https://a.test/y"}, "taken"},
		{"text/xml", "<?xml version='1.0'?><methodCall><methodName>weblogUpdates.ping</methodName><params><param><value><string>Mine</string></value></param><param><value><string>https://a.test/blog</string></value></param></params></methodCall>", "", 200, []string{"https://a.test/blog"}, "<boolean>0</boolean>"},
		{"text/xml", "<methodCall><methodName>weblogUpdates.ping</methodName><params><param><value>Mine</value></param><param><value>https://a.test/blog</value></param></params></methodCall>", "", 200, []string{"https://a.test/blog"}, "<boolean>0</boolean>"},
		{"text/xml", "<methodCall><methodName>system.halt</methodName></methodCall>", "", 200, nil, "<boolean>1</boolean>"},
		{form, "url=ftp%3A%2F%2Fa.test%2F", "", 400, nil, "only http and https"},
		{form, "", "", 400, nil, "write url="},
		{form, "url=refused.test", "", 400, []string{"https://refused.test/"}, "the crawl is ending"},
		{form, "url=late.test", "", 503, []string{"https://late.test/"}, "no crawl is running"},
		{"text/plain", strings.Repeat("https://a.test/\n", 200), "", 400, nil, "more than 100"},
		{"text/plain", strings.Repeat("x", maxPing+1), "", 400, nil, "too large"},
		{form, "url=https%3A%2F%2Fa.test%2Fx", "https://evil.test", 403, nil, "cross-origin"},
	} {
		who, told = "", nil
		r := httptest.NewRequest("POST", "http://127.0.0.1:8095/ping", strings.NewReader(c.body))
		r.Header.Set("Content-Type", c.kind)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.status || !slices.Equal(told, c.urls) || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%.80s: %d %v %s", c.body, w.Code, told, w.Body)
		}
		if len(c.urls) > 0 && who != "ping from 192.0.2.1" {
			t.Errorf("told of %s", who)
		}
	}
	now = now.Add(time.Hour)
	taken := 0
	for range 2 * pingsAMinute {
		r := httptest.NewRequest("POST", "http://127.0.0.1:8095/ping?url=https%3A%2F%2Fa.test%2F", nil)
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code == http.StatusAccepted {
			taken++
		}
	}
	if taken != pingsAMinute {
		t.Errorf("%d pings were taken in a minute", taken)
	}
}
