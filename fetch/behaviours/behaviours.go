// Package behaviours says what a browser does on a page so that the page shows all that it has: scroll, open what is
// folded, turn pages and carousels, play media, send banners away. What is done is data: a pack (docs/formats/pack.md) has
// rules, each with the sites where it holds, one of eight fixed actions, and bounds. No pack has code.
//
// A [Pack] is read by [Read]; [BuiltIn] comes with the program. [Load] makes a [Set] of packs, as --behaviours names them,
// and [Set.For] has the rules for one page. [Script] is the other half: it runs in the page, is driven by package
// fetch/browser one act at a time, and knows what is never clicked, whatever a pack says.
package behaviours

import (
	"bytes"
	_ "embed" // for the script and the pack that comes with the program
	"net/url"
	"strings"
	"time"

	"kavosh/lib/units"
)

// Script defines in the page's isolated world the object kavosh, whose functions are explained there.
//
//go:embed act.js
var Script string

//go:embed everywhere.toml
var everywhere []byte

// Everywhere returns the text of the pack that comes with the program.
func Everywhere() []byte { return bytes.Clone(everywhere) }

// Action is what a rule does with what it finds.
type Action string

// The actions. A rule acts on one thing at a time, and again while there is something left.
const (
	Scroll  Action = "scroll"  // scrolls the page and what scrolls in it by one screen, down and aside
	Open    Action = "open"    // opens <details> without a click
	Click   Action = "click"   // clicks each thing once
	Follow  Action = "follow"  // clicks each link to a fragment that nothing in the page is named by, as to the routes of a script; then goes back
	Repeat  Action = "repeat"  // clicks the same thing again while it brings something new
	Dismiss Action = "dismiss" // sends a banner away: by refusing, else by closing
	Hover   Action = "hover"   // moves the pointer over each thing once
	Play    Action = "play"    // plays each film or sound for a moment, muted
	Nothing Action = "nothing" // turns the rules of that name off
)

var actions = []string{string(Scroll), string(Open), string(Click), string(Follow), string(Repeat), string(Dismiss), string(Hover), string(Play), string(Nothing)}

// Rule is one behaviour.
type Rule struct {
	Name  string   `toml:"name" json:"name"`
	Sites []string `toml:"sites" json:"-"` // "*", hosts, domains with a dot before them, or how URLs begin
	Do    Action   `toml:"do" json:"do"`
	Find  []string `toml:"find" json:"find"` // CSS selectors of what is acted on; of Dismiss, of banners
	Not   []string `toml:"not" json:"not"`   // CSS selectors of what is left alone
	Hand  bool     `toml:"hand" json:"hand"` // only where the pointer becomes a hand, as over what a script has made clickable
	Say   []string `toml:"say" json:"say"`   // words, one of which it must say; of Dismiss, the buttons that refuse

	Steps  []Step   `toml:"steps" json:"steps"`   // of Dismiss: what leads to a button that refuses, where none is there and none closes
	Close  []string `toml:"close" json:"close"`   // of Dismiss: what buttons say that close, where none refuses
	Accept []string `toml:"accept" json:"accept"` // of Dismiss: what buttons say that accept, where there is nothing else

	Times    int        `toml:"times" json:"times"`       // most acts on a page
	Requests int        `toml:"requests" json:"requests"` // most requests that these may bring
	Time     units.Span `toml:"time" json:"-"`            // most time that these may take
	Pause    units.Span `toml:"pause" json:"-"`           // least time after an act, for what it begins
	Idle     int        `toml:"idle" json:"idle"`         // acts in a row that bring nothing new, after which it is over (Repeat: with that thing)

	TimeMS  int64 `toml:"-" json:"time"`
	PauseMS int64 `toml:"-" json:"pause"`
}

// Step is the words of buttons one of which is clicked, such as "settings"; the next step is in what it opens.
type Step []string

// Bounds and defaults of a rule.
const (
	mostTimes    = 500
	mostRequests = 1000
	mostTime     = time.Minute
	mostPause    = 5 * time.Second
	mostIdle     = 100
	mostSteps    = 5
)

