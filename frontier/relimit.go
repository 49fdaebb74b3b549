package frontier

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"kavosh"
)

// This file changes limits while the crawl runs, and tells people of those that are reached.

// SetLimits puts limits in place of those before; a crawl has none until then. They are not kept: whoever opens a
// frontier again sets them again. What was taken of seeds, hosts and domains counts from when there
// was first a limit of that kind; what was taken of the crawl counts always. Tasks that wait
// beyond a limit that is higher now come back; with a lower one, requests under way go on.
func (f *Frontier) SetLimits(limits Limits) error {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m := &f.mu.limits
	m.Limits, m.on = limits, slices.ContainsFunc(limitKinds[:], limits.has)
	m.recheck, m.crawl = []byte{tagAccount}, nil
	if f.mu.sums.limited == 0 {
		m.recheck = nil
	}
	crawl, err := f.account(limitKey{kind: CrawlLimit})
	if err == nil {
		err = f.limitCrawl(crawl, limits.Crawl)
	}
	if err != nil {
		f.mu.failed = err
		return err
	}
	if m.has(CrawlLimit) {
		m.crawl = crawl
	}
	f.wakeNext()
	return nil
}

// limitCrawl gives the crawl's account its limit, and what the crawl has taken so far.
func (f *Frontier) limitCrawl(of *account, limit Limit) error {
	if of.limit == limit && limit == (Limit{}) {
		return nil
	}
	of.urls, of.bytes, of.limit = max(of.urls, f.mu.sums.asked), max(of.bytes, f.mu.sums.bytes), limit
	b := f.db.NewBatch()
	if err := b.Set(of.key.stored(), of.append(nil), nil); err != nil {
		return err
	}
	return f.db.commit(b, pebble.Sync)
}

// Limited returns limits beyond which URLs wait, those with the most first and at most most of them, and how many such
// limits there are.
func (f *Frontier) Limited(most int) (list []Limited, all int, err error) {
	f.applying.Lock()
	defer f.applying.Unlock()
	if err := f.usable(); err != nil {
		return nil, 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	cut := func(n int) {
		slices.SortFunc(list, func(x, y Limited) int {
			return cmp.Or(cmp.Compare(y.Waiting, x.Waiting), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Name, y.Name))
		})
		list = list[:min(n, len(list))]
	}
	add := func(key limitKey, u *used, waiting int64) {
		all++
		list = append(list, Limited{key.kind, key.name, f.mu.limits.of(key).reached(u, 0, f.runningTime(), false), waiting})
		if len(list) >= 2*most {
			cut(most)
		}
	}
	full := f.full()
	if full {
		of := f.mu.limits.crawl
		if rest := f.mu.sums.queued - f.mu.sums.limited + of.waiting; rest > 0 {
			add(of.key, &of.used, rest)
		}
	}
	err = f.db.eachLimited(func(key limitKey, u *used) {
		if key.kind != CrawlLimit || !full {
			add(key, u, u.waiting)
		}
	})
	cut(most)
	return list, all, err
}

// limitWait says which limit keeps t, a queued task of host, waiting: "host example.org has reached its limit of 500 URLs
// (--host-limit)". Its State is "" if there is none. Frontier.mu is held.
func (f *Frontier) limitWait(host string, t *kavosh.Task) Wait {
	m := &f.mu.limits
	if !m.on {
		return Wait{}
	}
	ran := m.ran
	if !m.stored {
		ran = f.runningTime()
	}
	for _, k := range limitKinds {
		if !m.stored && !m.has(k) {
			continue
		}
		a, err := f.account(keyOf(k, host, t))
		if err != nil {
			f.mu.failed = err
			return Wait{}
		}
		limit := a.limit // as it was written last, if nobody crawls
		if !m.stored {
			limit = m.of(a.key)
		}
		if reached := limit.reached(&a.used, 0, ran, t.Attempt > 0 && k != CrawlLimit); reached != "" {
			return Wait{State: WaitLimit, Why: a.key.words(reached), By: a.key.String() + " " + reached}
		}
	}
	return Wait{}
}

const ranVersion = 1

func appendRan(ran time.Duration) []byte { return binary.AppendVarint([]byte{ranVersion}, int64(ran)) }

func parseRan(v []byte) (time.Duration, error) {
	if len(v) < 1 || v[0] != ranVersion {
		return 0, errVersion
	}
	d := decoder{b: v[1:]}
	ran := time.Duration(d.varint())
	return ran, d.end()
}
