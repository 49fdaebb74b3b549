package jsonld

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

const base = "http://example.org/dir/doc"

// lines reads document and gives its statements as N-Quads, and what ended it.
func lines(t testing.TB, document string, contexts Contexts) (string, error) {
	t.Helper()
	quads, err := rdftest.ReadAll(NewReader(strings.NewReader(document), base, contexts))
	var out strings.Builder
	w := rdf.NewNQuadsWriter(&out)
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String(), err
}

// TestRead has what W3C's suite leaves out.
func TestRead(t *testing.T) {
	for _, tt := range []struct{ name, document, want string }{
		{"schema.org", "\uFEFF" + `{"@context": "https://schema.org", "@type": "Person", "id": "#p", "name": "سارا", "url": "/خانه//x", "birthDate": "2000-01-01", "age": 24, "height": 1.5}`,
			`<http://example.org/dir/doc#p> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Person> .
<http://example.org/dir/doc#p> <http://schema.org/age> "24"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://example.org/dir/doc#p> <http://schema.org/birthDate> "2000-01-01" .
<http://example.org/dir/doc#p> <http://schema.org/height> "1.5E0"^^<http://www.w3.org/2001/XMLSchema#double> .
<http://example.org/dir/doc#p> <http://schema.org/name> "سارا" .
<http://example.org/dir/doc#p> <http://schema.org/url> <http://example.org/خانه//x> .
`},
		{"stated twice", `[{"@id": "a", "@type": ["http://e/t", "http://e/t"], "http://e/p": ["x", "x"]}, {"@id": "a", "http://e/p": "x"}]`,
			"<http://example.org/dir/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/t> .\n<http://example.org/dir/a> <http://e/p> \"x\" .\n"},
		{"base in the context", `{"@context": {"@base": "../x/", "e": "http://e/"}, "@id": "سلام", "e:p": {"@id": ""}}`,
			"<http://example.org/x/سلام> <http://e/p> <http://example.org/x/> .\n"},
		{"base inside", `{"@context": {"e": "http://e/"}, "@id": "a", "e:p": {"@context": {"@base": "http://b/"}, "@id": "b"}}`,
			"<http://example.org/dir/a> <http://e/p> <http://b/b> .\n"},
		{"no base", `{"@context": {"@base": null}, "@id": "a", "http://e/p": [1, {"@id": "http://x/y z"}, {"@id": "_:x", "http://e/q": true}]}`,
			"_:_1 <http://e/q> \"true\"^^<http://www.w3.org/2001/XMLSchema#boolean> .\n"},
		{"graphs", `[{"@id": "g", "http://e/p": "in none", "@graph": [{"@id": "a", "http://e/p": {"@value": "in g", "@language": "FA-ir"}}]}, {"@id": "not a graph", "@graph": {"@id": "a", "http://e/p": 1}}]`,
			"<http://example.org/dir/a> <http://e/p> \"in g\"@fa-ir <http://example.org/dir/g> .\n<http://example.org/dir/g> <http://e/p> \"in none\" .\n"},
		{"numbers", `{"@id": "a", "http://e/p": [-0, 1e21, 123456789012345678, 1.0, 2.5e-7, {"@value": 5, "@type": "http://www.w3.org/2001/XMLSchema#double"}]}`,
			`<http://example.org/dir/a> <http://e/p> "0"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://example.org/dir/a> <http://e/p> "1.0E21"^^<http://www.w3.org/2001/XMLSchema#double> .
<http://example.org/dir/a> <http://e/p> "123456789012345680"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://example.org/dir/a> <http://e/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://example.org/dir/a> <http://e/p> "2.5E-7"^^<http://www.w3.org/2001/XMLSchema#double> .
<http://example.org/dir/a> <http://e/p> "5.0E0"^^<http://www.w3.org/2001/XMLSchema#double> .
`},
		{"nothing", `{"name": "no context, no statements"}`, ""},
	} {
		got, err := lines(t, tt.document, nil)
		if got != tt.want || err != nil {
			t.Errorf("%s: %v\n%swant\n%s", tt.name, err, got, tt.want)
		}
	}
}

