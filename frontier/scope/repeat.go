package scope

// This file finds traps (parts of a site that make up ever new URLs without new content) by the fingerprints of pages:
// the same page under many URLs, whatever its links. Its evidence lies in tables of fixed size; learn.go keeps the
// verdicts, print.go makes the fingerprints.

import (
	"fmt"
	"strconv"
	"strings"

	"kavosh"
	"kavosh/lib/ascii"
)

// Here are the traps that Prints show (a Print is the fingerprint of a page without its links, print.go):
//
//   - Values that change nothing. A stem is a URL without one of its values, or without all values that look made up:
//     "a.test/shop?sid=*&page=2", "a.test/*/news". If page after page of a stem has the Print of the one before, the
//     other URLs of the stem are left out. If the same parameter changed nothing in many stems, and something in none,
//     two pages are enough for the next stem.
//   - Pages that lead to themselves. If page after page with one Print was found in a page with the same Print, all
//     other links of such pages are left out. A site that answers at any path, with links to ever new paths, is like
//     that.
//   - Pages of a shape (shape.go) that lead to each other, and each hold what an earlier page held, such as a calendar.
//
// A Print says nothing about links, and a link may lead to a new file. So a page counts for its stem only if each of
// its links was also on the page before, or belongs to a stem whose pages are the same themselves. New content behind a
// page, or a new Print, is evidence against a trap. The evidence lies in tables of fixed size, where new entries
// overwrite old ones. A trap that is forgotten costs fetches, but no page is lost.
const (
	stemPoints  = 64      // points that a stem needs: a page gives 4 if it was found in a page that held nothing new, else 1
	stemFresh   = 16      // more points that it needs for each of its pages that was different, for 15 pages at most
	stemValues  = 12      // stems in which a parameter changed nothing, if it changed something in none
	stemProved  = 2       // same pages in a row that a stem needs if its parameter changed nothing elsewhere
	selfSame    = 16      // pages in a row that were found in a page with the same Print
	shapeStale  = 24      // pages in a row of a shape that were found in one of it, and hold what an earlier page held
	maxStems    = 1 << 15 // entries of repeats.stems
	maxPrints   = 1 << 16 // entries of repeats.prints and repeats.pages
	maxValues   = 8       // values of a query that are taken away one by one
	maxLeads    = 1024    // links of a page whose stems are looked up
	watched     = 64      // pages that get a Print after one that held nothing new
	printFrom   = 2       // pages of a host that get no Print at first; most hosts have no more
	printWindow = 16      // pages in a row that get a Print, of every printEvery
	printEvery  = 256
)

// stem is what is remembered of one stem.
type stem struct {
	key, print uint64
	leads      uint64 // where the links of the last page lead (see leads)
	same       uint16 // pages in a row with that Print
	points     uint16 // evidence since the links changed
	fresh      uint8  // pages with another Print
	counted    bool   // whether it was counted for its parameter
}

// printed is what is remembered of one page: the hash of its URL and its Print. The lowest bit of print is 1 if the
// page held nothing new.
type printed struct{ key, print uint64 }

// repeats are the tables of evidence. An entry's place is its key modulo the size of the table.
type repeats struct {
	stems  []stem
	prints []uint64  // hashes of a host and a Print
	pages  []printed // by the hash of a URL
}

// init makes the tables when the first page comes.
func (r *repeats) init() {
	if r.stems == nil {
		r.stems, r.prints, r.pages = make([]stem, maxStems), make([]uint64, maxPrints), make([]printed, maxPrints)
	}
}

// page returns the Print of the page at a URL, and whether that page held nothing new. print is 0 if the page is
// unknown.
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

// stem returns the entry with that key; nil if there is none.
func (r *repeats) stem(key uint64) *stem {
	if r.stems == nil {
		return nil
	}
	if s := &r.stems[key%maxStems]; s.key == key {
		return s
	}
	return nil
}

// WantsPrint reports whether Learn will use the Print of the page to which a task leads. On a host whose pages were new
// lately it does so only now and then.
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

// repeated learns from the Print of a page. again reports that an earlier page of the host had the same Print, and that
// no stem explains it.
func (l *learned) repeated(h *learnedHost, a *Answer, p *Parts) (again bool) {
	r := &l.mu.repeats
	r.init()
	print := a.Print &^ 1 // the lowest bit has another use, see printed
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

// stemmed counts a page for one of its stems, and reports whether it has the Print of the page before. text is the
// stem, of the name of what it leaves out.
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

// selfSame counts pages that were found in a page with the same Print. Anything new to which such a page leads sets the
// count to 0 (see novel).
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

// acquit takes back the evidence against a stem, because its last page leads to something else.
func (l *learned) acquit(h *learnedHost, s *stem, valueOf uint64) {
	if v := h.find(s.key); v != nil {
		l.lift(h, v)
	}
	if v := h.find(valueOf); v != nil && s.points >= stemProved { // the parameter seemed to change nothing in this stem
		v.answers = 0
		l.lift(h, v)
	}
	s.points = 0
}

// leads returns a sum over the links of a page. Links of stems whose pages are all the same do not count. So two pages
// have different sums if their links lead to different places.
func (r *repeats) leads(links []kavosh.Link) (sum uint64) {
	for i := range links {
		if l := &links[i]; isFollowed(l.Kind) && (i >= maxLeads || !r.leadsNowhere(l.URL)) {
			sum += hash(textKey, []byte(l.URL))
		}
	}
	return sum
}

// leadsNowhere reports whether a URL belongs to a stem whose pages are the same.
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

// novel takes back the evidence against the page that led to a new answer, such as a document: it led to something.
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

// selfName and selfKey return the name and the key of the pattern of pages with that Print that lead to themselves.
func selfName(print uint64) string { return strconv.FormatUint(print, 16) }

func selfKey(print uint64) uint64 {
	var room [16]byte
	return hash(textKey, strconv.AppendUint(room[:0], print, 16))
}

// ledBy returns the verdict that leaves out the links of the page via; rule is "" if there is none.
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

// stemVerdict returns the pattern with a verdict that a URL's stems have; nil if there is none.
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

// maxLoose is how many stems a URL has at most: one for each of its values, one for all of its values that look made
// up, and one for all that looks made up in path and query.
const maxLoose = maxValues + 2

// appendStem appends the i-th stem of a URL to dst, and appends to name what the stem leaves out. ok is false if the
// URL has no such stem.
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

// isMadeUp reports whether a value may be one that a program counts or draws at random: it has a digit or a bracket, or
// looks random.
func isMadeUp(s string) bool { return strings.ContainsAny(s, "0123456789(") || isChanging(s) }

// isChanging reports whether s looks drawn at random. It has 8 to 512 of the letters, digits and signs of which tokens
// are made. Among these is a digit, or twice a capital letter after a small one; or all are hexadecimal digits.
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
