package status

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kavosh/engine"
)

// TestPage wants numbers and dates to be written as the page's language writes them.
func TestPage(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(lang string) string {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest("GET", "/?lang="+lang, nil))
		return w.Body.String()
	}
	for lang, want := range map[string]string{"en": "The crawl has not started yet.", "fa": "خزش هنوز آغاز نشده است."} {
		if text := ask(lang); !strings.Contains(text, want) {
			t.Error(text)
		}
	}
	began := time.Date(2026, 3, 21, 10, 5, 0, 0, time.Local)
	p.Show(func() engine.Status {
		return engine.Status{ID: "1", Started: began, Now: began.Add(9 * time.Second), Finished: 12345, Pages: 14, Bytes: 1_234_500, Codes: map[int]int64{200: 14}, Waiting: engine.WaitingPaused}
	})
	for lang, all := range map[string][]string{
		"en": {"21 March 2026, 10:05", "0:00:09", "12,345", "1.2\u00a0MB", "1372", "paused", ">200<"},
		"fa": {"۱ فروردین ۱۴۰۵، ۱۰:۰۵", "۰:۰۰:۰۹", "۱۲٬۳۴۵", "۱٫۲\u00a0مگابایت", "۱۳۷۲", "در مکث", ">۲۰۰<"},
	} {
		text := ask(lang)
		for _, want := range all {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in %s", lang, want, text)
			}
		}
	}
	for rate, want := range map[float64]string{1.52: "1.5", 9.99: "10.0", 31.4: "31"} {
		if got := Rate(rate); got != want {
			t.Errorf("%g: %s", rate, got)
		}
	}
}
