package jsonld

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestReferences finds the contexts that are not in a document, wherever they may be named.
func TestReferences(t *testing.T) {
	var many []string
	for i := range 2 * maxReferences {
		many = append(many, fmt.Sprintf(`"c%03d"`, i))
	}
	for _, tt := range []struct {
		name, document string
		want           []string
	}{
		{"one", `{"@context": "c"}`, []string{"http://example.org/dir/c"}},
		{"several", `[{"@context": ["/b", {"@import": "i", "x": "http://e/no"}, "http://a.ir/ü", "/b"]}, {"p": [{"@context": "inside"}]}]`,
			[]string{"http://a.ir/ü", "http://example.org/b", "http://example.org/dir/i", "http://example.org/dir/inside"}},
		{"of a term", `{"@context": {"p": {"@id": "http://e/p", "@context": ["s", null]}}}`, []string{"http://example.org/dir/s"}},
		{"built in", `{"@context": ["https://schema.org/", "http://schema.org"]}`, nil},
		{"none", `{"name": "c", "@id": "d"}`, nil},
		{"no JSON", `{"@context": "c"`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := References([]byte(tt.document), base); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := References([]byte(`{"@context": [`+strings.Join(many, ",")+`]}`), base); len(got) != maxReferences {
		t.Errorf("%d references of a document that names %d", len(got), len(many))
	}
}
