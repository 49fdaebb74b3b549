package scope

// This file learns from the answers of a site which of its links lead into a trap (a part of a site that makes up ever
// new URLs without new content), and leaves these out. It keeps what it learned of each host in bounded memory, and
// hands it out to be kept over a restart.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"kavosh"
)

// A crawl learns traps from what a site answers. If page after page of one shape of URL (shape.go) is answered with
// what was seen before, links of that shape are no longer followed. If the first guesses from a script all lead
// nowhere, its other guesses are not tried. The numbers below say how much evidence that takes; docs/decisions/0056
// says why.
//
// What seeds, sitemaps and redirects lead to, and what pages embed, is never left out. One URL in 256 of a shape is
// followed all the same: if it holds something new, the shape is followed again.
//
// The payload of an answer is its body after all decoding. A digest is the hash of a payload, a Print (print.go) the
// fingerprint of a page without its links. A pattern that is left out has a verdict: the rule that people read.
const (
	sameNarrow   = 64  // pages in a row of a shape, each with one of the last few payloads of that shape
	sameWide     = 128 // the same for a wide shape
	sameRepeated = 12  // pages in a row of a path that repeats itself, each with a payload that the host gave before
	missFolder   = 20  // guesses from one script in one folder, if none of them exists
	missScript   = 60  // the same in all folders of a host
	probe        = 256 // one URL in this many is followed although its shape is a trap
)

// Bounds of what is remembered. If there is no room, what was seen most often stays.
const (
	maxHosts    = 4096    // hosts of which something is remembered
	maxPatterns = 48      // patterns of a host
	maxPayloads = 1 << 17 // digests, each 8 bytes
	maxVariants = 4       // payloads of a shape with which the next one is compared
)

// Answer is what came of a task, as far as traps are learned from it.
type Answer struct {
	Task    *kavosh.Task
	Status  int           // HTTP status
	Page    bool          // whether it is HTML
	Digest  string        // digest of the payload
	Simhash uint64        // fingerprint of the text (lib/simhash); 0 if Wants did not ask for it, or if there is too little text
	Print   uint64        // Print of the page; 0 if WantsPrint did not ask for it
	Links   []kavosh.Link // that the page holds
}

// pattern is what is remembered of a shape, of a script's guesses, or of a stem or Print (repeat.go).
type pattern struct {
	key      uint64
	rank     uint32 // times it was met, plus the rank of the pattern whose place it took (Metwally et al., "Space-Saving", 2005)
	answers  uint32 // answers that belong to it
	same     uint32 // pages in a row with a payload seen before
	stale    uint32 // pages in a row with a Print seen before, each found in a page of the shape
	hits     uint32 // guesses that exist
	variants uint8  // number of payloads seen; modulo maxVariants it is where the next one is kept
	payload  [maxVariants]uint64
	example  string // URL of the newest page that was different
	of       string // what it is the pattern of; set with the verdict
	verdict  string // the rule that leaves its links out; "" if they are followed
	reason   Reason
}

// learnedHost is what was learned of one host.
type learnedHost struct {
	name     string
	patterns []pattern
	verdicts int  // how many of patterns have one
	used     bool // whether it was met since hand last passed it
	pages    int  // HTML pages it gave
	watch    int  // how many of its next pages get a Print
}

// learned is all that was learned about traps. It is safe for concurrent use.
type learned struct {
	active atomic.Int64 // how many verdicts hold
	mu     struct {
		sync.Mutex
		hosts    map[string]*learnedHost
		ring     []*learnedHost // the same hosts, in a ring
		hand     int            // the host in ring that is next to be forgotten (the clock algorithm)
		payloads []uint64       // a table of digests that hosts gave
		repeats  repeats
		changed  bool   // whether a verdict changed since snapshot was made
		snapshot []byte // what Snapshot returned last
	}
}

// Seeds of the hashes of what is remembered, one for each kind, so that hashes of two kinds do not meet.
const (
	narrowKey uint64 = iota + 1
	wideKey
	folderKey
	scriptKey
	payloadKey
	stemKey
	valueKey
	textKey
)

// host returns what is remembered of a host, and makes it if there is nothing. A new host takes the place of one that
// was not met for long; hosts with verdicts stay as long as there are others. mu is held, here and in all methods below
// that do not lock it.
func (l *learned) host(name string) *learnedHost {
	if h := l.mu.hosts[name]; h != nil {
		h.used = true
		return h
	}
	h := &learnedHost{name: strings.Clone(name)}
	if l.mu.hosts == nil {
		l.mu.hosts = map[string]*learnedHost{}
		l.mu.payloads = make([]uint64, maxPayloads)
	}
	if len(l.mu.ring) < maxHosts {
		l.mu.ring = append(l.mu.ring, h)
	} else {
		for turn := 0; ; turn++ {
			old := l.mu.ring[l.mu.hand]
			if !old.used && (old.verdicts == 0 || turn >= 2*maxHosts) {
				l.active.Add(int64(-old.verdicts))
				l.mu.changed = l.mu.changed || old.verdicts > 0
				delete(l.mu.hosts, old.name)
				break
			}
			old.used = false
			l.mu.hand = (l.mu.hand + 1) % maxHosts
		}
		l.mu.ring[l.mu.hand] = h
		l.mu.hand = (l.mu.hand + 1) % maxHosts
	}
	l.mu.hosts[h.name] = h
	return h
}

