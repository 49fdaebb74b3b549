package cdx

// This file answers queries to a capture index like pywb's CDX server.

import (
	"fmt"
	"iter"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/ascii"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Match says which URLs a query matches.
type Match string

const (
	Exact  Match = "exact"  // the URL, as far as search keys tell URLs apart
	Prefix Match = "prefix" // URLs that begin with the URL
	Host   Match = "host"   // all URLs of its host
	Domain Match = "domain" // all URLs of its host and of hosts below it
	Onward Match = "range"  // the URL and all that follow it in the index
)

// MaxSorted is how many entries a query sorted by Closest keeps at most, whatever its Limit, unless it is Exact.
const MaxSorted = 100_000

// Query is a query to an index. Its fields mean what the parameters of the same names mean to pywb's CDX server.
type Query struct {
	URL       string // with MatchType empty, "*.example.com" means a domain, "example.com/*" a prefix, "*" everything
	MatchType Match
	From, To  string // timestamps of up to 14 digits, both inclusive: "2026" to "2026" is that year
	// "[!][=|~]field:text": contains the text; with = equals it; with ~ begins with a match of the regular expression; "!" negates
	Filters []string
	Closest string // timestamp: sort by distance to it
	Reverse bool   // last entries first
	Limit   int    // greatest number of entries; 0 means no limit
	// CollapseTime keeps only the first of adjacent entries with the same status and the same first CollapseTime digits of
	// the timestamp; 0 keeps all. Collapse does so by a field, "digest", or by the first letters of a field,
	// "timestamp:8"; with CollapseLast it keeps the last. Adjacent means in the order of the index.
	CollapseTime int
	Collapse     string
	CollapseLast bool
	After        string   // continue after this Mark of an earlier result of the same query; "" means from the beginning
	Fields       []string // fields to return (fl), for the code that writes the result; empty means all

	spanned spanned
}

// spanned caches the range of lines of the matching URLs: computing it costs more than finding the lines, and each copy
// of a query needs it.
type spanned struct {
	url      string
	match    Match
	from, to string
}

// Range returns the range of lines that may match, for Search: from ≤ line < to. Its error explains an invalid query.
func (q *Query) Range() (from, to string, err error) {
	if _, err := q.compile(); err != nil {
		return "", "", err
	}
	url, match := q.target()
	if q.URL == "*" && q.MatchType == "" {
		from, to = "", ""
	} else if q.spanned.url != url || q.spanned.match != match || url == "" {
		if from, to, err = span(url, match); err != nil {
			return "", "", err
		}
		q.spanned = spanned{url, match, from, to}
	} else {
		from, to = q.spanned.from, q.spanned.to
	}
	if match == Exact {
		key := from
		if q.From != "" {
			from = key + pad(q.From, padDown)
		}
		if q.To != "" {
			to = key + pad(q.To, padUp) + "!"
		}
	}
	if m, ok := parseMark(q.After); ok {
		if q.Reverse && (to == "" || m.stem+"!" < to) {
			to = m.stem + "!"
		}
		if !q.Reverse {
			from = max(from, m.stem)
		}
	}
	return from, to, nil
}

// span returns the range of lines of the matching URLs, whatever their time.
func span(url string, match Match) (from, to string, err error) {
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
		if !strings.Contains(host, ",") { // a top-level domain: it has no page itself
			return host + ",", host + "-", nil
		}
		return host + ")/", host + "-", nil
	case Onward:
		return key, "", nil
	}
	return "", "", fmt.Errorf("cdx: matchType %.100q is none of exact, prefix, host, domain, range", match)
}

// target returns the URL without its wildcard, and how to match it.
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

// after returns the smallest string greater than all that begin with s.
func after(s string) string {
	return s[:len(s)-1] + string([]byte{s[len(s)-1] + 1})
}

// Mark is a position in a query's result, to begin the next page at (Query.After). Start from NewMark with the After of
// the page's own query and call Pass for every entry of the page, in order.
type Mark struct {
	stem string // key and time of the last entry
	n    int    // number of entries passed with this stem
}

// NewMark returns the Mark at which an earlier page ended; "" means the beginning.
func NewMark(after string) Mark {
	m, _ := parseMark(after)
	return m
}

// Pass moves the mark past the next entry of the page.
func (m *Mark) Pass(e *Entry) {
	if stem := e.Key + " " + e.Timestamp; stem != m.stem {
		*m = Mark{stem: stem}
	}
	m.n++
}

