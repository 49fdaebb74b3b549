package quality

// This file proposes settings of the next crawl by what was found: of an archive, of a series of crawls, of pages as they are replayed.
// hosttally.go proposes what a crawl's own log speaks for. Of what goes well nothing is proposed: each bound says how much it takes.

import (
	"strings"
	"time"
)

// Trouble is what a proposal is to help.
type Trouble string

// What proposals are to help.
const (
	TroubleDown       Trouble = "down"       // a host did not answer
	TroubleMoved      Trouble = "moved"      // a host leads to another one
	TroubleRefusing   Trouble = "refusing"   // a host says that it is asked too often
	TroubleSlow       Trouble = "slow"       // a host takes long to answer
	TroubleWall       Trouble = "wall"       // a bot wall, or a page that asks for consent, answers in place of pages
	TroubleLogin      Trouble = "login"      // a page that asks to sign in does
	TroubleNotFound   Trouble = "notfound"   // a page that says that there is none does, with a status that says otherwise
	TroubleParked     Trouble = "parked"     // the page of a domain without a site does
	TroubleParts      Trouble = "parts"      // parts of pages are missing
	TroubleScripts    Trouble = "scripts"    // parts are missing that only a browser asks for
	TroubleApart      Trouble = "apart"      // pages were not there together
	TroubleRedesigned Trouble = "redesigned" // the site has other pages now
	TroubleCut        Trouble = "cut"        // a crawl lacks pages that the one before it had
	TroubleOften      Trouble = "often"      // pages change more often than they are visited
)

// Proposal is a setting of a crawl that would help.
type Proposal struct {
	About Trouble `json:"about"`
	N     int64   `json:"n"`              // so many
	Of    int64   `json:"of"`             // of so many speak for it
	As    Use     `json:"as,omitempty"`   // of TroubleParts: what most of them are
	Host  string  `json:"host,omitempty"` // that it is about; "" for all
	To    string  `json:"to,omitempty"`   // of TroubleMoved: the host to which it leads
	Do    string  `json:"do"`             // the command; ARCHIVE in it stands for the folder of the archive
	Why   string  `json:"why,omitempty"`  // in a sentence, where it is printed
}

// In returns the command for an archive's folder, as a shell needs it.
func (p *Proposal) In(folder string) string {
	return strings.TrimSuffix(strings.ReplaceAll(p.Do+" ", " ARCHIVE ", " "+folder+" "), " ")
}

// Bounds from which on something is proposed: so many at least, and such a share of all.
const (
	fewestMissing, missingShare   = 5, 0.01 // parts of pages
	fewestScripted, scriptedShare = 3, 0.1  // pages that were looked at
	fewestApart, apartShare       = 10, 0.1 // pages
	fewestLost                    = 5       // pages that an odd crawl lost or has others in place of
)

// enough reports whether n of so many are a share, and few at least.
func enough(n, of, few int64, share float64) bool { return n >= few && float64(n) >= share*float64(of) }

// Proposals returns what the parts that pages lack speak for.
func (s *Summary) Proposals() []Proposal {
	if !enough(s.open, int64(s.Parts), fewestMissing, missingShare) {
		return nil
	}
	p := Mend(s.open, int64(s.Parts))
	for _, use := range []Use{Style, Script, Frame, Image, Media, Font, Decor} {
		if s.uses[use] > s.uses[p.As] {
			p.As = use
		}
	}
	if 2*s.uses[p.As] <= s.open { // of no kind are most
		p.As = unused
	}
	return []Proposal{p}
}

// Mend proposes to ask for n parts that are missing of so many.
func Mend(n, of int64) Proposal {
	return Proposal{About: TroubleParts, N: n, Of: of, Do: "kavosh crawl --patch --archive ARCHIVE"}
}

// Missed returns what parts speak for of which a crawl counted that so many were missing.
func Missed(n, of int64) []Proposal {
	if !enough(n, of, fewestMissing, missingShare) {
		return nil
	}
	return []Proposal{Mend(n, of)}
}

// NotTogether returns what n pages of so many speak for that were not there together with the others.
func NotTogether(n, of int64) []Proposal {
	if !enough(n, of, fewestApart, apartShare) {
		return nil
	}
	return []Proposal{{About: TroubleApart, N: n, Of: of, Do: "kavosh crawl --patch incoherent --archive ARCHIVE"}}
}

