package scope

// This file learns from the answers of a site which of its links lead into a trap, and leaves these out. It keeps what
// it learned of each host, in bounded memory, and saves it for a restart.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"kavosh"
)

// Traps that a crawl learns from what a site answers. Where page after page of one shape of URL (shape.go) is answered
// with what was seen before, links of that shape are no longer followed; where a script's first guesses all lead nowhere,
// its others are not tried. The numbers below say how much evidence that takes; docs/decisions/0056 says why.
//
// What seeds, sitemaps and redirects lead to, and what pages embed, is never left out. One URL in 256 of a shape is
// followed all the same: when it holds something new, the shape is followed again.
const (
	sameNarrow   = 64  // pages in a row of a shape whose payload was one of the last few of that shape
	sameWide     = 128 // … of a wide shape
	sameRepeated = 12  // pages in a row, of a path that repeats itself, whose payload the host has given before
	missFolder   = 20  // guesses of one script in one folder that do not exist, and none that does
	missScript   = 60  // … in all folders of a host
	probe        = 256 // one URL in so many is followed although its shape is a trap
)

// What is remembered is bounded. Where there is no room, what was seen most often stays.
const (
	maxHosts    = 4096    // with something to remember
	maxPatterns = 48      // of a host
	maxPayloads = 1 << 17 // digests, each 8 bytes
	maxVariants = 4       // payloads of a shape that the next one is compared with
)

// Answer is what a task came to, as far as traps are learned from it.
type Answer struct {
	Task    *kavosh.Task
	Status  int
	Page    bool   // it is HTML
	Digest  string // of the payload
	Simhash uint64 // of the text (lib/simhash); 0 where Wants did not ask for it, or there is too little
	Print   uint64 // Print of the page; 0 where WantsPrint did not ask for it
	Links   []kavosh.Link
}

// pattern is what is remembered of a shape, or of a script's guesses.
type pattern struct {
	key      uint64
	rank     uint32 // times it was met, and what was forgotten for it (Metwally et al., "Space-Saving", 2005)
	answers  uint32
	same     uint32 // in a row, by payload
	stale    uint32 // in a row, by print, each found on one of the shape
	hits     uint32 // guesses that exist
	variants uint8  // number of payloads seen, modulo maxVariants where the next is kept
	payload  [maxVariants]uint64
	example  string // URL of the newest that was different
	of       string // what it is the pattern of; set with the verdict
	verdict  string // the rule that leaves its links out; "" for none
	reason   Reason
}

type learnedHost struct {
	name     string
	patterns []pattern
	verdicts int
	used     bool // since the hand of the clock came by
	pages    int  // of HTML
	watch    int  // pages whose prints are still to be made
}

// learned is all that was learned.
type learned struct {
	active atomic.Int64 // verdicts that hold
	mu     struct {
		sync.Mutex
		hosts    map[string]*learnedHost
		ring     []*learnedHost
		hand     int
		payloads []uint64
		repeats  repeats
		changed  bool // since snapshot was made
		snapshot []byte
	}
}

// seeds of the hashes of what is remembered, so that no two kinds of it meet.
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

// host is what is remembered of a host. A new one takes the place of one that was not met for long; hosts with verdicts
// stay while there are others.
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

// find is the pattern with that key, nil for none.
func (h *learnedHost) find(key uint64) *pattern {
	for i := range h.patterns {
		if h.patterns[i].key == key {
			return &h.patterns[i]
		}
	}
	return nil
}

// meet is the pattern with that key, which takes the place of the one met least when there is no room.
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

// Learn takes in what a task came to. Call it once for each answer, before its links are judged. With
// Options.NearDuplicates it returns the URL of an earlier page that says nearly the same, "" for none.
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

// known says that the host has given this payload before, and remembers it.
func (l *learned) known(a *Answer, p *Parts) (known bool, digest uint64) {
	var room [512]byte
	digest = hash(payloadKey, append(append(room[:0], p.Host...), a.Digest...))
	place := &l.mu.payloads[digest%maxPayloads]
	known = *place == digest
	*place = digest
	return known, digest
}

// isFollowed says that links of that kind are left out when they lead into a trap.
func isFollowed(k kavosh.Kind) bool { return k == kavosh.Navigation || k == kavosh.Speculative }