// String returns the value for Query.After: key, time and a number.
func (m Mark) String() string { return m.stem + " " + strconv.Itoa(m.n) }

// All is String, except that all entries with the last key and time are repeated. Use it for an index whose result is
// filtered, or merged with another's, before the repeats are dropped.
func (m Mark) All() string {
	if m.stem == "" {
		return ""
	}
	return m.stem + " 0"
}

func parseMark(s string) (m Mark, ok bool) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 || !strings.Contains(s[:i], " ") {
		return Mark{}, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return Mark{s[:i], n}, err == nil && n >= 0
}

// Source yields the entries that match a query's URL, MatchType, From, To, Filters, Reverse and After (as Mark.All
// writes it); the other fields are empty. It may yield entries that do not match.
type Source func(Query) iter.Seq2[Entry, error]

// Answer yields the result of q. It reads no more of src than needed, except for Closest with many URLs.
func (q *Query) Answer(src Source) iter.Seq2[Entry, error] {
	filters, err := q.compile()
	if err != nil {
		return func(yield func(Entry, error) bool) { yield(Entry{}, err) }
	}
	plain := Query{URL: q.URL, MatchType: q.MatchType, From: q.From, To: q.To, Filters: q.Filters,
		Reverse: q.Reverse && q.Closest == "", After: NewMark(q.After).All(), spanned: q.spanned}
	_, match := q.target()
	var seq iter.Seq2[Entry, error]
	switch {
	case q.Closest == "":
		seq = q.narrow(src(plain), filters)
	case match == Exact && q.CollapseTime == 0 && q.Collapse == "":
		seq = q.outward(src, plain, filters)
	default:
		seq = q.closest(q.narrow(src(plain), filters))
	}
	if m, ok := parseMark(q.After); ok {
		seq = skip(seq, m)
	}
	return limit(seq, q.Limit)
}