// TestContexts: contexts that stand elsewhere come from the caller, with what they include; schema.org's under all its names.
func TestContexts(t *testing.T) {
	asked := []string{}
	contexts := func(url string) ([]byte, bool) {
		asked = append(asked, url)
		document, ok := map[string]string{
			"http://c/one":            `{"@context": ["sub/two", {"p": "http://e/p"}]}`,
			"http://c/sub/two":        `{"@context": {"q": "http://e/q", "schema": "http://not/"}}`,
			"http://example.org/here": `{"@context": {"p": "http://here/p"}}`,
			"http://c/endless":        `{"@context": "endless"}`,
			"http://c/broken":         `{"@context": `,
			"http://c/none":           `{}`,
		}[url]
		return []byte(document), ok
	}
	for document, want := range map[string]string{
		`{"@context": "http://c/one", "p": "1", "q": "2"}`:      "_:_1 <http://e/p> \"1\" .\n_:_1 <http://e/q> \"2\" .\n",
		`{"@context": "/here", "p": "1"}`:                       "_:_1 <http://here/p> \"1\" .\n",
		`{"@context": ["http://schema.org/"], "name": "1"}`:     "_:_1 <http://schema.org/name> \"1\" .\n",
		`{"@context": "HTTPS://www.Schema.org#", "name": "1"}`:  "_:_1 <http://schema.org/name> \"1\" .\n",
		`{"@context": "http://c/unknown", "name": "1"}`:         "the context http://c/unknown is not known",
		`{"@context": "https://schema.org.evil/", "name": "1"}`: "the context https://schema.org.evil/ is not known",
		`{"@context": "http://c/endless", "name": "1"}`:         "more than 5000 contexts that stand elsewhere, or they have more than 16777216 bytes; the last is http://c/endless",
		`{"@context": "http://c/broken", "name": "1"}`:          "the context http://c/broken: line 1, column 13: unexpected end of JSON input",
		`{"@context": "http://c/none", "name": "1"}`:            "the context http://c/none has no @context",
	} {
		got, err := lines(t, document, contexts)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s, want %s", document, got, want)
		}
	}
	for _, url := range asked {
		if strings.Contains(strings.ToLower(url), "schema.org/") && !strings.Contains(url, "evil") {
			t.Errorf("%s was asked for", url)
		}
	}
	if _, err := lines(t, `{"@context": "http://c/one"}`, nil); err == nil || !strings.Contains(err.Error(), "http://c/one is not known") {
		t.Errorf("without contexts: %v", err)
	}
}

func TestFaults(t *testing.T) {
	for document, want := range map[string]string{
		"":                     "line 1, column 1: unexpected end of JSON input",
		"{\n\"پ\": x}":         "line 2, column 6: invalid character 'x' looking for beginning of value",
		"{}\n{}":               "line 2, column 1: invalid character '{' after top-level value",
		"{\n\"a\": \"é\xff\"}": "line 2, column 8: byte 0xff is not UTF-8",
		"[\"[\\\"[\", \n" + strings.Repeat("[", 128):                            "line 2, column 128: values lie deeper than 128 inside one another",
		"[" + strings.Repeat("{},", maxObjects) + "{}]":                         "line 1, column 150002: the document has more than 50000 objects",
		"[" + strings.Repeat("1,", maxValues) + "1]":                            "line 1, column 400001: the document has more than 200000 values",
		`{"@context": {"": "http://e/"}}`:                                       `line 1, column 1: a context has a definition of "" that none may have`,
		`{"http://e/p": {"@value": "", "@type": ["http://e/1", "http://e/2"]}}`: "line 1, column 1: a literal has several types",
		strings.Repeat(" ", maxDocument) + "{}":                                 "line 1, column 8388609: the document is longer than 8388608 bytes",
		`{"@id": 1}`:                                                            "line 1, column 1: invalid @id value: value of @id must be a string",
		`{"@context": {"@protected": 1}}`:                                       "line 1, column 1: the document cannot be expanded: interface conversion: interface {} is float64, not bool",
	} {
		_, err := lines(t, document, nil)
		var fault *rdf.Fault
		if !errors.As(err, &fault) || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", document, err, want)
		}
	}
	for _, url := range []string{"http://c/" + strings.Repeat("é", 1500), "http://c/" + strings.Repeat("x", 5000)} {
		_, err := lines(t, `{"@context": "`+url+`"}`, func(url string) ([]byte, bool) {
			if len(url) > maxURL {
				t.Errorf("asked for a context by a URL of %d bytes", len(url))
			}
			return nil, false
		})
		if err == nil || len(err.Error()) > 600 || !utf8.ValidString(err.Error()) {
			t.Errorf("a fault quotes what is long: %v", err)
		}
	}
	broken := errors.New("broken")
	if _, err := NewReader(iotest.ErrReader(broken), base, nil).Read(); err != broken {
		t.Error(err)
	}
}

