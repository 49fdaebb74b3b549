package robots

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/ascii"
)

// Rules are the rules of one robots.txt for one product token. They are immutable: any number of goroutines may ask.
type Rules struct {
	rules    []rule // the heaviest first: the first that matches decides
	delay    time.Duration
	hasDelay bool
}

// rule is one Allow or Disallow line, ready to be compared with canonical paths.
type rule struct {
	prefix   string   // what a path must begin with
	rest     []string // what must follow in this order, anything between: the pieces after each star
	anchored bool     // the last piece ends the path ("$")
	allow    bool
	weight   int // twice the octets of the pattern in canonical form, and one more for Allow, which wins ties
	line     int
	text     string
}

// Decision is the answer for one path, with the reason.
type Decision struct {
	Allowed bool
	Line    int    // of the rule in the robots.txt, from 1; 0 when no rule matched
	Rule    string // that line as written, without its comment; "" when no rule matched
}

// AllowAll is what holds for a host without a robots.txt (any answer 4xx but 429).
func AllowAll() *Rules { return &Rules{} }

// DisallowAll is what holds while the robots.txt of a host cannot be had. Its decisions carry reason as their Rule.
func DisallowAll(reason string) *Rules {
	return &Rules{rules: []rule{{prefix: "/", text: reason}}}
}

// For compiles the rules that concern agent, a product token such as "Kavosh" (a whole User-Agent header will do: its
// first token is taken). They are those of all groups that name it, without regard to case, or when none does those of
// all groups of "*". The rules keep nothing of the file but their own lines.
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

// collected gathers what concerns one agent while its groups are read from top to bottom.
//
// A group is a run of User-agent lines and the rules after it; only a rule ends the run, as RFC 9309 says ("Sitemaps
// MUST NOT terminate a group"). A Crawl-delay, which the RFC does not know, belongs to the agents named since the last
// rule or Crawl-delay, so that two agents listed with a delay each and then common rules keep their own delays.
type collected struct {
	rules     Rules
	in        bool // the group being read names this agent
	ended     bool // it has had a rule: the next User-agent line begins another
	delayIn   bool // likewise for Crawl-delay
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
	if !c.in || l.value == "" { // "Disallow:" forbids nothing, and no rule at all says the same
		return
	}
	c.rules.rules = append(c.rules.rules, compile(l, l.value))
	// As in Google's parser: who allows a folder's index page allows the folder.
	if i := strings.LastIndexByte(l.value, '/'); l.key == allowKey && i >= 0 && strings.HasPrefix(l.value[i:], "/index.htm") {
		c.rules.rules = append(c.rules.rules, compile(l, l.value[:i+1]+"$"))
	}
}

// addDelay keeps the longest delay when an agent has several: the site asked for it once at least.
func (c *collected) addDelay(l line) {
	c.delayDone = true
	if !c.delayIn {
		return
	}
	if d, ok := seconds(l.value); ok && (!c.rules.hasDelay || d > c.rules.delay) {
		c.rules.delay, c.rules.hasDelay = d, true
	}
}

// maxDelay bounds a Crawl-delay against overflow alone. What a crawl will wait at most is its own choice.
const maxDelay = 365 * 24 * time.Hour

// seconds reads a number of seconds with decimals; what stands after the number ("10s", "5 seconds") is passed over.
func seconds(s string) (time.Duration, bool) {
	end := 0
	for end < len(s) && (isDigit(s[end]) || s[end] == '.') {
		end++
	}
	n, err := strconv.ParseFloat(s[:end], 64)
	if err != nil {
		return 0, false
	}
	return time.Duration(min(n, maxDelay.Seconds()) * float64(time.Second)), true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// token is the product token that s begins with. The RFC knows letters, "_" and "-" alone; digits and dots are part of
// real names, and "bot1" must not take the rules of "bot2".
func token(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(isDigit(c) || 'a' <= ascii.Lower(c) && ascii.Lower(c) <= 'z' || c == '_' || c == '-' || c == '.') {
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

// Match says whether the path and query of a URL ("/p?q", encoded or not) may be fetched. The robots.txt itself always
// may.
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

// CrawlDelay is the wait between requests that the site asked for, and whether it asked. It may be as long as a year:
// the caller bounds it.
func (r *Rules) CrawlDelay() (time.Duration, bool) { return r.delay, r.hasDelay }

// matches compares each piece once: taking the leftmost place for a piece leaves the most room for those after it, so
// nothing needs to be tried again.
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
