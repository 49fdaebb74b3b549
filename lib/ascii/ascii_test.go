package ascii

import "testing"

func TestFold(t *testing.T) {
	for _, c := range []struct {
		s, prefix    string
		equal, begin bool
	}{
		{"Content-Type", "content-TYPE", true, true},
		{"content-type", "content", false, true},
		{"content", "content-type", false, false},
		{"[", "{", false, false}, // one bit apart, as a capital is from its small letter
		{"@", "`", false, false},
		{"\u212aelvin", "kelvin", false, false}, // the Kelvin sign is no K
		{"İ", "i̇", false, false},
		{"", "", true, true},
		{"x", "", false, true},
	} {
		if got := EqualFold(c.s, []byte(c.prefix)); got != c.equal {
			t.Errorf("EqualFold(%q, %q) = %v", c.s, c.prefix, got)
		}
		if got := HasPrefixFold([]byte(c.s), c.prefix); got != c.begin {
			t.Errorf("HasPrefixFold(%q, %q) = %v", c.s, c.prefix, got)
		}
	}
}
