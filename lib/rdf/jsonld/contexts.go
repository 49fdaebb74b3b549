package jsonld

import (
	"errors"
	"fmt"
	"strings"

	"github.com/piprate/json-gold/ld"

	"kavosh/lib/iri"
)

// What contexts may cost: json-gold copies all terms in force wherever a context stands, and at each object where one may come
// with a type or a property.
const (
	maxTerms  = 20_000     // in force at one place
	maxURL    = 4 << 10    // bytes of the URL of a context that stands elsewhere
	maxLoads  = 5_000      // of contexts that stand elsewhere; one that includes itself ends here
	maxLoaded = 16 << 20   // their bytes
	maxCopies = 10_000_000 // of terms
	maxSpelt  = 128 << 20  // bytes of IRIs, if each name and value became the longest IRI that contexts can make
)

// loader answers json-gold's questions for contexts, and counts what they cost.
//
// It also keeps json-gold from resolving relative references, which it does by net/url: that encodes what is not ASCII, and
// drops empty segments. Told no base, it leaves them as they are spelt, to be resolved here. That cannot be done where a base
// is set deep inside, or a vocabulary is relative to it.
type loader struct {
	contexts Contexts
	resolves bool // json-gold must resolve

	objects, contextsIn, bases int // objects, contexts and bases in the document
	force, copies              int // the most terms in force at one place; what is copied
	scopedTerms                int // in contexts that come with a term
	scoped                     bool

	loads, loaded int
	elsewhere     int             // terms in contexts that stand elsewhere
	known         map[string]bool // these contexts

	definitions map[string]map[string]bool // what names stand for, in any context
	values      int                        // names and values in the document
	longest     int                        // bytes of the longest IRI that definitions make; 0 is to be worked out
	mistake     string                     // in a context, that json-gold lets pass
}

// LoadDocument gives the context at url, as ld.DocumentLoader has it.
func (l *loader) LoadDocument(url string) (*ld.RemoteDocument, error) {
	if len(url) > maxURL {
		return nil, fmt.Errorf("a context has a URL of more than %d bytes", maxURL)
	}
	document, ok := []byte(schemaContext), isSchema(url)
	if !ok && l.contexts != nil {
		document, ok = l.contexts(url)
	}
	if !ok {
		return nil, fmt.Errorf("the context %s is not known", url)
	}
	l.loads++
	if l.loaded += len(document); l.loads > maxLoads || l.loaded > maxLoaded {
		return nil, fmt.Errorf("more than %d contexts that stand elsewhere, or they have more than %d bytes; the last is %s", maxLoads, maxLoaded, url)
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

// count counts what is in value, around which contexts with so many terms stand.
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

// terms counts those of a context, and takes note of what is in it.
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
				delete(v, name) // as good as not there
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

// isKeyword says whether what a term is defined by has the form of a keyword: terms that are defined so are to be ignored.
func isKeyword(definition any) bool {
	name, _ := definition.(string)
	return len(name) > 1 && name[0] == '@' && strings.Trim(strings.ToLower(name[1:]), "abcdefghijklmnopqrstuvwxyz") == ""
}

// hoist takes the bases out of the contexts at the top of a document that stands at base, and returns the last of them. It
// leaves them where there are others.
func (l *loader) hoist(document any, base iri.Base) iri.Base {
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
			continue // a mistake: json-gold tells
		}
		delete(c, "@base")
	}
	return base
}

func has(object map[string]any, key string) bool {
	_, ok := object[key]
	return ok
}

// absolute makes the URLs of contexts inside value absolute; value is a context when inside.
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

// define notes that name stands for definition, if that is a text, or else for itself.
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

// spelt is at least as long as any IRI that definitions make, in bytes: each may begin with the name of another.
func (l *loader) spelt() int {
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
		lengths[name] = all // if it begins with itself: in one context after another it may grow by all of them
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
			if name == "@vocab" || name == "@base" { // which may be relative to one another
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

// refuse tells why the document is not to be expanded, as far as is known by now.
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
		l.longest = l.spelt()
	}
	if (l.values+len(l.definitions))*l.longest > maxSpelt {
		return errors.New("the contexts cost too much: they make too many, too long IRIs")
	}
	return nil
}
