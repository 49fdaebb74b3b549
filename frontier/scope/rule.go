package scope

// This file reads rules as people write them (docs/formats/rules.md), and says whether one matches.

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kavosh"
	"kavosh/lib/dates"
	"kavosh/lib/spelling"
	"kavosh/lib/units"
	"kavosh/lib/weburl"
)

const (
	// MaxRules is how many rules a list may have, those of a crawl or of one seed.
	MaxRules = 1000
	// MaxRule is the longest line of a rule, in bytes.
	MaxRule = 4096
)

// Rule takes URLs into a crawl, or leaves them out. It matches a URL for which all its conditions hold.
type Rule struct {
	Take       bool // else it leaves them out
	text       string
	conditions []condition
}

// condition is one condition of a rule.
type condition struct {
	on       rune // a letter of conditionNames
	text     string
	pattern  *regexp.Regexp
	kind     kavosh.Kind
	than     int64
	moreThan bool // else less
}

// conditions by their names. Those with a size or a number are written with > or <, the others with =.
const (
	onSURT   = 's'
	onHost   = 'h'
	onPort   = 'p' // a host with its port
	onDomain = 'd'
	onURL    = 'u'
	onVia    = 'v'
	onFrom   = 'f'
	onKind   = 'k'
	onType   = 't'
	onHops   = '>'
	onSize   = 'b'
)

// conditionNames has the name of each condition, as it is written, and whether a number follows.
var conditionNames = []struct {
	name   string
	on     rune
	number bool
}{
	{"surt", onSURT, false}, {"host", onHost, false}, {"domain", onDomain, false}, {"url", onURL, false}, {"via", onVia, false}, {"from", onFrom, false},
	{"kind", onKind, false}, {"type", onType, false}, {"hops", onHops, true}, {"size", onSize, true},
}

// ParseRule reads a rule. An error is one line that says what to write.
func ParseRule(line string) (Rule, error) {
	if len(line) > MaxRule {
		return Rule{}, fmt.Errorf("a rule of %d bytes is too long: write several of at most %d", len(line), MaxRule)
	}
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "take" && words[0] != "leave" {
		return Rule{}, fmt.Errorf("%q is no rule: write take or leave and then conditions, such as leave host=ads.example", line)
	}
	r := Rule{Take: words[0] == "take", text: strings.Join(words, " ")}
	for _, word := range words[1:] {
		c, err := parseCondition(word)
		if err != nil {
			return Rule{}, fmt.Errorf("%q: %w", line, err)
		}
		r.conditions = append(r.conditions, c)
	}
	return r, nil
}

// ParseRules reads the rules of a text, one a line. Empty lines and lines that begin with # are none.
func ParseRules(text string) ([]Rule, error) {
	var all []Rule
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		r, err := ParseRule(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if all = append(all, r); len(all) > MaxRules {
			return nil, fmt.Errorf("line %d: more than %d rules: join some by | in a regular expression", n, MaxRules)
		}
	}
	return all, nil
}

// UnmarshalText reads what a person wrote, as ParseRule does.
func (r *Rule) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRule(string(text))
	return err
}

// MarshalText writes a text that UnmarshalText reads.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.text), nil }

// String returns the rule as it was written, with single spaces.
func (r Rule) String() string { return r.text }

func parseCondition(word string) (c condition, err error) {
	end := strings.IndexAny(word, "=<>")
	if end < 0 {
		return c, fmt.Errorf("%q is no condition: write one such as host=ads.example", word)
	}
	name, sign, value := word[:end], word[end], word[end+1:]
	var names []string
	for _, known := range conditionNames {
		names = append(names, known.name)
		if known.name != name {
			continue
		}
		switch {
		case known.number && sign == '=':
			return c, fmt.Errorf("%q: write %s>%s or %s<%s", word, name, value, name, value)
		case !known.number && sign != '=':
			return c, fmt.Errorf("%q: write %s=%s", word, name, value)
		case value == "":
			return c, fmt.Errorf("%q has no value", word)
		}
		c = condition{on: known.on, text: value, moreThan: sign == '>'}
		err = c.read()
		return c, err
	}
	return c, fmt.Errorf("there is no condition %q%s", name, spelling.OrOneOf(name, names))
}

// read reads c.text.
func (c *condition) read() (err error) {
	switch c.on {
	case onSURT:
		c.text, err = surtPrefix(c.text)
	case onHost, onDomain:
		name, port := strings.TrimPrefix(c.text, "."), ""
		if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, ']') {
			name, port = name[:at], name[at+1:]
		}
		host, ok := hostOf(name)
		if port != "" && c.on == onHost {
			n, perr := strconv.ParseUint(port, 10, 16)
			c.on, c.than = onPort, int64(n)
			ok = ok && perr == nil
		}
		if !ok || port != "" && c.on == onDomain {
			return fmt.Errorf("%q is no host name: write one such as www.example.org", c.text)
		}
		c.text = host
	case onURL, onVia:
		c.pattern, err = Pattern(c.text)
	case onKind:
		var ok bool
		if c.kind, ok = kavosh.ParseKind(c.text); !ok || c.kind == kavosh.Prerequisite {
			return fmt.Errorf("%q is no kind of link: write seed, navigation, embed, redirect, sitemap, feed or speculative", c.text)
		}
	case onFrom:
		if !slices.Contains(kavosh.StandIns(), kavosh.StandIn(c.text)) {
			return fmt.Errorf("%q is nothing that pages stand in for: write wall, consent, login, notfound or parked", c.text)
		}
	case onType:
		c.text = strings.ToLower(c.text)
		if kind, rest, ok := strings.Cut(c.text, "/"); !ok || kind == "" || kind == "*" || strings.Contains(rest, "/") {
			return fmt.Errorf("%q is no media type: write one such as application/pdf, or video/* for all of a kind", c.text)
		}
		c.text = strings.TrimSuffix(c.text, "*")
	case onHops:
		if c.than, err = strconv.ParseInt(dates.Digits(c.text), 10, 32); err != nil || c.than < 0 {
			return fmt.Errorf("%q is no number of clicks: write 0, 1, 2 …", c.text)
		}
	case onSize:
		var size units.Size
		if err := size.UnmarshalText([]byte(c.text)); err != nil {
			return err
		}
		c.than = int64(size)
	}
	return err
}

