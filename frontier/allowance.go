package frontier

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"kavosh"
	"kavosh/lib/weburl"
)

// This file counts what hosts and domains have spent of their budgets, and begins new rounds.

// Budgets keep a host, or a domain of many hosts, from taking the crawl for itself. Time is cut into rounds, and in each
// a host is asked for at most Options.HostBudget pages and a domain for Options.DomainBudget. A host that has spent its
// budget stands behind all others, among those of the next round (see seat). It waits on disk like every host, and
// nothing is lost. The next round begins when no host within its budget can be asked within roundWait. To begin it
// changes one number, because the hosts of that round stand in their places already.
//
// Each request for a URL of the queue counts, and each retry again. A URL that is only refused does not count.
//
// IRLbot (Lee, Leonard, Wang, Loguinov: IRLbot: Scaling to 6 Billion Pages and Beyond, 2008) sets budgets by the number of
// domains that link to a domain; docs/decisions/0068-budgets.md says why these are the same for all.
type allowance struct {
	round uint32 // nothing is asked before this round
	spent uint32 // pages asked for in this round; a later round begins at 0
}

// roundWait is how long a round waits for a host that has budget left and rests.
const roundWait = time.Minute

// next returns the first round in which one more page may be asked for. now is the round that is on, and out is how
// many requests are under way and not counted in spent yet.
func (a allowance) next(now uint32, budget, out int) uint32 {
	switch {
	case budget == 0:
		return now
	case a.round > now:
		return a.round
	case a.round < now:
		a.spent = 0
	}
	if int(a.spent)+out < budget {
		return now
	}
	return now + 1
}

// spend counts one page as asked for.
func (a *allowance) spend(now uint32, budget int) {
	if a.round < now {
		*a = allowance{round: now}
	}
	if a.spent++; int(a.spent) >= budget {
		*a = allowance{round: a.round + 1}
	}
}

const allowanceVersion = 1 // of the stored allowance of a domain; that of a host is part of its standing

func (a allowance) append(b []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(a.round)), uint64(a.spent))
}

func (d *decoder) allowance() allowance { return allowance{d.uint32(), d.uint32()} }

// domain is a domain that hosts in memory belong to.
type domain struct {
	name      string
	allowance                  // as it is on disk
	spending  int              // leases of its hosts that are out (requests allowed and not Applied) and count
	hosts     map[string]*host // those in memory
}

// budgets say how many pages a host and a domain may have in a round, and count what the leases that are out will take.
type budgets struct {
	host, domain int                // pages in a round; 0 is no limit
	domains      map[string]*domain // of hosts in memory, while domains have budgets. Frontier.mu guards it
}

// join adds h to its domain in memory. spent is what the domain has spent, from disk.
func (b *budgets) join(h *host, spent allowance) {
	if b.domain == 0 {
		return
	}
	name := weburl.Domain(h.name)
	d := b.domains[name]
	if d == nil {
		d = &domain{name: name, allowance: spent, hosts: make(map[string]*host)}
		b.domains[name] = d
	}
	d.hosts[h.name] = h
	h.domain = d
}

// leave forgets h when it leaves memory. With the last of its hosts it forgets the domain, too.
func (b *budgets) leave(h *host) {
	if d := h.domain; d != nil {
		delete(d.hosts, h.name)
		if len(d.hosts) == 0 {
			delete(b.domains, d.name)
		}
	}
}

// ofDomain reads from disk what the domain of a host has spent.
func (b *budgets) ofDomain(db *database, host string) (a allowance, err error) {
	if b.domain == 0 {
		return a, nil
	}
	key := stringKey(tagDomain, weburl.Domain(host))
	v, err := db.value(key)
	if v == nil || err != nil {
		return a, err
	}
	if a, err = parseAllowance(v); err != nil {
		return a, corrupt(key, err)
	}
	return a, nil
}

