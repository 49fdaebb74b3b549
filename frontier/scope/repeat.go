package scope

// This file finds traps by the fingerprints of pages (print.go): the same page under many URLs, whatever its links. Its
// evidence lies in tables of fixed size; learn.go keeps the verdicts.

import (
	"fmt"
	"strconv"
	"strings"

	"kavosh"
	"kavosh/lib/ascii"
)

// Traps told by the prints of pages (print.go): the same page under many URLs, whatever links it holds.
//
//   - Values that change nothing. A stem is a URL with one of its values, or all that look made up, taken away:
//     "a.test/shop?sid=*&page=2", "a.test/*/news". When page after page of a stem has the print of the one before, its other
//     URLs are left out. When many stems lost nothing by the same parameter, and none did, two pages prove the next stem.
//   - Pages that lead to themselves. When page after page with one print was found on a page with that same print, what
//     else such a page links to is left out: a site that answers at any path with links to ever new ones.
//   - Pages of a shape that lead to each other, and each hold what a page before held: a calendar.
//
// A print says nothing of links, and a file may lie behind them: a page counts for its stem only when each of its links
// stood on the page before, too, or is of a stem whose pages are the same themselves. What is new behind a page, or a print
// that is new, is proof of the opposite.
// Evidence lies in tables of fixed size, where the newest takes the place of what was there: a trap that is forgotten
// costs fetches, no page.
const (
	stemPoints  = 64 // of a stem: 4 for each page found on one that held nothing new, else 1
	stemFresh   = 16 // more of them for each page of the stem that was different, 15 times at most
	stemValues  = 12 // stems that lost nothing by a parameter, and none that did
	stemProved  = 2  // pages of a stem in a row that are the same, where its parameter changed nothing elsewhere
	selfSame    = 16 // pages in a row found on one with the same print
	shapeStale  = 24 // pages in a row of a shape, found on one of it, that hold what a page before held
	maxStems    = 1 << 15
	maxPrints   = 1 << 16
	maxValues   = 8    // of a query that are taken away one by one
	maxLeads    = 1024 // links of a page whose stems are looked for
	watched     = 64   // pages whose prints are made after one that held nothing new
	printFrom   = 2    // pages of a host without prints: most hosts have no more
	printWindow = 16   // pages in a row with prints, of every printEvery
	printEvery  = 256
)

// stem is what is remembered of one.
type stem struct {
	key, print uint64
	leads      uint64 // to what the last page led, by its links
	same       uint16 // pages in a row with that print
	points     uint16 // since the links changed
	fresh      uint8  // pages with another one
	counted    bool   // for its value
}

// printed is what is remembered of a page: its print, the lowest bit telling that it held nothing new.
type printed struct{ key, print uint64 }

// repeats are the tables.
type repeats struct {
	stems  []stem
	prints []uint64  // hashes of host and print
	pages  []printed // by URL
}

func (r *repeats) init() {
	if r.stems == nil {
		r.stems, r.prints, r.pages = make([]stem, maxStems), make([]uint64, maxPrints), make([]printed, maxPrints)
	}
}

// page is what is known of the page at a URL: its print and whether it held nothing new. 0 for unknown.
func (r *repeats) page(url string) (print uint64, stale bool) {
	if r.pages == nil {
		return 0, false
	}
	key := hash(textKey, []byte(url))
	if p := &r.pages[key%maxPrints]; p.key == key {
		return p.print &^ 1, p.print&1 != 0
	}
	return 0, false
}

// stem is the entry of a key, nil when there is none.
func (r *repeats) stem(key uint64) *stem {
	if r.stems == nil {
		return nil
	}
	if s := &r.stems[key%maxStems]; s.key == key {
		return s
	}
	return nil
}

// WantsPrint says that Learn will look at the print of the page that a task leads to (Print): on a host whose pages were
// new of late, only now and then.
func (s *Scope) WantsPrint(t *kavosh.Task) bool {
	p, ok := Split(t.URL)
	if !ok || s.o.NoTraps {
		return false
	}
	l := &s.learned
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.mu.hosts[p.Host]
	return h != nil && (h.verdicts > 0 || h.watch > 0 || h.pages%printEvery >= printFrom && h.pages%printEvery < printFrom+printWindow)
}

// repeated learns from a page's print. again says that a page before, on its host, had it, and that no stem tells why.
func (l *learned) repeated(h *learnedHost, a *Answer, p *Parts) (again bool) {
	r := &l.mu.repeats
	r.init()
	print := a.Print &^ 1 // the lowest bit is taken
	key := hash(textKey, []byte(p.Host)) ^ print
	stale := r.prints[key%maxPrints] == key
	r.prints[key%maxPrints] = key
	if h.watch--; stale {
		h.watch = watched
	}
	h.watch = max(h.watch, 0)
	via, viaStale := r.page(a.Task.Via)
	page := printed{hash(textKey, []byte(a.Task.URL)), print}
	if stale {
		page.print |= 1
	}
	r.pages[page.key%maxPrints] = page
	if !stale {
		l.novel(a.Task.Via)
	}
	if !isFollowed(a.Task.Kind) {
		return false
	}
	again, points, leads := stale, uint16(1), uint64(0)
	if stale {
		leads = r.leads(a.Links)
	}
	if viaStale || via == print {
		points = 4
	}
	var room [1024]byte
	var name [128]byte
	for i := range maxLoose {
		text, of, ok := appendStem(room[:0], name[:0], p, i)
		if ok && l.stemmed(h, a, text, of, print, leads, points) {
			again = false
		}
	}
	l.selfSame(h, a, print, via)
	return again
}

