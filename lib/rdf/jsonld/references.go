package jsonld

import (
	"maps"
	"slices"

	"kavosh/lib/iri"
)

// maxReferences is how many contexts References returns at most.
const maxReferences = 100

// References returns the absolute URLs of the contexts that a document needs but does not contain, sorted: at any
// depth, in contexts of terms, and those that contexts import. schema.org's is built in and not among them. If the
// document is not JSON within the bounds, there are none.
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

// refer adds the URLs of contexts in value to met. inside is true if value is a context.
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
