// Package scope decides whether a link belongs to the crawl, and says by which rule.
//
// What people say comes as rules (rule.go, rules.go), and what the crawl itself goes by stands among them. All are asked
// in this order, and the first that has an opinion decides:
//
//  1. what is neither http nor https is out
//  2. what Exclude matches is out
//  3. Options.Rules, each in its turn: what one leaves out is out, and what one takes in is in, if none of 5 to 9 is
//     against it
//  4. a seed is in
//  5. a trap is out: by its URL (trap.go), or as learned from answers (learn.go)
//  6. what comes after more than 10 redirects, 5 embeds or 8 sitemaps in a row is out
//  7. a guess that was found in a page which was itself guessed is out
//  8. a nofollow link is out if nofollow is obeyed, except what a page embeds
//  9. a link with more navigation steps than MaxHops is out
//  10. what the mode takes in is in; so is the target of a seed's redirect, which counts as a seed from then on
//  11. what Include matches is in
//  12. what a page in scope embeds is in, and so is the target of its redirect
//  13. all else is out
//
// With PagesOnly, everything that is no page for a reader is out right after 4.
//
// Each decision carries a sentence for people, which `kavosh why` shows. The package touches only its own memory: it
// opens no file and no connection. A trap is a part of a site that makes up ever new URLs without new content. A
// seen-key is the form of a URL by which the crawl tells URLs apart.
package scope

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"kavosh"
	"kavosh/internal/clock"
	"kavosh/internal/nameset"
	"kavosh/lib/weburl"
)

// Mode says how far from its seeds a crawl goes.
type Mode string

const (
	Page   Mode = "page"   // the seeds and what is embedded in them
	Prefix Mode = "prefix" // URLs of a seed's host and port that start with its path up to the last slash
	Host   Mode = "host"   // the seeds' host names with their ports, http and https alike
	Domain Mode = "domain" // the seeds' domains: public suffix plus one label, any port
	Any    Mode = "any"    // every URL
)

// Modes returns all modes, the narrowest first.
func Modes() []Mode { return []Mode{Page, Prefix, Host, Domain, Any} }

// Options say what is in scope.
type Options struct {
	Mode    Mode     // "" is Host
	Include []string // regular expressions (RE2): a URL in which one of them finds a match is in scope, whatever the mode
	Exclude []string // the same, but the URL is out of scope; comes before Rules, Include, the mode and seeds
	Rules   []Rule   // the first that matches decides; after Exclude, before all else
	// MaxHops is how many navigation steps from a seed are followed at most. Negative means no limit. 0 means the seeds
	// and what they embed.
	MaxHops      int
	ObeyNoFollow bool // leave out links that say nofollow, and links in pages that do
	NoTraps      bool // switch the trap rules off
	PagesOnly    bool // leave out guesses, sitemaps, and what pages embed except frames; for studies of links
	// NearDuplicates makes Learn compare the text of every page with earlier pages, and return which one it is nearly
	// the same as.
	NearDuplicates bool
	Since          time.Time   // of sitemaps, leave out what they say was not changed since; zero takes all
	Clock          clock.Clock // says which year it is, for calendars; nil is the clock of the machine
}

// Reason is the class of a decision. There are no other values than these, since reports count by them.
type Reason string

const (
	InScope     Reason = "in scope"
	OutOfScope  Reason = "scope"
	Excluded    Reason = "exclude"
	Ruled       Reason = "rule" // of Options.Rules
	TooManyHops Reason = "hops"
	NoFollow    Reason = "nofollow"
	Guess       Reason = "guess" // found by guessing in a page that was itself a guess
	Chain       Reason = "chain" // too many redirects, embeds or sitemaps in a row
	Stale       Reason = "since" // not changed since Options.Since: the frontier leaves it out when pages link to it, too
	Trap        Reason = "trap"
)

// Decision is what was decided about a link, and why.
type Decision struct {
	In      bool
	Reason  Reason
	Rule    string // the rule that decided, in one sentence without a full stop
	Extra   int    // clicks since the scope was left, if the seed's plan lets it be left: Link.Extra
	NewSeed bool   // the link is the target of a seed's redirect and counts as a seed from now on; Moved returns it
}