// roundOf returns the first round in which h may be asked for one more page. now is the round that is on.
func (b *budgets) roundOf(h *host, now uint32) uint32 {
	r := h.onDisk.next(now, b.host, h.spending)
	if d := h.domain; d != nil {
		r = max(r, d.next(now, b.domain, d.spending))
	}
	return r
}

// pay counts a lease that is out against the budgets of its host and domain.
func (b *budgets) pay(l *Lease) {
	l.counted = true
	l.host.spending++
	if d := l.host.domain; d != nil {
		d.spending++
	}
}

// giveBack stops counting a lease, if it counted. If hosts of its domain may be asked for one more because of that, it
// returns those that are in memory, sorted by name.
func (b *budgets) giveBack(l *Lease, now uint32) (freed []*host) {
	if !l.counted {
		return nil
	}
	l.counted = false
	l.host.spending--
	d := l.host.domain
	if d == nil {
		return nil
	}
	d.spending--
	if d.next(now, b.domain, d.spending+1) <= now || d.next(now, b.domain, d.spending) > now {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(d.hosts)) {
		freed = append(freed, d.hosts[name])
	}
	return freed
}

func parseAllowance(v []byte) (allowance, error) {
	if len(v) < 1 || v[0] != allowanceVersion {
		return allowance{}, errVersion
	}
	d := decoder{b: v[1:]}
	return d.allowance(), d.end()
}

// giveBack stops counting a lease against the budgets and limits, and lets hosts that may be asked because of that become ready.
func (f *Frontier) giveBack(l *Lease) {
	if len(l.accounts) > 0 {
		f.unreserve(l)
	}
	for _, h := range f.budgets.giveBack(l, f.mu.sums.round) {
		if h.isReady() {
			h.arrange(f.clock.now())
		}
	}
}

// spend counts a task of host against the budgets when it comes back, if it was requested.
func (a *application) spend(t *kavosh.Task, host string) error {
	if t.Kind == kavosh.Prerequisite || a.f.budgets.host == 0 && a.f.budgets.domain == 0 {
		return nil
	}
	c, err := a.hosts.of(host)
	if err != nil {
		return err
	}
	a.f.mu.Lock()
	defer a.f.mu.Unlock()
	if l := a.f.mu.leases.out[t.ID]; l != nil && !l.counted {
		return nil
	}
	if a.f.budgets.host > 0 {
		c.now.spend(a.sums.round, a.f.budgets.host)
	}
	if a.f.budgets.domain > 0 {
		name := weburl.Domain(host)
		spent, ok := a.domains[name]
		if d := a.f.budgets.domains[name]; !ok && d != nil {
			spent = d.allowance
		} else if !ok {
			spent = c.was.domain
		}
		spent.spend(a.sums.round, a.f.budgets.domain)
		if a.domains == nil {
			a.domains = make(map[string]allowance)
		}
		a.domains[name] = spent
	}
	return nil
}

// nextRound begins the next round in which a host has something queued. The new number is not synced. A power cut may
// bring the old round back, in which hosts without budget wait as before.
func (f *Frontier) nextRound() error {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	f.mu.Lock()
	if f.roundOver(f.clock.now()) { // nobody has come in meanwhile
		f.mu.sums.round = f.mu.bench.ready.items[0].first.round
	}
	sums := f.mu.sums.append(nil)
	f.mu.Unlock()
	b := f.db.NewBatch()
	if err := b.Set([]byte{tagCounters}, sums, nil); err != nil {
		return err
	}
	return f.db.commit(b, pebble.NoSync)
}

// roundOver reports whether the round can end: nothing within the budgets can be asked soon, and something beyond them
// waits.
func (f *Frontier) roundOver(now instant) bool {
	w, round, soon := &f.mu.bench, f.mu.sums.round, now+roundWait
	return len(f.mu.leases.out) == 0 &&
		w.ready.len() > 0 && w.ready.items[0].first.round > round && w.line.best.round > round &&
		w.due() > soon && f.mu.addrs.due() > soon && w.line.wait > f.clock.wallOf(soon)
}
