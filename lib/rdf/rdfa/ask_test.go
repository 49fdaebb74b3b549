//go:build suites

package rdfa

import (
	"fmt"
	"regexp"
	"strings"

	resolve "kavosh/lib/iri"
	"kavosh/lib/rdf"
)

// query is an ASK of SPARQL, as much of it as the test suite uses: basic graph patterns, OPTIONAL, and FILTER of isBlank,
// bound, lang, ! and &&. Variables and blank nodes are terms of kind None, with their names.
type query struct {
	patterns  []rdf.Quad
	optionals []*query
	filters   []func(map[string]rdf.Term) bool
}

var lexemes = regexp.MustCompile(`^(?:"""(?s:.*?)"""|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|<[^<>\s]*>|\?\w+|_:\w*|@[A-Za-z-]+|\^\^|&&|[\w-]*:(?:[\w-]|\.\w)*|\w+|[][{}();,.!=])`)

// parser reads a query.
type parser struct {
	words    []string
	prefixes map[string]string
	base     resolve.Base
	made     int
}

// ask parses text and says whether the statements answer it with yes.
func ask(text, base string, quads []rdf.Quad) (yes bool, err error) {
	p := &parser{prefixes: map[string]string{}, base: resolve.NewBase(base)}
	for {
		if text = strings.TrimSpace(text); text == "" {
			break
		}
		if text[0] == '#' {
			_, text, _ = strings.Cut(text, "\n")
			continue
		}
		word := lexemes.FindString(text)
		if word == "" {
			return false, fmt.Errorf("no word of SPARQL: %.40q", text)
		}
		p.words, text = append(p.words, word), text[len(word):]
	}
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%v before %q", e, p.words)
		}
	}()
	for {
		switch word := strings.ToUpper(p.next()); word {
		case "BASE":
			p.base = resolve.NewBase(strings.Trim(p.next(), "<>"))
		case "PREFIX":
			name := p.next()
			p.prefixes[name] = strings.Trim(p.next(), "<>")
		case "ASK", "WHERE":
		case "{":
			q := p.group()
			return q.solve(q.patterns, quads, map[string]rdf.Term{}, func(b map[string]rdf.Term) bool { return q.accept(b, quads) }), nil
		default:
			panic("unknown " + word)
		}
	}
}

func (p *parser) next() string {
	word := p.words[0]
	p.words = p.words[1:]
	return word
}

func (p *parser) peek() string { return p.words[0] }

func (p *parser) take(word string) bool {
	if !strings.EqualFold(p.peek(), word) {
		return false
	}
	p.next()
	return true
}

func (p *parser) group() *query {
	q := &query{}
	for !p.take("}") {
		switch {
		case p.take("."):
		case p.take("OPTIONAL"):
			p.next()
			q.optionals = append(q.optionals, p.group())
		case p.take("FILTER"):
			q.filters = append(q.filters, p.primary())
		default:
			p.predicates(q, p.term(q))
		}
	}
	return q
}

// predicates reads what follows a subject.
func (p *parser) predicates(q *query, subject rdf.Term) {
	for strings.IndexAny(p.peek(), ".}]") != 0 {
		predicate := rdf.Term{Kind: rdf.IRI, Value: rdfType}
		if !p.take("a") {
			predicate = p.term(q)
		}
		for again := true; again; again = p.take(",") {
			q.patterns = append(q.patterns, rdf.Quad{Subject: subject, Predicate: predicate, Object: p.term(q)})
		}
		for p.take(";") {
		}
	}
}

func (p *parser) variable() rdf.Term {
	p.made++
	return rdf.Term{Value: fmt.Sprint("made ", p.made)}
}

