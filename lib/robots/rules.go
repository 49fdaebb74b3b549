package robots

// This file compiles the rules of a robots.txt for one crawler, and matches paths against them.

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/ascii"
)

// Rules are the rules of one robots.txt for one product token. They do not change, so many goroutines may use them.
type Rules struct {
	rules    []rule // heaviest first, so the first match decides
	delay    time.Duration
	hasDelay bool
}

// rule is one Allow or Disallow line, compiled for comparison with canonical paths.
type rule struct {
	prefix   string   // the path must begin with it
	rest     []string // must follow in this order, with anything between: the pieces after each star
	anchored bool     // the last piece must end the path ("$")
	allow    bool
	weight   int // twice the length of the canonical pattern, plus one for Allow, which wins ties
	line     int
	text     string
}

// Decision is the answer for one path, with the reason.
type Decision struct {
	Allowed bool
	Line    int    // line number of the rule, from 1; 0 if no rule matched
	Rule    string // that line as written, without comment; "" if no rule matched
}

// AllowAll returns the rules for a host without a robots.txt (any 4xx response except 429).
func AllowAll() *Rules { return &Rules{} }

// DisallowAll returns the rules while the robots.txt of a host cannot be fetched. reason is the Rule of its decisions.
func DisallowAll(reason string) *Rules {
	return &Rules{rules: []rule{{prefix: "/", text: reason}}}
}

// For compiles the rules for agent, a product token such as "Kavosh" or a whole User-Agent header, of which the first
// token counts. They are the rules of all groups that name it, without regard to case, or else of all "*" groups. The
// result keeps only its own lines of the file.
func (f *File) For(agent string) *Rules {
	agent = token(agent)
	var ours, everyones collected
	named := false
	for _, l := range f.lines {
		switch l.key {
		case agentKey:
			ours.nextAgent()
			everyones.nextAgent()
			if l.value != "" && l.value[0] == '*' && (len(l.value) == 1 || l.value[1] == ' ' || l.value[1] == '\t') {
				everyones.join()
			} else if t := token(l.value); t != "" && ascii.EqualFold(t, agent) {
				ours.join()
				named = true
			}
		case allowKey, disallowKey:
			ours.addRule(l)
			everyones.addRule(l)
		case delayKey:
			ours.addDelay(l)
			everyones.addDelay(l)
		}
	}
	c := everyones
	if named {
		c = ours
	}
	slices.SortStableFunc(c.rules.rules, func(a, b rule) int { return cmp.Compare(b.weight, a.weight) })
	return &c.rules
}

// collected gathers the rules for one agent while reading the groups from top to bottom.
//
// A group is a run of User-agent lines and the rules after it. Only a rule ends the run, as in RFC 9309 ("Sitemaps MUST
// NOT terminate a group"). A Crawl-delay, which the RFC does not have, belongs to the agents named since the last rule
// or Crawl-delay. So two agents with a delay each, followed by common rules, keep their own delays.
type collected struct {
	rules     Rules
	in        bool // the current group names this agent
	ended     bool // the group has had a rule, so the next User-agent line begins another
	delayIn   bool // the same for Crawl-delay
	delayDone bool
}

func (c *collected) nextAgent() {
	if c.ended {
		c.in = false
	}
	if c.ended || c.delayDone {
		c.delayIn = false
	}
	c.ended, c.delayDone = false, false
}

func (c *collected) join() { c.in, c.delayIn = true, true }

func (c *collected) addRule(l line) {
	c.ended = true
	if !c.in || l.value == "" { // "Disallow:" forbids nothing, like no rule at all
		return
	}
	c.rules.rules = append(c.rules.rules, compile(l, l.value))
	// As in Google's parser: allowing a folder's index page allows the folder.
	if i := strings.LastIndexByte(l.value, '/'); l.key == allowKey && i >= 0 && strings.HasPrefix(l.value[i:], "/index.htm") {
		c.rules.rules = append(c.rules.rules, compile(l, l.value[:i+1]+"$"))
	}
}

