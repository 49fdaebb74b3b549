//go:build conformance

package jsonld

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/internal/testdata"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/rdftest"
)

// differs says of the tests in W3C's toRdf suite that do not pass, why. It must be right: neither more nor fewer may fail.
var differs = map[string]string{
	"#t0118": generalized,
	"#tc029": old,
	"#tc033": "json-gold lets pass a mistake: a context that nothing uses",
	"#tc037": "json-gold does not apply the context of a term that stands for @nest",
	"#tc038": "json-gold does not apply the context of a term that stands for @nest",
	"#tdi09": direction,
	"#tdi10": direction,
	"#tdi11": direction,
	"#tdi12": direction,
	"#te014": old,
	"#te026": old,
	"#te071": old,
	"#te075": generalized,
	"#te115": old,
	"#te116": old,
	"#te122": "json-gold makes an empty reference of an @id that is to be ignored",
	"#te123": "the literal is left out, not the document",
	"#tep02": old,
	"#ter21": old,
	"#ter24": old,
	"#ter32": old,
	"#ter42": old,
	"#tpr28": "json-gold lets pass a mistake: a new definition of a term that is protected and null",
	"#tpr43": "json-gold forgets the container of a term whose context is null",
	"#ttn01": old,
}

const (
	old         = "for processors of JSON-LD 1.0"
	generalized = "wants generalized RDF, which has blank nodes for predicates"
	direction   = "wants an option that puts the direction of texts into RDF, by a form that is no standard"
)

// TestSuite runs W3C's tests of turning JSON-LD 1.1 into RDF.
func TestSuite(t *testing.T) {
	dir := testdata.Path(t, "jsonld/tests")
	const home = "https://w3c.github.io/json-ld-api/tests/"
	var manifest struct {
		Sequence []struct {
			ID     string   `json:"@id"`
			Type   []string `json:"@type"`
			Name   string
			Input  string
			Expect string
			Option struct {
				Base          string
				ExpandContext string
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "toRdf-manifest.jsonld"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	contexts := func(url string) ([]byte, bool) {
		name, ok := strings.CutPrefix(url, home)
		if !ok {
			return nil, false
		}
		document, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		return document, err == nil
	}
	passed := 0
	for _, test := range manifest.Sequence {
		document, err := os.ReadFile(filepath.Join(dir, test.Input))
		if err != nil {
			t.Fatal(err)
		}
		base := home + test.Input
		if test.Option.Base != "" {
			base = test.Option.Base
		}
		beside := ""
		if test.Option.ExpandContext != "" {
			beside = home + test.Option.ExpandContext
		}
		got, err := rdftest.ReadAll(NewPlainReader(bytes.NewReader(document), base, beside, contexts))
		var wrong string
		switch {
		case test.Type[0] == "jld:NegativeEvaluationTest":
			if err == nil {
				wrong = "no fault"
			}
		case err != nil:
			wrong = err.Error()
		case test.Expect != "":
			expected, err := os.ReadFile(filepath.Join(dir, test.Expect))
			if err != nil {
				t.Fatal(err)
			}
			want, err := rdftest.ReadAll(rdf.Strict(rdf.NewNQuadsReader(bytes.NewReader(expected))))
			if err != nil {
				wrong = "the expected statements are broken: " + err.Error()
			} else if !rdftest.Isomorphic(got, want) {
				wrong = "got\n" + written(t, got) + "want\n" + string(expected)
			}
		}
		why, known := differs[test.ID]
		switch {
		case wrong != "" && !known:
			t.Errorf("%s (%s): %s", test.ID, test.Name, wrong)
		case wrong == "" && known:
			t.Errorf("%s passes; it is said to differ: %s", test.ID, why)
		case wrong == "":
			passed++
		}
	}
	t.Logf("%d of %d pass, %d differ", passed, len(manifest.Sequence), len(differs))
	if passed+len(differs) != len(manifest.Sequence) || passed == 0 {
		t.Errorf("%d tests are not accounted for", len(manifest.Sequence)-passed-len(differs))
	}
}

func written(t *testing.T, quads []rdf.Quad) string {
	var out strings.Builder
	w := rdf.NewNQuadsWriter(&out)
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			t.Error(err)
		}
	}
	if err := w.Close(); err != nil && err != io.EOF {
		t.Error(err)
	}
	return out.String()
}
