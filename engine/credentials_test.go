package engine

import (
	"strings"
	"testing"

	"kavosh/plan"
)

// A field is sent once to an origin, however often it was given.
func TestALoginIsSentOnce(t *testing.T) {
	given := func(seeds ...string) (string, error) {
		p := plan.New()
		p.Seed = seeds
		list, err := OpenSeeds(p, nil, nil)
		if err != nil {
			return "", err
		}
		defer list.Close()
		all, err := credentials(p, list)
		return strings.Join(all["https://a.test"], "; "), err
	}
	t.Setenv(CredentialsVariable, "[\"https://a.test\"]\nuser = \"me\"\npassword = \"pw\"\n")
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
