package frontier

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"kavosh"
)

// This file is the stored form: every key and value that the frontier keeps in Pebble. docs/formats/frontier.md says
// the same for people. Keys are ordered bytes; numbers in them are big-endian; ␀ is a zero byte, which no host name
// has.
//
//	v                                          => version of the whole (formatVersion)
//	c                                          => counters
//	q host ␀ class inverse-score id            => task waiting for its turn, in the order in which turns come
//	d host ␀ not-before class inverse-score id => task waiting for a time: a retry
//	a not-before class inverse-score id        => task that is done and waits again, by the time at which it is queued anew
//	s generation number                        => what the crawl knows of URLs, hosts and counts by one Apply, while it is new (known.go)
//	n round class inverse-score id host        => the host may be asked in that round, and its first task has that rank or a later one
//	w time host                                => the host may be asked, or has a retry, at that time or later
//	r origin                                   => its robots.txt, or how far asking for it has come
//	b name                                     => a small value of another stage
//	p host                                     => a Hold: until when, and why
//	o name                                     => a Priority of a host or a domain
//	g domain                                   => how much of its budget a domain has spent (allowance.go)
//	l list class inverse-score id             => task that waits beyond a limit (limited.go)
//	u                                          => how long the crawl has run
//	u kind name                                => what was taken of the limit of a seed, host, domain or the crawl (limit.go)
//	k                                          => by how much the clock was set while we ran (clock.go)
//
// Every value but v's starts with one byte, the version of its kind. A value that does not decode is an error that
// names its key, never a panic.
const formatVersion = 4

const (
	tagVersion  = 'v'
	tagCounters = 'c'
	tagQueue    = 'q'
	tagDeferred = 'd'
	tagAgain    = 'a'
	tagSeen     = 's'
	tagRobots   = 'r'
	tagBlob     = 'b'
	tagHold     = 'p'
	tagPriority = 'o'
	tagDomain   = 'g'
	tagClock    = 'k'
	tagReady    = 'n'
	tagWaiting  = 'w'
	tagLimited  = 'l'
	tagAccount  = 'u'
)

// rank is a task's place in its host's queue: the lower, the sooner.
type rank struct {
	class uint8
	score uint64 // inverse: the higher the score, the lower
	id    uint64
}

const (
	classFirst = iota // a robots.txt, which is in no queue; parts of pages, where only these are handed out (parts.go)
	classNormal
	classSpeculative
)

func rankOf(t *kavosh.Task) rank {
	r := rank{class: classNormal, score: inverseScore(t.Score), id: t.ID}
	switch t.Kind {
	case kavosh.Prerequisite:
		r.class = classFirst
	case kavosh.Speculative:
		r.class = classSpeculative
	}
	return r
}

func (r rank) less(o rank) bool {
	switch {
	case r.class != o.class:
		return r.class < o.class
	case r.score != o.score:
		return r.score < o.score
	}
	return r.id < o.id
}

const rankLen = 1 + 8 + 8

func appendRank(b []byte, r rank) []byte {
	b = append(b, r.class)
	b = binary.BigEndian.AppendUint64(b, r.score)
	return binary.BigEndian.AppendUint64(b, r.id)
}

// parseRank reads what appendRank wrote; b has rankLen bytes.
func parseRank(b []byte) rank {
	return rank{class: b[0], score: binary.BigEndian.Uint64(b[1:]), id: binary.BigEndian.Uint64(b[9:])}
}

// raised returns r with add added to its score. A rank that stands before every score stays there.
func (r rank) raised(add float64) rank {
	if add != 0 && r.score != 0 {
		r.score = inverseScore(scoreOf(r.score) + add)
	}
	return r
}

// seat is a host's place among all hosts: by the round of budgets in which it may be asked (allowance.go), then by the
// rank of what it offers.
type seat struct {
	round uint32
	rank
}

func (s seat) less(o seat) bool {
	if s.round != o.round {
		return s.round < o.round
	}
	return s.rank.less(o.rank)
}

const seatLen = 4 + rankLen

func appendSeat(b []byte, s seat) []byte {
	return appendRank(binary.BigEndian.AppendUint32(b, s.round), s.rank)
}