// Never is what is not done anywhere, whatever is found.
type Never struct {
	Say []string `toml:"say" json:"say"` // words of things that are not clicked
	Ask []string `toml:"ask" json:"ask"` // names of acts, such as "logout": what has one in its code is not clicked, and no URL with one is asked for
}

// Pack is a file of rules.
type Pack struct {
	Name    string `toml:"name"`
	Version string `toml:"version"`
	Source  string `toml:"source"` // who made it, from what
	Never   Never  `toml:"never"`
	Rules   []Rule `toml:"behaviour"`
}

// ID returns the pack's name and version, such as "everywhere@5".
func (p *Pack) ID() string { return p.Name + "@" + p.Version }

// Set is the packs of a crawl, in the order in which they count.
type Set struct {
	Packs []*Pack
	never Never
	ask   map[string]bool
}

// NewSet returns a set of packs. Of rules with the same name, those of the last pack that has any for a page count.
func NewSet(packs ...*Pack) *Set {
	s := &Set{Packs: packs, ask: map[string]bool{}}
	for _, p := range packs {
		s.never.Say = append(s.never.Say, p.Never.Say...)
		for _, word := range p.Never.Ask {
			word = strings.Join(words(word), "")
			s.never.Ask = append(s.never.Ask, word)
			s.ask[word] = true
		}
	}
	return s
}

// Never returns what all packs together never do.
func (s *Set) Never() Never { return s.never }

// IDs returns the ID of each pack. A nil set has none.
func (s *Set) IDs() (all []string) {
	if s == nil {
		return nil
	}
	for _, p := range s.Packs {
		all = append(all, p.ID())
	}
	return all
}

// For returns the rules for the page at url, in the order in which they act. It is empty if they are turned off there. A nil set has
// none.
func (s *Set) For(url string) (rules []Rule) {
	if s == nil {
		return nil
	}
	for _, p := range s.Packs {
		var here []Rule
		for _, r := range p.Rules {
			if r.holds(url) {
				here = append(here, r)
			}
		}
		for _, r := range here {
			kept := rules[:0]
			for _, old := range rules {
				if old.Name != r.Name && r.Name != "*" {
					kept = append(kept, old)
				}
			}
			rules = kept
		}
		for _, r := range here {
			if r.Do != Nothing {
				rules = append(rules, r)
			}
		}
	}
	return rules
}

// holds reports whether the rule is for the page at address.
func (r *Rule) holds(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	for _, site := range r.Sites {
		switch {
		case site == "*":
			return true
		case strings.Contains(site, "://"):
			if strings.HasPrefix(address, site) {
				return true
			}
		case site == u.Hostname(), strings.HasPrefix(site, ".") && strings.HasSuffix("."+u.Hostname(), site):
			return true
		}
	}
	return false
}

// Forbids reports whether a URL names an act that is never done, such as /logout or ?do=sign-out: behaviours must not ask
// for it. A folder, a file without the extension of a program, a parameter or its value can be the name.
func (s *Set) Forbids(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	names := strings.Split(u.Path, "/")
	for parameter, values := range u.Query() {
		names = append(append(names, parameter), values...)
	}
	for _, name := range names {
		parts := words(name)
		if n := len(parts); n > 1 && programs[parts[n-1]] {
			parts = parts[:n-1]
		}
		if s.ask[strings.Join(parts, "")] {
			return true
		}
	}
	return false
}

// programs are the extensions of programs in URLs.
var programs = map[string]bool{"php": true, "asp": true, "aspx": true, "jsp": true, "do": true, "cgi": true, "action": true, "html": true, "htm": true}

// words splits a name in code into its words, in lower case: "signOut", "sign-out" and "SIGN_OUT" have two.
func words(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		upper := r >= 'A' && r <= 'Z'
		if upper && lower || !upper && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			b.WriteByte(' ')
		}
		lower = r >= 'a' && r <= 'z'
		b.WriteRune(r)
	}
	return strings.FieldsFunc(strings.ToLower(b.String()), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}
