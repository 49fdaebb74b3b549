package access

// This file finds the access rule that decides about a capture.

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Rules holds the rules in force. Deciding about a capture takes two look-ups in maps and a binary search, however many
// rules there are. Rules never change and are safe for concurrent use.
//
// Of several rules about a URL, the most specific one counts: a rule for the URL before one for a prefix, a longer
// prefix before a shorter one, then the host, then its domain, a longer domain before a shorter one, and last the whole
// collection. Of two rules with the same target, the later counts. Rules about content can only close: if there is one
// too, the stricter of the two counts.
type Rules struct {
	list     []Decision
	exact    map[string]*Decision // by search key: rules about a URL, and about a folder, for the folder's own page
	prefixes []prefix             // sorted
	digests  map[string]*Decision // by digestKey
	whole    *Decision
	hides    bool // some rule hides captures from lists
	edition  int  // number of decisions that these rules were made of
}

// prefix is a rule for all search keys with a given beginning.
type prefix struct {
	key   string
	rule  *Decision
	outer int // index of the longest other prefix that this one begins with; -1 for none
}

// NewRules makes rules of decisions, which must be in order.
func NewRules(decisions []Decision) *Rules {
	r := &Rules{list: inForce(decisions), edition: len(decisions), exact: map[string]*Decision{}, digests: map[string]*Decision{}}
	byKey := map[string]*Decision{}
	for i := range r.list {
		d := &r.list[i]
		r.hides = r.hides || d.Access == kavosh.Takedown
		switch d.Target.Kind {
		case Collection:
			r.whole = d
		case Digest:
			r.digests[digestKey(d.Target.Value)] = d
		default:
			exact, prefixes := d.Target.keys()
			for _, key := range exact {
				if old := r.exact[key]; old == nil || kindOrder(old.Target.Kind) <= kindOrder(d.Target.Kind) {
					r.exact[key] = d
				}
			}
			for _, key := range prefixes {
				if old := byKey[key]; old == nil || kindOrder(old.Target.Kind) <= kindOrder(d.Target.Kind) {
					byKey[key] = d
				}
			}
		}
	}
	for key, d := range byKey {
		r.prefixes = append(r.prefixes, prefix{key: key, rule: d})
	}
	slices.SortFunc(r.prefixes, func(a, b prefix) int { return strings.Compare(a.key, b.key) })
	var open []int // prefixes that the current one may begin with, the shortest first
	for i := range r.prefixes {
		p := &r.prefixes[i]
		for len(open) > 0 && !strings.HasPrefix(p.key, r.prefixes[open[len(open)-1]].key) {
			open = open[:len(open)-1]
		}
		p.outer = -1
		if len(open) > 0 {
			p.outer = open[len(open)-1]
		}
		open = append(open, i)
	}
	return r
}

// List returns the rules in force, the oldest first. The caller must not change them.
func (r *Rules) List() []Decision { return r.list }

// Len returns the number of rules.
func (r *Rules) Len() int { return len(r.list) }

// Verdict says who may see a capture, and by which rule.
type Verdict struct {
	Access kavosh.Access
	Until  time.Time // the end of an embargo in force
	Rule   *Decision // nil if no rule is about the capture: then it is open
}

// strictness orders kinds of access, to choose the stricter of two rules.
func strictness(a kavosh.Access) int {
	return slices.Index([]kavosh.Access{kavosh.Open, kavosh.OnSite, kavosh.Embargo, kavosh.MetadataOnly, kavosh.Takedown}, a)
}

// decide decides about the capture of an index entry at a time.
func (r *Rules) decide(e *cdx.Entry, now time.Time) Verdict {
	if len(r.list) == 0 {
		return Verdict{Access: kavosh.Open}
	}
	v := r.byAddress(key(e)).verdict(e.Timestamp, now)
	if len(r.digests) == 0 {
		return v
	}
	for _, digest := range []string{e.Digest, e.Get(cdx.Of)} {
		if c := r.digests[digestKey(digest)].verdict(e.Timestamp, now); strictness(c.Access) > strictness(v.Access) {
			v = c
		}
	}
	return v
}

// decideRecord decides about the content of a record at a time. A record without a URL is open.
func (r *Rules) decideRecord(rec *warc.Record, now time.Time) Verdict {
	if rec.TargetURI() == "" {
		return Verdict{Access: kavosh.Open}
	}
	return r.decide(cdx.EntryOf(rec), now)
}

