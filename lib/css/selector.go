package css

// This file reads selectors and finds the elements of a page that match. It knows the selectors by which people point at
// a part of a page: names, #id, .class, attributes, :first-child, :last-child, :nth-child(), :not(), and the combinators
// between them. A page is walked once, whatever the selector: with each element come the parts of the selector that it,
// the elements around it and those before it have matched, as bits. So no page and no selector make it slow.

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"kavosh/lib/ascii"
	"kavosh/lib/htmltree"
)

// Bounds of a selector.
const (
	maxSelector = 500 // bytes
	maxParts    = 64  // compound selectors, in all alternatives together
)

// Selector is a list of alternatives, such as "#news li > a, h1".
type Selector struct{ parts []part }

// part is a compound selector, such as li.new, and how it hangs on the one before it.
type part struct {
	tests []test
	by    byte // ' ', '>', '+', '~'; 0 at the beginning of an alternative
	last  bool // of its alternative
}

// test is one simple selector.
type test struct {
	kind  byte   // 'n' name, '#', '.', '[' attribute, ':' place among siblings
	name  string // of the element, identifier, class or attribute
	op    string // of an attribute: "", "=", "~=", "|=", "^=", "$=", "*="
	value string
	fold  bool   // the value is compared without regard to the case of letters
	not   []test // of :not(): all of them
	every int    // of :nth-child(): every·n + from
	from  int
}

// ParseSelector reads a selector. The error says what is wrong with it.
func ParseSelector(text string) (*Selector, error) {
	if len(text) > maxSelector {
		return nil, fmt.Errorf("the selector is longer than %d bytes", maxSelector)
	}
	p := selectorReader{rest: strings.TrimSpace(text)}
	s := &Selector{}
	for {
		if err := p.alternative(s); err != nil {
			return nil, fmt.Errorf("the selector %q: %w", text, err)
		}
		if p.rest == "" {
			return s, nil
		}
		p.rest = strings.TrimLeft(p.rest[1:], blanks) // the comma
	}
}

const blanks = " \t\r\n\f"

// selectorReader reads a selector from its beginning.
type selectorReader struct{ rest string }

func (p *selectorReader) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

// at reports whether the next byte is one of some.
func (p *selectorReader) at(bytes string) bool {
	return p.rest != "" && strings.IndexByte(bytes, p.rest[0]) >= 0
}

// alternative reads up to a comma or the end.
func (p *selectorReader) alternative(s *Selector) error {
	by := byte(0)
	for {
		tests, err := p.compound(false)
		if err != nil {
			return err
		}
		s.parts = append(s.parts, part{tests: tests, by: by})
		if len(s.parts) > maxParts {
			return fmt.Errorf("it has more than %d parts", maxParts)
		}
		before := p.rest
		p.rest = strings.TrimLeft(p.rest, blanks)
		switch {
		case p.rest == "" || p.at(","):
			s.parts[len(s.parts)-1].last = true
			return nil
		case p.at(">+~"):
			by = p.rest[0]
			p.rest = strings.TrimLeft(p.rest[1:], blanks)
		case before != p.rest:
			by = ' '
		default:
			return fmt.Errorf("%q is not known here: write names, #id, .class, [attribute=value], :first-child, :last-child, :nth-child(), :not()", p.rest)
		}
	}
}

// compound reads simple selectors without anything between them.
func (p *selectorReader) compound(within bool) (tests []test, err error) {
	if p.take("*") {
		tests = []test{}
	} else if name, ok := p.name(); ok {
		tests = append(tests, test{kind: 'n', name: strings.ToLower(name)})
	}
	for {
		var t test
		switch {
		case p.at("#."):
			t.kind = p.rest[0]
			p.rest = p.rest[1:]
			if t.name, _ = p.name(); t.name == "" {
				return nil, fmt.Errorf("a name is missing after %c", t.kind)
			}
		case p.take("["):
			t, err = p.attribute()
		case p.at(":"):
			t, err = p.pseudo(within)
		case tests == nil:
			return nil, errors.New("an element is missing, such as h1, .price or #news")
		default:
			return tests, nil
		}
		if err != nil {
			return nil, err
		}
		tests = append(tests, t)
	}
}

