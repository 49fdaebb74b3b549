package frontier

import (
	"encoding/binary"
	"fmt"

	"kavosh"
	"kavosh/frontier/scope"
	"kavosh/frontier/seen"
)

// This file bounds how many queries and session ids of one path are queued: more of them are a trap.

// Two trap rules need to know what was queued before. They count exactly and durably in the Set (known.go), so that a
// restart neither forgets nor counts twice.
//
//   - queries: one path is queued with at most Options.QueryBudget different queries. A site that answers to more of them
//     makes up links to itself. URLs that a person or a sitemap lists do not count, nor do embedded parts: they are few.
//   - sessions: one URL is queued with at most sessionBudget different session ids. A site that has not seen our cookies
//     yet writes one into each link of its first pages, so that the first few must not be refused.
const sessionBudget = 8

// budget counts link against the bound that holds for it, if any. If that bound is reached, it returns the rule in
// words, and link is a trap; else it returns "".
func (a *application) budget(link *kavosh.Link, p *scope.Parts) (rule string, err error) {
	if link.Kind == kavosh.Seed || link.Kind == kavosh.Sitemap {
		return "", nil
	}
	if without, found := scope.Session(link.URL); found {
		full, err := a.count("session "+without, sessionBudget)
		if full {
			rule = fmt.Sprintf("trap: more than %d session ids of %s", sessionBudget, without)
		}
		return rule, err
	}
	if p.Query != "" && link.Kind != kavosh.Embed && a.f.o.QueryBudget >= 0 {
		full, err := a.count("queries "+p.Origin+p.Path, uint64(a.f.o.QueryBudget))
		if full {
			rule = fmt.Sprintf("trap: more than %d different queries of %s%s", a.f.o.QueryBudget, p.Origin, p.Path)
		}
		return rule, err
	}
	return "", nil
}

// count adds one to the count kept under name. If the count has reached limit, it adds nothing and full is true.
func (a *application) count(name string, limit uint64) (full bool, err error) {
	key := seenKey(name, &a.f.scratch.url)
	n, ok := a.counts[key]
	if !ok {
		e, err := a.f.known.entry(key)
		if err != nil {
			return false, err
		}
		if e.Met() {
			if n, ok = parseCount(e.Bytes()); !ok {
				return false, corrupt([]byte(name), errMalformed)
			}
		}
	}
	if n >= limit {
		return true, nil
	}
	if a.counts == nil {
		a.counts = make(map[seen.Key]uint64)
	}
	a.counts[key] = n + 1
	return false, nil
}

const tagCount = 't' // first byte of a count in the Set

func appendCount(b []byte, n uint64) []byte { return binary.AppendUvarint(append(b, tagCount), n) }

func parseCount(v []byte) (uint64, bool) {
	if len(v) < 2 || v[0] != tagCount {
		return 0, false
	}
	n, size := binary.Uvarint(v[1:])
	return n, size == len(v)-1
}
