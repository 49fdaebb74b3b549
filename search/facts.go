package search

// This file holds the captures of a search index in memory, where every filter and count reads them.

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/dates"
	"kavosh/lib/weburl"
)

// facts holds the captures of an index in memory, ready to be filtered and counted: about 8 bytes for a capture, 20 for
// a URL, 36 for a document at a URL. Captures that may not be shown are left out here, so no result, count or
// suggestion can come from them.
type facts struct {
	refs     []uint64 // of each URL: its segment and its number there
	firstRow []uint32 // of each URL its first row, and at the end the number of rows
	host     []uint32 // of each URL
	depth    []uint8  // of each URL: see depthOf
	times    []uint32 // of each row: seconds since 1970; the rows of a URL by time
	docs     []uint32 // of each row: its document
	infos    []uint16 // of each row: its place in info
	info     []info   // each once

	holdAt []uint32 // of each document its first holding, and at the end the number of holdings
	holds  []holding

	hosts, types, statuses numbers
	months                 [2]map[uint32]int // by calendar: searchable captures a month, years*12+month
	almanac                almanac
}

// info is what many captures have in common.
type info struct {
	kind, status uint8 // the numbers of media type and status
	code         uint16
	mention      bool
}

// holding says when a URL showed a document.
type holding struct {
	url         uint32
	first, last uint32 // seconds since 1970
	captures    uint32
	info        uint16
	years       uint64 // Gregorian years, one bit each (see yearBit)
}

// Hidden says which captures of an archive search must not find.
type Hidden struct {
	// Capture reports whether a capture must not be found. nil hides nothing. The time is in whole seconds. digest is
	// one of Digests, if the capture's payload (or another payload that gave the same text) has it, or "" to ask about
	// the URL alone.
	Capture func(url string, at time.Time, digest string) bool
	Digests []string // the payload digests, written as in the capture log, that Capture must be asked about
}

const maxKinds = 63 // types or statuses that have their own number; all others share the number 63

// readFacts reads the captures of segments, except the hidden ones.
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
		f.host = append(f.host, uint32(f.hosts.get(weburl.Host(m.url))))
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

// depthOf returns how deep a URL lies: its number of folders, plus two for a query.
func depthOf(url string) uint8 {
	_, rest, _ := strings.Cut(url, "://")
	path, _, query := strings.Cut(rest, "?")
	n := strings.Count(strings.TrimSuffix(path, "/"), "/")
	if query {
		n += 2
	}
	return uint8(min(n, 255))
}

// find returns the number of a URL.
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

// url returns the URL with the given number.
func (f *facts) url(segments []*segment, n uint32) (string, error) {
	return segments[f.refs[n]>>40].urlAt(int(f.refs[n] & (1<<40 - 1)))
}

// hold appends the holdings of a URL. Its rows begin at begin.
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

// of returns the holdings of a document.
func (f *facts) of(doc uint32) []holding { return f.holds[f.holdAt[doc]:f.holdAt[doc+1]] }

// rows returns the first row of a URL, and the row after its last.
func (f *facts) rows(url uint32) (first, end int) {
	return int(f.firstRow[url]), int(f.firstRow[url+1])
}

// at reports whether a URL showed a document at a time: whether its newest capture up to that time is of the document.
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

// seconds returns a time in the form that rows have.
func seconds(t time.Time) uint32 { return uint32(max(0, min(t.Unix(), 1<<32-1))) }
