package order

import (
	"strings"
	"testing"

	"kavosh"
)

func TestPolicies(t *testing.T) {
	near := &Candidate{Link: &kavosh.Link{}, Task: &kavosh.Task{Hops: 1}}
	far := &Candidate{Link: &kavosh.Link{}, Task: &kavosh.Task{Hops: 7}}
	for _, test := range []struct {
		spec      string
		nearFirst bool
	}{{"", true}, {"breadth", true}, {"depth", false}} {
		p, err := Parse(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		a, why := p(near)
		b, whyFar := p(far)
		if (a > b) != test.nearFirst || why != "1 hop from its seed" || whyFar != "7 hops from its seed" {
			t.Errorf("%q: near %v (%s), far %v (%s)", test.spec, a, why, b, whyFar)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"bredth":          "use one of breadth, depth",
		"breadth,x=1":     `unknown parameter "x"`,
		"breadth,limit":   "key=value",
		"depth,":          "",
		",":               "no policy of that name",
		"Breadth":         "no policy of that name",
		"breadth,a=1,a=1": "unknown parameter",
	} {
		_, err := Parse(spec)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q: error %v, want one line with %q", spec, err, want)
		}
	}
}

func TestListIsComplete(t *testing.T) {
	names := map[string]bool{}
	for _, e := range List() {
		if e.Name == "" || e.About == "" || names[e.Name] {
			t.Errorf("entry %+v: name or explanation missing, or named twice", e)
		}
		names[e.Name] = true
		if _, err := Parse(e.Name); err != nil {
			t.Errorf("%s without parameters: %v", e.Name, err)
		}
	}
}