// TestCosts: contexts that would be copied without end are a fault.
func TestCosts(t *testing.T) {
	var terms strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&terms, `"t%d": "http://e/%d",`, i, i)
	}
	many := func(item string, n int) string { return "[" + strings.Repeat(item+",", n) + item + "]" }
	for name, document := range map[string]string{
		"a context in each object": `{"@context": {` + terms.String() + `"p": "http://e/p"}, "p": ` + many(`{"@context": {}}`, 5000) + `}`,
		"a context with a type":    `{"@context": {` + terms.String() + `"p": "http://e/p", "T": {"@id": "http://e/T", "@context": {}}}, "p": ` + many(`{"@type": "T"}`, 5000) + `}`,
		"terms":                    `{"@context": {` + strings.Repeat(terms.String(), 1) + strings.ReplaceAll(terms.String(), `"t`, `"u`) + strings.ReplaceAll(terms.String(), `"t`, `"v`) + strings.ReplaceAll(terms.String(), `"t`, `"w`) + `"p": "http://e/p"}}`,
	} {
		if _, err := lines(t, document, nil); err == nil || !strings.HasSuffix(err.Error(), "the contexts cost too much: too many terms, in force at too many places") {
			t.Errorf("%s: %v", name, err)
		}
	}
	long := strings.Repeat("x", 4000)
	var chain strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&chain, `"t%d": "t%d:%.30s",`, i, i+1, long)
	}
	for name, document := range map[string]string{
		"a long vocabulary": `{"@context": {"@vocab": "http://e/` + long + `"}, "p": ` + many(`{"p": 1}`, 20_000) + `}`,
		"a long base":       `{"@context": {"@base": "http://e/` + long + `/"}, "http://e/p": ` + many(`{"@id": "a"}`, 20_000) + `}`,
		"bases":             `{"@context": ` + many(`{"@base": "`+long+`/"}`, 10) + `, "http://e/p": ` + many(`{"@context": {"@base": "a/"}, "@id": "a"}`, 20_000) + `}`,
		"a chain of terms":  `{"@context": {` + chain.String() + `"t5000": "http://e/"}}`,
		"a circle of terms": `[{"@context": [{"a": "http://e/", "b": "a:` + long + `"}, {"a": "b:` + long + `"}]}, ` + many(`{"b:": 1}`, 20_000) + `]`,
	} {
		if _, err := lines(t, document, nil); err == nil || !strings.HasSuffix(err.Error(), "the contexts cost too much: they make too many, too long IRIs") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, context := range []string{`"https://schema.org"`, `{"name": "http://e/name"}`} {
		if got, err := lines(t, many(`{"@context": `+context+`, "name": "x"}`, 300), nil); err != nil || strings.Count(got, "\n") != 301 {
			t.Errorf("many documents in one, each with its context: %d statements, %v", strings.Count(got, "\n"), err)
		}
	}
	if got, err := lines(t, `{"@context": {`+terms.String()+`"p": "http://e/p"}, "p": `+many(`{"p": 1}`, 5000)+`}`, nil); err != nil || strings.Count(got, "\n") != 10002 {
		t.Errorf("many objects in one context: %d statements, %v", strings.Count(got, "\n"), err)
	}
}

// FuzzReader: any document ends, and its statements can be written.
func FuzzReader(f *testing.F) {
	f.Add(`{"@context": ["http://schema.org", {"@base": "a", "x": {"@id": "@nest"}}], "@graph": [{"@id": "_:a", "name": ["a", {"@value": {"b": [1e30, null]}, "@type": "@json"}]}]}`)
	f.Add(`{"@context": {"p": {"@id": "http://e/p", "@container": ["@graph", "@index"]}, "r": {"@reverse": "p"}}, "p": {"i": {"@list": [1, true]}}, "r": {}, "@included": {"@type": "T"}}`)
	f.Fuzz(func(t *testing.T, document string) {
		r := NewReader(strings.NewReader(document), base, nil)
		w := rdf.NewNQuadsWriter(io.Discard)
		for {
			q, err := r.Read()
			if err != nil {
				var fault *rdf.Fault
				if err != io.EOF && !errors.As(err, &fault) {
					t.Fatal(err)
				}
				return
			}
			if err := w.Write(q); err != nil {
				t.Fatal(err)
			}
		}
	})
}
