package search

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/dates"
)

// facts are the captures of an index in memory, ready to be filtered and counted: some 8 bytes a capture, 20 a URL, 36
// a document at a URL. What may not be shown is not in them, so that nothing that is found, counted or told of comes
// from it.
type facts struct {
	refs     []uint64 // of each URL: the segment and the ordinal there that it can be read by
	firstRow []uint32 // of each URL, and one more
	host     []uint32 // of each URL
	depth    []uint8  // of each URL: folders and parameters
	times    []uint32 // of each row: seconds since 1970; the rows of a URL by time
	docs     []uint32 // of each row
	infos    []uint16 // of each row
	info     []info   // what they stand for

	holdAt []uint32 // of each document, and one more: its holdings
	holds  []holding

	hosts, types, statuses numbers
	months                 [2]map[uint32]int // by calendar: searchable captures a month, years*12+month
	almanac                almanac
}

// info is what many captures share.
type info struct {
	kind, status uint8 // number of type and status
	code         uint16
	mention      bool
}

// holding is a document as a URL had it.
type holding struct {
	url         uint32
	first, last uint32 // seconds since 1970
	captures    uint32
	info        uint16
	years       uint64 // of the Gregorian calendar, a bit each, from firstYears on; what lies outside has the first or the last
}

// Hidden says which captures of an archive must not be found.
type Hidden struct {
	// Capture reports whether a capture may not; nil for none. The time has seconds. digest is one of Digests that the
	// payload has, or another payload from which the same text was read; "" for the address alone.
	Capture func(url string, at time.Time, digest string) bool
	Digests []string // of payloads, as the capture log has them, that Capture is asked about
}

const maxKinds = 63 // types and statuses that are told apart; the others have the number 63

// readFacts reads the captures of segments, without hidden ones.
func readFacts(segments []*segment, documents int, hidden Hidden) (*facts, error) {
	f := &facts{months: [2]map[uint32]int{{}, {}}, almanac: newAlmanac()}
	hide, err := newHider(segments, documents, hidden)
	if err != nil {
		return nil, err
	}
	infos := map[info]uint16{}
	number := map[*segment]int{}
	for i, s := range segments {
		number[s] = i
	}
	var all []holding
	var docOf []uint32
	m := mergeRuns(segments)
	for m.advance() {
		url := uint32(len(f.refs))
		begin := len(f.times)
		f.firstRow = append(f.firstRow, uint32(begin))
		for _, c := range hide.visible(m.url, m.captures) {
			if int(c.doc) >= documents {
				return nil, ErrDamaged
			}
			in := info{
				kind: uint8(min(f.types.get(c.in.foot.Types[c.kind]), maxKinds)), status: uint8(min(f.statuses.get(strconv.Itoa(int(c.status))), maxKinds)),
				code: c.status, mention: c.mention,
			}
			n, ok := infos[in]
			if !ok {
				n = uint16(len(f.info))
				infos[in] = n
				f.info = append(f.info, in)
			}
			f.times, f.docs, f.infos = append(f.times, c.time), append(f.docs, c.doc), append(f.infos, n)
			if !c.mention {
				for calendar := range f.months {
					f.months[calendar][f.almanac.month(dates.Calendar(calendar), c.time)]++
				}
			}
		}
		if len(f.times) == begin {
			f.firstRow = f.firstRow[:url]
			continue
		}
		in := m.found[0]
		f.refs = append(f.refs, uint64(number[in.s])<<40|uint64(in.ordinal))
		f.host = append(f.host, uint32(f.hosts.get(hostOf(m.url))))
		f.depth = append(f.depth, depthOf(m.url))
		all, docOf = f.hold(all, docOf, url, begin)
	}
	if m.err != nil {
		return nil, m.err
	}
	f.firstRow = append(f.firstRow, uint32(len(f.times)))
	f.holdAt = make([]uint32, documents+1)
	for _, doc := range docOf {
		f.holdAt[doc+1]++
	}
	for i := range documents {
		f.holdAt[i+1] += f.holdAt[i]
	}
	f.holds = make([]holding, len(all))
	at := slices.Clone(f.holdAt)
	for i, doc := range docOf {
		f.holds[at[doc]] = all[i]
		at[doc]++
	}
	return f, nil
}

// depthOf is how deep a URL lies: its folders, and two for a query.
func depthOf(url string) uint8 {
	_, rest, _ := strings.Cut(url, "://")
	path, _, query := strings.Cut(rest, "?")
	n := strings.Count(strings.TrimSuffix(path, "/"), "/")
	if query {
		n += 2
	}
	return uint8(min(n, 255))
}

// find is the number of a URL.
func (f *facts) find(segments []*segment, url string) (n uint32, ok bool, err error) {
	i := sort.Search(len(f.refs), func(i int) bool {
		if err != nil {
			return true
		}
		var at string
		at, err = f.url(segments, uint32(i))
		ok = ok || at == url
		return at >= url
	})
	return uint32(i), ok, err
}

// url is a URL by its number.
func (f *facts) url(segments []*segment, n uint32) (string, error) {
	return segments[f.refs[n]>>40].urlAt(int(f.refs[n] & (1<<40 - 1)))
}

// hold appends the holdings of a URL, whose rows begin at begin.
func (f *facts) hold(all []holding, docOf []uint32, url uint32, begin int) ([]holding, []uint32) {
	rows := make([]int, 0, 8)
	for row := begin; row < len(f.times); row++ {
		rows = append(rows, row)
	}
	sort.SliceStable(rows, func(i, j int) bool {
		a, b := rows[i], rows[j]
		return f.docs[a] < f.docs[b] || f.docs[a] == f.docs[b] && f.infos[a] < f.infos[b]
	})
	for i, row := range rows {
		if i == 0 || f.docs[row] != f.docs[rows[i-1]] || f.infos[row] != f.infos[rows[i-1]] {
			all = append(all, holding{url: url, first: f.times[row], info: f.infos[row]})
			docOf = append(docOf, f.docs[row])
		}
		h := &all[len(all)-1]
		h.last = f.times[row]
		h.captures++
		h.years |= yearBit(dates.Gregorian, f.almanac.month(dates.Gregorian, f.times[row]))
	}
	return all, docOf
}

// of are the holdings of a document.
func (f *facts) of(doc uint32) []holding { return f.holds[f.holdAt[doc]:f.holdAt[doc+1]] }

// rows gives the rows of a URL from first on, before end.
func (f *facts) rows(url uint32) (first, end int) {
	return int(f.firstRow[url]), int(f.firstRow[url+1])
}

// at reports whether a document is what a URL showed at a time: whether its newest capture that is not later is of it.
func (f *facts) at(h *holding, doc uint32, seconds uint32) bool {
	if h.first > seconds {
		return false
	}
	first, end := f.rows(h.url)
	times := f.times[first:end]
	n := sort.Search(len(times), func(i int) bool { return times[i] > seconds })
	for n--; n >= 0; n-- {
		if !f.info[f.infos[first+n]].mention {
			return f.docs[first+n] == doc
		}
	}
	return false
}

// seconds is a time as rows have it.
func seconds(t time.Time) uint32 { return uint32(max(0, min(t.Unix(), 1<<32-1))) }