// addDelay keeps the longest of several delays for an agent, because the site asked for it.
func (c *collected) addDelay(l line) {
	c.delayDone = true
	if !c.delayIn {
		return
	}
	if d, ok := seconds(l.value); ok && (!c.rules.hasDelay || d > c.rules.delay) {
		c.rules.delay, c.rules.hasDelay = d, true
	}
}

// maxDelay only prevents overflow. The crawl itself decides how long it will wait.
const maxDelay = 365 * 24 * time.Hour

// seconds parses a number of seconds with decimals and ignores what follows ("10s", "5 seconds").
func seconds(s string) (time.Duration, bool) {
	end := 0
	for end < len(s) && (ascii.IsDigit(s[end]) || s[end] == '.') {
		end++
	}
	n, err := strconv.ParseFloat(s[:end], 64)
	if err != nil {
		return 0, false
	}
	return time.Duration(min(n, maxDelay.Seconds()) * float64(time.Second)), true
}

// token returns the product token at the beginning of s. The RFC allows only letters, "_" and "-", but real names have
// digits and dots, and "bot1" must not take the rules of "bot2".
func token(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(ascii.IsDigit(c) || 'a' <= ascii.Lower(c) && ascii.Lower(c) <= 'z' || c == '_' || c == '-' || c == '.') {
			return s[:i]
		}
	}
	return s
}

func compile(l line, pattern string) rule {
	r := rule{allow: l.key == allowKey, line: l.no, text: strings.Clone(l.text)}
	pattern, r.anchored = strings.CutSuffix(pattern, "$")
	pieces := strings.Split(pattern, "*")
	for i, p := range pieces {
		pieces[i] = canonical(p)
		r.weight += 2 * len(pieces[i])
	}
	r.weight += 2 * (len(pieces) - 1)
	if r.anchored {
		r.weight += 2
	}
	if r.allow {
		r.weight++
	}
	r.prefix = strings.Clone(pieces[0])
	if len(pieces) > 1 {
		r.rest = make([]string, len(pieces)-1)
		for i, p := range pieces[1:] {
			r.rest[i] = strings.Clone(p)
		}
	}
	return r
}

// Match says whether a URL's path and query ("/p?q", encoded or not) may be fetched. The robots.txt itself always may.
func (r *Rules) Match(pathQuery string) Decision {
	if pathQuery == "/robots.txt" || len(r.rules) == 0 {
		return Decision{Allowed: true}
	}
	pathQuery, _, _ = strings.Cut(pathQuery, "#")
	if !strings.HasPrefix(pathQuery, "/") {
		pathQuery = "/" + pathQuery
	}
	path := canonical(pathQuery)
	for i := range r.rules {
		if c := &r.rules[i]; c.matches(path) {
			return Decision{Allowed: c.allow, Line: c.line, Rule: c.text}
		}
	}
	return Decision{Allowed: true}
}

// CrawlDelay returns the delay between requests that the site asked for; false if it did not. It may be up to a year:
// the caller bounds it.
func (r *Rules) CrawlDelay() (time.Duration, bool) { return r.delay, r.hasDelay }

// matches searches each piece once. The leftmost match leaves the most room for later pieces, without backtracking.
func (r *rule) matches(path string) bool {
	if !strings.HasPrefix(path, r.prefix) {
		return false
	}
	path = path[len(r.prefix):]
	if len(r.rest) == 0 {
		return !r.anchored || path == ""
	}
	last := len(r.rest) - 1
	for _, p := range r.rest[:last] {
		i := strings.Index(path, p)
		if i < 0 {
			return false
		}
		path = path[i+len(p):]
	}
	if r.anchored {
		return strings.HasSuffix(path, r.rest[last])
	}
	return strings.Contains(path, r.rest[last])
}
