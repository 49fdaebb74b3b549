package schedule

// This file reads the specifications of policies that people write, such as "importance-pattern,form=sum,monitor=0.1".

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/spelling"
	"kavosh/lib/units"
	"kavosh/schedule/pattern"
)

// Entry is one line of List.
type Entry struct {
	Name    string
	About   string // one line for people
	Source  string // the publication that describes it; "" for our own policies and simple ones
	Params  []Param
	Monitor float64           // default of the share for pages visited just before
	Signals bool              // whether it goes by what sites tell of their pages
	New     func(a *Args) any // makes the Policy or Sweeper
}

// Param is what a policy can be given: a number, or one of some words.
type Param struct {
	Name        string
	About       string // a few words for people
	Default     float64
	Least, Most float64  // bounds of its value
	Words       []string // if there are any, they stand for the numbers from 0
}

// Args are the parameters that a policy was given, and the defaults of the others.
type Args struct{ values map[string]float64 }

// Value returns a parameter.
func (a *Args) Value(name string) float64 { return a.values[name] }

// Chosen is a policy with what is kept beside it.
type Chosen struct {
	Policy  Policy  // nil if it is a Sweeper
	Sweeper Sweeper // nil if it is a Policy
	Monitor float64 // share of the budget for pages visited just before, which tells when pages change
	Fair    float64 // share of the budget for the pages that waited longest
	Signals bool    // sitemaps and feeds are read for what they tell of other pages
	Spread  bool    // a change whose hour is unknown counts in each hour that it may be of
}

// shared are the parameters that every policy takes; a Sweeper uses the last alone.
func (e *Entry) shared() []Param {
	yes := []string{"no", "yes"}
	signals := 0.0
	if e.Signals {
		signals = 1
	}
	return []Param{
		{Name: "monitor", About: "share of the visits for pages visited just before, which tells at what hours pages change", Default: e.Monitor, Most: 1},
		{Name: "fair", About: "share of the visits for pages that waited longest", Default: 0.05, Most: 1},
		{Name: "spread", About: "what becomes of a change whose hour is unknown: no counts nowhere, yes in each hour it may be of by its chance", Default: 1, Most: 1, Words: yes},
		{Name: "signals", About: "sitemaps and feeds are read every period, at the cost of a visit each, for what they tell of other pages", Default: signals, Most: 1, Words: yes},
	}
}

// Plan is a policy with the periods and the budget of a crawl that goes by it.
type Plan struct {
	Chosen
	Spec     string // as it was given
	Period   time.Duration
	Budget   int // visits a period
	Calendar *pattern.Calendar
	Once     bool // each page is visited once more when all were visited (second.go), and the crawl ends. There are no periods
}

// Once is the specification of a Plan that visits each page once more.
const Once = "once"

// Defaults of a Plan.
const (
	DefaultPeriod = time.Hour
	DefaultBudget = 1000
)

// ParsePlan is Parse for a crawl, which takes also period, budget, calendar and zone.
func ParsePlan(spec string) (Plan, error) {
	p := Plan{Spec: spec, Period: DefaultPeriod, Budget: DefaultBudget}
	if spec == Once {
		p.Once = true
		p.Chosen, _ = Parse("sharc") // which is there
		return p, nil
	}
	name, rest, _ := strings.Cut(spec, ",")
	if err := once(spec, rest); err != nil {
		return p, err
	}
	calendar, zone := "world", time.Local
	for given := range strings.SplitSeq(rest, ",") {
		key, text, _ := strings.Cut(given, "=")
		var err error
		switch key {
		case "period":
			var span units.Span
			if err = span.UnmarshalText([]byte(text)); err == nil && (time.Duration(span) < time.Second || time.Duration(span) > 366*24*time.Hour || time.Duration(span)%time.Second != 0) {
				err = errors.New("must be a length of time in whole seconds, such as 1h or 1d")
			}
			p.Period = time.Duration(span)
		case "budget":
			if p.Budget, err = strconv.Atoi(text); err != nil || p.Budget < 1 || p.Budget > 100_000_000 {
				err = errors.New("must be a number of visits a period, at least 1")
			}
		case "calendar":
			calendar = text
			_, err = pattern.Named(calendar, zone)
		case "zone":
			if zone, err = time.LoadLocation(text); err != nil || text == "" {
				err = errors.New("must be a time zone, such as Asia/Tehran")
			}
		default:
			if given != "" {
				name += "," + given
			}
		}
		if err != nil {
			return p, fmt.Errorf("schedule %q: %s=%s: %w", spec, key, text, err)
		}
	}
	var err error
	if p.Chosen, err = Parse(name); err == nil {
		p.Calendar, err = pattern.Named(calendar, zone)
	}
	return p, err
}