// name reads an identifier, without its escapes.
func (p *selectorReader) name() (string, bool) {
	i := 0
	for i < len(p.rest) {
		c := p.rest[i]
		switch {
		case c == '\\' && i+1 < len(p.rest):
			i++
			n := 0
			for n < 6 && i < len(p.rest) && ascii.IsHex(p.rest[i]) {
				i, n = i+1, n+1
			}
			if n == 0 {
				i++
			} else if i < len(p.rest) && ascii.IsSpace(p.rest[i]) {
				i++
			}
			continue
		case c == '-' || c == '_' || c >= 0x80 || ascii.IsLetter(c) || ascii.IsDigit(c):
		default:
			return p.cut(i)
		}
		i++
	}
	return p.cut(i)
}

func (p *selectorReader) cut(i int) (string, bool) {
	name := string(Unescape(nil, p.rest[:i], utf8.AppendRune))
	p.rest = p.rest[i:]
	return name, name != ""
}

// attribute reads what follows "[".
func (p *selectorReader) attribute() (t test, err error) {
	p.rest = strings.TrimLeft(p.rest, blanks)
	name, ok := p.name()
	if !ok {
		return t, errors.New("the name of an attribute is missing after [")
	}
	t = test{kind: '[', name: strings.ToLower(name)}
	p.rest = strings.TrimLeft(p.rest, blanks)
	for _, op := range [...]string{"=", "~=", "|=", "^=", "$=", "*="} {
		if p.take(op) {
			t.op = op
			break
		}
	}
	if t.op != "" {
		p.rest = strings.TrimLeft(p.rest, blanks)
		if t.value, err = p.value(); err != nil {
			return t, err
		}
		p.rest = strings.TrimLeft(p.rest, blanks)
		if p.at("iI") {
			t.fold = true
			p.rest = strings.TrimLeft(p.rest[1:], blanks)
		}
	}
	if !p.take("]") {
		return t, errors.New("] is missing")
	}
	return t, nil
}

// value reads a string in quotes, or a name.
func (p *selectorReader) value() (string, error) {
	if !p.at(`"'`) {
		v, _ := p.name()
		return v, nil
	}
	quote := p.rest[0]
	for i := 1; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case quote:
			v := string(Unescape(nil, p.rest[1:i], utf8.AppendRune))
			p.rest = p.rest[i+1:]
			return v, nil
		}
	}
	return "", fmt.Errorf("a closing %c is missing", quote)
}

// pseudo reads what begins with ":".
func (p *selectorReader) pseudo(within bool) (t test, err error) {
	t.kind = ':'
	switch {
	case p.take(":first-child"):
		t.from = 1
	case p.take(":last-child"):
		t.op = "last"
	case p.take(":nth-child("):
		formula, rest, ok := strings.Cut(p.rest, ")")
		if !ok {
			return t, errors.New(") is missing")
		}
		p.rest = rest
		t.every, t.from, err = nth(strings.ToLower(strings.Join(strings.Fields(formula), "")))
	case !within && p.take(":not("):
		p.rest = strings.TrimLeft(p.rest, blanks)
		t.op = "not"
		if t.not, err = p.compound(true); err != nil {
			return t, err
		}
		p.rest = strings.TrimLeft(p.rest, blanks)
		if !p.take(")") {
			err = errors.New(") is missing after :not(…), which takes one element without spaces in it")
		}
	default:
		word, _, _ := strings.Cut(p.rest, " ")
		err = fmt.Errorf("%q is not known: write :first-child, :last-child, :nth-child(2n+1) or :not(.class)", word)
	}
	return t, err
}

