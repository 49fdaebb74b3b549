package standin

// This file tells by other answers of a host what one answer alone does not tell.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"kavosh"
	"kavosh/lib/simhash"
	"kavosh/lib/weburl"
)

// Bounds of what a Memory holds, and how much evidence it takes.
const (
	maxHosts   = 4096 // hosts
	maxAlike   = 8    // titles of a host, and as many targets of its redirects
	maxURLs    = 8    // URLs of each
	maxTries   = 16   // pages of one title that are compared in vain
	likePages  = 6    // URLs that show the same page
	likeMoves  = 8    // URLs that redirect to the same place
	leastLinks = 2    // of a page that is compared, so that it shows something without scripts
	leastText  = 80   // … and letters and digits
	likeParts  = 4    // parts of the site in which they are: the first folders of their paths
)

// Memory remembers answers of hosts. Of tells of one answer what it is by itself; what follows is told by many:
//
//   - A page of scripts alone, or one that refuses, under several URLs is a wall.
//   - A page that is the same under many URLs in several parts of a site, with its links and pictures, is what that
//     site shows in place of pages that it does not have. A part of a site is the first folder of a path; most pages
//     that are made by one program, and look alike, are in one.
//   - URLs in several parts of a site that all redirect to one place are of missing pages, too.
//
// The zero value is ready. It is safe for concurrent use.
type Memory struct {
	mu struct {
		sync.Mutex
		hosts    map[string]*host
		changed  bool   // since snapshot was made
		snapshot []byte // what Snapshot returned last
	}
}

// host is what is remembered of one.
type host struct {
	pages  []alike  // by their titles
	moves  []alike  // redirects, by their targets
	print  uint64   // Verdict.Print of the last page; 0 if it had none
	url    uint64   // the hash of its URL
	passes []uint64 // Prints that are no walls
}

// alike are answers that have something in common.
type alike struct {
	key     uint64 // hash of the title, or of the target
	print   uint64 // of the text of pages; 0 before the second one
	frame   uint64 // hash of their links and pictures
	tries   int    // in vain
	urls    []uint64
	parts   []uint64
	example string         // a URL that had it
	kind    kavosh.StandIn // what they stand in for, once that is told
}

// Meet returns v, which Of told of an answer, or what other answers of the same host tell of it. page is what Of was
// given. Via of the task tells how it was reached, if that is known.
func (m *Memory) Meet(x *kavosh.Exchange, page []byte, v Verdict) Verdict {
	if x.Task.Kind == kavosh.Embed || x.Task.Kind == kavosh.Prerequisite || !x.Answered() {
		return v
	}
	name, path := split(x.Task.URL)
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.host(name)
	if v.Kind != kavosh.NoStandIn {
		return v
	}
	if within, _ := split(x.Task.Via); v.Print == 0 || within != name || h.pass(v.Print) {
		h.print = 0
	} else {
		url := sum(x.Task.URL)
		again := near(h.print, v.Print) && h.url != url
		h.print, h.url = v.Print, url
		if again {
			return Verdict{Kind: kavosh.Wall, Sign: Repeated, Print: v.Print}
		}
	}
	switch {
	case len(path) < 2 || path[1] == '?': // a home page is what it is
	case x.Status >= 300 && x.Status < 400:
		return m.moved(h, x, path)
	case ok(x) && v.title != 0:
		return m.paged(h, x, page, path, v)
	}
	return v
}

// Pass lets the page with that Print be the page that is asked for at a host from now on: somebody knows that it is no
// wall.
func (m *Memory) Pass(name string, print uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.host(name)
	if !h.pass(print) {
		h.passes = append(h.passes, print)
	}
	h.print = 0
}

func (h *host) pass(print uint64) bool {
	return slices.ContainsFunc(h.passes, func(p uint64) bool { return near(p, print) })
}

// near reports whether two pages are the same but for what changes in every answer.
func near(a, b uint64) bool { return a != 0 && b != 0 && simhash.Distance(a, b) <= simhash.Near }

// host returns what is remembered of a host. If there is no room, all is forgotten that tells nothing yet.
func (m *Memory) host(name string) *host {
	if h := m.mu.hosts[name]; h != nil {
		return h
	}
	if len(m.mu.hosts) >= maxHosts {
		for name, h := range m.mu.hosts {
			if len(h.passes) == 0 && !slices.ContainsFunc(h.pages, alike.told) && !slices.ContainsFunc(h.moves, alike.told) {
				delete(m.mu.hosts, name)
			}
		}
	}
	h := &host{}
	if len(m.mu.hosts) >= maxHosts {
		return h // it is remembered nowhere
	}
	if m.mu.hosts == nil {
		m.mu.hosts = map[string]*host{}
	}
	m.mu.hosts[strings.Clone(name)] = h
	return h
}

func (a alike) told() bool { return a.kind != kavosh.NoStandIn }

