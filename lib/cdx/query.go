package cdx

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"kavosh/lib/weburl"
)

// Match says which URLs a query is about.
type Match string

const (
	Exact  Match = "exact"  // the URL, as far as search keys tell URLs apart
	Prefix Match = "prefix" // URLs that begin with it
	Host   Match = "host"   // all URLs of its host
	Domain Match = "domain" // all URLs of its host and the hosts under that
)

// MaxSorted is how many entries a query that sorts (Closest, Reverse) keeps at most, whatever its Limit.
const MaxSorted = 100_000

// Query is a question to an index, with the meaning that pywb's CDX server gives to the parameters of these names.
type Query struct {
	URL       string // "*.example.com" asks for a domain, "example.com/*" for a prefix, "*" for everything, when MatchType is empty
	MatchType Match
	From, To  string   // timestamps of up to 14 digits, both inclusive: "2026" to "2026" is that year
	Filters   []string // "[!][=|~]field:text": contains text, or with = is text, or with ~ begins with a match of the regular expression; "!" negates
	Closest   string   // timestamp: sort by distance to it
	Reverse   bool     // give the last ones first
	Limit     int      // at most so many entries; 0 for no limit
	Collapse  int      // of entries in a row with equal status and first Collapse digits of the timestamp keep the first; 0 keeps all
	Fields    []string // fields to answer with (fl), for whoever writes the answer; empty for all
}

// Range is the range of lines that may match, for Search: from ≤ line < to. Its error names what is wrong with the query.
func (q *Query) Range() (from, to string, err error) {
	if _, err := q.compile(); err != nil {
		return "", "", err
	}
	if q.URL == "*" && q.MatchType == "" {
		return "", "", nil
	}
	url, match := q.target()
	if url == "" {
		return "", "", fmt.Errorf("cdx: a query needs a url")
	}
	key := weburl.SURT(url)
	host, _, _ := strings.Cut(key, ")/")
	switch match {
	case Exact:
		return key + " ", key + "!", nil
	case Prefix:
		for _, end := range []string{"/", "?"} {
			if strings.HasSuffix(url, end) && !strings.HasSuffix(key, end) {
				key += end
			}
		}
		return key, after(key), nil
	case Host:
		return host + ")/", host + "*", nil
	case Domain:
		if !strings.Contains(host, ",") { // a top-level domain: nothing lies on it, all under it
			return host + ",", host + "-", nil
		}
		return host + ")/", host + "-", nil
	}
	return "", "", fmt.Errorf("cdx: matchType %q is none of exact, prefix, host, domain", match)
}

// target is the URL without its wildcard, and how to match it.
func (q *Query) target() (url string, match Match) {
	if q.MatchType != "" {
		return q.URL, q.MatchType
	}
	if url, ok := strings.CutPrefix(q.URL, "*."); ok {
		return url, Domain
	}
	if url, ok := strings.CutSuffix(q.URL, "*"); ok {
		return url, Prefix
	}
	return q.URL, Exact
}

// after is the least string that is greater than all that begin with s.
func after(s string) string {
	return s[:len(s)-1] + string([]byte{s[len(s)-1] + 1})
}

// Apply narrows, sorts and folds entries of the query's Range that come in the order of an index.
func (q *Query) Apply(seq iter.Seq2[Entry, error]) iter.Seq2[Entry, error] {
	filters, err := q.compile()
	if err != nil {
		return func(yield func(Entry, error) bool) { yield(Entry{}, err) }
	}
	seq = q.narrow(seq, filters)
	switch {
	case q.Closest != "":
		return q.closest(seq)
	case q.Reverse:
		return q.reverse(seq)
	}
	return limit(seq, q.Limit)
}

