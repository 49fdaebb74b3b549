package record

import "testing"

func TestLocationWithoutPassword(t *testing.T) {
	for value, want := range map[string]string{
		`https:\\u:p@h/`: `https:\\h/`, "https:/u:p@h/": "https:/h/", "//u:p@h/": "//h/", "https://u:p@h/": "https://h/",
		"/login?next=//me@x.org/": "/login?next=//me@x.org/", "/share//@alice/1": "/share//@alice/1",
	} {
		if got := location(value); got != want {
			t.Errorf("location(%q) = %q, want %q", value, got, want)
		}
	}
}