// find returns the pattern with that key; nil if there is none.
func (h *learnedHost) find(key uint64) *pattern {
	for i := range h.patterns {
		if h.patterns[i].key == key {
			return &h.patterns[i]
		}
	}
	return nil
}

// meet returns the pattern with that key, and makes it if there is none. If there is no room, it takes the place of the
// pattern without a verdict that was met least. It returns nil if all patterns have verdicts.
func (h *learnedHost) meet(key uint64) *pattern {
	if p := h.find(key); p != nil {
		p.rank++
		return p
	}
	if len(h.patterns) < maxPatterns {
		h.patterns = append(h.patterns, pattern{key: key, rank: 1})
		return &h.patterns[len(h.patterns)-1]
	}
	var least *pattern
	for i := range h.patterns {
		if p := &h.patterns[i]; p.verdict == "" && (least == nil || p.rank < least.rank) {
			least = p
		}
	}
	if least == nil {
		return nil
	}
	*least = pattern{key: key, rank: least.rank + 1}
	return least
}

// Learn learns from what came of a task. Call it once for each answer, before its links are judged. With
// Options.NearDuplicates it returns the URL of an earlier page that says nearly the same; "" if there is none.
func (s *Scope) Learn(a *Answer) (same string) {
	ok := a.Status >= 200 && a.Status <= 299
	if s.o.NearDuplicates && ok && a.Simhash != 0 {
		same = s.near.earlier(a.Simhash, a.Task.URL)
	}
	p, split := Split(a.Task.URL)
	if !split || s.o.NoTraps {
		return same
	}
	missing := a.Status == 404 || a.Status == 410
	guess := a.Task.Kind == kavosh.Speculative && (ok || missing)
	if !guess && !ok {
		return same
	}
	l := &s.learned
	l.mu.Lock()
	defer l.mu.Unlock()
	if !guess && !a.Page {
		if print, _ := l.mu.repeats.page(a.Task.Via); print != 0 {
			if known, _ := l.known(a, &p); !known {
				l.novel(a.Task.Via)
			}
		}
		return same
	}
	h := l.host(p.Host)
	if guess {
		l.guessed(h, a.Task, ok)
	}
	if ok && a.Page {
		h.pages++
		again := a.Print != 0 && l.repeated(h, a, &p)
		if a.Digest != "" && isFollowed(a.Task.Kind) {
			l.answered(h, a, &p, again)
		}
	}
	return same
}

// known reports whether the host gave this payload before, and remembers it.
func (l *learned) known(a *Answer, p *Parts) (known bool, digest uint64) {
	var room [512]byte
	digest = hash(payloadKey, append(append(room[:0], p.Host...), a.Digest...))
	place := &l.mu.payloads[digest%maxPayloads]
	known = *place == digest
	*place = digest
	return known, digest
}

// isFollowed reports whether links of that kind are left out when they lead into a trap.
func isFollowed(k kavosh.Kind) bool { return k == kavosh.Navigation || k == kavosh.Speculative }