// narrow applies filters, time range and collapsing.
func (q *Query) narrow(seq iter.Seq2[Entry, error], filters []filter) iter.Seq2[Entry, error] {
	from, to := pad(q.From, padDown), pad(q.To, padUp)
	return func(yield func(Entry, error) bool) {
		var last string
		var lastStatus int
		for e, err := range seq {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if from != "" && e.Timestamp < from || to != "" && e.Timestamp > to || !all(filters, &e) {
				continue
			}
			if q.Collapse > 0 {
				at := e.Timestamp[:min(q.Collapse, len(e.Timestamp))]
				if at == last && e.Status == lastStatus {
					continue
				}
				last, lastStatus = at, e.Status
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func limit(seq iter.Seq2[Entry, error], n int) iter.Seq2[Entry, error] {
	if n <= 0 {
		return seq
	}
	return func(yield func(Entry, error) bool) {
		left := n
		for e, err := range seq {
			if !yield(e, err) || err != nil {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// sorted is how many entries a sorting query keeps.
func (q *Query) sorted() int {
	if q.Limit > 0 {
		return min(q.Limit, MaxSorted)
	}
	return MaxSorted
}

// closest gives the entries nearest to q.Closest, the nearest first, the earlier of two equally near ones first.
func (q *Query) closest(seq iter.Seq2[Entry, error]) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		type near struct {
			entry    Entry
			distance time.Duration
		}
		var kept []near
		goal, n := instant(q.Closest), q.sorted()
		for e, err := range seq {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			d := instant(e.Timestamp).Sub(goal).Abs()
			i := sort.Search(len(kept), func(i int) bool { return kept[i].distance > d })
			if i == n {
				continue
			}
			kept = slices.Insert(kept, i, near{e, d})
			kept = kept[:min(len(kept), n)]
		}
		for i := range kept {
			if !yield(kept[i].entry, nil) {
				return
			}
		}
	}
}

// reverse gives the last entries, the last first.
func (q *Query) reverse(seq iter.Seq2[Entry, error]) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		n := q.sorted()
		var ring []Entry
		at := 0 // of the oldest in ring, once it is full
		for e, err := range seq {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if len(ring) < n {
				ring = append(ring, e)
				continue
			}
			ring[at] = e
			at = (at + 1) % n
		}
		for i := range ring {
			if !yield(ring[(at+len(ring)-1-i)%len(ring)], nil) {
				return
			}
		}
	}
}

// Digits that fill a short timestamp up, to the earliest or latest instant that it may mean.
const (
	padDown = "10000101000000"
	padUp   = "29991231235959"
)

func pad(timestamp, with string) string {
	if timestamp == "" || len(timestamp) >= len(with) {
		return timestamp
	}
	return timestamp + with[len(timestamp):]
}

// instant is the time that a timestamp, padded, stands for: nonsense such as a 13th month is carried over.
func instant(timestamp string) time.Time {
	s := pad(timestamp, padDown)
	n := func(from, to int) int {
		v := 0
		for _, c := range []byte(s[from:min(to, len(s))]) {
			v = v*10 + int(c-'0')
		}
		return v
	}
	return time.Date(n(0, 4), time.Month(n(4, 6)), n(6, 8), n(8, 10), n(10, 12), n(12, 14), 0, time.UTC)
}

// filter is one of Query.Filters.
type filter struct {
	negate bool
	field  string // "" for the whole line
	text   string
	exact  bool
	match  *regexp.Regexp
}

func (q *Query) compile() ([]filter, error) {
	for _, t := range []string{q.From, q.To, q.Closest} {
		if t != "" && (!digits([]byte(t)) || len(t) > 14) {
			return nil, fmt.Errorf("cdx: %q is no timestamp of at most 14 digits", t)
		}
	}
	fs := make([]filter, 0, len(q.Filters))
	for _, s := range q.Filters {
		var f filter
		rest, mode := s, byte(0)
		rest, f.negate = strings.CutPrefix(rest, "!")
		if rest != "" && (rest[0] == '=' || rest[0] == '~') {
			mode, rest = rest[0], rest[1:]
		}
		var ok bool
		if f.field, f.text, ok = strings.Cut(rest, ":"); !ok {
			f.field, f.text = "", rest
		}
		f.exact = mode == '='
		if mode == '~' {
			var err error
			if f.match, err = regexp.Compile("^(?:" + f.text + ")"); err != nil {
				return nil, fmt.Errorf("cdx: filter %q: %v", s, err)
			}
		}
		fs = append(fs, f)
	}
	return fs, nil
}

func all(fs []filter, e *Entry) bool {
	for i := range fs {
		if !fs[i].takes(e) {
			return false
		}
	}
	return true
}

func (f *filter) takes(e *Entry) bool {
	var value string
	if f.field == "" {
		value = strings.TrimSuffix(string(e.AppendLine(nil)), "\n")
	} else {
		value = e.Get(f.field)
	}
	var ok bool
	switch {
	case f.match != nil:
		ok = f.match.MatchString(value)
	case f.exact:
		ok = value == f.text
	default:
		ok = strings.Contains(value, f.text)
	}
	return ok != f.negate
}
