package plan

import (
	"strings"
	"testing"
	"time"
)

func TestRevisitRules(t *testing.T) {
	for text, want := range map[string]string{
		"host=example.org least=1h most=7d until=2026-12-01T00:00:00Z": "",
		"pattern=/news/ type=text/html least=1m":                       "",
		"host=.example.org until=2026-12-01T00:00:00Z":                 "",
		"host=example.org":     "bounds nothing",
		"least=2h most=1h":     "is more than",
		"often=1h":             "there is no field",
		"least=1h until=never": "is no date",
		"pattern=( least=1h":   "pattern",
	} {
		var r RevisitRule
		err := r.UnmarshalText([]byte(text))
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var again RevisitRule
		written, _ := r.MarshalText()
		if err := again.UnmarshalText(written); err != nil || again != r {
			t.Errorf("%q is written as %q, and read as %+v, %v", text, written, again, err)
		}
	}
	rules, fits := RevisitRules([]RevisitRule{
		{Host: "a.example", Least: 1, Until: time.Unix(2e9, 0)}, {Type: "text/"}, {Host: "a.example", Least: 2, Until: time.Unix(1e9, 0)},
	})
	if len(rules) != 2 || len(rules[0].Spans) != 2 || rules[0].Spans[0].Least != 2 || !fits[0]("https://a.example/", "") || fits[0]("https://b.example/", "") || !fits[1]("https://b.example/", "text/html") {
		t.Errorf("%+v", rules)
	}
}
