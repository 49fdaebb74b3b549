package order

// This file reads the specifications of orders that people write, such as "mix(3*tianwang,1*random)", and makes the
// policy.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kavosh/lib/spelling"
)

// maxNesting is how deep policies may be within policies.
const maxNesting = 8

// Parse makes the policy that spec describes. The empty spec stands for the first policy of List. A specification is
//
//	NAME[,key=value…]               a policy with its parameters
//	NAME(part,…)[,key=value…]       a policy made of others; a part is a specification, which may have NUMBER* before it
//	NAME(NUMBER,part)[,key=value…]  a policy that also needs a number
//
// A parameter belongs to the policy just before it: in mix(3*tianwang,links=1,1*random), links=1 belongs to tianwang.
// An error names the part of spec that is wrong, and what may be there.
func Parse(spec string, setup Setup) (Policy, error) {
	if spec == "" {
		spec = List()[0].Name
	}
	p := parser{text: spec, setup: setup}
	policy, err := p.policy(0)
	if err == nil && p.at < len(p.text) {
		err = fmt.Errorf("%q is left over", p.text[p.at:])
	}
	if err != nil {
		return nil, fmt.Errorf("order %q: %w", spec, err)
	}
	return policy, nil
}

// parser reads one specification, from left to right.
type parser struct {
	text  string
	at    int // how far it has read
	setup Setup
}

// word reads on to the next character that has a meaning in specifications, and returns what it read without spaces
// around.
func (p *parser) word() string {
	rest := p.text[p.at:]
	n := strings.IndexAny(rest, ",()*=")
	if n < 0 {
		n = len(rest)
	}
	p.at += n
	return strings.TrimSpace(rest[:n])
}

// next reports whether c comes next, and steps over it if so.
func (p *parser) next(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// policy reads a specification and makes its policy. depth is how many policies it is within.
func (p *parser) policy(depth int) (Policy, error) {
	name := p.word()
	list := List()
	i := slices.IndexFunc(list, func(e Entry) bool { return e.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no order %s%s", name, spelling.OrOneOf(name, strings.Split(Names(), ", ")))
	}
	e := &list[i]
	a := &Args{Setup: p.setup, name: name, part: depth > 0}
	if p.next('(') {
		if e.Parts == 0 {
			return nil, fmt.Errorf("%s is not made of others: leave the parentheses out", name)
		}
		if depth == maxNesting {
			return nil, fmt.Errorf("more than %d policies within each other", maxNesting)
		}
		var err error
		if e.Number != "" {
			if a.Number, err = p.number(); err != nil {
				return nil, fmt.Errorf("%s: %w: %s comes first, as in %s(5,breadth)", name, err, e.Number, name)
			}
		}
		if a.Parts, err = p.parts(depth); err != nil {
			return nil, err
		}
	}
	if len(a.Parts) < e.Parts {
		return nil, fmt.Errorf("%s is made of others: write them in parentheses, at least %d, such as %s(%s)", name, e.Parts, name, strings.Join(append(slices.Repeat([]string{"5"}, min(len(e.Number), 1)), slices.Repeat([]string{"breadth"}, e.Parts)...), ","))
	}
	given, err := p.params(e)
	if err != nil {
		return nil, err
	}
	return e.make(a, given)
}

// number reads a number from 0 to 1,000,000,000 and the comma after it.
func (p *parser) number() (float64, error) {
	text := p.word()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= 1e9) || !p.next(',') {
		return 0, fmt.Errorf("%q is no number from 0 to 1000000000 with a comma after it", text)
	}
	return n, nil
}

// parts reads the parts in parentheses, and the closing parenthesis.
func (p *parser) parts(depth int) ([]Part, error) {
	var parts []Part
	for {
		part := Part{Weight: 1}
		before := p.at
		if number := p.word(); p.next('*') {
			w, err := strconv.ParseFloat(number, 64)
			if err != nil || !(w > 0 && w <= 1e9) {
				return nil, fmt.Errorf("%q before * must be a number above 0 and up to 1000000000", number)
			}
			part.Weight = w
		} else {
			p.at = before
		}
		start := p.at
		part.Name = p.word()
		p.at = start
		var err error
		if part.Policy, err = p.policy(depth + 1); err != nil {
			return nil, err
		}
		parts = append(parts, part)
		switch {
		case p.next(','):
		case p.next(')'):
			return parts, nil
		default:
			return nil, fmt.Errorf("a closing parenthesis is missing")
		}
	}
}

// params reads all ",key=value" that follow, as far as they belong to e.
func (p *parser) params(e *Entry) (map[string]string, error) {
	given := map[string]string{}
	for {
		before := p.at
		if !p.next(',') {
			return given, nil
		}
		key := p.word()
		if !p.next('=') {
			if i := slices.IndexFunc(e.Params, func(param Param) bool { return param.Name == key }); i >= 0 {
				return nil, fmt.Errorf("parameter %q has no value; write %s=%v", key, key, e.Params[i].Default)
			}
			p.at = before // it is the next part of the policy around this one
			return given, nil
		}
		if !slices.ContainsFunc(e.Params, func(param Param) bool { return param.Name == key }) {
			if len(e.Params) == 0 {
				return nil, fmt.Errorf("unknown parameter %q; %s takes none", key, e.Name)
			}
			names := make([]string, len(e.Params))
			for i := range e.Params {
				names[i] = e.Params[i].Name
			}
			return nil, fmt.Errorf("unknown parameter %q; %s takes %s", key, e.Name, strings.Join(names, ", "))
		}
		if _, twice := given[key]; twice {
			return nil, fmt.Errorf("parameter %q is given twice; keep one", key)
		}
		given[key] = p.word()
	}
}