// narrow applies filters, time range and collapsing.
func (q *Query) narrow(seq iter.Seq2[Entry, error], filters []filter) iter.Seq2[Entry, error] {
	from, to := pad(q.From, padDown), pad(q.To, padUp)
	kept := func(yield func(Entry, error) bool) {
		for e, err := range seq {
			if err == nil && (from != "" && e.Timestamp < from || to != "" && e.Timestamp > to || !all(filters, &e)) {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
	backward := q.Reverse && q.Closest == ""
	if q.CollapseTime > 0 {
		kept = collapse(kept, backward, func(e *Entry) string {
			return e.Timestamp[:min(q.CollapseTime, len(e.Timestamp))] + " " + strconv.Itoa(e.Status)
		})
	}
	if q.Collapse != "" {
		field, n, _ := collapsing(q.Collapse)
		kept = collapse(kept, backward != q.CollapseLast, func(e *Entry) string {
			value := e.Get(field)
			if isDigest(field) && n == math.MaxInt {
				return warc.DigestKey(value)
			}
			return value[:min(n, len(value))]
		})
	}
	return kept
}

// collapsing parses "field" or "field:length".
func collapsing(s string) (field string, n int, err error) {
	field, length, ok := strings.Cut(s, ":")
	if !ok {
		return field, math.MaxInt, nil
	}
	if n, err = strconv.Atoi(length); err != nil || n <= 0 {
		return "", 0, fmt.Errorf("cdx: collapse %.100q is no field, or field:length", s)
	}
	return field, n, nil
}

// collapse keeps one of adjacent entries for which by returns the same: the first, or the last.
func collapse(seq iter.Seq2[Entry, error], last bool, by func(*Entry) string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var held Entry
		var token string
		begun := false
		for e, err := range seq {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			same := begun && by(&e) == token
			if !same && (last && begun && !yield(held, nil) || !last && !yield(e, nil)) {
				return
			}
			held, token, begun = e, by(&e), true
		}
		if last && begun {
			yield(held, nil)
		}
	}
}

func skip(seq iter.Seq2[Entry, error], m Mark) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		left := m.n
		for e, err := range seq {
			if left > 0 && err == nil {
				if e.Key+" "+e.Timestamp == m.stem {
					left--
					continue
				}
				left = 0
			}
			if !yield(e, err) || err != nil {
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

// outward yields the captures of one URL by their distance to q.Closest, earlier ones first if equal. It reads from
// that time on in both directions, so finding the nearest of a hundred thousand reads only a few.
func (q *Query) outward(src Source, plain Query, filters []filter) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		goal := instant(q.Closest)
		before, behind := plain, plain
		before.Reverse = true
		before.To = least(pad(q.To, padUp), goal.Format(layout))
		behind.From = max(pad(q.From, padDown), goal.Add(time.Second).Format(layout))
		earlier, stop := iter.Pull2(q.narrow(src(before), filters))
		defer stop()
		later, stop := iter.Pull2(q.narrow(src(behind), filters))
		defer stop()
		a, err, okA := earlier()
		if err != nil {
			yield(Entry{}, err)
			return
		}
		b, err, okB := later()
		for okA || okB {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if okA && (!okB || instant(a.Timestamp).Sub(goal).Abs() <= instant(b.Timestamp).Sub(goal).Abs()) {
				if !yield(a, nil) {
					return
				}
				a, err, okA = earlier()
			} else {
				if !yield(b, nil) {
					return
				}
				b, err, okB = later()
			}
		}
	}
}

// least returns the smaller of two timestamps; a may be empty.
func least(a, b string) string {
	if a == "" {
		return b
	}
	return min(a, b)
}

// closest yields the entries nearest to q.Closest, nearest first, earlier ones first if equal.
func (q *Query) closest(seq iter.Seq2[Entry, error]) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		type near struct {
			entry    Entry
			distance time.Duration
		}
		var kept []near
		goal, n := instant(q.Closest), MaxSorted
		if q.Limit > 0 {
			n = min(q.Limit, MaxSorted)
		}
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

// Digits that extend a short timestamp to the earliest or latest time that it may mean.
const (
	padDown = "10000101000000"
	padUp   = "29991231235959"
	layout  = "20060102150405"
)

func pad(timestamp, with string) string {
	if timestamp == "" || len(timestamp) >= len(with) {
		return timestamp
	}
	return timestamp + with[len(timestamp):]
}

// instant returns the time of a timestamp, padded. Impossible values such as a 13th month carry over.
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
	field  string // "" means the whole line
	text   string
	digest string // DigestKey of the text, if it is a whole digest and the field is the digest
	exact  bool
	match  *regexp.Regexp
}

func (q *Query) compile() ([]filter, error) {
	for _, t := range []string{q.From, q.To, q.Closest} {
		if t != "" && (!ascii.AreDigits([]byte(t)) || len(t) > 14) {
			return nil, fmt.Errorf("cdx: %.100q is no timestamp of at most 14 digits", t)
		}
	}
	if _, _, err := collapsing(q.Collapse); err != nil {
		return nil, err
	}
	if _, ok := parseMark(q.After); !ok && q.After != "" || q.After != "" && q.Closest != "" {
		return nil, fmt.Errorf("cdx: %.100q is no place at which an answer to this query ended", q.After)
	}
	fs := make([]filter, 0, len(q.Filters))
	length := 0
	for _, s := range q.Filters {
		if length += len(s); length > maxFilters {
			return nil, fmt.Errorf("cdx: filters: more than %d bytes of them; ask with fewer", maxFilters)
		}
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
		if d, err := warc.ParseDigest(f.text); err == nil && d.Sum != nil && isDigest(f.field) {
			f.digest = warc.DigestKey(f.text)
		}
		if mode == '~' {
			var err error
			if f.match, err = expression(f.text); err != nil {
				return nil, fmt.Errorf("cdx: filter %.100q: %v", s, err)
			}
		}
		fs = append(fs, f)
	}
	return fs, nil
}

// Bounds on the cost of filters.
const (
	maxFilters = 4 << 10 // bytes of all filters
	maxSteps   = 10_000  // program steps of a regular expression: "a{1000}" has a thousand
)

// expression compiles a regular expression that is anchored at the beginning.
func expression(text string) (*regexp.Regexp, error) {
	text = "^(?:" + text + ")"
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > maxSteps {
		return nil, fmt.Errorf("the regular expression has more than %d steps", maxSteps)
	}
	return regexp.Compile(text)
}

// isDigest reports whether a field is the digest, by any of its names.
func isDigest(field string) bool { return field == "digest" || field == "d" }

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
	ok = ok || f.digest != "" && warc.DigestKey(value) == f.digest
	return ok != f.negate
}