// nth reads the formula of :nth-child(), such as 2n+1, odd or 3.
func nth(text string) (every, from int, err error) {
	switch text {
	case "odd":
		return 2, 1, nil
	case "even":
		return 2, 0, nil
	}
	before, after, n := strings.Cut(text, "n")
	if n {
		switch before {
		case "", "+":
			every = 1
		case "-":
			every = -1
		default:
			every, err = strconv.Atoi(before)
		}
	} else {
		after = before
	}
	if err == nil && (after != "" || !n) {
		from, err = strconv.Atoi(after)
	}
	const most = 1 << 20
	if err != nil || max(every, -every, from, -from) > most {
		return 0, 0, fmt.Errorf("%q says no places among children: write 3, odd, even or 2n+1", text)
	}
	return every, from, nil
}

// matched has a bit for each part of a selector that an element matches together with all parts before it.
type matched uint64

// Select returns the elements of a page that match and lie in no other one that does, in the order of the page.
func (s *Selector) Select(p *htmltree.Page) (found []*htmltree.Node) {
	type state struct {
		node          *htmltree.Node
		self, around  matched // of the element, and of those in which it lies
		before, first matched // of its earlier siblings, and of the one right before it
		place         int     // among its siblings, from 1
	}
	// A stack of the element at hand and those around it, in place of recursion.
	stack := []state{{node: p.Root, place: 1}}
	visit := func(st *state) (ends bool) {
		var parent matched
		if len(stack) > 1 {
			parent = stack[len(stack)-2].self
		}
		for i := range s.parts {
			part := &s.parts[i]
			var given matched
			switch bit := matched(1) << max(0, i-1); part.by {
			case 0:
				given = 1
			case ' ':
				given = st.around & bit
			case '>':
				given = parent & bit
			case '+':
				given = st.first & bit
			case '~':
				given = st.before & bit
			}
			if given == 0 || !all(part.tests, st.node, st.place) {
				continue
			}
			st.self |= 1 << i
			ends = ends || part.last
		}
		if ends {
			found = append(found, st.node)
		}
		return ends
	}
	for len(stack) > 0 {
		st := &stack[len(stack)-1]
		if !visit(st) {
			if c := element(st.node.First); c != nil {
				stack = append(stack, state{node: c, around: st.around | st.self, place: 1})
				continue
			}
		}
		for len(stack) > 0 { // the next sibling of the innermost element that has one
			st := &stack[len(stack)-1]
			if next := element(st.node.Next); next != nil && len(stack) > 1 {
				*st = state{node: next, around: st.around, before: st.before | st.self, first: st.self, place: st.place + 1}
				break
			}
			stack = stack[:len(stack)-1]
		}
	}
	return found
}

// element returns the first element from n on among its siblings.
func element(n *htmltree.Node) *htmltree.Node {
	for n != nil && n.Name == "" {
		n = n.Next
	}
	return n
}

// all reports whether an element passes all tests.
func all(tests []test, n *htmltree.Node, place int) bool {
	for i := range tests {
		if !tests[i].passes(n, place) {
			return false
		}
	}
	return true
}

func (t *test) passes(n *htmltree.Node, place int) bool {
	switch t.kind {
	case 'n':
		return n.Name == t.name
	case '#':
		id, _ := n.Get("id")
		return id == t.name
	case '.':
		class, _ := n.Get("class")
		return hasWord(class, t.name)
	case '[':
		value, ok := n.Get(t.name)
		return ok && t.holds(value)
	}
	switch t.op {
	case "not":
		return !all(t.not, n, place)
	case "last":
		return element(n.Next) == nil
	}
	if t.every == 0 {
		return place == t.from
	}
	times := place - t.from
	return times%t.every == 0 && times/t.every >= 0
}

// holds compares the value of an attribute.
func (t *test) holds(value string) bool {
	want := t.value
	if t.fold {
		value, want = strings.ToLower(value), strings.ToLower(want)
	}
	switch t.op {
	case "=":
		return value == want
	case "~=":
		return hasWord(value, want)
	case "|=":
		return value == want || strings.HasPrefix(value, want+"-")
	case "^=":
		return want != "" && strings.HasPrefix(value, want)
	case "$=":
		return want != "" && strings.HasSuffix(value, want)
	case "*=":
		return want != "" && strings.Contains(value, want)
	}
	return true
}

func hasWord(value, want string) bool {
	for w := range htmltree.Words(value) {
		if w == want {
			return true
		}
	}
	return false
}