// answered learns from the payload of a page. again reports that the page has the Print of an earlier page of the host,
// and that no stem (repeat.go) explains it.
func (l *learned) answered(h *learnedHost, a *Answer, p *Parts, again bool) {
	known, digest := l.known(a, p)
	if via, ok := Split(a.Task.Via); ok && !known && a.Print == 0 && via.Host != p.Host { // within one host, only Prints tell whether a page is new
		l.novel(a.Task.Via)
	}
	var room [512]byte
	shape := appendShape(room[:0], p, false)
	if n := h.meet(hash(narrowKey, shape)); n != nil {
		n.answers++
		same := n.repeats(digest)
		if !again {
			n.stale = 0
		} else if isOf(a.Task.Via, p.Host, shape) {
			n.stale++
		}
		switch {
		case !same && !again:
			l.lift(h, n)
			n.example = shown(a.Task.URL)
		case n.verdict != "":
		case n.same >= sameNarrow:
			l.convict(h, n, Trap, string(shape), fmt.Sprintf("trap: %d pages in a row of %s held the same as %s, of %d fetched", n.same, shape, n.example, n.answers))
		case n.stale >= shapeStale:
			l.convict(h, n, Trap, string(shape), fmt.Sprintf("trap: %d pages in a row of %s led to each other and held only what a page before held, such as %s, of %d fetched",
				n.stale, shape, shown(a.Task.URL), n.answers))
		}
	}
	shape = appendShape(room[:0], p, true)
	w := h.meet(hash(wideKey, shape))
	if w == nil {
		return
	}
	w.answers++
	same, enough := w.repeats(digest), uint32(sameWide)
	if isRepetition(shape) { // compared with all pages of the host, as the page of the shorter path shows what is repeated
		same, enough = known, sameRepeated
		if w.same++; !same {
			w.same = 0
		}
	}
	switch {
	case !same:
		l.lift(h, w)
		w.example = shown(a.Task.URL)
	case w.verdict == "" && w.same >= enough && isRepetition(shape):
		l.convict(h, w, Trap, string(shape), fmt.Sprintf("trap: %d pages in a row of %s, whose path repeats itself, held what other pages of %s had held, such as %s, of %d fetched",
			w.same, shape, p.Host, a.Task.URL, w.answers))
	case w.verdict == "" && w.same >= enough:
		l.convict(h, w, Trap, string(shape), fmt.Sprintf("trap: %d pages in a row of %s held the same as %s, of %d fetched", w.same, shape, w.example, w.answers))
	}
}

// isOf reports whether a URL has that host and shape.
func isOf(url, host string, shape []byte) bool {
	var room [512]byte
	p, ok := Split(url)
	return ok && p.Host == host && string(appendShape(room[:0], &p, false)) == string(shape)
}

// shown returns a copy of a URL to be kept as an example for people, at most 512 bytes.
func shown(url string) string { return strings.Clone(url[:min(len(url), 512)]) }

// repeats reports whether a payload is one of the last few different ones of the shape. It counts how many such pages
// came in a row.
func (p *pattern) repeats(digest uint64) bool {
	if slices.Contains(p.payload[:], digest) {
		p.same++
		return true
	}
	p.payload[p.variants%maxVariants] = digest
	p.variants++
	p.same = 0
	return false
}

// guessed counts a guess from a script, which exists or does not.
func (l *learned) guessed(h *learnedHost, t *kavosh.Task, exists bool) {
	for _, g := range guessKeys(t.URL, t.Via) {
		p := h.meet(g.key)
		if p == nil {
			continue
		}
		p.answers++
		if exists {
			p.hits++
			l.lift(h, p)
			continue
		}
		if p.verdict == "" && p.hits == 0 && p.answers >= g.enough {
			l.convict(h, p, Guess, g.of, fmt.Sprintf("none of the first %d addresses guessed from %s%s exists, such as %s", p.answers, t.Via, g.where, t.URL))
		}
	}
}

// guessKey is a pattern to which a guess belongs.
type guessKey struct {
	key       uint64
	enough    uint32 // guesses, none of which exists, that make a verdict
	of, where string
}

// guessKeys returns the patterns of a guessed URL: the guesses from its script in the same folder, and in all folders.
func guessKeys(url, script string) [2]guessKey {
	path, _, _ := strings.Cut(url, "?")
	folder := path[:strings.LastIndexByte(path, '/')+1]
	return [2]guessKey{
		{hash(folderKey, []byte(folder+" "+script)), missFolder, folder + " " + script, " in " + folder},
		{hash(scriptKey, []byte(script)), missScript, script, ""},
	}
}

// convict gives a pattern a verdict: its links are left out from now on.
func (l *learned) convict(h *learnedHost, p *pattern, reason Reason, of, verdict string) {
	p.verdict, p.reason, p.of = verdict, reason, of
	h.verdicts++
	l.active.Add(1)
	l.mu.changed = true
}

// lift takes the verdict on a pattern back, if it has one: its links are followed again.
func (l *learned) lift(h *learnedHost, p *pattern) {
	if p.verdict == "" {
		return
	}
	p.verdict, p.of, p.same, p.stale = "", "", 0, 0
	h.verdicts--
	l.active.Add(-1)
	l.mu.changed = true
}