// stemmed counts a page for one of its stems, and says whether it had the print of the one before.
func (l *learned) stemmed(h *learnedHost, a *Answer, text, of []byte, print, leads uint64, points uint16) (same bool) {
	key, valueOf := hash(stemKey, text), hash(valueKey, of)
	s := l.mu.repeats.stem(key)
	if s == nil {
		l.mu.repeats.stems[key%maxStems] = stem{key: key, print: print, leads: leads}
		return false
	}
	if s.print != print {
		s.print, s.same, s.points = print, 0, 0
		s.fresh = min(s.fresh+1, 15)
		if v := h.find(key); v != nil {
			l.lift(h, v)
		}
		if v := h.find(valueOf); v != nil {
			l.lift(h, v)
			v.answers, v.hits = 0, v.hits+1
		} else if v := h.meet(valueOf); v != nil {
			v.hits = 1
		}
		return false
	}
	s.same = min(s.same+1, 1<<15)
	if s.leads != leads {
		s.leads = leads
		l.acquit(h, s, valueOf)
		return true
	}
	s.points = min(s.points+points, 1<<15)
	if !s.counted && s.fresh == 0 {
		s.counted = true
		if v := h.meet(valueOf); v != nil {
			if v.answers++; v.verdict == "" && v.hits == 0 && v.answers >= stemValues {
				l.convict(h, v, Trap, string(of), fmt.Sprintf("trap: %s changes nothing on %s: the pages of %d URLs were the same with another value, such as %s, and so were two of this one",
					of, h.name, v.answers, shown(a.Task.URL)))
			}
		}
	}
	if s.points < stemPoints+stemFresh*uint16(s.fresh) {
		return true
	}
	if v := h.meet(key); v != nil && v.verdict == "" {
		l.convict(h, v, Trap, string(text), fmt.Sprintf("trap: %d pages in a row of %s held the same and led to nothing else, such as %s", s.same+1, shown(string(text)), shown(a.Task.URL)))
	}
	return true
}

// selfSame counts pages found on a page with the same print. Anything new that such a page leads to clears it.
func (l *learned) selfSame(h *learnedHost, a *Answer, print, via uint64) {
	if via != print {
		return
	}
	v := h.meet(selfKey(print))
	if v == nil {
		return
	}
	if v.same++; v.verdict == "" && v.same >= selfSame {
		l.convict(h, v, Trap, selfName(print), fmt.Sprintf("trap: %d pages in a row of %s held what the page that led to them holds, such as %s, and so does the one that leads here",
			v.same, h.name, shown(a.Task.URL)))
	}
}

// acquit takes back what was held against a stem, since its last page leads to something else.
func (l *learned) acquit(h *learnedHost, s *stem, valueOf uint64) {
	if v := h.find(s.key); v != nil {
		l.lift(h, v)
	}
	if v := h.find(valueOf); v != nil && s.points >= stemProved { // it was thought to change nothing here
		v.answers = 0
		l.lift(h, v)
	}
	s.points = 0
}

// leads tells pages apart by where their links lead: a sum over all but those of stems whose pages are the same.
func (r *repeats) leads(links []kavosh.Link) (sum uint64) {
	for i := range links {
		if l := &links[i]; isFollowed(l.Kind) && (i >= maxLeads || !r.leadsNowhere(l.URL)) {
			sum += hash(textKey, []byte(l.URL))
		}
	}
	return sum
}

// leadsNowhere says that a URL is of a stem whose pages are the same.
func (r *repeats) leadsNowhere(url string) bool {
	p, ok := Split(url)
	if !ok {
		return true
	}
	var room [1024]byte
	var name [128]byte
	for i := range maxLoose {
		if text, _, ok := appendStem(room[:0], name[:0], &p, i); ok {
			if s := r.stem(hash(stemKey, text)); s != nil && s.same >= stemProved*uint16(1+s.fresh) {
				return true
			}
		}
	}
	return false
}

// novel clears the page that led to an answer that is new, a document say: it led to something.
func (l *learned) novel(via string) {
	print, _ := l.mu.repeats.page(via)
	p, ok := Split(via)
	if print == 0 || !ok {
		return
	}
	h := l.mu.hosts[p.Host]
	if h == nil {
		return
	}
	if v := h.find(selfKey(print)); v != nil {
		v.same = 0
		l.lift(h, v)
	}
	var room [1024]byte
	var name [128]byte
	if v := h.find(hash(narrowKey, appendShape(room[:0], &p, false))); v != nil {
		if v.stale >= shapeStale {
			l.lift(h, v)
		}
		v.stale = 0
	}
	for i := range maxLoose {
		if text, of, ok := appendStem(room[:0], name[:0], &p, i); ok {
			if s := l.mu.repeats.stem(hash(stemKey, text)); s != nil {
				l.acquit(h, s, hash(valueKey, of))
			}
		}
	}
}