// meet returns the one of a list with that key, and makes it, in place of one that was met at the fewest URLs, if there
// is none.
func meet(list *[]alike, key uint64, url string) *alike {
	least := -1
	for i := range *list {
		a := &(*list)[i]
		if a.key == key {
			return a
		}
		if !a.told() && (least < 0 || len(a.urls) < len((*list)[least].urls)) {
			least = i
		}
	}
	switch {
	case len(*list) < maxAlike:
		*list = append(*list, alike{})
		least = len(*list) - 1
	case least < 0: // it is remembered nowhere
		list, least = &[]alike{{}}, 0
	}
	a := &(*list)[least]
	*a = alike{key: key, example: strings.Clone(url[:min(len(url), maxTitle)])}
	return a
}

// add notes a URL that has what the others have, and reports whether so many are enough.
func (a *alike) add(url, path string, enough int) bool {
	note := func(list *[]uint64, h uint64) {
		if len(*list) < maxURLs && !slices.Contains(*list, h) {
			*list = append(*list, h)
		}
	}
	note(&a.urls, sum(url))
	note(&a.parts, sum(part(path)))
	return len(a.urls) >= enough && len(a.parts) >= likeParts
}

// moved tells of a redirect.
func (m *Memory) moved(h *host, x *kavosh.Exchange, path string) Verdict {
	base, err := weburl.Parse(x.Task.URL)
	if err != nil {
		return Verdict{}
	}
	to, err := weburl.Resolve(base, x.Header.Get("Location")) // "./" is another place for each folder
	if _, target := split(to); err != nil || target == path { // to another scheme or host
		return Verdict{}
	}
	a := meet(&h.moves, sum(to), x.Task.URL)
	if a.told() || a.add(x.Task.URL, path, likeMoves) {
		if !a.told() {
			m.mu.changed = true
			if a.kind = kavosh.NotFound; new(ear).named(to) {
				a.kind = kavosh.Login
			}
		}
		return Verdict{Kind: a.kind, Sign: "a redirect to where many others lead, such as " + a.example}
	}
	return Verdict{}
}

// paged tells of a page.
func (m *Memory) paged(h *host, x *kavosh.Exchange, page []byte, path string, v Verdict) Verdict {
	a := meet(&h.pages, v.title, x.Task.URL)
	if !a.told() && (a.tries >= maxTries || a.urls == nil) {
		a.add(x.Task.URL, path, likePages) // the first one, or one of a title that says nothing
		return v
	}
	l := read(page[:min(len(page), MaxPage)], x.Task.URL, x.Header.Get("Content-Type"))
	print, frame := l.print(), l.refers.Sum64()
	if strings.HasSuffix(l.canonical, path) || l.links < leastLinks || l.all < leastText { // it says that it is the page, or scripts make one of it
		return v
	}
	if !near(a.print, print) || a.frame != frame {
		if a.told() {
			return v
		}
		a.tries++
		a.print, a.frame, a.urls, a.parts = print, frame, nil, nil
	}
	if a.told() || a.add(x.Task.URL, path, likePages) {
		if !a.told() {
			m.mu.changed = true
			a.kind = kavosh.NotFound
		}
		return Verdict{Kind: a.kind, Sign: "the same page as under many other URLs, such as " + a.example}
	}
	return v
}

// split returns the host of a URL, and the path with the query; no host for what is no URL.
func split(url string) (host, path string) {
	_, rest, found := strings.Cut(url, "://")
	if !found {
		return "", url
	}
	host, path = rest, "/"
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		host, path = rest[:end], rest[end:]
	}
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		host = host[:colon]
	}
	return host, path
}

// part is the first folder of a path, or the name in it, without its digits.
func part(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	first, _, _ = strings.Cut(first, "?")
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, first)
}

// sum is the FNV-1a hash of s; what hash/fnv makes of it would be on the heap.
func sum[T string | []byte](s T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// told is what a Snapshot holds of alike answers.
type told struct {
	Host  string         `json:"host"`
	Moved bool           `json:"moved,omitempty"`
	Kind  kavosh.StandIn `json:"kind"`
	Key   uint64         `json:"key,string"`
	Print uint64         `json:"print,omitempty,string"`
	Frame uint64         `json:"frame,omitempty,string"`
	URL   string         `json:"url"`
}

// Snapshot returns what was told by many answers, for Restore after a restart; nil if there is nothing. It returns the
// same bytes until something changes.
func (m *Memory) Snapshot() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.mu.changed {
		return m.mu.snapshot
	}
	var all []told
	for name, h := range m.mu.hosts {
		for i, list := range [...][]alike{h.pages, h.moves} {
			for _, a := range list {
				if a.told() {
					all = append(all, told{name, i == 1, a.kind, a.key, a.print, a.frame, a.example})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b told) int { return strings.Compare(a.Host+a.URL, b.Host+b.URL) })
	m.mu.changed = false
	m.mu.snapshot, _ = json.Marshal(all) // strings and numbers always encode
	return m.mu.snapshot
}

// Restore adds what Snapshot returned.
func (m *Memory) Restore(snapshot []byte) error {
	if len(snapshot) == 0 {
		return nil
	}
	var all []told
	if err := json.Unmarshal(snapshot, &all); err != nil {
		return fmt.Errorf("standin: what many answers told is damaged: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range all {
		h := m.host(t.Host)
		list := &h.pages
		if t.Moved {
			list = &h.moves
		}
		a := meet(list, t.Key, t.URL)
		a.kind, a.print, a.frame = t.Kind, t.Print, t.Frame
	}
	m.mu.changed = true
	return nil
}