// Proposals returns what pages speak for that were looked at as they are replayed: parts that no crawl asked for, and that only a script
// asks for, come with a browser.
func (f *Fidelity) Proposals() []Proposal {
	if !enough(int64(f.Scripted), int64(f.Pages), fewestScripted, scriptedShare) {
		return nil
	}
	p := Proposal{About: TroubleScripts, N: int64(f.Scripted), Of: int64(f.Pages), Host: f.hosts.most()}
	p.Do = crawlOf("--browser always", f.hosts.origin(p.Host))
	return []Proposal{p}
}

// Proposals returns what the newest crawl of a series speaks for, if it is odd.
func (g *Grid) Proposals() []Proposal {
	last := len(g.Visits) - 1
	if last < 1 || g.Visits[last].Odd == Usual {
		return nil
	}
	v, of := &g.Visits[last], hosts{}
	lost := func(b *Behaved) bool { return b.Seen[last] <= Failing && b.Seen[last-1] > Failing }
	if v.Odd == Redesigned {
		lost = func(b *Behaved) bool {
			return b.Seen[last] > Same || b.Seen[last] <= Failing && b.Seen[last-1] > Failing
		}
	}
	n, all := int64(0), int64(0)
	for i := range g.Pages {
		if b := &g.Pages[i]; lost(b) {
			n++
			of.add(b.URL)
		}
		if g.Pages[i].Seen[last] > Failing || g.Pages[i].Seen[last-1] > Failing {
			all++
		}
	}
	if n < fewestLost {
		return nil
	}
	p := Proposal{N: n, Of: all, Host: of.most()}
	switch v.Odd {
	case Redesigned:
		p.About, p.Do = TroubleRedesigned, "kavosh crawl --dry-run 100 "+shellWord(of.origin(p.Host)+"/")
	default:
		p.About, p.Do = TroubleCut, crawlOf("--delay 5s --skip-younger "+v.Started.UTC().Format(time.RFC3339), of.origin(p.Host))
	}
	return []Proposal{p}
}

// Often proposes to visit pages of so many, which changed more often than they were visited, by rules of --revisit-rule; a few of them stand in
// the command.
func Often(pages []string, of int, rules []string) Proposal {
	from := hosts{}
	for _, url := range pages {
		from.add(url)
	}
	p := Proposal{About: TroubleOften, N: int64(len(pages)), Of: int64(of), Host: from.most()}
	seed := shellWord(from.origin(p.Host) + "/")
	if len(rules) > fewRules {
		p.Do = "kavosh quality ARCHIVE --series --settings > often.toml; kavosh crawl --archive ARCHIVE --config often.toml " + seed
		return p
	}
	p.Do = "kavosh crawl --archive ARCHIVE --revisit gain"
	for _, rule := range rules {
		p.Do += " --revisit-rule " + shellWord(rule)
	}
	p.Do += " " + seed
	return p
}

const fewRules = 3

// hosts counts URLs by their host, with its port.
type hosts map[string]*hostCount

type hostCount struct {
	n      int
	origin string // of the last URL
}

// add counts a URL.
func (h hosts) add(url string) {
	origin := originOf(url)
	_, host, _ := strings.Cut(origin, "://")
	if h[host] == nil {
		h[host] = &hostCount{}
	}
	h[host].n++
	h[host].origin = origin
}

// most returns the host with most URLs; "" if there is none.
func (h hosts) most() (most string) {
	for host, c := range h {
		if b := h[most]; b == nil || c.n > b.n || c.n == b.n && host < most {
			most = host
		}
	}
	return most
}

// origin returns the origin of the last URL of a host.
func (h hosts) origin(host string) string {
	if c := h[host]; c != nil {
		return c.origin
	}
	return ""
}

// originOf returns a URL up to its path, without a user.
func originOf(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
}

// crawlOf is the command that crawls a site with other settings.
func crawlOf(flags, origin string) string {
	return "kavosh crawl --archive ARCHIVE " + flags + " " + shellWord(origin+"/")
}

// shellWord returns a word as a shell needs it. Hosts may be named as whoever owns them likes.
func shellWord(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !plainRune(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func plainRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._~:/=,+@%", r)
}
