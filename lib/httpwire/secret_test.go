package httpwire

import "testing"

func TestIsSecret(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"Cookie", "", true}, {"Proxy-Authorization", "", true}, {"X-Functions-Key", "", true}, {"X_API_KEY", "", true}, {"x-apikey", "", true},
		{"X-Access-Code", "", true}, {"Ocp-Apim-Subscription-Key", "", true}, {"X-Pin", "", true}, {"X-Pass-Through", "Bearer a", true},
		{"X-Way", "token abc", true}, {"X-Way", "ApiKey abc", true}, {"X-Way", "AWS4-HMAC-SHA256 Credential=a", true}, {"X-Way", "Negotiate YII", true},
		{"Accept-Encoding", "gzip", false}, {"User-Agent", "kavosh", false}, {"Accept-Language", "fa", false}, {"X-Keyboard", "fa", false},
		{"From", "me@example.org", false}, {"Referer", "https://example.org/", false}, {"Range", "bytes=0-", false}, {"DNT", "1", false},
	} {
		if got := IsSecret(c.name, c.value); got != c.want {
			t.Errorf("IsSecret(%q, %q) = %v", c.name, c.value, got)
		}
	}
}
