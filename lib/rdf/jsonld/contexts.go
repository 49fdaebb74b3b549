package jsonld

// This file gives JSON-LD documents their contexts, and bounds what these may cost. It fetches nothing.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/piprate/json-gold/ld"

	"kavosh/lib/iri"
)

// Bounds on the cost of contexts: json-gold copies all terms in force wherever a context is, and at each object where a
// type or property may bring one.
const (
	maxTerms  = 20_000     // in force at the same place
	maxURL    = 4 << 10    // bytes of the URL of a remote context
	maxLoads  = 5_000      // remote contexts loaded; bounds one that includes itself
	maxLoaded = 16 << 20   // bytes of them
	maxCopies = 10_000_000 // of terms
	maxSpelt  = 128 << 20  // bytes of IRIs, if each name and value became the longest possible IRI
)

// loader gives json-gold the contexts that it asks for, and counts their cost.
//
// It also keeps json-gold from resolving relative references, because that uses net/url, which encodes non-ASCII
// characters and drops empty segments. Without a base, json-gold leaves them unchanged, and they are resolved here.
// This is impossible if a base is set deep inside, or a vocabulary is relative to it.
type loader struct {
	contexts Contexts
	resolves bool // json-gold has to resolve references

	objects, contextsIn, bases int // number of objects, contexts and bases in the document
	force, copies              int // most terms in force at one place; terms copied
	scopedTerms                int // terms in contexts that belong to a term
	scoped                     bool

	loads, loaded int
	elsewhere     int             // terms in remote contexts
	known         map[string]bool // the remote contexts loaded

	definitions map[string]map[string]bool // what names stand for, in any context
	values      int                        // names and values in the document
	longest     int                        // bytes of the longest IRI that definitions can make; 0 = not yet known
	mistake     string                     // a mistake in a context that json-gold accepts
}

// LoadDocument implements ld.DocumentLoader.
func (l *loader) LoadDocument(url string) (*ld.RemoteDocument, error) {
	if len(url) > maxURL {
		return nil, fmt.Errorf("a context has a URL of more than %d bytes", maxURL)
	}
	document, ok := []byte(SchemaContext), isSchema(url)
	if !ok && l.contexts != nil {
		document, ok = l.contexts(url)
	}
	if !ok {
		return nil, fmt.Errorf("the context %s is not known", url)
	}
	l.loads++
	if l.loaded += len(document); l.loads > maxLoads || l.loaded > maxLoaded {
		return nil, fmt.Errorf("more than %d contexts that stand elsewhere, or they have more than %d bytes; the last is %s",
			maxLoads, maxLoaded, url)
	}
	value, err := parse(document)
	if err != nil {
		return nil, fmt.Errorf("the context %s: %w", url, err)
	}
	object, _ := value.(map[string]any)
	if !has(object, "@context") {
		return nil, fmt.Errorf("the context %s has no @context", url)
	}
	context := map[string]any{"@context": object["@context"]}
	absolute(context, iri.NewBase(url), false)
	if terms := l.terms(context["@context"]); !l.known[url] {
		l.known[url] = true
		l.elsewhere += terms
	}
	l.copies += l.force + l.elsewhere
	if err := l.refuse(); err != nil {
		return nil, err
	}
	return &ld.RemoteDocument{DocumentURL: url, Document: context}, nil
}

// count counts what is in value. force is the number of terms in the contexts around it.
func (l *loader) count(value any, force int) {
	switch v := value.(type) {
	case []any:
		l.values += len(v)
		for _, item := range v {
			l.count(item, force)
		}
	case map[string]any:
		l.objects++
		l.values += len(v)
		if has(v, "@context") {
			l.contextsIn++
			force += l.terms(v["@context"])
			l.copies += force
			l.force = max(l.force, force)
		}
		for key, item := range v {
			if key != "@context" {
				l.count(item, force)
			}
		}
	}
}

// terms counts the terms of a context and notes its content.
func (l *loader) terms(context any) int {
	switch v := context.(type) {
	case []any:
		n := 0
		for _, item := range v {
			n += l.terms(item)
		}
		return n
	case map[string]any:
		if has(v, "@base") {
			l.bases++
		}
		if vocab, ok := v["@vocab"].(string); ok && !strings.Contains(vocab, ":") {
			l.resolves = true
		}
		for name, definition := range v {
			d, isObject := definition.(map[string]any)
			switch {
			case name == "", name == "@context", name == "@type" && isObject && len(d) == 0:
				l.mistake = fmt.Sprintf("a context has a definition of %q that none may have", name)
			case isKeyword(d["@reverse"]):
				delete(v, name) // same as not there
				continue
			}
			l.define(name, definition)
			for _, part := range d {
				l.define(name, part)
			}
			if has(d, "@context") {
				l.scoped = true
				l.scopedTerms += l.terms(d["@context"])
			}
		}
		return len(v)
	}
	return 0
}

