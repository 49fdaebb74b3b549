package cdx

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

	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Match says which URLs a query is about.
type Match string

const (
	Exact  Match = "exact"  // the URL, as far as search keys tell URLs apart
	Prefix Match = "prefix" // URLs that begin with it
	Host   Match = "host"   // all URLs of its host
	Domain Match = "domain" // all URLs of its host and the hosts under that
	Onward Match = "range"  // it and all that come after it in the index
)

// MaxSorted is how many entries a query that sorts by Closest keeps at most, whatever its Limit, unless it is Exact.
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
	// CollapseTime keeps of entries in a row with equal status and first CollapseTime digits of the timestamp the first; 0
	// keeps all. Collapse does so by a field, "digest", or by the first letters of one, "timestamp:8"; with CollapseLast it
	// keeps the last of them. In a row is always meant in the order of the index.
	CollapseTime int
	Collapse     string
	CollapseLast bool
	After        string   // where an earlier answer to the same query ended, as Mark says it; "" for the beginning
	Fields       []string // fields to answer with (fl), for whoever writes the answer; empty for all

	spanned spanned
}

// spanned is the range of lines of the URLs that match: it takes longer to find than the lines, and a query is passed on in
// copies, each of which needs it.
type spanned struct {
	url      string
	match    Match
	from, to string
}

// Range is the range of lines that may match, for Search: from ≤ line < to. Its error names what is wrong with the query.
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

// span is the range of lines of the URLs that match, whatever their time.
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
		if !strings.Contains(host, ",") { // a top-level domain: nothing lies on it, all under it
			return host + ",", host + "-", nil
		}
		return host + ")/", host + "-", nil
	case Onward:
		return key, "", nil
	}
	return "", "", fmt.Errorf("cdx: matchType %.100q is none of exact, prefix, host, domain, range", match)
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

// Mark says where in the answer to a query a page of it ended, for Query.After of the next. Pass it every entry of the page,
// in order; begin with the After of the page's own query, or the zero value.
type Mark struct {
	stem string // key and time of the last entry
	n    int    // how many entries with these were passed
}

// NewMark begins where an earlier page ended, "" for the beginning.
func NewMark(after string) Mark {
	m, _ := parseMark(after)
	return m
}

// Pass takes the next entry of the page.
func (m *Mark) Pass(e *Entry) {
	if stem := e.Key + " " + e.Timestamp; stem != m.stem {
		*m = Mark{stem: stem}
	}
	m.n++
}

// String is the value for Query.After: key, time and a number.
func (m Mark) String() string { return m.stem + " " + strconv.Itoa(m.n) }

// All is as String, but that all entries with the key and the time of the last come again: for an index whose answer is
// narrowed, or merged with another's, before what came is left out.
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

// Source gives the entries of an index that a query asks for by URL, MatchType, From, To, Filters, Reverse and After, with
// its other fields empty; After is as Mark.All says it. It may give more, which do not match.
type Source func(Query) iter.Seq2[Entry, error]

// Answer is what an index answers to q. It reads no more of src than the answer takes, but for Closest among many URLs.
func (q *Query) Answer(src Source) iter.Seq2[Entry, error] {
	filters, err := q.compile()
	if err != nil {
		return func(yield func(Entry, error) bool) { yield(Entry{}, err) }
	}
	plain := Query{URL: q.URL, MatchType: q.MatchType, From: q.From, To: q.To, Filters: q.Filters, Reverse: q.Reverse && q.Closest == "", After: NewMark(q.After).All(), spanned: q.spanned}
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

// collapsing reads "field" or "field:length".
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

// collapse gives one of those entries in a row that are the same to by: the first that comes, or the last.
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

// skip leaves out what was given before m.
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

// outward gives the captures of one URL by their distance to q.Closest: those before it and those after it are read from
// there on, so that the nearest of a hundred thousand are found by reading a few. Of two equally near the earlier comes first.
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

// least is the lesser of two timestamps, of which the first may be empty.
func least(a, b string) string {
	if a == "" {
		return b
	}
	return min(a, b)
}

// closest gives the entries nearest to q.Closest, the nearest first, the earlier of two equally near ones first.
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

// Digits that fill a short timestamp up, to the earliest or latest instant that it may mean.
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
	digest string // its key, when the text is a whole one and the field is that of digests
	exact  bool
	match  *regexp.Regexp
}

func (q *Query) compile() ([]filter, error) {
	for _, t := range []string{q.From, q.To, q.Closest} {
		if t != "" && (!digits([]byte(t)) || len(t) > 14) {
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

// Bounds on what filters cost for each entry.
const (
	maxFilters = 4 << 10 // bytes of all filters
	maxSteps   = 10_000  // of a compiled regular expression: "a{1000}" has a thousand
)

// expression is a regular expression that must match from the beginning on.
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

// isDigest reports whether a field is that of digests, by any of its names.
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
