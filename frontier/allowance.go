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

// Budgets keep a host, or a domain of many hosts, from taking the crawl for itself. Time is cut into rounds, and in each
// a host is asked for at most Options.HostBudget pages and a domain for Options.DomainBudget. Who has spent its budget
// stands behind all others, among those of the next round (seat), on disk like everybody; nothing is lost. When nobody is
// left who has something within budget and could be asked within roundWait, the next round begins, which changes one
// number: those who stand in it are there already.
//
// What counts is a request for a URL of the queue, again for each retry. What is only refused does not.
//
// IRLbot (Lee, Leonard, Wang, Loguinov: IRLbot: Scaling to 6 Billion Pages and Beyond, 2008) sets budgets by the number of
// domains that link to a domain; docs/decisions/0068-budgets.md says why these are the same for all.
type allowance struct {
	round uint32 // nothing is asked before it
	spent uint32 // in that round; in a later one nothing is
}

// roundWait is how long a round waits for a host that is within its budget and rests.
const roundWait = time.Minute

// next is the round in which one more may be asked, when the round is now and out more are under way.
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

// spend takes one page from it.
func (a *allowance) spend(now uint32, budget int) {
	if a.round < now {
		*a = allowance{round: now}
	}
	if a.spent++; int(a.spent) >= budget {
		*a = allowance{round: a.round + 1}
	}
}

const allowanceVersion = 1 // of a domain's, which is a value of its own

func (a allowance) append(b []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(a.round)), uint64(a.spent))
}

func (d *decoder) allowance() allowance { return allowance{d.uint32(), d.uint32()} }

// domain is a domain that hosts in memory belong to.
type domain struct {
	name      string
	allowance                  // what is durable
	spending  int              // leases out of its hosts that count
	hosts     map[string]*host // in memory
}

// joinDomain lets h have a part in its domain, which has spent so much.
func (h *host) joinDomain(spent allowance) {
	if h.f.o.DomainBudget == 0 {
		return
	}
	name := weburl.Domain(h.name)
	d := h.f.mu.domains[name]
	if d == nil {
		d = &domain{name: name, allowance: spent, hosts: make(map[string]*host)}
		h.f.mu.domains[name] = d
	}
	d.hosts[h.name] = h
	h.domain = d
}

func (h *host) leaveDomain() {
	if d := h.domain; d != nil {
		delete(d.hosts, h.name)
		if len(d.hosts) == 0 {
			delete(h.f.mu.domains, d.name)
		}
	}
}

// readAllowance is what the domain of a host has spent.
func (f *Frontier) readAllowance(host string) (a allowance, err error) {
	if f.o.DomainBudget == 0 {
		return a, nil
	}
	key := stringKey(tagDomain, weburl.Domain(host))
	v, err := f.db.value(key)
	if v == nil || err != nil {
		return a, err
	}
	if a, err = parseAllowance(v); err != nil {
		return a, corrupt(key, err)
	}
	return a, nil
}

func parseAllowance(v []byte) (allowance, error) {
	if len(v) < 1 || v[0] != allowanceVersion {
		return allowance{}, errVersion
	}
	d := decoder{b: v[1:]}
	return d.allowance(), d.end()
}

// roundOf is the round in which h may be asked for one more.
func (h *host) roundOf() uint32 {
	r := h.onDisk.next(h.f.mu.sums.round, h.f.o.HostBudget, h.spending)
	if d := h.domain; d != nil {
		r = max(r, d.next(h.f.mu.sums.round, h.f.o.DomainBudget, d.spending))
	}
	return r
}

// spending takes note of n leases more, 1 or -1, that count.
func (f *Frontier) spending(l *Lease, n int) {
	l.counted = n > 0
	l.host.spending += n
	d := l.host.domain
	if d == nil {
		return
	}
	before := d.next(f.mu.sums.round, f.o.DomainBudget, d.spending)
	d.spending += n
	if before <= f.mu.sums.round || d.next(f.mu.sums.round, f.o.DomainBudget, d.spending) > f.mu.sums.round {
		return
	}
	// Somebody was given what it did not use: the others may have it.
	now := f.clock.now()
	for _, name := range slices.Sorted(maps.Keys(d.hosts)) {
		if h := d.hosts[name]; h != nil && h.in == &f.mu.ready {
			h.arrange(now)
		}
	}
}

// spend counts a task of host that comes back, if it was asked for.
func (a *application) spend(t *kavosh.Task, host string) error {
	if t.Kind == kavosh.Prerequisite || a.f.o.HostBudget == 0 && a.f.o.DomainBudget == 0 {
		return nil
	}
	c, err := a.hosts.of(host)
	if err != nil {
		return err
	}
	a.f.mu.Lock()
	defer a.f.mu.Unlock()
	if l := a.f.mu.out[t.ID]; l != nil && !l.counted {
		return nil
	}
	if a.f.o.HostBudget > 0 {
		c.now.spend(a.sums.round, a.f.o.HostBudget)
	}
	if a.f.o.DomainBudget > 0 {
		name := weburl.Domain(host)
		spent, ok := a.domains[name]
		if d := a.f.mu.domains[name]; !ok && d != nil {
			spent = d.allowance
		} else if !ok {
			spent = c.was.domain
		}
		spent.spend(a.sums.round, a.f.o.DomainBudget)
		if a.domains == nil {
			a.domains = make(map[string]allowance)
		}
		a.domains[name] = spent
	}
	return nil
}

// nextRound begins the next round in which somebody has something queued. It is not synced: a power cut may bring the old
// one back, in which those who had spent their budgets wait as before.
func (f *Frontier) nextRound() error {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	f.mu.Lock()
	if f.mu.ready.len() > 0 {
		f.mu.sums.round = max(f.mu.sums.round, f.mu.ready.items[0].first.round)
	}
	sums := f.mu.sums.append(nil)
	f.mu.Unlock()
	b := f.db.NewBatch()
	if err := b.Set([]byte{tagCounters}, sums, nil); err != nil {
		return err
	}
	return f.db.commit(b, pebble.NoSync)
}

// roundOver says that nothing within budget is left that could be asked soon, while something beyond it waits.
func (f *Frontier) roundOver(now instant) bool {
	if f.mu.ready.len() == 0 || f.mu.ready.items[0].first.round <= f.mu.sums.round || f.mu.line.best.round <= f.mu.sums.round || len(f.mu.out) > 0 || f.mu.line.turning {
		return false
	}
	soon := now + roundWait
	return (f.mu.asleep.len() == 0 || f.mu.asleep.items[0].wake > soon) &&
		(f.mu.timers.len() == 0 || f.mu.timers.items[0].until > soon) &&
		f.mu.line.wait > f.clock.wallOf(soon)
}