// judge returns the verdict by which a URL is left out; rule is "" if there is none. via is the document that named the
// URL.
func (l *learned) judge(url string, p *Parts, kind kavosh.Kind, via string) (reason Reason, rule string) {
	if l.active.Load() == 0 || !isFollowed(kind) {
		return "", ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.mu.hosts[p.Host]
	if h == nil || h.verdicts == 0 {
		return "", ""
	}
	if kind == kavosh.Speculative {
		for _, g := range guessKeys(url, via) {
			if v := h.find(g.key); v != nil && v.verdict != "" {
				return v.reason, v.verdict
			}
		}
	}
	if hash(0, []byte(url))%probe == 0 {
		return "", ""
	}
	var room [512]byte
	for _, key := range [...]uint64{narrowKey, wideKey} {
		shape := appendShape(room[:0], p, key == wideKey)
		if v := h.find(hash(key, shape)); v != nil && v.verdict != "" {
			return v.reason, v.verdict
		}
	}
	if v := l.stemVerdict(h, p); v != nil {
		return v.reason, v.verdict
	}
	return "", ""
}

// Late judges a task whose turn has come, by what was learned and by the rules and plans of seeds that were set since it was
// queued. It asks nothing else of scope again. A robots.txt is under no rule, but a redirect of one must not lead to a
// host that a rule leaves out.
func (s *Scope) Late(t *kavosh.Task) Decision {
	if t.Kind == kavosh.Prerequisite {
		return s.lateRobots(t)
	}
	if s.learned.active.Load() != 0 {
		if p, ok := Split(t.URL); ok {
			if reason, rule := s.learned.judge(t.URL, &p, t.Kind, t.Via); rule != "" {
				return out(reason, rule)
			}
		}
	}
	if s.repealed.Load() {
		plan := s.planOfTask(t)
		if d := s.lists.Load().late(plan, t); d != nil && !d.In {
			return *d
		}
		if plan != nil {
			return s.latePlan(plan, t)
		}
	}
	return in("it was in scope when it was queued")
}

// Wants reports whether Learn will use the fingerprint of the text to which a task leads.
func (s *Scope) Wants(t *kavosh.Task) bool {
	return s.o.NearDuplicates && t.Kind != kavosh.Embed && t.Kind != kavosh.Prerequisite
}

// verdict is one verdict as a Snapshot holds it.
type verdict struct {
	Host   string `json:"host"`
	Kind   uint64 `json:"kind"` // narrowKey or one of the other seeds
	Of     string `json:"of"`
	Reason Reason `json:"reason"`
	Rule   string `json:"rule"`
}

// snapshot returns the verdicts that hold, host by host in the order of the ring.
func (l *learned) snapshot() (all []verdict) {
	for _, h := range l.mu.ring {
		if h.verdicts == 0 {
			continue
		}
		for i := range h.patterns {
			p := &h.patterns[i]
			if p.verdict == "" {
				continue
			}
			v := verdict{Host: h.name, Of: p.of, Reason: p.reason, Rule: p.verdict}
			for kind := narrowKey; kind <= textKey; kind++ {
				if hash(kind, []byte(p.of)) == p.key {
					v.Kind = kind
				}
			}
			all = append(all, v)
		}
	}
	return all
}

// restore adds verdicts that snapshot returned.
func (l *learned) restore(all []verdict) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.changed = true
	for _, v := range all {
		h := l.host(v.Host)
		if p := h.meet(hash(v.Kind, []byte(v.Of))); p != nil && p.verdict == "" {
			l.convict(h, p, v.Reason, v.Of, v.Rule)
		}
	}
}

// kept is what a Snapshot holds.
type kept struct {
	Seeds   []string  `json:"seeds,omitempty"` // seeds that redirects added; only older programs wrote these
	Learned []verdict `json:"learned,omitempty"`
}

// Snapshot returns the traps that were learned, for Restore after a restart. It is nil if there are none. It returns
// the same bytes until something changes.
func (s *Scope) Snapshot() []byte {
	l := &s.learned
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.mu.changed {
		return l.mu.snapshot
	}
	l.mu.changed, l.mu.snapshot = false, nil
	if k := (kept{Learned: l.snapshot()}); len(k.Learned) > 0 {
		l.mu.snapshot, _ = json.Marshal(k) // strings and numbers always encode
	}
	return l.mu.snapshot
}

// Restore adds what Snapshot returned.
func (s *Scope) Restore(snapshot []byte) error {
	if len(snapshot) == 0 {
		return nil
	}
	var k kept
	err := json.Unmarshal(snapshot, &k)
	if snapshot[0] == '[' { // written by a version that learned no traps
		err = json.Unmarshal(snapshot, &k.Seeds)
	}
	if err != nil {
		return fmt.Errorf("scope: the seeds and traps that were kept are damaged: %w", err)
	}
	for _, url := range k.Seeds {
		if err := s.AddSeed(url); err != nil {
			return fmt.Errorf("scope: the seeds and traps that were kept are damaged: %w", err)
		}
	}
	s.learned.restore(k.Learned)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.moved = append(s.mu.moved, k.Seeds...)
	return nil
}

// Moved returns the seeds that redirects added since it was last called. The caller keeps them over a restart, and then
// adds them again by AddSeed.
func (s *Scope) Moved() (seeds []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seeds, s.mu.moved = s.mu.moved, nil
	return seeds
}
