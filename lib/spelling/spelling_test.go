package spelling

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"max-pages", "max-time", "delay", "address-delay", "scope"}
	for word, want := range map[string]string{
		"max_pages": "max-pages", "maxpages": "max-pages", "dealy": "delay", "scop": "scope", "Scope": "scope", "colour": "", "adress-delay": "address-delay",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
