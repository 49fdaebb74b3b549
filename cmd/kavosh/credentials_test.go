package main

import (
	"io"
	"strings"
	"testing"
)

// A field is sent once to an origin, however often it was given.
func TestALoginIsSentOnce(t *testing.T) {
	p := &program{err: io.Discard, in: strings.NewReader("")}
	given := func(seeds ...string) (string, error) {
		c := &crawlCmd{Seed: seeds}
		list, err := c.readSeeds(p)
		if err != nil {
			return "", err
		}
		all, err := c.credentials(list, "")
		return strings.Join(all["https://a.test"], "; "), err
	}
	t.Setenv(credentialsVariable, "[\"https://a.test\"]\nuser = \"me\"\npassword = \"pw\"\n")
	if got, err := given("https://me:pw@a.test/1", "https://me:pw@a.test/2"); err != nil || got != "Authorization: Basic bWU6cHc=" {
		t.Errorf("one login thrice: %q, %v", got, err)
	}
	for _, seeds := range [][]string{{"https://me:other@a.test/"}, {"https://me:pw@a.test/", "https://me:other@a.test/"}} {
		_, err := given(seeds...)
		if err == nil || !strings.Contains(err.Error(), "https://a.test") || strings.Contains(err.Error(), "other") {
			t.Errorf("%q: %v", seeds, err)
		}
	}
}