// answered learns from a page's payload and text. again says that it held what another page of the host held, and that no
// stem tells why.
func (l *learned) answered(h *learnedHost, a *Answer, p *Parts, again bool) {
	known, digest := l.known(a, p)
	if via, ok := Split(a.Task.Via); ok && !known && a.Print == 0 && via.Host != p.Host { // of its own host, only prints tell
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
	if isRepetition(shape) { // what is repeated is told by the shorter path's page
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

// isOf says that a URL is of that shape.
func isOf(url, host string, shape []byte) bool {
	var room [512]byte
	p, ok := Split(url)
	return ok && p.Host == host && string(appendShape(room[:0], &p, false)) == string(shape)
}

// shown is a URL as it is kept to be shown as an example: a copy, at most 512 bytes.
func shown(url string) string { return strings.Clone(url[:min(len(url), 512)]) }

// repeats says that a payload is one of the shape's last few different ones, and counts how many were in a row.
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

// guessed counts a guess of a script that exists, or does not.
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

// guessKey is a pattern that a guess belongs to.
type guessKey struct {
	key       uint64
	enough    uint32 // guesses that do not exist
	of, where string
}

// guessKeys are a script's guesses in one folder, and in all.
func guessKeys(url, script string) [2]guessKey {
	path, _, _ := strings.Cut(url, "?")
	folder := path[:strings.LastIndexByte(path, '/')+1]
	return [2]guessKey{
		{hash(folderKey, []byte(folder+" "+script)), missFolder, folder + " " + script, " in " + folder},
		{hash(scriptKey, []byte(script)), missScript, script, ""},
	}
}

// convict leaves links of a pattern out from now on.
func (l *learned) convict(h *learnedHost, p *pattern, reason Reason, of, verdict string) {
	p.verdict, p.reason, p.of = verdict, reason, of
	h.verdicts++
	l.active.Add(1)
	l.mu.changed = true
}

// lift follows links of a pattern again.
func (l *learned) lift(h *learnedHost, p *pattern) {
	if p.verdict == "" {
		return
	}
	p.verdict, p.of, p.same, p.stale = "", "", 0, 0
	h.verdicts--
	l.active.Add(-1)
	l.mu.changed = true
}

// judge says by which verdict a URL is left out; via is the document that named it.
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

// Late judges a task whose turn has come by what was learned since it was queued. Nothing else of scope is asked again.
func (s *Scope) Late(t *kavosh.Task) Decision {
	if s.learned.active.Load() != 0 {
		if p, ok := Split(t.URL); ok {
			if reason, rule := s.learned.judge(t.URL, &p, t.Kind, t.Via); rule != "" {
				return out(reason, rule)
			}
		}
	}
	if s.repealed.Load() && t.Kind != kavosh.Prerequisite {
		for _, re := range s.patterns.Load().exclude {
			if re.MatchString(t.URL) {
				return out(Excluded, "excluded by --exclude "+re.String())
			}
		}
	}
	return in("it was in scope when it was queued")
}

// Wants says that Learn will look at the fingerprint of the text that a task leads to.
func (s *Scope) Wants(t *kavosh.Task) bool {
	return s.o.NearDuplicates && t.Kind != kavosh.Embed && t.Kind != kavosh.Prerequisite
}

// verdict is one thing learned, as a Snapshot has it.
type verdict struct {
	Host   string `json:"host"`
	Kind   uint64 `json:"kind"` // narrowKey …
	Of     string `json:"of"`
	Reason Reason `json:"reason"`
	Rule   string `json:"rule"`
}

// snapshot lists the verdicts that hold, host by host in the order they were met.
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

// restore takes verdicts in again.
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
	Seeds   []string  `json:"seeds,omitempty"` // that redirects added, as older programs kept them
	Learned []verdict `json:"learned,omitempty"`
}

// Snapshot is the traps that were learned, to be kept over a restart. It is nil for nothing, and the same bytes until something
// changes.
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

// Restore takes in what a Snapshot kept.
func (s *Scope) Restore(snapshot []byte) error {
	if len(snapshot) == 0 {
		return nil
	}
	var k kept
	err := json.Unmarshal(snapshot, &k)
	if snapshot[0] == '[' { // as it was before traps were learned
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

// Moved are the seeds that redirects added, each told once: they are to be kept over a restart, and made seeds again by AddSeed.
func (s *Scope) Moved() (seeds []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seeds, s.mu.moved = s.mu.moved, nil
	return seeds
}