// CalendarIn returns the calendar and the time zone that a spec of ParsePlan names, as pattern.At reads them; "" if it names none.
func CalendarIn(spec string) string {
	var calendar, zone string
	for given := range strings.SplitSeq(spec, ",") {
		switch key, text, _ := strings.Cut(given, "="); key {
		case "calendar":
			calendar = text
		case "zone":
			zone = ",zone=" + text
		}
	}
	if calendar == "" && zone != "" {
		calendar = "world"
	}
	return calendar + zone
}

// Parse makes the policy that spec, NAME[,key=value…], describes. The error says what is wrong and what may be there.
func Parse(spec string) (Chosen, error) {
	name, rest, _ := strings.Cut(spec, ",")
	if err := once(spec, rest); err != nil {
		return Chosen{}, err
	}
	for _, e := range List() {
		if e.Name != name {
			continue
		}
		params := append(e.shared(), e.Params...)
		a := &Args{values: map[string]float64{}}
		for _, p := range params {
			a.values[p.Name] = p.Default
		}
		for given := range strings.SplitSeq(rest, ",") {
			if rest == "" {
				break
			}
			key, text, _ := strings.Cut(given, "=")
			i := slices.IndexFunc(params, func(p Param) bool { return p.Name == key })
			if i < 0 {
				var names []string
				for _, p := range params {
					names = append(names, p.Name)
				}
				return Chosen{}, fmt.Errorf("schedule %q: unknown parameter %q; %s takes %s", spec, key, name, strings.Join(names, ", "))
			}
			v, err := params[i].read(text)
			if err != nil {
				return Chosen{}, fmt.Errorf("schedule %q: %w", spec, err)
			}
			a.values[key] = v
		}
		c := Chosen{Monitor: a.Value("monitor"), Fair: a.Value("fair"), Spread: a.Value("spread") == 1, Signals: a.Value("signals") == 1}
		switch p := e.New(a).(type) {
		case Policy:
			c.Policy = p
		case Sweeper:
			c.Sweeper = p
		}
		return c, nil
	}
	var names []string
	for _, e := range List() {
		names = append(names, e.Name)
	}
	return Chosen{}, fmt.Errorf("there is no schedule %s%s", name, spelling.OrOneOf(name, append(names, Once)))
}

// once returns an error if one of the parameters in rest is given twice, as orders refuse it.
func once(spec, rest string) error {
	met := map[string]bool{}
	for given := range strings.SplitSeq(rest, ",") {
		key, _, valued := strings.Cut(given, "=")
		if met[key] && valued {
			return fmt.Errorf("schedule %q: parameter %q is given twice; keep one", spec, key)
		}
		met[key] = true
	}
	return nil
}

func (p *Param) read(text string) (float64, error) {
	if len(p.Words) > 0 {
		if i := slices.Index(p.Words, text); i >= 0 {
			return float64(i), nil
		}
		return 0, fmt.Errorf("%s=%s: must be one of %s", p.Name, text, strings.Join(p.Words, ", "))
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || v < p.Least || v > p.Most {
		return 0, fmt.Errorf("%s=%s: must be a number from %v to %v", p.Name, text, p.Least, p.Most)
	}
	return v, nil
}

// Names returns the names of all policies, with commas between them.
func Names() string {
	var names []string
	for _, e := range List() {
		names = append(names, e.Name)
	}
	return sentence(names)
}

// Help explains every policy, for people.
func Help() string {
	var b strings.Builder
	b.WriteString("A schedule says which page is visited again first: NAME, or NAME,key=value,… with what is below.\n\n")
	param := func(p Param) {
		value := fmt.Sprint(p.Default)
		if len(p.Words) > 0 {
			value = p.Words[int(p.Default)]
		}
		fmt.Fprintf(&b, "%-20s %s=%s: %s\n", "", p.Name, value, p.About)
	}
	for _, e := range List() {
		fmt.Fprintf(&b, "%-20s %s\n", e.Name, e.About)
		if e.Source != "" {
			fmt.Fprintf(&b, "%-20s after %s\n", "", e.Source)
		}
		for _, p := range e.Params {
			param(p)
		}
	}
	b.WriteString("\nAll of them take:\n")
	for _, p := range (&Entry{}).shared() {
		param(p)
	}
	fmt.Fprintf(&b, "\nA crawl may also visit each page once more, and end: %s, which takes nothing. What would lose most by waiting comes\n"+
		"first: pages that change often, but are likely to be as they were.\n", Once)
	fmt.Fprintf(&b, "\nIn a crawl the others take also:\n"+
		"%-20s period=1h: how long a period is, at least 1s\n"+
		"%-20s budget=%d: visits a period\n"+
		"%-20s calendar=world: whose weekends and holidays the pages go by, such as iran\n"+
		"%-20s zone=…: the time zone of the pages, such as Asia/Tehran; this machine's by default\n", "", "", DefaultBudget, "", "")
	return b.String()
}