const (
	maxRedirects = 10 // in a row
	maxEmbeds    = 5  // in a row, redirects between them not counted
	maxSitemaps  = 8  // in a row: indexes of indexes, the sitemap and its page
)

// Scope decides about links. It is safe for concurrent use.
type Scope struct {
	o        Options
	lists    atomic.Pointer[lists] // the rules in force
	repealed atomic.Bool           // SetRules has changed them: queued URLs may be out of scope now

	mu struct {
		sync.RWMutex
		urls    nameset.Set[string] // seen-keys of seeds (Page)
		hosts   nameset.Set[string] // hosts of seeds, with their ports
		folders nameset.Set[folder] // folders of seeds (Prefix)
		deepest int                 // the most slashes that one of folders has
		domains nameset.Set[string] // domains of seeds (Domain)
		moved   []string            // seeds that redirects added since the last call of Moved
	}
	plans   plans   // of seeds
	learned learned // what was learned about traps
	near    near    // the texts of earlier pages
}

// folder is a host with its port, and a path up to a slash.
type folder struct{ host, path string }

// New makes a scope without seeds. Errors name the option and the fix.
func New(o Options) (*Scope, error) {
	if o.Mode == "" {
		o.Mode = Host
	}
	if !slices.Contains(Modes(), o.Mode) {
		return nil, fmt.Errorf("scope %q: no such scope; use page, prefix, host, domain or any", o.Mode)
	}
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	s := &Scope{o: o}
	if err := s.SetRules(o.Exclude, o.Rules, o.Include); err != nil {
		return nil, err
	}
	s.repealed.Store(false)
	return s, nil
}

// AddSeed adds the seen-key url to the seeds by which the mode decides.
func (s *Scope) AddSeed(url string) error {
	p, ok := Split(url)
	if !ok {
		return fmt.Errorf("seed %q: not an http or https URL", url)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addSeed(url, &p)
	return nil
}

// addSeed keeps only what the mode needs: there may be millions of seeds.
func (s *Scope) addSeed(url string, p *Parts) {
	switch s.o.Mode {
	case Page:
		s.mu.urls.Add(url)
	case Prefix:
		s.mu.hosts.Add(p.Host)
		path := p.Path[:strings.LastIndexByte(p.Path, '/')+1]
		s.mu.folders.Add(folder{p.Host, path})
		s.mu.deepest = max(s.mu.deepest, strings.Count(path, "/"))
	case Host:
		s.mu.hosts.Add(p.Host)
	case Domain:
		s.mu.hosts.Add(p.Host)
		s.mu.domains.Add(weburl.Domain(p.Name))
	}
}

// Judge decides about a link that was found in the document of parent. parent is nil for seeds, and for links that come
// from no document.
func (s *Scope) Judge(link *kavosh.Link, parent *kavosh.Task) Decision {
	p, ok := Split(link.URL)
	if !ok {
		return out(OutOfScope, "only http and https are fetched")
	}
	lists := s.lists.Load()
	plan := s.planOf(link, parent)
	ruled := s.ruled(lists, plan, link, parent, &p)
	if ruled != nil && !ruled.In {
		return *ruled
	}
	if link.Kind == kavosh.Seed {
		return in("given as a seed")
	}
	if s.o.PagesOnly && !isPage(link) {
		return out(OutOfScope, "not what a reader would click")
	}
	if !s.o.NoTraps {
		if rule := trap(link.URL, &p, s.year); rule != "" {
			return out(Trap, rule)
		}
		if parent != nil && parent.Hops >= trapClicks && link.Kind == kavosh.Navigation && s.maxHops(plan) < 0 {
			return out(Trap, fmt.Sprintf("trap: more than %d clicks from a seed (--max-hops sets another bound)", trapClicks))
		}
	}
	if parent != nil && !s.o.NoTraps {
		if reason, rule := s.learned.judge(link.URL, &p, link.Kind, parent.URL); rule != "" {
			return out(reason, rule)
		}
		if reason, rule := s.learned.ledBy(link.URL, &p, link.Kind, parent.URL); rule != "" {
			return out(reason, rule)
		}
	}
	if d := s.stale(link.Listed); d.Reason != "" {
		return d
	}
	if d := s.steps(link, parent, s.maxHops(plan)); d.Reason != "" {
		return d
	}
	if s.inMode(link, &p) {
		if ruled != nil {
			return *ruled
		}
		return in(modeRule(s.o.Mode))
	}
	if link.Kind == kavosh.Redirect && fromSeed(parent) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.addSeed(link.URL, &p)
		s.mu.moved = append(s.mu.moved, link.URL)
		return Decision{In: true, Reason: InScope, Rule: "a seed redirects to it, so that it counts as a seed", NewSeed: true}
	}
	if ruled == nil {
		ruled = lists.included(link.URL, &p)
	}
	if ruled != nil {
		return *ruled
	}
	switch {
	case parent == nil:
	case link.Kind == kavosh.Embed:
		return Decision{In: true, Reason: InScope, Rule: "embedded in a page in scope", Extra: parent.Extra}
	case link.Kind == kavosh.Redirect && strings.HasSuffix(strings.TrimRight(parent.Path, "R"), "E"):
		return Decision{In: true, Reason: InScope, Rule: "an embed of a page in scope redirects to it", Extra: parent.Extra}
	case plan != nil && plan.extra > 0:
		if n := max(parent.Extra+hop(link.Kind), 1); n <= plan.extra {
			return Decision{In: true, Reason: InScope, Rule: fmt.Sprintf("extra hop %d of the %d that its seed may have", n, plan.extra), Extra: n}
		}
	}
	return out(OutOfScope, outRule(s.o.Mode, &p))
}

