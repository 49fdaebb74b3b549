//go:build conformance

package rdfa

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kavosh/internal/testdata"
	"kavosh/lib/htmltree"
)

// unmet are the tests of the suite that fail, each with the reason.
var unmet = map[string]string{
	"html4/0319":         relativePrefix,
	"html5-invalid/0319": relativePrefix,
	"xhtml1/0319":        relativePrefix,
	"xhtml5/0319":        relativePrefix,
	"xhtml1/0198":        namespaces,
	"xhtml5/0198":        namespaces,
}

const (
	relativePrefix = "it wants a predicate that is a relative IRI, which RDF does not have, and has it made absolute by the reader of the Turtle " +
		"that the statements are sent in"
	namespaces = "it compares an XML literal as a string, with attributes before namespaces and with namespaces of prefixes that no name uses; " +
		"exclusive canonical XML has neither"
)

// TestSuite runs the RDFa 1.1 test suite (rdfa.info) in its versions of HTML and XHTML: the statements of a page must answer
// the test's query as the manifest says.
func TestSuite(t *testing.T) {
	root := testdata.Path(t, "rdfa/test-suite")
	file, err := os.ReadFile(filepath.Join(root, "manifest.jsonld"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Graph []struct {
			Num           string   `json:"num"`
			Description   string   `json:"description"`
			Expected      bool     `json:"expectedResults"`
			HostLanguages []string `json:"hostLanguages"`
			Versions      []string `json:"versions"`
		} `json:"@graph"`
	}
	if err := json.Unmarshal(file, &manifest); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, test := range manifest.Graph {
		if !slices.Contains(test.Versions, "rdfa1.1") {
			continue
		}
		for _, host := range test.HostLanguages {
			name := host + "/" + test.Num
			xml := strings.HasPrefix(host, "xhtml")
			if !xml && !strings.HasPrefix(host, "html") {
				continue
			}
			ran++
			ending := ".html"
			if xml {
				ending = ".xhtml"
			}
			path := filepath.Join(root, "test-cases", "rdfa1.1", host, test.Num)
			body, err := os.ReadFile(path + ending)
			if err != nil {
				t.Fatal(err)
			}
			question, err := os.ReadFile(path + ".sparql")
			if err != nil {
				t.Fatal(err)
			}
			url := "http://rdfa.info/test-suite/test-cases/rdfa1.1/" + name + ending
			quads := Read(htmltree.Parse(string(body), xml, url))
			yes, err := ask(string(question), url, quads)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			reason, known := unmet[name]
			switch passes := yes == test.Expected; {
			case !passes && !known:
				t.Errorf("%s (%s): the answer is %t\n%s\nof\n%s\nin\n%v", name, test.Description, yes, question, body, quads)
			case passes && known:
				t.Errorf("%s passes now; it was listed as failing because %s", name, reason)
			}
		}
	}
	t.Logf("%d tests, %d of them fail as explained", ran, len(unmet))
	if ran < 700 {
		t.Errorf("only %d tests found", ran)
	}
}
