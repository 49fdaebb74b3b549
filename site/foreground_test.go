package site

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// What a server does beside answering takes a tenth of the time while somebody reads, and all of it when nobody does.
func TestWorkWaitsForReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Foreground
		waited := func() time.Duration {
			began := time.Now()
			r.Yield(t.Context(), worked)
			return time.Since(began)
		}
		if d := waited(); d != 0 {
			t.Errorf("it waited %v for nobody", d)
		}
		h := r.Noted(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
		if answer.Code != http.StatusNoContent {
			t.Errorf("status %d", answer.Code)
		}
		if d := waited(); d != 9*worked {
			t.Errorf("it waited %v beside a reader, want %v", d, 9*worked)
		}
		<-time.After(present)
		if d := waited(); d != 0 {
			t.Errorf("it waited %v for who left", d)
		}
	})
}
