package plan

import "testing"

// A time and lastmod stand in either order; nothing else is taken for them.
func TestYounger(t *testing.T) {
	for text, want := range map[string]string{
		"7d": "168h0m0s", "lastmod": "lastmod", "7d,lastmod": "168h0m0s,lastmod", "lastmod,7d": "168h0m0s,lastmod",
		"7dlastmod": "", "7d,": "", ",lastmod": "", "lastmod,": "", "lastmod,lastmod": "", "7d,9d": "", "soon": "",
	} {
		var y Younger
		if err := y.UnmarshalText([]byte(text)); (err == nil) != (want != "") {
			t.Errorf("%q: %v", text, err)
		} else if got, _ := y.MarshalText(); err == nil && string(got) != want {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}
