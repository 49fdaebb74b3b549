package order

// This file says what an entry in the list of ordering policies is, and what a policy gets when it is made: parameters,
// parts and the setup of the crawl.

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Entry is one line of List: a policy that --order can name.
type Entry struct {
	Name   string
	About  string                        // one line for people
	Source string                        // the publication that describes it; "" for our own policies and simple ones
	Params []Param                       // what may follow the name
	Parts  int                           // the least number of other policies in parentheses after its name; 0 if it has none
	Number string                        // meaning of the number before its parts; "" if it takes none
	New    func(a *Args) (Policy, error) // makes the policy
}

// Param is a number that a policy can be given.
type Param struct {
	Name        string
	About       string // a few words for people
	Default     float64
	Least, Most float64 // bounds of its value
	WholeNumber bool
}

// ForTopic is the default order for a crawl with a judge: the one that finds relevant pages soonest on webs of every kind
// (docs/orders.md).
const ForTopic = "reinforce-linear"

// ForRDF is the default order for RDF.
const ForRDF = "rdf-learn"

// Setup has what policies need beside their parameters. The zero value is enough for policies that need nothing.
type Setup struct {
	// Topic is the judge of the crawl's purpose. It returns how relevant a few words are, such as an anchor text, from
	// 0 to 1. It is nil if the crawl has no purpose.
	Topic func(text string) float64
	// Language is the code of the language that the crawl prefers, such as "fa"; "" if it prefers none.
	Language string
	// ContextGraph is the model of the policy context-graph; nil if there is none.
	ContextGraph *ContextGraph
	Seed         uint64 // seed of random choices
	Memory       int    // how many URLs a policy may keep data of; 0 means 1,000,000
}

// Args are the arguments of Entry.New: the parameters of a specification, its parts, and the setup.
type Args struct {
	Setup
	Parts  []Part
	Number float64            // the number before the parts, if Entry.Number is set
	name   string             // of the policy
	values map[string]float64 // parameters, by name
	part   bool               // whether the policy is a part of another
}

// Part is a policy within another, its name, and the number before it: 1 unless it is given.
type Part struct {
	Name   string
	Weight float64
	Policy Policy
}

// Value returns the parameter with the given name, or its default.
func (a *Args) Value(name string) float64 { return a.values[name] }

// NeedTopic returns an error if the crawl has no purpose. It names the fix.
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

// values returns the parameters of e: the given ones, and the defaults of the others.
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

// Names returns the names of all policies, separated by commas.
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
