package jsonld

import (
	"maps"
	"slices"

	"kavosh/lib/iri"
)

// maxReferences is how many contexts References gives of a document.
const maxReferences = 100

// References is the URLs of the contexts that a document needs and does not hold, absolute and in the order of the alphabet: at
// any depth, in contexts of terms, and what contexts import. schema.org's, which is built in, is not among them. Of a document
// that is no JSON within the bounds there are none.
func References(document []byte, base string) []string {
	value, err := parse(document)
	if err != nil {
		return nil
	}
	absolute(value, iri.NewBase(base), false)
	met := map[string]bool{}
	refer(value, false, met)
	urls := slices.Sorted(maps.Keys(met))
	return urls[:min(len(urls), maxReferences)]
}

// refer puts the URLs of contexts in value into met; value is a context when inside.
func refer(value any, inside bool, met map[string]bool) {
	switch v := value.(type) {
	case string:
		if inside && !isSchema(v) {
			met[v] = true
		}
	case []any:
		for _, item := range v {
			refer(item, inside, met)
		}
	case map[string]any:
		for key, item := range v {
			refer(item, key == "@context" || key == "@import", met)
		}
	}
}