// isPage reports whether a link leads to a page that a reader could come to: by a click, in a frame, as a seed or by a
// redirect.
func isPage(l *kavosh.Link) bool {
	switch l.Kind {
	case kavosh.Embed:
		return l.Element == "frame" || l.Element == "iframe"
	case kavosh.Speculative, kavosh.Sitemap:
		return false
	}
	return true
}

// year returns the current year.
func (s *Scope) year() int { return s.o.Clock.Now().Year() }

func in(rule string) Decision { return Decision{In: true, Reason: InScope, Rule: rule} }

func out(r Reason, rule string) Decision { return Decision{Reason: r, Rule: rule} }

// steps judges the way to a link: chains, guesses, nofollow and hops. The Reason of its Decision is "" if it has no
// opinion.
func (s *Scope) steps(link *kavosh.Link, parent *kavosh.Task, maxHops int) Decision {
	if parent == nil {
		return Decision{}
	}
	switch link.Kind {
	case kavosh.Redirect:
		if n := len(parent.Path) - len(strings.TrimRight(parent.Path, "R")); n >= maxRedirects {
			return out(Chain, fmt.Sprintf("more than %d redirects in a row", maxRedirects))
		}
	case kavosh.Embed:
		if chain := parent.Path[len(strings.TrimRight(parent.Path, "ER")):]; strings.Count(chain, "E") >= maxEmbeds {
			return out(Chain, fmt.Sprintf("more than %d embeds in a row", maxEmbeds))
		}
	case kavosh.Sitemap:
		if n := len(parent.Path) - len(strings.TrimRight(parent.Path, "M")); n >= maxSitemaps {
			return out(Chain, fmt.Sprintf("more than %d sitemaps in a row", maxSitemaps))
		}
	case kavosh.Speculative:
		if parent.Guessed {
			return out(Guess, "guessed in a page that was itself a guess")
		}
	}
	if s.o.ObeyNoFollow && link.NoFollow && link.Kind != kavosh.Embed && link.Kind != kavosh.Redirect {
		return out(NoFollow, "the link or its page says nofollow")
	}
	if maxHops >= 0 && parent.Hops+hop(link.Kind) > maxHops {
		return out(TooManyHops, tooManyHops(maxHops))
	}
	return Decision{}
}

// fromSeed reports whether t is a seed, or was reached from one by redirects alone.
func fromSeed(t *kavosh.Task) bool {
	return t != nil && (t.Kind == kavosh.Seed || t.Kind == kavosh.Redirect) && strings.Trim(t.Path, "R") == ""
}

