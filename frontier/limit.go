package frontier

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/units"
	"kavosh/lib/weburl"
)

// This file says what limits are, and counts what is taken of them. limited.go keeps what lies beyond them.

// A limit bounds what is taken of a seed, a host, a domain or the whole crawl. It is never overrun in URLs: a lease
// reserves its place, and the place is used when the task is Applied. What lies beyond waits. Other than a budget
// (allowance.go) a limit does not come again: only SetLimits lets more through.
//
// Each URL that is requested counts once, however often it is tried. Neither a robots.txt counts nor a URL that is
// refused. What the second round of a crawl asks for again (parts.go) counts in nothing. Bytes count when they have come, so that requests under way may overrun a limit of bytes. Time counts from
// the first request of that seed, host, domain or crawl, and only while the crawl runs.

// Limit bounds what is taken of one seed, host or domain, or of the crawl. 0 is no limit.
type Limit struct {
	URLs  int64
	Bytes int64
	Time  time.Duration
}

// LimitKind says what a limit is about.
type LimitKind byte

const (
	SeedLimit   LimitKind = 's'
	HostLimit   LimitKind = 'h'
	DomainLimit LimitKind = 'd'
	CrawlLimit  LimitKind = 'c'
	TaskHold    LimitKind = 'q' // no limit, but tasks that people hold (holdtasks.go); the name says why
)

// String returns the kind as the flag --KIND-limit has it.
func (k LimitKind) String() string {
	switch k {
	case SeedLimit:
		return "seed"
	case HostLimit:
		return "host"
	case DomainLimit:
		return "domain"
	case CrawlLimit:
		return "crawl"
	case TaskHold:
		return "hold"
	}
	return "unknown"
}

// Limits are all limits of a crawl. A name that is in one of the maps has that limit in place of the general one: a
// seed by its seen-key, a host by its name, a domain as a public suffix plus one label. The maps are not changed after
// they were given to SetLimits.
type Limits struct {
	Seed, Host, Domain, Crawl Limit
	Seeds, Hosts, Domains     map[string]Limit
}

// limitKey names what one limit is about; name is "" for the crawl.
type limitKey struct {
	kind LimitKind
	name string
}

func (k limitKey) stored() []byte { return append([]byte{tagAccount, byte(k.kind)}, k.name...) }

// String returns the name for people: "host example.org".
func (k limitKey) String() string {
	if k.kind == CrawlLimit {
		return "the crawl"
	}
	return k.kind.String() + " " + k.name
}

// has reports whether anything of a kind has a limit.
func (l *Limits) has(k LimitKind) bool {
	switch k {
	case SeedLimit:
		return l.Seed != Limit{} || len(l.Seeds) > 0
	case HostLimit:
		return l.Host != Limit{} || len(l.Hosts) > 0
	case DomainLimit:
		return l.Domain != Limit{} || len(l.Domains) > 0
	}
	return l.Crawl != Limit{}
}

// of returns the limit of key.
func (l *Limits) of(key limitKey) Limit {
	general, own := l.Crawl, map[string]Limit(nil)
	switch key.kind {
	case TaskHold:
		return Limit{}
	case SeedLimit:
		general, own = l.Seed, l.Seeds
	case HostLimit:
		general, own = l.Host, l.Hosts
	case DomainLimit:
		general, own = l.Domain, l.Domains
	}
	if limit, ok := own[key.name]; ok {
		return limit
	}
	return general
}

// limitKinds are all kinds, in the order in which they are asked; the crawl's comes last.
var limitKinds = [...]LimitKind{HostLimit, DomainLimit, SeedLimit, CrawlLimit}

// keyOf returns what a limit of kind k is about for a task of host.
func keyOf(k LimitKind, host string, t *kavosh.Task) limitKey {
	switch k {
	case SeedLimit:
		return limitKey{k, t.Seed}
	case HostLimit:
		return limitKey{k, host}
	case DomainLimit:
		return limitKey{k, weburl.Domain(host)}
	}
	return limitKey{kind: CrawlLimit}
}