// isKeyword reports whether a definition has the form of a keyword: such terms are ignored.
func isKeyword(definition any) bool {
	name, _ := definition.(string)
	return len(name) > 1 && name[0] == '@' && strings.Trim(strings.ToLower(name[1:]), "abcdefghijklmnopqrstuvwxyz") == ""
}

// hoistBases removes the bases from the contexts at the top of a document and returns the last one, or base. It does nothing
// if there are other bases deeper inside.
func (l *loader) hoistBases(document any, base iri.Base) iri.Base {
	object, _ := document.(map[string]any)
	var tops []map[string]any
	for _, context := range list(object["@context"]) {
		if c, ok := context.(map[string]any); ok && has(c, "@base") {
			tops = append(tops, c)
		}
	}
	if l.resolves = l.resolves || len(tops) < l.bases; l.resolves {
		return base
	}
	for _, c := range tops {
		switch reference := c["@base"].(type) {
		case nil:
			base = iri.Base{}
		case string:
			absolute, _ := base.Resolve(reference)
			base = iri.NewBase(absolute)
		default:
			continue // a mistake, which json-gold reports
		}
		delete(c, "@base")
	}
	return base
}

func has(object map[string]any, key string) bool {
	_, ok := object[key]
	return ok
}

// absolute makes the URLs of contexts in value absolute. inside is true if value is a context.
func absolute(value any, base iri.Base, inside bool) any {
	switch v := value.(type) {
	case string:
		if iri, ok := base.Resolve(v); ok && inside {
			return iri
		}
	case []any:
		for i, item := range v {
			v[i] = absolute(item, base, inside)
		}
	case map[string]any:
		for key, item := range v {
			v[key] = absolute(item, base, key == "@context" || key == "@import")
		}
	}
	return value
}

// define notes that name stands for definition, if that is a string, or else for itself.
func (l *loader) define(name string, definition any) {
	text, ok := definition.(string)
	if !ok {
		text = name
	}
	if l.definitions[name] == nil {
		l.definitions[name] = map[string]bool{}
	}
	if !l.definitions[name][text] {
		l.definitions[name][text] = true
		l.longest = 0
	}
}

// longestIRI returns an upper bound for the length of an IRI that definitions can make, in bytes: each may begin with the
// name of another.
func (l *loader) longestIRI() int {
	all := 0
	for _, texts := range l.definitions {
		for text := range texts {
			all += len(text)
		}
	}
	lengths := map[string]int{}
	var length func(name string) int
	length = func(name string) int {
		if n, met := lengths[name]; met {
			return n
		}
		lengths[name] = all // it begins with itself, so it may grow by all of them, in one context after another
		longest := 0
		for text := range l.definitions[name] {
			n := len(text)
			if before, _, ok := strings.Cut(text, ":"); text != name && l.definitions[text] != nil {
				n = length(text)
			} else if ok && l.definitions[before] != nil {
				n += length(before)
			} else if !ok && name != "@vocab" && name != "@base" {
				n += length("@vocab")
			}
			longest = max(longest, n)
			if name == "@vocab" || name == "@base" { // they may be relative to each other
				longest += n
			}
		}
		lengths[name] = longest
		return longest
	}
	longest := 0
	for name := range l.definitions {
		longest = max(longest, length(name))
	}
	return longest + length("@base")
}

// refuse returns why the document must not be expanded, as far as is known by now.
func (l *loader) refuse() error {
	force, copies := l.force+l.elsewhere, l.copies+l.contextsIn*l.elsewhere
	if l.scoped {
		force += l.scopedTerms
		copies += l.objects * force
	}
	switch {
	case l.mistake != "":
		return errors.New(l.mistake)
	case force > maxTerms, copies > maxCopies, len(l.definitions) > maxTerms:
		return errors.New("the contexts cost too much: too many terms, in force at too many places")
	case l.longest == 0:
		l.longest = l.longestIRI()
	}
	if (l.values+len(l.definitions))*l.longest > maxSpelt {
		return errors.New("the contexts cost too much: they make too many, too long IRIs")
	}
	return nil
}
