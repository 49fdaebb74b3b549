package order

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Entry is one line of List: a policy that --order can name.
type Entry struct {
	Name   string
	About  string  // one line for people
	Source string  // who described it; "" for ours and for what nobody needs to have described
	Params []Param // what may follow the name
	Parts  int     // 0: a policy by itself; else it is made of others, at least so many, in parentheses after its name
	Number string  // what a number before its parts says; "" when it takes none
	New    func(a *Args) (Policy, error)
}

// Param is a number that a policy can be given.
type Param struct {
	Name        string
	About       string // a few words for people
	Default     float64
	Least, Most float64 // what it may be
	WholeNumber bool
}

// ForTopic is the order for pages that a judge knows, where nobody names another: the one that finds most of them soonest
// (docs/orders.md).
const ForTopic = "reinforce-linear"

// ForRDF is the same for what there is of the semantic web.
const ForRDF = "rdf-learn"

// Setup is what policies are given from outside the specification. The zero value does for those that need nothing.
type Setup struct {
	// Topic says how relevant a few words are, from 0 to 1, such as an anchor's: the judge of the crawl's purpose. nil
	// when the crawl has none.
	Topic func(text string) float64
	// Language is the code of the language that the crawl is after, such as "fa"; "" when it is after something else.
	Language string
	// ContextGraph is what context-graph goes by; nil for none.
	ContextGraph *ContextGraph
	Seed         uint64 // of what is random
	Memory       int    // URLs that a policy may keep something of; 0 is 1,000,000
}

// Args are what New is given: the parameters of a specification, its parts, and the setup.
type Args struct {
	Setup
	Parts  []Part
	Number float64 // before the parts, where Entry.Number asks for it
	name   string
	values map[string]float64
	part   bool // of another policy
}

// Part is a policy within another, its name, and the number before it: 1 unless it is given.
type Part struct {
	Name   string
	Weight float64
	Policy Policy
}

// Value is the parameter called name: as given, or its default.
func (a *Args) Value(name string) float64 { return a.values[name] }

// NeedTopic is an error that tells the fix when the crawl has no purpose to go by.
func (a *Args) NeedTopic() error {
	if a.Topic != nil {
		return nil
	}
	return fmt.Errorf("%s goes by what the crawl is after: say it by --prefer, such as --prefer keyword=WORD", a.name)
}

// Make makes the policy with the parameters given, as people write them, and the defaults of the others.
func (e *Entry) Make(given map[string]string, setup Setup) (Policy, error) {
	return e.make(&Args{Setup: setup, name: e.Name}, given)
}

func (e *Entry) make(a *Args, given map[string]string) (p Policy, err error) {
	if a.values, err = e.values(given); err != nil {
		return nil, err
	}
	if a.Memory <= 0 {
		a.Memory = 1_000_000
	}
	return e.New(a)
}

// values are the parameters of e: given ones, and the defaults of the others.
func (e *Entry) values(given map[string]string) (map[string]float64, error) {
	values := make(map[string]float64, len(e.Params))
	for i := range e.Params {
		p := &e.Params[i]
		text, ok := given[p.Name]
		if !ok {
			values[p.Name] = p.Default
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || v < p.Least || v > p.Most || p.WholeNumber && v != math.Trunc(v) {
			kind := "a number"
			if p.WholeNumber {
				kind = "a whole number"
			}
			return nil, fmt.Errorf("%s=%s: must be %s from %v to %v", p.Name, text, kind, p.Least, p.Most)
		}
		values[p.Name] = v
	}
	return values, nil
}

// Names are the names of all policies, parted by commas.
func Names() string {
	var names []string
	for _, e := range List() {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}

// Help explains every policy, for people.
func Help() string {
	var b strings.Builder
	b.WriteString("An order says what is fetched first: --order NAME, or NAME,key=value,… with the numbers below.\n\n")
	for _, e := range List() {
		name := e.Name
		switch {
		case e.Number != "":
			name += "(" + e.Number + ",…)"
		case e.Parts > 0:
			name += "(" + strings.TrimSuffix(strings.Repeat("…,", max(e.Parts, 1)), ",") + ")"
		}
		fmt.Fprintf(&b, "%-18s %s\n", name, e.About)
		if e.Source != "" {
			fmt.Fprintf(&b, "%-20s after %s\n", "", e.Source)
		}
		for _, p := range e.Params {
			fmt.Fprintf(&b, "%-20s %s=%v: %s\n", "", p.Name, p.Default, p.About)
		}
	}
	b.WriteString("\nOrders within others: mix(3*tianwang,1*random), sum(2*best,opic), then(host-majority,best), quota(5,breadth), above(0,tunnel,limit=3).\n")
	return b.String()
}