func (p *parser) term(q *query) rdf.Term {
	word := p.next()
	switch {
	case word == "[":
		t := p.variable()
		p.predicates(q, t)
		p.next()
		return t
	case word == "(":
		if p.take(")") {
			return rdf.Term{Kind: rdf.IRI, Value: rdfNS + "nil"}
		}
		t := p.variable()
		first := rdf.Quad{Subject: t, Predicate: rdf.Term{Kind: rdf.IRI, Value: rdfNS + "first"}, Object: p.term(q)}
		p.words = append([]string{"("}, p.words...)
		rest := rdf.Quad{Subject: t, Predicate: rdf.Term{Kind: rdf.IRI, Value: rdfNS + "rest"}, Object: p.term(q)}
		q.patterns = append(q.patterns, first, rest)
		return t
	case word[0] == '?':
		return rdf.Term{Value: word}
	case word[0] == '<':
		to, _ := p.base.Resolve(word[1 : len(word)-1])
		return rdf.Term{Kind: rdf.IRI, Value: to}
	case word[0] == '"' || word[0] == '\'':
		quote := word[:1]
		if strings.HasPrefix(word, `"""`) {
			quote = `"""`
		}
		t := rdf.Term{Kind: rdf.Literal, Value: word[len(quote) : len(word)-len(quote)]}
		t.Value = strings.NewReplacer(`\"`, `"`, `\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(t.Value)
		if p.peek()[0] == '@' {
			t.Language = strings.ToLower(p.next()[1:])
		}
		if p.take("^^") {
			if t.Datatype = p.term(q).Value; t.Datatype == "http://www.w3.org/2001/XMLSchema#string" {
				t.Datatype = ""
			}
		}
		return t
	case strings.HasPrefix(word, "_:"):
		return rdf.Term{Value: word}
	}
	name, local, found := strings.Cut(word, ":")
	space, declared := p.prefixes[name+":"]
	if !found || !declared {
		panic("no term: " + word)
	}
	return rdf.Term{Kind: rdf.IRI, Value: space + local}
}

// primary is a filter: one call, or an expression in brackets.
func (p *parser) primary() func(map[string]rdf.Term) bool {
	switch word := strings.ToUpper(p.next()); word {
	case "(":
		f := p.primary()
		for p.take("&&") {
			left, right := f, p.primary()
			f = func(b map[string]rdf.Term) bool { return left(b) && right(b) }
		}
		p.next()
		return f
	case "!":
		f := p.primary()
		return func(b map[string]rdf.Term) bool { return !f(b) }
	case "ISBLANK", "BOUND", "LANG":
		p.next()
		name := p.next()
		p.next()
		switch word {
		case "ISBLANK":
			return func(b map[string]rdf.Term) bool { return b[name].Kind == rdf.Blank }
		case "BOUND":
			return func(b map[string]rdf.Term) bool { return b[name].Kind != rdf.None }
		}
		p.next()
		want := p.term(nil).Value
		return func(b map[string]rdf.Term) bool { return b[name].Language == want }
	default:
		panic("unknown filter " + word)
	}
}

// solve calls done with every way to match the patterns, until it says that one will do.
func (q *query) solve(patterns, quads []rdf.Quad, bound map[string]rdf.Term, done func(map[string]rdf.Term) bool) bool {
	if len(patterns) == 0 {
		return done(bound)
	}
	for _, quad := range quads {
		with := map[string]rdf.Term{}
		for k, v := range bound {
			with[k] = v
		}
		one := patterns[0]
		if bind(one.Subject, quad.Subject, with) && bind(one.Predicate, quad.Predicate, with) && bind(one.Object, quad.Object, with) &&
			q.solve(patterns[1:], quads, with, done) {
			return true
		}
	}
	return false
}

func bind(pattern, term rdf.Term, bound map[string]rdf.Term) bool {
	if pattern.Kind != rdf.None {
		return pattern == term
	}
	if is, ok := bound[pattern.Value]; ok {
		return is == term
	}
	bound[pattern.Value] = term
	return true
}

// accept joins the optional patterns to a solution and puts it to the filters.
func (q *query) accept(bound map[string]rdf.Term, quads []rdf.Quad) bool {
	for _, o := range q.optionals {
		o.solve(o.patterns, quads, bound, func(b map[string]rdf.Term) bool { bound = b; return true })
	}
	for _, f := range q.filters {
		if !f(bound) {
			return false
		}
	}
	return true
}