// hostOf returns a host as seen-keys have it.
func hostOf(name string) (string, bool) {
	key, err := weburl.Key("https://" + name + "/")
	p, ok := Split(key)
	return p.Name, err == nil && ok && p.PathQuery == "/" && p.Host == p.Name && !strings.ContainsAny(name, "*@")
}

// surtPrefix returns the beginning of index keys that a person means: written as it is, as Heritrix writes it, or as a URL.
// One that ends in a slash is a folder, which keys have without it.
func surtPrefix(text string) (string, error) {
	bad := fmt.Errorf("%q begins no key: write a host's labels in reverse order, such as org,example or org,example)/docs/, or a URL", text)
	rest := text
	for _, begin := range []string{"http://(", "https://(", "("} {
		rest = strings.TrimPrefix(rest, begin)
	}
	if !strings.Contains(rest, "://") {
		names, path, whole := strings.Cut(rest, ")")
		names, port, _ := strings.Cut(names, ":")
		labels := strings.Split(strings.TrimSuffix(names, ","), ",")
		slices.Reverse(labels)
		host, ok := hostOf(strings.Join(labels, "."))
		if !ok || strings.Contains(names, ".") || port != "" && !whole {
			return "", bad
		}
		if port != "" {
			host += ":" + port
		}
		if rest = "http://" + host + path; !whole {
			key, _, _ := strings.Cut(weburl.SURT(rest), ")")
			if strings.Count(key, ",")+1 < len(labels) {
				key += ")" // it was a www, which keys have not
			}
			return key, nil
		}
	}
	if _, err := weburl.Key(rest); err != nil {
		return "", bad
	}
	key := weburl.SURT(rest)
	if strings.HasSuffix(rest, "/") && !strings.HasSuffix(key, "/") {
		key += "/"
	}
	return key, nil
}

// subject is what rules are asked about.
type subject struct {
	url, via  string
	from      kavosh.StandIn
	parts     Parts
	kind      kavosh.Kind
	hops      int
	mediaType string // "" if it is not known
	size      int64  // in bytes, -1 if it is not known
	surt      string // of url, made when the first rule asks for it
}

// matches reports whether all conditions of a rule hold.
func (r *Rule) matches(s *subject) bool {
	for i := range r.conditions {
		if !r.conditions[i].holds(s) {
			return false
		}
	}
	return true
}

func (c *condition) holds(s *subject) bool {
	switch c.on {
	case onURL:
		return c.pattern.MatchString(s.url)
	case onVia:
		return s.via != "" && c.pattern.MatchString(s.via)
	case onFrom:
		return string(s.from) == c.text
	case onHost:
		return s.parts.Name == c.text
	case onPort:
		return s.parts.Name == c.text && s.parts.port() == c.than
	case onDomain:
		rest, ok := strings.CutSuffix(s.parts.Name, c.text)
		return ok && (rest == "" || strings.HasSuffix(rest, "."))
	case onSURT:
		if s.surt == "" {
			s.surt = weburl.SURT(s.url)
		}
		folder, is := strings.CutSuffix(c.text, "/")
		rest, ok := strings.CutPrefix(s.surt, folder)
		switch {
		case is:
			return ok && (rest == "" || rest[0] == '/' || rest[0] == '?')
		case strings.ContainsRune(c.text, ')'):
			return ok
		}
		return ok && (rest == "" || strings.IndexByte(",:)", rest[0]) >= 0)
	case onKind:
		return s.kind == c.kind
	case onType:
		if strings.HasSuffix(c.text, "/") {
			return strings.HasPrefix(s.mediaType, c.text)
		}
		return s.mediaType == c.text
	case onHops:
		return c.compare(int64(s.hops))
	case onSize:
		return s.size >= 0 && c.compare(s.size)
	}
	return false
}

func (c *condition) compare(n int64) bool {
	if c.moreThan {
		return n > c.than
	}
	return n < c.than
}

// byAnswer reports whether a rule asks for what only an answer tells for sure.
func (r *Rule) byAnswer() bool {
	for i := range r.conditions {
		if on := r.conditions[i].on; on == onType || on == onSize {
			return true
		}
	}
	return false
}

// cutAt returns at how many bytes a body of unknown length is cut by a rule that leaves out larger ones, if its other
// conditions hold; -1 if it cuts none.
func (r *Rule) cutAt(s *subject) int64 {
	at := int64(-1)
	for i := range r.conditions {
		c := &r.conditions[i]
		switch {
		case c.on == onSize && c.moreThan:
			at = max(at, c.than)
		case !c.holds(s):
			return -1
		}
	}
	return at
}