// reached returns the part of l that is reached, in words, or "". more are URLs that are reserved. A URL that was
// requested before, again, has its place already.
func (l Limit) reached(u *used, more int64, ran time.Duration, again bool) string {
	switch {
	case l.URLs == 1 && !again && u.urls+more >= 1:
		return "1 URL"
	case l.URLs > 0 && !again && u.urls+more >= l.URLs:
		return strconv.FormatInt(l.URLs, 10) + " URLs"
	case l.Bytes > 0 && u.bytes >= l.Bytes:
		return units.Size(l.Bytes).String()
	case l.Time > 0 && u.since > 0 && ran-u.since >= l.Time:
		return units.Span(l.Time).String()
	}
	return ""
}

// used is what was taken of a limit, as it is on disk.
type used struct {
	list    uint64 // the number of the list of tasks that wait beyond it; 0 if none ever did
	urls    int64
	bytes   int64
	since   time.Duration // how long the crawl had run when the first request was made; 0 if none was
	waiting int64         // tasks in the list
	limit   Limit         // as it was when this was written
}

const accountVersion = 1

func (u *used) append(b []byte) []byte {
	b = binary.AppendUvarint(append(b, accountVersion), u.list)
	for _, n := range [...]int64{u.urls, u.bytes, int64(u.since), u.waiting, u.limit.URLs, u.limit.Bytes, int64(u.limit.Time)} {
		b = binary.AppendVarint(b, n)
	}
	return b
}

func parseUsed(v []byte) (u used, err error) {
	if len(v) < 1 || v[0] != accountVersion {
		return u, errVersion
	}
	d := decoder{b: v[1:]}
	u.list, u.urls, u.bytes, u.since, u.waiting = d.uvarint(), d.varint(), d.varint(), time.Duration(d.varint()), d.varint()
	u.limit = Limit{d.varint(), d.varint(), time.Duration(d.varint())}
	return u, d.end()
}

// account is what was taken of a limit, and what leases that are out will take of it.
type account struct {
	key limitKey
	used
	reserved int64 // leases that are out and will count
	loose    int64 // tasks that came back from its list and were not leased since: they will take what is left
	open     bool  // it is in limiter.opened
}

// limiter has all limits and, in memory, some of the accounts. Frontier.mu guards it; what changes the disk also needs
// Frontier.applying.
type limiter struct {
	Limits
	on      bool          // there is a limit
	stored  bool          // limits are those in the accounts, as they were written last: nobody crawls (look.go)
	ran     time.Duration // how long the crawl ran before this frontier was opened
	by      map[limitKey]*account
	crawl   *account // the crawl's, while it has a limit
	beyond  []*Lease // tasks that are to be set aside (limited.go)
	opened  []*account
	recheck []byte // accounts on disk from this key on may have room for what waits beyond them; nil for none

	why  map[uint64]string // of the lists of tasks on hold: why, by the list
	held int64             // tasks in them
}

const accountsKept = 1 << 16 // in memory; those that are in use are kept beyond it

// account returns the account of key.
func (f *Frontier) account(key limitKey) (*account, error) {
	m := &f.mu.limits
	if a := m.by[key]; a != nil {
		return a, nil
	}
	a := &account{key: key}
	v, err := f.db.value(key.stored())
	if err == nil && v != nil {
		if a.used, err = parseUsed(v); err != nil {
			err = corrupt(key.stored(), err)
		}
	}
	if err != nil {
		return nil, err
	}
	if len(m.by) >= accountsKept {
		for k, old := range m.by {
			if old.reserved == 0 && old.loose == 0 && !old.open && old != m.crawl {
				delete(m.by, k)
			}
		}
	}
	a.key.name = strings.Clone(key.name) // it may be part of a URL
	m.by[a.key] = a
	return a, nil
}

// runningTime returns how long the crawl has run, over all its runs.
func (f *Frontier) runningTime() time.Duration { return max(f.mu.limits.ran+f.clock.now(), 1) }

// beyond returns the limit that keeps t, a task of host, from being requested now. It is nil if there is none. The limit
// of the crawl is asked in a second round alone; shut tells of it in the first.
func (f *Frontier) beyond(host string, t *kavosh.Task) (*account, error) {
	m := &f.mu.limits
	if f.parts.free(t) {
		return nil, nil
	}
	for _, k := range limitKinds {
		if k == CrawlLimit && !f.parts.again || !m.has(k) {
			continue
		}
		a, err := f.account(keyOf(k, host, t))
		if err != nil {
			return nil, err
		}
		if m.of(a.key).reached(&a.used, a.reserved, f.runningTime(), t.Attempt > 0) != "" {
			return a, nil
		}
	}
	return nil, nil
}