// parseSeat reads what appendSeat wrote; b has seatLen bytes.
func parseSeat(b []byte) seat { return seat{binary.BigEndian.Uint32(b), parseRank(b[4:])} }

// inverseScore maps a score to a number whose order is the reverse: a higher score gives a lower number.
func inverseScore(score float64) uint64 {
	if score == 0 { // -0 too
		score = 0
	}
	bits := math.Float64bits(score)
	if bits>>63 == 0 {
		bits ^= 1 << 63
	} else {
		bits = ^bits
	}
	return ^bits
}

// scoreOf is inverseScore's inverse.
func scoreOf(inverse uint64) float64 {
	bits := ^inverse
	if bits>>63 == 1 {
		bits ^= 1 << 63
	} else {
		bits = ^bits
	}
	return math.Float64frombits(bits)
}

// place is where a queued task lies on disk: under q, when it has a not-before time under d, or beyond a limit under l.
type place struct {
	rank
	after int64  // not-before in nanoseconds since 1970; 0 for q and l
	limit uint64 // the list of a limit, for l; 0 for q and d
}

// compare orders places as the keys of one host are ordered.
func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(p.after, o.after), cmp.Compare(p.class, o.class), cmp.Compare(p.score, o.score), cmp.Compare(p.id, o.id))
}

// key appends to b the key of a task of host.
func (p place) key(b []byte, host string) []byte {
	switch {
	case p.limit != 0:
		b = binary.BigEndian.AppendUint64(append(b, tagLimited), p.limit)
	case p.after == 0:
		b = append(append(append(b, tagQueue), host...), 0)
	default:
		b = append(append(append(b, tagDeferred), host...), 0)
		b = binary.BigEndian.AppendUint64(b, uint64(p.after))
	}
	return appendRank(b, p.rank)
}

// parsePlace reads the key of a task: its host and its place.
func parsePlace(key []byte) (host string, p place, err error) {
	n := rankLen
	if len(key) > 0 && key[0] == tagDeferred {
		n += 8
	}
	i := len(key) - n - 1
	if i < 1 || key[i] != 0 || key[0] != tagQueue && key[0] != tagDeferred {
		return "", place{}, corrupt(key, "is no key of a task")
	}
	rest := key[i+1:]
	if key[0] == tagDeferred {
		p.after = int64(binary.BigEndian.Uint64(rest))
		rest = rest[8:]
		if p.after <= 0 {
			return "", place{}, corrupt(key, "has no time")
		}
	}
	p.rank = parseRank(rest)
	return string(key[1:i]), p, nil
}

// hostRange returns the range of the keys of one host under tag: from lo on and before hi.
func hostRange(tag byte, host string) (lo, hi []byte) {
	lo = append(append([]byte{tag}, host...), 0)
	hi = append(append([]byte{tag}, host...), 1)
	return lo, hi
}

func stringKey(tag byte, name string) []byte { return append([]byte{tag}, name...) }

const taskVersion = 2

// Flags of a task.
const (
	flagGuessed = 1 << iota
	flagVariant
	flagListed
	flagExtra   // Extra follows at the end
	flagFrom    // From follows at the end
	flagPartial // Partial follows at the end, as JSON
	flagAgain
)

// appendTask writes all of t but ID and Score, which are in the key, and Prior, which the archive knows.
func appendTask(b []byte, t *kavosh.Task) []byte {
	var flags byte
	if t.Guessed {
		flags |= flagGuessed
	}
	if t.Variant {
		flags |= flagVariant
	}
	if t.Listed {
		flags |= flagListed
	}
	if t.Again {
		flags |= flagAgain
	}
	if t.Extra > 0 {
		flags |= flagExtra
	}
	if t.From != kavosh.NoStandIn {
		flags |= flagFrom
	}
	if t.Partial != nil {
		flags |= flagPartial
	}
	b = append(b, taskVersion, flags, byte(t.Kind))
	b = appendString(b, t.URL)
	for _, s := range [...]string{t.Via, t.Seed} { // mostly of the same site
		n := 0
		for n < min(len(s), len(t.URL)) && s[n] == t.URL[n] {
			n++
		}
		b = appendString(binary.AppendUvarint(b, uint64(n)), s[n:])
	}
	for _, s := range [...]string{t.Path, t.Why} {
		b = appendString(b, s)
	}
	for _, n := range [...]int{t.Hops, t.Embeds, t.Attempt} {
		b = binary.AppendUvarint(b, uint64(max(n, 0)))
	}
	if b = appendTime(b, t.Added); t.Extra > 0 {
		b = binary.AppendUvarint(b, uint64(t.Extra))
	}
	if t.From != kavosh.NoStandIn {
		b = appendString(b, string(t.From))
	}
	if t.Partial != nil {
		text, _ := json.Marshal(t.Partial) // its fields are texts, numbers and a time of ours
		b = appendString(b, string(text))
	}
	return b
}