func selfName(print uint64) string { return strconv.FormatUint(print, 16) }

func selfKey(print uint64) uint64 {
	var room [16]byte
	return hash(textKey, strconv.AppendUint(room[:0], print, 16))
}

// ledBy is the rule that leaves out what a page links to; "" for none.
func (l *learned) ledBy(url string, p *Parts, kind kavosh.Kind, via string) (reason Reason, rule string) {
	if l.active.Load() == 0 || !isFollowed(kind) || hash(0, []byte(url))%probe == 0 {
		return "", ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.mu.hosts[p.Host]
	if h == nil || h.verdicts == 0 {
		return "", ""
	}
	if print, _ := l.mu.repeats.page(via); print != 0 {
		if v := h.find(selfKey(print)); v != nil && v.verdict != "" {
			return v.reason, v.verdict
		}
	}
	return "", ""
}

// stemVerdict is the verdict on one of a URL's stems, nil for none.
func (l *learned) stemVerdict(h *learnedHost, p *Parts) *pattern {
	var room [1024]byte
	var name [128]byte
	for i := range maxLoose {
		text, of, ok := appendStem(room[:0], name[:0], p, i)
		if !ok {
			continue
		}
		key := hash(stemKey, text)
		if v := h.find(key); v != nil && v.verdict != "" {
			return v
		}
		if v := h.find(hash(valueKey, of)); v != nil && v.verdict != "" {
			if s := l.mu.repeats.stem(key); s != nil && s.points > 0 && s.same >= stemProved {
				return v
			}
		}
	}
	return nil
}

// maxLoose is how many stems a URL has at most: one for each of its values, for all of its made-up values together, and
// for all that looks made up in path and query.
const maxLoose = maxValues + 2

// appendStem appends the i-th stem of a URL to dst and the name of what it takes away to name. ok is false when the URL
// has no such stem.
func appendStem(dst, name []byte, p *Parts, i int) (stem, of []byte, ok bool) {
	path := i == maxLoose-1
	if i < maxLoose-1 && p.Query == "" {
		return dst, name, false
	}
	dst = append(dst, p.Host...)
	taken := 0
	for rest, more := strings.TrimPrefix(p.Path, "/"), true; more; {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		dst = append(dst, '/')
		before, _, parameter := strings.Cut(segment, ";")
		switch {
		case path && parameter:
			dst, taken = append(append(dst, before...), ";*"...), taken+1
		case path && isMadeUp(segment):
			dst, taken = append(dst, '*'), taken+1
		default:
			dst = append(dst, segment...)
		}
	}
	if path {
		if taken == 0 {
			return dst, name, false
		}
		name = append(name, "what looks made up in the path"...)
	}
	n := 0
	for query, more := p.Query, p.Query != ""; more; n++ {
		var pair string
		pair, query, more = strings.Cut(query, "&")
		sep := byte('&')
		if n == 0 {
			sep = '?'
		}
		dst = append(dst, sep)
		key, value, has := strings.Cut(pair, "=")
		if take := n == i || i >= maxValues && isMadeUp(value); !has || !take {
			dst = append(dst, pair...)
			continue
		}
		dst, taken = append(append(dst, key...), "=*"...), taken+1
		if !path {
			if len(name) > 0 {
				name = append(name, '&')
			}
			name = append(name, key[:min(len(key), 64)]...)
		}
	}
	switch {
	case i < maxValues:
		ok = taken == 1
	case !path:
		ok = taken >= 2
	default:
		ok = true
	}
	return dst, name, ok
}

// isMadeUp says that a value may be one that a program counts or draws: it has a digit, brackets, or looks random.
func isMadeUp(s string) bool { return strings.ContainsAny(s, "0123456789(") || isChanging(s) }

// isChanging says that s looks drawn: at least 8 of the letters, digits and signs that tokens are written in, and a digit,
// a capital after a small letter twice, or nothing but hexadecimal digits among them.
func isChanging[T string | []byte](s T) bool {
	if len(s) < 8 || len(s) > 512 {
		return false
	}
	digits, mixed, hex := 0, 0, true
	for i := range len(s) {
		c := s[i]
		switch {
		case ascii.IsDigit(c):
			digits++
		case c >= 0x80 || !inWord(c) && c != '-' && c != '+' && c != '/' && c != '=' && c != '.':
			return false
		}
		if i > 0 && 'A' <= c && c <= 'Z' && 'a' <= s[i-1] && s[i-1] <= 'z' {
			mixed++
		}
		hex = hex && (ascii.IsHex(c) || c == '-')
	}
	return digits > 0 || mixed > 1 || hex
}
