// Package jsonld reads JSON-LD 1.1 (https://www.w3.org/TR/json-ld11-api/) as RDF.
//
// json-gold (github.com/piprate/json-gold) expands a document. states.go makes statements of the expanded document,
// with JSON literals in canonical form (canonical.go). Nothing is fetched: a context that is not in the document comes
// from the caller. Only schema.org's is built in, with the parts that matter (schema.go). A document is read whole, so
// its size is bounded, and so is the cost of its contexts.
package jsonld

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/piprate/json-gold/ld"

	"kavosh/lib/iri"
	"kavosh/lib/rdf"
)

// Bounds on a document.
const (
	maxDocument = 8 << 20 // bytes, also of a context
	maxObjects  = 50_000  // each takes up to 3 kB while it is expanded
	maxValues   = 200_000 // objects, arrays, and commas; each takes up to 1 kB
	maxDepth    = 128     // nesting of arrays and objects
	maxIRI      = 1 << 16 // bytes; longer IRIs are left out
)

// Contexts returns the document with a context, by its absolute URL. ok is false if it has none.
type Contexts func(url string) (document []byte, ok bool)

// NewReader reads document r. base is its absolute IRI, or "" if unknown; then relative references state nothing.
// Statements come node by node, with properties in the order of their IRIs, each once. All blank nodes get new labels from
// rdf.Labels. contexts may be nil. An unknown context is a fault that names its URL. Faults in the JSON syntax have
// their position; others have the start of the document.
func NewReader(r io.Reader, base string, contexts Contexts) *rdf.Held {
	return NewPlainReader(r, base, "", contexts)
}

// NewPlainReader is NewReader for plain JSON whose context is at an absolute URL. That context applies before those in
// the document. With context "", it is NewReader.
func NewPlainReader(r io.Reader, base, context string, contexts Contexts) *rdf.Held {
	document, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err != nil {
		return &rdf.Held{End: err}
	}
	quads, err := read(document, base, context, contexts)
	if err == nil {
		err = io.EOF
	}
	return &rdf.Held{Quads: quads, End: err}
}

func read(document []byte, base, context string, contexts Contexts) ([]rdf.Quad, error) {
	value, err := parse(document)
	if err != nil {
		return nil, err
	}
	if context != "" {
		for _, object := range list(value) {
			if o, ok := object.(map[string]any); ok {
				if own, has := o["@context"]; has {
					o["@context"] = append([]any{context}, list(own)...)
				} else {
					o["@context"] = context
				}
			}
		}
	}
	options := ld.NewJsonLdOptions("")
	l := &loader{contexts: contexts, known: map[string]bool{}, definitions: map[string]map[string]bool{}}
	options.DocumentLoader = l
	s := states{base: iri.NewBase(base), known: map[string]rdf.Term{}, stated: map[rdf.Quad]bool{}}
	absolute(value, s.base, false)
	l.define("@base", base)
	l.count(value, 0)
	if s.base = l.hoistBases(value, s.base); l.resolves {
		s.base, options.Base = iri.Base{}, base
	}
	if err := l.refuse(); err != nil {
		return nil, fault("%v", err)
	}
	expanded, err := expand(value, options)
	if err != nil {
		return nil, fault("%v", err)
	}
	if s.nodes(expanded, rdf.Term{}); s.mistake != "" {
		return nil, fault("%s", s.mistake)
	}
	return s.quads, nil
}

// expand calls json-gold's expansion, which panics for some mistakes in documents.
func expand(value any, options *ld.JsonLdOptions) (expanded []any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the document cannot be expanded: %v", p)
		}
	}()
	return ld.NewJsonLdProcessor().Expand(value, options)
}

func fault(format string, args ...any) *rdf.Fault {
	return &rdf.Fault{Line: 1, Column: 1, Reason: fmt.Sprintf(format, args...)}
}

// parse parses JSON within the bounds.
func parse(document []byte) (any, error) {
	document = bytes.TrimPrefix(document, []byte("\xEF\xBB\xBF"))
	if len(document) > maxDocument {
		return nil, faultAt(document, maxDocument, "the document is longer than %d bytes", maxDocument)
	}
	depth, objects, values, quoted := 0, 0, 0, false
	for i := 0; i < len(document); i++ {
		switch c := document[i]; {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(document[i:])
			if r == utf8.RuneError && n == 1 {
				return nil, faultAt(document, i, "byte %#02x is not UTF-8", c)
			}
			i += n - 1
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '{', c == '[', c == ',':
			if values++; c == '{' {
				objects++
			}
			if c != ',' {
				depth++
			}
			switch {
			case objects > maxObjects:
				return nil, faultAt(document, i, "the document has more than %d objects", maxObjects)
			case values > maxValues:
				return nil, faultAt(document, i, "the document has more than %d values", maxValues)
			case depth > maxDepth:
				return nil, faultAt(document, i, "values lie deeper than %d inside one another", maxDepth)
			}
		case c == '}', c == ']':
			depth--
		}
	}
	var value any
	err := json.Unmarshal(document, &value)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, faultAt(document, max(0, int(syntax.Offset)-1), "%v", err)
	case err != nil:
		return nil, fault("%v", err)
	}
	return value, nil
}

func faultAt(document []byte, at int, format string, args ...any) *rdf.Fault {
	before := document[:min(at, len(document))]
	return &rdf.Fault{
		Line:   1 + bytes.Count(before, []byte("\n")),
		Column: 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]),
		Reason: fmt.Sprintf(format, args...),
	}
}