// inMode reports whether the mode takes a link in.
func (s *Scope) inMode(link *kavosh.Link, p *Parts) bool {
	if s.o.Mode == Any {
		return true
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch s.o.Mode {
	case Page:
		return s.mu.urls.Has(link.URL)
	case Host:
		return s.mu.hosts.Has(p.Host)
	case Prefix:
		// A sitemap that robots.txt names may be anywhere on the host; what it lists is judged by itself.
		return s.mu.hosts.Has(p.Host) && (link.Kind == kavosh.Sitemap && link.Element == "robots.txt" || s.inFolder(p))
	case Domain:
		return s.mu.hosts.Has(p.Host) || s.inDomain(p.Name)
	}
	return false
}

// inFolder reports whether a URL is below the path of a seed.
func (s *Scope) inFolder(p *Parts) bool {
	for end, depth := 0, 0; depth < s.mu.deepest; depth++ {
		slash := strings.IndexByte(p.Path[end:], '/')
		if slash < 0 {
			return false
		}
		end += slash + 1
		if s.mu.folders.Has(folder{p.Host, p.Path[:end]}) {
			return true
		}
	}
	return false
}

// inDomain reports whether a host belongs to the domain of a seed. It asks the list of public suffixes only if the host
// name ends in such a domain.
func (s *Scope) inDomain(name string) bool {
	for rest := name; ; {
		if s.mu.domains.Has(rest) {
			return rest == name || weburl.Domain(name) == rest
		}
		var found bool
		if _, rest, found = strings.Cut(rest, "."); !found {
			return false
		}
	}
}

// modeRule returns the rule of a mode that takes a link in, for people.
func modeRule(m Mode) string {
	switch m {
	case Page:
		return "a seed (--scope page)"
	case Prefix:
		return "below a seed's path (--scope prefix)"
	case Host:
		return "on a seed's host (--scope host)"
	case Domain:
		return "in a seed's domain (--scope domain)"
	}
	return "everything is in scope (--scope any)"
}

// outRule returns the rule of a mode by which a link is out, for people.
func outRule(m Mode, p *Parts) string {
	switch m {
	case Page:
		return "not a seed and not embedded in one (--scope page)"
	case Prefix:
		return "not below a seed's path (--scope prefix)"
	case Host:
		return p.Host + " is no seed's host (--scope host)"
	}
	return p.Name + " is in no seed's domain (--scope domain)"
}

// Follow returns the task for a link that is followed from parent, without ID, Score, Added and Prior. parent is nil
// for a seed, and for a link that came from no document of the crawl.
func Follow(parent *kavosh.Task, link *kavosh.Link) kavosh.Task {
	t := kavosh.Task{URL: link.URL, Extra: link.Extra, Kind: link.Kind, Seed: link.URL, Variant: link.Variant, Guessed: link.Kind == kavosh.Speculative}
	if parent == nil {
		return t
	}
	t.Listed = link.Element == "sitemap" || link.Element == "feed" || link.Kind == kavosh.Redirect && parent.Listed
	t.Via, t.From, t.Seed, t.Hops = parent.URL, link.From, parent.Seed, parent.Hops
	t.Guessed = t.Guessed || parent.Guessed
	t.Path = parent.Path + letter(link.Kind)
	if over := len(t.Path) - maxPath; over > 0 {
		t.Path = t.Path[over:]
	}
	t.Hops += hop(link.Kind)
	if link.Kind == kavosh.Embed || link.Kind == kavosh.Redirect {
		t.Embeds = parent.Embeds + 1
	}
	return t
}

// hop returns the number of navigation steps, 0 or 1, for following a link of that kind.
func hop(k kavosh.Kind) int {
	switch k {
	case kavosh.Navigation, kavosh.Feed, kavosh.Speculative:
		return 1
	}
	return 0
}

// maxPath is how many letters of Task.Path are kept, the last ones.
const maxPath = 64

// letter returns the letter that stands for a kind in Task.Path.
func letter(k kavosh.Kind) string { return string(rune(k.Letter())) }