func parseTask(r rank, v []byte) (kavosh.Task, error) {
	if len(v) < 3 || v[0] != taskVersion {
		return kavosh.Task{}, errVersion
	}
	d := decoder{b: v[3:]}
	t := kavosh.Task{ID: r.id, Score: scoreOf(r.score), Guessed: v[1]&flagGuessed != 0, Variant: v[1]&flagVariant != 0, Listed: v[1]&flagListed != 0, Again: v[1]&flagAgain != 0, Kind: kavosh.Kind(v[2])}
	t.URL = d.string()
	t.Via, t.Seed = d.like(t.URL), d.like(t.URL)
	t.Path, t.Why = d.string(), d.string()
	for _, n := range [...]*int{&t.Hops, &t.Embeds, &t.Attempt} {
		*n = d.int()
	}
	t.Added = d.time()
	if v[1]&flagExtra != 0 {
		t.Extra = d.int()
	}
	if v[1]&flagFrom != 0 {
		t.From = kavosh.StandIn(d.string())
	}
	if v[1]&flagPartial != 0 {
		if err := json.Unmarshal([]byte(d.string()), &t.Partial); err != nil || t.Partial == nil {
			return kavosh.Task{}, errMalformed
		}
	}
	return t, d.end()
}

// robotsRecord is an origin's robots.txt, or how far asking for it has come.
type robotsRecord struct {
	settled  bool  // if false, url is to be requested, not before until
	at       int64 // when it was settled, or the last answer came: nanoseconds since 1970
	until    int64 // if not settled: not to be requested before, nanoseconds since 1970; 0 for at once
	url      string
	via      string // if a redirect led to url: the URL that redirected
	hops     int    // redirects followed
	attempts int    // requests for url so far
	status   int
	failure  kavosh.Failure
	detail   string
	body     []byte // of a 2xx answer
}

const robotsVersion = 1

func (r *robotsRecord) append(b []byte) []byte {
	var settled byte
	if r.settled {
		settled = 1
	}
	b = append(b, robotsVersion, settled)
	b = binary.AppendVarint(b, r.at)
	b = binary.AppendVarint(b, r.until)
	for _, n := range [...]int{r.hops, r.attempts, r.status} {
		b = binary.AppendUvarint(b, uint64(max(n, 0)))
	}
	for _, s := range [...]string{r.url, r.via, string(r.failure), r.detail} {
		b = appendString(b, s)
	}
	return append(binary.AppendUvarint(b, uint64(len(r.body))), r.body...)
}

func parseRobots(v []byte) (*robotsRecord, error) {
	if len(v) < 2 || v[0] != robotsVersion {
		return nil, errVersion
	}
	d := decoder{b: v[2:]}
	r := &robotsRecord{settled: v[1] == 1, at: d.varint(), until: d.varint()}
	for _, n := range [...]*int{&r.hops, &r.attempts, &r.status} {
		*n = d.int()
	}
	r.url, r.via, r.failure, r.detail = d.string(), d.string(), kavosh.Failure(d.string()), d.string()
	r.body = []byte(d.string())
	return r, d.end()
}

// counters has the numbers for Stats, the bound of the ids given out, and the budgets with their round.
type counters struct {
	known, queued, finished, rejected, bytes, hosts int64
	limited                                         int64  // of queued, those that wait in the lists of limits (limited.go)
	asked                                           int64  // URLs that were requested, each counted once, without robots.txt
	reserved                                        uint64 // no id at or above it was ever given out
	round                                           uint32 // the round of budgets that is on (allowance.go)
	hostBudget, domainBudget                        int64
}

