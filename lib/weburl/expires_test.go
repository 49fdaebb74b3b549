package weburl

import (
	"testing"
	"time"
)

// TestExpires has the signatures of those who sign URLs, and what looks like them.
func TestExpires(t *testing.T) {
	for url, want := range map[string]string{
		"https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20261125T220000Z&X-Amz-Expires=3600&X-Amz-Signature=ab": "2026-11-25T23:00:00Z",
		"https://storage.googleapis.com/b/k?X-Goog-Date=20261125T220000Z&X-Goog-Expires=60&X-Goog-Signature=ab":                           "2026-11-25T22:01:00Z",
		"https://d.cloudfront.net/k?Expires=1795644000&Signature=a~b&Key-Pair-Id=K":                                                       "2026-11-25T22:00:00Z",
		"https://a.blob.core.windows.net/c/k?sv=2024&se=2026-11-25T22%3A00%3A00Z&sr=b&sig=a%2Bb":                                          "2026-11-25T22:00:00Z",
		"https://a.blob.core.windows.net/c/k?se=2026-11-25&sig=a":                                                                         "2026-11-25T00:00:00Z",
		"https://v.test/k.m3u8?hdnts=exp=1795644000~acl=/*~hmac=ab":                                                                       "2026-11-25T22:00:00Z",
		"https://v.test/k?token=eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3OTU2NDQwMDB9.c2ln":                                                       "2026-11-25T22:00:00Z",
		"https://v.test/k?token=ab&expires=1795644000000":                                                                                 "2026-11-25T22:00:00Z",
		"https://v.test/k?EXPIRES=1795644000&md5=ab":                                                                                      "2026-11-25T22:00:00Z",

		"https://v.test/k?expires=1795644000":                             "", // no signature
		"https://v.test/k?se=Stockholm&sig=1":                             "",
		"https://v.test/k?expires=never&sig=1":                            "",
		"https://v.test/k?expires=17&sig=1":                               "",
		"https://v.test/k?expires=99999999999999999999&sig=1":             "",
		"https://v.test/k?X-Amz-Date=20261125T220000Z":                    "",
		"https://v.test/k?X-Amz-Date=20261125T220000Z&X-Goog-Expires=60":  "",
		"https://v.test/k?token=a.b.c":                                    "",
		"https://v.test/expires=1795644000&sig=1":                         "",
		"https://v.test/k?X-Amz-Date=today&X-Amz-Expires=99999999999&a=%": "",
	} {
		got := ""
		if at, ok := Expires(url); ok {
			got = at.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%s expires %q, want %q", url, got, want)
		}
	}
}

// FuzzExpires wants a time that is plausible, whatever the URL.
func FuzzExpires(f *testing.F) {
	f.Add("http://a.test/?Expires=1795644000&Signature=a&token=a.eyJleHAiOjF9.b&se=2026-11-25&hdnts=exp=1~a")
	f.Fuzz(func(t *testing.T, url string) {
		if at, ok := Expires(url); ok && (at.Year() < 2000 || at.Year() > 2099) {
			t.Fatal(at)
		}
	})
}