// shut reports whether the crawl has reached its own limit, so that nothing is requested.
func (f *Frontier) shut() bool { return !f.parts.again && f.full() }

// full reports whether the crawl has reached its own limit.
func (f *Frontier) full() bool {
	m := &f.mu.limits
	return m.crawl != nil && m.Crawl.reached(&m.crawl.used, m.crawl.reserved, f.runningTime(), false) != ""
}

// shutAt returns when the crawl reaches its limit of time.
func (f *Frontier) shutAt() instant {
	m := &f.mu.limits
	if m.crawl == nil || m.Crawl.Time == 0 || m.crawl.since == 0 {
		return forever
	}
	return m.crawl.since + m.Crawl.Time - m.ran
}

// left returns how many more tasks may come back from the list of a.
func (f *Frontier) left(a *account) int64 {
	limit := f.mu.limits.of(a.key)
	if limit.reached(&a.used, a.reserved+a.loose, f.runningTime(), false) != "" {
		return 0
	}
	if limit.URLs == 0 {
		return math.MaxInt64
	}
	return limit.URLs - a.urls - a.reserved - a.loose
}

// reserve takes places for a lease that is handed out. A lease that is refused, or leaves its queue for a list, takes
// none.
func (f *Frontier) reserve(l *Lease, takes bool) {
	m := &f.mu.limits
	if f.parts.free(&l.Task) {
		return
	}
	for _, k := range limitKinds {
		if !m.has(k) {
			continue
		}
		a, err := f.account(keyOf(k, l.host.name, &l.Task))
		if err != nil {
			f.mu.failed = err
			return
		}
		a.loose = max(a.loose-1, 0)
		if !takes {
			f.reopen(a)
			continue
		}
		if a.since == 0 {
			a.since = f.runningTime()
		}
		if l.Task.Attempt == 0 {
			a.reserved++
			l.accounts = append(l.accounts, a)
		}
	}
}

// unreserve gives the places of a lease back.
func (f *Frontier) unreserve(l *Lease) {
	for _, a := range l.accounts {
		a.reserved--
		f.reopen(a)
	}
	l.accounts = nil
}

// reopen lets tasks come back from the list of a, if some wait there and may be requested.
func (f *Frontier) reopen(a *account) {
	if a.waiting > 0 && !a.open && a.key.kind != TaskHold && f.left(a) > 0 {
		a.open = true
		f.mu.limits.opened = append(f.mu.limits.opened, a)
	}
}

// takeAccount returns what the account of key will be after this Apply, to be changed.
func (a *application) account(key limitKey) (*used, error) {
	if u := a.accounts[key]; u != nil {
		return u, nil
	}
	a.f.mu.Lock()
	defer a.f.mu.Unlock()
	of, err := a.f.account(key)
	if err != nil {
		return nil, err
	}
	u := of.used
	u.limit = a.f.mu.limits.of(key)
	if a.accounts == nil {
		a.accounts = make(map[limitKey]*used)
	}
	a.accounts[of.key] = &u
	a.accountKeys = append(a.accountKeys, of.key)
	return &u, nil
}

// take counts a task of host that was requested, also against all limits.
func (a *application) take(u *Update, host string) error {
	if u.Task.Kind == kavosh.Prerequisite || a.f.parts.free(&u.Task) {
		return nil
	}
	a.f.mu.Lock()
	l := a.f.mu.leases.out[u.Task.ID]
	ran := a.f.runningTime()
	a.f.mu.Unlock()
	if l != nil && l.Refused != nil {
		return nil
	}
	if u.Task.Attempt == 0 {
		a.sums.asked++
	}
	if !a.limited {
		return nil
	}
	for _, k := range limitKinds {
		if !a.limits.has(k) {
			continue
		}
		of, err := a.account(keyOf(k, host, &u.Task))
		if err != nil {
			return err
		}
		if u.Task.Attempt == 0 {
			of.urls++
		}
		of.bytes += u.Bytes
		if of.since == 0 {
			of.since = ran
		}
	}
	return nil
}

// words says which limit was reached.
func (k limitKey) words(reached string) string {
	return fmt.Sprintf("%s has reached its limit of %s (--%s-limit)", k, reached, k.kind)
}
