package quality

// This file tells how important pages are beside others: by the pages of the archive that link to them.

import (
	"context"
	"hash/maphash"
	"iter"
	"math"

	"kavosh/internal/records"
	"kavosh/lib/cdx"
)

// maxSources is how many different pages that link to one address are counted.
const maxSources = 100_000

// linked counts the pages that link to addresses, in the order of the index of captures, which is that of the index of links.
type linked struct {
	next func() (cdx.Entry, error, bool)
	stop func()
	seed maphash.Seed

	head   cdx.Entry // the next link
	more   bool      // there is one
	key    string    // of which sources are
	pages  map[uint64]bool
	weight float64
}

// openLinked begins with the first link. If links is nil, all pages weigh 1.
func openLinked(ctx context.Context, links records.Index) (*linked, error) {
	l := &linked{weight: 1, stop: func() {}, seed: maphash.MakeSeed(), pages: map[uint64]bool{}}
	if links == nil {
		return l, nil
	}
	l.next, l.stop = iter.Pull2(links.Query(ctx, cdx.Query{URL: "*"}))
	return l, l.step()
}

func (l *linked) step() (err error) {
	l.head, err, l.more = l.next()
	return err
}

// weigh returns 1 + ln(1 + n) for an address to which n other pages link. Keys come in order.
func (l *linked) weigh(key string) (float64, error) {
	if key == l.key {
		return l.weight, nil
	}
	clear(l.pages)
	for l.more && l.head.Key <= key {
		if l.head.Key == key && len(l.pages) < maxSources {
			l.pages[maphash.String(l.seed, l.head.Get("source"))] = true
		}
		if err := l.step(); err != nil {
			return 0, err
		}
	}
	l.key, l.weight = key, 1+math.Log1p(float64(len(l.pages)))
	return l.weight, nil
}
