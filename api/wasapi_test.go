package api

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"kavosh/internal/clock"
)

// An archive whose tokens are damaged keeps nobody from the others; wrong tokens are told to wait all the same.
func TestDamagedTokensOfOneArchive(t *testing.T) {
	told := 0
	damaged := &Archive{Name: "damaged", Knows: func(string) (bool, error) { return false, errors.New("damaged") }}
	sound := &Archive{Name: "sound", Knows: func(secret string) (bool, error) { return secret == "right", nil }}
	f := NewFiles([]*Archive{damaged, sound}, "http://home.test", func(*http.Request) netip.Addr { return netip.Addr{} }, clock.Real{}, func(string) { told++ })
	ask := func(token string, want int) {
		t.Helper()
		r, w := httptest.NewRequest("GET", "/wasapi/v1/none", nil), httptest.NewRecorder()
		r.Header.Set("Authorization", "Bearer "+token)
		if f.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d, want %d", token, w.Code, want)
		}
	}
	ask("right", http.StatusNotFound) // it is let in: there is no such path
	if told != 1 {
		t.Errorf("damage was told %d times", told)
	}
	for range maxFailed {
		ask("wrong", http.StatusInternalServerError)
	}
	ask("wrong", http.StatusTooManyRequests)
	ask("right", http.StatusNotFound)
}
