package sparql

import (
	"strings"
	"testing"

	"kavosh/lib/weburl"
)

// TestURL wants questions to be seen-keys, and to be known again.
func TestURL(t *testing.T) {
	for _, endpoint := range []string{"https://a.test/sparql", "http://b.test/q?default-graph-uri=x"} {
		for q := range queries {
			url := URL(endpoint+"#about", Query(q))
			if key, err := weburl.Key(url); err != nil || key != url {
				t.Errorf("%s is the key %s, %v", url, key, err)
			}
			if e, is, ok := Parse(url); !ok || e != endpoint || is != Query(q) {
				t.Errorf("%s is %d of %s, %v", url, is, e, ok)
			}
		}
	}
	for _, url := range []string{"https://a.test/sparql", "https://a.test/sparql?query=ASK%20%7B%7D", queries[Ask], Ask.parameter()} {
		if _, _, ok := Parse(url); ok {
			t.Errorf("%s is a question", url)
		}
	}
}

func TestRead(t *testing.T) {
	for text, want := range map[string]Answer{
		`{"head": {}, "boolean": true}`: {True: true},
		"\uFEFF {\"boolean\":false}":    {},
		`{"head":{"vars":["n"]},"results":{"bindings":[{"n":{"type":"literal","datatype":"http://www.w3.org/2001/XMLSchema#integer","value":"12345"}}]}}`:                                       {Count: 12345},
		`<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head/><boolean>true</boolean></sparql>`:                                                                   {True: true},
		`<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="n"/></head><results><result><binding name="n"><literal>7</literal></binding></result></results></sparql>`: {Count: 7},
	} {
		if have, err := Read(strings.NewReader(text)); err != nil || have != want {
			t.Errorf("%s: %+v, %v", text, have, err)
		}
	}
	for _, text := range []string{"", "true", "<html>true</html>", "{}", `{"results":{"bindings":[{"n":{"value":"many"}}]}}`, `{"results":{"bindings":[]}}`, "{", "<sparql>",
		`<sparql xmlns="http://www.w3.org/2005/sparql-results#"><results/></sparql>`} {
		if have, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s: %+v", text, have)
		}
	}
}