const (
	countersVersion       = 4
	countersWithoutLimits = 3 // written by earlier releases: limited and asked are missing
)

func (c *counters) append(b []byte) []byte {
	b = append(b, countersVersion)
	for _, n := range [...]int64{c.known, c.queued, c.finished, c.rejected, c.bytes, c.hosts} {
		b = binary.AppendVarint(b, n)
	}
	b = binary.AppendUvarint(b, c.reserved)
	b = binary.AppendUvarint(b, uint64(c.round))
	b = binary.AppendVarint(b, c.hostBudget)
	b = binary.AppendVarint(b, c.domainBudget)
	return binary.AppendVarint(binary.AppendVarint(b, c.limited), c.asked)
}

func parseCounters(v []byte) (counters, error) {
	if len(v) < 1 || v[0] != countersVersion && v[0] != countersWithoutLimits {
		return counters{}, errVersion
	}
	d := decoder{b: v[1:]}
	var c counters
	for _, n := range [...]*int64{&c.known, &c.queued, &c.finished, &c.rejected, &c.bytes, &c.hosts} {
		*n = d.varint()
	}
	c.reserved, c.round = d.uvarint(), d.uint32()
	c.hostBudget, c.domainBudget = d.varint(), d.varint()
	if v[0] == countersVersion {
		c.limited, c.asked = d.varint(), d.varint()
	} else {
		c.asked = c.finished // those that were refused among them
	}
	return c, d.end()
}

var (
	errVersion   = errors.New("unknown version")
	errMalformed = errors.New("malformed")
)

// corrupt returns the error for an entry that cannot have been written by us.
func corrupt(key []byte, what any) error {
	return fmt.Errorf("frontier: %w: corrupt entry %q: %v", ErrDamaged, key, what)
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendTime keeps a time to the nanosecond; the zero time stays zero.
func appendTime(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return binary.AppendVarint(b, 0)
	}
	return binary.AppendVarint(b, t.UnixNano())
}

func appendFloat(b []byte, x float64) []byte {
	return binary.BigEndian.AppendUint64(b, math.Float64bits(x))
}

// decoder reads the fields of a value in order. If one does not decode, later fields are of no use, and end returns an
// error.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.b)
	if size <= 0 {
		d.b, d.bad = nil, true
		return 0
	}
	d.b = d.b[size:]
	return n
}

func (d *decoder) varint() int64 {
	n, size := binary.Varint(d.b)
	if size <= 0 {
		d.b, d.bad = nil, true
		return 0
	}
	d.b = d.b[size:]
	return n
}

func (d *decoder) int() int {
	n := d.uvarint()
	if n > math.MaxInt32 {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) uint32() uint32 {
	n := d.uvarint()
	d.bad = d.bad || n > math.MaxUint32
	return uint32(n)
}

func (d *decoder) string() string { return string(d.text()) }

// like returns a string that begins as another one does: how many bytes they share comes first, then the rest.
func (d *decoder) like(other string) string {
	n, rest := d.int(), d.text()
	if n > len(other) {
		d.b, d.bad = nil, true
		return ""
	}
	if len(rest) == 0 {
		return other[:n]
	}
	return other[:n] + string(rest)
}

// text returns the bytes of the next string.
func (d *decoder) text() []byte {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.b, d.bad = nil, true
		return nil
	}
	s := d.b[:n]
	d.b = d.b[n:]
	return s
}

// bytes returns the next n bytes; zeros if there are fewer.
func (d *decoder) bytes(n int) []byte {
	if len(d.b) < n {
		d.b, d.bad = nil, true
		return make([]byte, n)
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) float() float64 { return math.Float64frombits(binary.BigEndian.Uint64(d.bytes(8))) }

func (d *decoder) time() time.Time {
	n := d.varint()
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// end returns an error if a read failed, or bytes are left over.
func (d *decoder) end() error {
	if d.bad || len(d.b) > 0 {
		return errMalformed
	}
	return nil
}
