//go:build conformance

package weburl

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"kavosh/internal/testdata"
)

// wptCase is one object of web-platform-tests' urltestdata.json.
type wptCase struct {
	Input    string
	Base     *string
	Failure  bool
	Href     string
	Origin   *string
	Protocol string
	Username string
	Password string
	Host     string
	Hostname string
	Port     string
	Pathname string
	Search   string
	Hash     string
}

// TestWebPlatformTests runs every case of urltestdata.json, failures and relative references included.
func TestWebPlatformTests(t *testing.T) {
	cases := readWPT(t, "url/wpt/urltestdata.json")
	if len(cases) != 869 {
		t.Errorf("%d cases, want 869", len(cases))
	}
	byFast := 0
	for _, c := range cases {
		u, err := parseWPT(c)
		if c.Failure {
			if err == nil {
				t.Errorf("%q against %s: got %q, want failure", c.Input, c.base(), u)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q against %s: %v, want %q", c.Input, c.base(), err, c.Href)
			continue
		}
		user, password := u.Credentials()
		same := func(what, got, want string) {
			if got != want {
				t.Errorf("%q against %s: %s = %q, want %q", c.Input, c.base(), what, got, want)
			}
		}
		same("href", u.String(), c.Href)
		same("protocol", u.Scheme()+":", c.Protocol)
		same("username", user, c.Username)
		same("password", password, c.Password)
		same("host", u.Host(), c.Host)
		same("hostname", u.Hostname(), c.Hostname)
		same("port", u.Port(), c.Port)
		same("pathname", u.Path(), c.Pathname)
		same("search", strings.TrimSuffix("?"+strings.TrimPrefix(u.PathQuery()[len(u.Path()):], "?"), "?"), c.Search)
		same("hash", strings.TrimSuffix("#"+u.Fragment(), "#"), c.Hash)
		if c.Origin != nil && u.Fetchable() {
			same("origin", u.Origin(), *c.Origin)
		}
		byFast += fastAnswers(c)
	}
	t.Logf("%d cases, %d of them answered by the fast path", len(cases), byFast)
}

// readWPT reads the objects of a file in the form of urltestdata.json; the strings between them are comments.
func readWPT(t *testing.T, name string) []wptCase {
	data, err := os.ReadFile(testdata.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	var all []json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	var cases []wptCase
	for _, raw := range all {
		if raw[0] != '{' {
			continue
		}
		var c wptCase
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

func parseWPT(c wptCase) (*URL, error) {
	if c.Base == nil {
		return Parse(c.Input)
	}
	base, err := Parse(*c.Base)
	if err != nil {
		return nil, err
	}
	return base.Resolve(c.Input)
}

// fastAnswers is 1 when the fast path gives the answer of c.
func fastAnswers(c wptCase) int {
	var base *URL
	if c.Base != nil {
		base, _ = Parse(*c.Base)
	}
	if _, _, ok := fast(nil, base, c.Input, true); ok {
		return 1
	}
	return 0
}

func (c wptCase) base() string {
	if c.Base == nil {
		return "nothing"
	}
	return *c.Base
}