// key returns the search key of an entry's URL. The entry's own key may be longer: that of a response to POST also has
// the request's body. Records that crawlers make about a page, such as urn:text:http://example.org/ or
// screenshot:http://example.org/, have the key of the page.
func key(e *cdx.Entry) string {
	for _, scheme := range []string{"http://", "https://"} {
		if i := strings.Index(e.URL, ":"+scheme); i > 0 && !strings.Contains(e.URL[:i], "/") {
			return weburl.SURT(e.URL[i+1:])
		}
	}
	if e.Key == "" || strings.Contains(e.Key, "__wb_method=") {
		return weburl.SURT(e.URL)
	}
	return e.Key
}

// byAddress returns the most specific rule about a search key, or nil.
func (r *Rules) byAddress(key string) *Decision {
	if exact := r.exact[key]; exact != nil {
		return exact
	}
	// In sorted order, a prefix of key comes before key, and all between the two begin with this prefix as well. So the
	// longest prefix of key is the last one before key, or one of its outer ones.
	i, found := slices.BinarySearchFunc(r.prefixes, key, func(p prefix, key string) int { return strings.Compare(p.key, key) })
	if !found {
		i--
	}
	for i >= 0 && !strings.HasPrefix(key, r.prefixes[i].key) {
		i = r.prefixes[i].outer
	}
	if i >= 0 {
		return r.prefixes[i].rule
	}
	return r.whole
}

// verdict returns what a rule says about a capture that was made at timestamp.
func (d *Decision) verdict(timestamp string, now time.Time) Verdict {
	if d == nil {
		return Verdict{Access: kavosh.Open}
	}
	v := Verdict{Access: d.Access, Rule: d}
	if d.Access != kavosh.Embargo {
		return v
	}
	v.Until = d.Until
	if d.After != "" {
		years, months, days, _ := parseAfter(d.After) // cannot fail: it was checked when the rule was made
		v.Until = moment(timestamp).AddDate(years, months, days)
	}
	if !now.Before(v.Until) {
		return Verdict{Access: kavosh.Open, Rule: d}
	}
	return v
}

// moment returns the latest time that a timestamp of up to 14 digits may mean.
func moment(timestamp string) time.Time {
	const latest = "99991231235959"
	s := timestamp[:min(len(timestamp), len(latest))]
	s += latest[len(s):]
	n := func(from, to int) int {
		v, _ := strconv.Atoi(s[from:to]) // 0 if it is not a number
		return v
	}
	return time.Date(n(0, 4), time.Month(n(4, 6)), n(6, 8), n(8, 10), n(10, 12), n(12, 14), 0, time.UTC)
}

// listed reports whether lists show the capture.
func (v Verdict) listed() bool { return v.Access != kavosh.Takedown }

// refused says why a reader may not see the capture; nil if the reader may.
func (v Verdict) refused(r Reader) *kavosh.Refused {
	if v.Access == kavosh.Open || v.Access == kavosh.OnSite && r.OnSite {
		return nil
	}
	return &kavosh.Refused{Access: v.Access, Until: v.Until}
}

// Why decides about a capture, and returns all rules that are about it: first the one that counts, then the others, the
// most specific first.
func (r *Rules) Why(e *cdx.Entry, now time.Time) (v Verdict, speak []*Decision) {
	k, digest, of := key(e), digestKey(e.Digest), digestKey(e.Get(cdx.Of))
	v = r.decide(e, now)
	for i := range r.list {
		d := &r.list[i]
		holds := d.Target.Kind == Collection
		if d.Target.Kind == Digest {
			said := digestKey(d.Target.Value)
			holds = said != "" && (said == digest || said == of)
		} else if !holds {
			exact, prefixes := d.Target.keys()
			holds = slices.Contains(exact, k) || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(k, p) })
		}
		if holds {
			speak = append(speak, d)
		}
	}
	slices.SortStableFunc(speak, func(a, b *Decision) int {
		switch {
		case a == v.Rule:
			return -1
		case b == v.Rule:
			return 1
		}
		return cmp.Or(kindOrder(b.Target.Kind)-kindOrder(a.Target.Kind), len(b.Target.Value)-len(a.Target.Value), b.ID-a.ID)
	})
	return v, speak
}
