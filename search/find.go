package search

// This file answers one query: it scores the documents that match, filters their captures, and counts them. It reads an
// open snapshot of the index, and writes nothing.

import (
	"context"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"kavosh"
	"kavosh/lib/dates"
)

// Documents are scored by BM25 over their fields (Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple
// weighted fields", 2004). Deep URLs and error pages score less. docs/search.md tells how the numbers were chosen.
const (
	saturation  = 1.2  // BM25's k1: how slowly repeats of a word add less
	lengthText  = 0.75 // BM25's b for the text: how much long texts are discounted
	lengthTitle = 0.3  // the same for titles
	weightTitle = 4.0  // a word in the title counts as often as this
	weightURL   = 1.5  // a word in the URL counts as often as this
	perDepth    = 0.03 // the score is divided by 1 + perDepth × depth (facts.go)
	notFine     = 0.5  // the score of a status other than 2xx is multiplied by it
	mostAlike   = 64   // bits of a perceptual hash
	leastAlike  = 54   // pictures are alike if this many of the 64 bits of their hashes are equal
)

// found is a URL that answers a query.
type found struct {
	url         uint32
	doc         uint32 // its best document
	score       float32
	first, last uint32 // times of the found captures, in seconds since 1970
	best        uint32 // time of the newest capture of the best document
	captures    uint32
	info        uint16 // place in facts.info, of the newest capture of the best document
	alike       uint8
	// The values that it has, one bit each:
	years, types, statuses, langs uint64
}

// scratch is the memory that one query needs. It is used again for the next one.
type scratch struct {
	at    []uint32 // of each URL: its place in found plus 1, or 0 if it is not found
	found []found
	room  textRoom

	hostCounts []int // of each host; all 0 except while facets are counted
}

// search is a query that is being answered.
type search struct {
	*snapshot
	q     *query
	ask   *kavosh.Search
	units []unit
	*scratch
	months map[uint32]int

	hosts, notHosts           map[uint32]bool // nil for no filter
	okTypes, okStatuses       uint64          // the allowed numbers, one bit each
	okYears, okLangs          uint64          // the same; years are of the Gregorian calendar
	years, notYears           []instants      // nil for no filter
	calendar                  dates.Calendar  // for the years and months of the answer
	urls                      []uint64        // the allowed URLs, one bit each; nil allows all
	from, to, at0             uint32          // seconds since 1970
	ranged, timed, isPictures bool
}

// find answers a query.
func (s *snapshot) find(ctx context.Context, ask *kavosh.Search) (*kavosh.SearchResult, error) {
	q := parse(ask.Text)
	for _, f := range ask.Filters {
		q.put(f.Field, f.Value, false, true)
	}
	if ask.Kind != "" {
		q.kind = ask.Kind
	}
	if q.like != "" {
		q.kind = kavosh.SearchPictures
	}
	var mine *scratch
	select {
	case mine = <-s.scratch:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if mine == nil {
		mine = &scratch{at: make([]uint32, len(s.facts.refs))}
	}
	defer func() { s.scratch <- mine }()
	f := &search{snapshot: s, q: q, ask: ask, scratch: mine, isPictures: q.kind == kavosh.SearchPictures}
	return f.answer(ctx)
}

func (f *search) answer(ctx context.Context) (*kavosh.SearchResult, error) {
	defer f.forget()
	var err error
	if f.units, err = f.plan(f.q); err != nil {
		return nil, err
	}
	if err := f.narrow(); err != nil {
		return nil, err
	}
	if f.ask.Months {
		f.months = map[uint32]int{}
	}
	result := &kavosh.SearchResult{}
	if len(f.q.groups) > 0 && len(f.units) == 0 { // of signs alone; without them it would ask for everything
		f.q.note("nothing in the question can be looked for: write a word or a number")
	} else if err := f.collect(ctx, false); err != nil {
		return nil, err
	}
	if wanted := f.wanted(); len(f.found) == 0 && wanted > 1 && f.q.like == "" {
		if err := f.collect(ctx, true); err != nil {
			return nil, err
		}
		result.Relaxed = len(f.found) > 0
	}
	result.Total = len(f.found)
	if err := f.page(result); err != nil {
		return nil, err
	}
	result.Facets = f.facets()
	result.Months = f.byMonth()
	if result.Total == 0 || result.Relaxed {
		if result.DidYouMean, err = f.suggest(); err != nil {
			return nil, err
		}
	}
	if _, has := f.facts.types.of[pdfType]; has && !f.manifest.PDF {
		f.q.note("PDF documents are found by their titles and URLs alone: there was no pdftotext when they were indexed")
	}
	result.Notes = f.q.notes
	return result, nil
}

// wanted returns how many units a document must have.
func (f *search) wanted() (n int) {
	for i := range f.units {
		if !f.units[i].not {
			n++
		}
	}
	return n
}

// forget makes the memory ready for the next query.
func (f *search) forget() {
	for i := range f.found {
		f.scratch.at[f.found[i].url] = 0
	}
	f.found = f.found[:0]
}

// narrow prepares the filters.
func (f *search) narrow() error {
	f.okYears, f.okTypes, f.okStatuses, f.okLangs = ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)
	masks := func(field string, all *uint64, bit func(value string) uint64) {
		if values, ok := f.q.only[field]; ok {
			*all = 0
			for _, v := range values {
				*all |= bit(v)
			}
		}
		for _, v := range f.q.not[field] {
			*all &^= bit(v)
		}
	}
	named := func(n *numbers) func(string) uint64 {
		return func(value string) uint64 {
			if i, ok := n.of[value]; ok {
				return 1 << min(i, maxKinds)
			}
			return 0
		}
	}
	masks(kavosh.FieldType, &f.okTypes, func(v string) (all uint64) {
		for i, name := range f.facts.types.list { // "image" and "pdf" stand for all types of that sort
			if main, sub, _ := strings.Cut(name, "/"); v == name || v == main || v == sub {
				all |= 1 << min(i, maxKinds)
			}
		}
		return all
	})
	masks(kavosh.FieldStatus, &f.okStatuses, named(&f.facts.statuses))
	masks(kavosh.FieldLang, &f.okLangs, func(v string) uint64 {
		if v == "und" {
			v = ""
		}
		for i, name := range f.langNames.list {
			if strings.EqualFold(name, v) {
				return 1 << min(i, maxKinds)
			}
		}
		return 0
	})
	if values, ok := f.q.only[kavosh.FieldYear]; ok {
		f.years, f.okYears = append([]instants{}, years(values)...), 0
		for _, y := range f.years {
			f.okYears |= f.year(dates.Gregorian, y.from) | f.year(dates.Gregorian, y.to)
		}
	}
	f.notYears = years(f.q.not[kavosh.FieldYear])
	if f.ask.Jalali {
		f.calendar = dates.Jalali
	}
	f.from, f.to = 0, ^uint32(0)
	if !f.ask.From.IsZero() {
		f.from, f.ranged = seconds(f.ask.From), true
	}
	if !f.ask.To.IsZero() {
		f.to, f.ranged = seconds(f.ask.To), true
	}
	f.ranged = f.ranged || f.years != nil || f.notYears != nil
	if !f.ask.At.IsZero() {
		f.at0, f.timed = seconds(f.ask.At), true
	}
	f.hosts = f.hostSet(f.q.only[kavosh.FieldHost], f.q.sites)
	f.notHosts = f.hostSet(f.q.not[kavosh.FieldHost], f.q.not["site"])
	return f.narrowURLs()
}

// hostSet returns the numbers of the hosts with the given names and of the hosts of the given sites. It returns nil if
// both lists are empty.
func (f *search) hostSet(names, sites []string) map[uint32]bool {
	if len(names)+len(sites) == 0 {
		return nil
	}
	set := map[uint32]bool{}
	for _, name := range names {
		if i, ok := f.facts.hosts.of[name]; ok {
			set[uint32(i)] = true
		}
	}
	for i, host := range f.facts.hosts.list {
		for _, site := range sites {
			if host == site || strings.HasSuffix(host, "."+site) {
				set[uint32(i)] = true
			}
		}
	}
	return set
}

// narrowURLs finds the URLs that contain what the query wants, in one pass over all URLs.
func (f *search) narrowURLs() error {
	if len(f.q.inURL)+len(f.q.notURL) == 0 {
		return nil
	}
	f.urls = make([]uint64, (len(f.facts.refs)+63)/64)
	m := mergeRuns(f.segments)
	next := uint32(0)
	number := map[*segment]uint64{}
	for i, s := range f.segments {
		number[s] = uint64(i) << 40
	}
	for m.advance() && int(next) < len(f.facts.refs) {
		if number[m.found[0].s]|uint64(m.found[0].ordinal) != f.facts.refs[next] {
			continue // hidden
		}
		if f.urlFits(m.url) {
			f.urls[next/64] |= 1 << (next % 64)
		}
		next++
	}
	return m.err
}

func (f *search) urlFits(url string) bool {
	low := strings.ToLower(url)
	plain := strings.ToLower(unescaped(url))
	holds := func(v string) bool {
		v = strings.ToLower(v)
		return strings.Contains(low, v) || strings.Contains(plain, v)
	}
	return !slices.ContainsFunc(f.q.inURL, func(v string) bool { return !holds(v) }) && !slices.ContainsFunc(f.q.notURL, holds)
}

// collect finds all documents that have every unit of the query or, if relaxed, some of them.
func (f *search) collect(ctx context.Context, relaxed bool) error {
	if f.q.like != "" {
		return f.alike()
	}
	for _, in := range f.segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		var must, not []*matcher
		for i := range f.units {
			m, err := f.newMatcher(in, &f.units[i])
			if err != nil {
				return err
			}
			if m.unit.not {
				not = append(not, m)
			} else {
				must = append(must, m)
			}
		}
		switch {
		case len(must) == 0:
			f.all(in, not)
		case relaxed:
			f.some(in, must, not)
		default:
			f.every(in, must, not)
		}
		for _, m := range append(must, not...) {
			if m.err != nil {
				return m.err
			}
		}
	}
	return nil
}

// all takes every document of a segment.
func (f *search) all(in *segment, not []*matcher) {
	for doc := range in.foot.Documents {
		if !excluded(not, int64(doc)) {
			f.take(in.base+uint32(doc), 1)
		}
	}
}

func excluded(not []*matcher, doc int64) bool {
	for _, m := range not {
		if m.seek(doc) == doc {
			return true
		}
	}
	return false
}

// every takes the documents of a segment that have all units.
func (f *search) every(in *segment, must, not []*matcher) {
	order := slices.Clone(must)
	sort.SliceStable(order, func(i, j int) bool { return order[i].count() < order[j].count() })
	for doc := order[0].seek(0); doc < done; {
		next := doc
		for _, m := range order[1:] {
			if next = m.seek(doc); next > doc {
				break
			}
		}
		if next > doc {
			doc = order[0].seek(next)
			continue
		}
		if !excluded(not, doc) {
			f.take(in.base+uint32(doc), f.score(in, must, doc))
		}
		doc = order[0].seek(doc + 1)
	}
}

// some takes the documents of a segment that have at least half of the units.
func (f *search) some(in *segment, must, not []*matcher) {
	least := max(1, len(must)/2)
	for doc := int64(0); ; doc++ {
		next, n := done, 0
		for _, m := range must {
			switch at := m.seek(doc); {
			case at < next:
				next, n = at, 1
			case at == next:
				n++
			}
		}
		if next == done {
			return
		}
		if doc = next; n >= least && !excluded(not, doc) {
			f.take(in.base+uint32(doc), f.score(in, must, doc))
		}
	}
}

// score returns how well a document answers the query. More is better.
func (f *search) score(in *segment, must []*matcher, doc int64) float64 {
	at := in.base + uint32(doc)
	text := 1 / (1 - lengthText + lengthText*float64(f.words[at])/f.average.words)
	title := weightTitle / (1 - lengthTitle + lengthTitle*float64(f.titles[at])/f.average.title)
	sum := 0.0
	for _, m := range must {
		if m.doc != doc {
			continue
		}
		n := float64(m.inDoc.text)*text + float64(m.inDoc.title)*title + float64(m.inDoc.url)*weightURL
		sum += m.unit.idf * n * (saturation + 1) / (saturation + n)
	}
	return sum
}

// take adds a document to the result, at each of its URLs that passes the filters.
func (f *search) take(doc uint32, score float64) {
	k := f.kinds[doc]
	if picture := k == pictureKind || k == mentionKind; picture != f.isPictures {
		return
	}
	lang := uint64(1) << f.langs[doc]
	if f.okLangs&lang == 0 {
		return
	}
	for i := range f.facts.of(doc) {
		h := &f.facts.of(doc)[i]
		if f.hosts != nil && !f.hosts[f.facts.host[h.url]] || f.notHosts != nil && f.notHosts[f.facts.host[h.url]] ||
			f.urls != nil && f.urls[h.url/64]>>(h.url%64)&1 == 0 {
			continue
		}
		if k == mentionKind {
			f.takeMention(h, doc, score, lang)
			continue
		}
		if f.timed && !f.facts.at(h, doc, f.at0) {
			continue
		}
		f.takeHolding(h, doc, score, lang)
	}
}

// takeMention adds a picture that a page mentions in the words of the query, with the picture's captures.
func (f *search) takeMention(h *holding, doc uint32, score float64, lang uint64) {
	first, end := f.facts.rows(h.url)
	for row := first; row < end; row++ {
		in := f.facts.infos[row]
		if at := f.facts.times[row]; !f.facts.info[in].mention && (!f.timed || at <= f.at0) {
			one := holding{url: h.url, first: at, last: at, captures: 1, info: in, years: f.year(dates.Gregorian, at)}
			f.takeHolding(&one, doc, score, lang)
		}
	}
}

// takeHolding adds a document at one URL to the result, if it passes the filters.
func (f *search) takeHolding(h *holding, doc uint32, score float64, lang uint64) {
	in := &f.facts.info[h.info]
	if f.okTypes>>in.kind&1 == 0 || f.okStatuses>>in.status&1 == 0 || f.okYears&h.years == 0 {
		return
	}
	part := *h
	if f.ranged || f.timed {
		if part = f.within(h, doc); part.captures == 0 {
			return
		}
	}
	if f.months != nil || f.calendar != dates.Gregorian {
		f.countMonths(&part, doc)
	}
	score /= 1 + perDepth*float64(f.facts.depth[h.url])
	if in.code < 200 || in.code > 299 {
		score *= notFine
	}
	n := f.scratch.at[h.url]
	if n == 0 {
		f.found = append(f.found, found{url: h.url, doc: doc, score: float32(score), first: part.first, last: part.last, best: part.last, info: h.info})
		n = uint32(len(f.found))
		f.scratch.at[h.url] = n
	}
	g := &f.found[n-1]
	if s := float32(score); s > g.score || s == g.score && part.last > g.best {
		g.doc, g.score, g.best, g.info = doc, s, part.last, h.info
	}
	g.first, g.last = min(g.first, part.first), max(g.last, part.last)
	g.captures += part.captures
	g.years |= part.years
	g.types |= 1 << in.kind
	g.statuses |= 1 << in.status
	g.langs |= lang
}

// within returns the part of a holding that lies in the requested time.
func (f *search) within(h *holding, doc uint32) holding {
	part := holding{url: h.url, info: h.info}
	f.eachRow(h, doc, func(at uint32) {
		if !f.inTime(at) {
			return
		}
		if part.captures == 0 {
			part.first = at
		}
		part.last = at
		part.captures++
		part.years |= f.year(dates.Gregorian, at)
	})
	if f.timed && part.captures > 1 { // only the newest capture up to that time
		part.first, part.captures, part.years = part.last, 1, f.year(dates.Gregorian, part.last)
	}
	return part
}

// eachRow yields the times of a holding's captures.
func (f *search) eachRow(h *holding, doc uint32, yield func(at uint32)) {
	if h.captures == 1 {
		yield(h.first)
		return
	}
	first, end := f.facts.rows(h.url)
	for row := first; row < end; row++ {
		if f.facts.docs[row] == doc && f.facts.infos[row] == h.info {
			yield(f.facts.times[row])
		}
	}
}

// countMonths counts the found captures of a document by month, and returns their years in the answer's calendar.
func (f *search) countMonths(h *holding, doc uint32) {
	h.years = 0
	f.eachRow(h, doc, func(at uint32) {
		if at < h.first || at > h.last || !f.inTime(at) {
			return
		}
		month := f.facts.almanac.month(f.calendar, at)
		h.years |= yearBit(f.calendar, month)
		if f.months != nil {
			f.months[month]++
		}
	})
}

// inTime reports whether a capture lies in the requested time.
func (f *search) inTime(at uint32) bool {
	return at >= f.from && at <= f.to && (!f.timed || at <= f.at0) && (f.years == nil || within(f.years, at)) && !within(f.notYears, at)
}

// year returns the bit of the year of a time.
func (f *search) year(c dates.Calendar, at uint32) uint64 {
	return yearBit(c, f.facts.almanac.month(c, at))
}

// alike adds the pictures that look like the picture at the requested URL.
func (f *search) alike() error {
	url, ok, err := f.facts.find(f.segments, f.q.like)
	if err != nil {
		return err
	}
	var like uint64
	if ok {
		first, end := f.facts.rows(url)
		for _, p := range f.pictures {
			for row := first; row < end; row++ {
				if f.facts.docs[row] == p.doc {
					like = p.hash
				}
			}
		}
	}
	if like == 0 {
		f.q.note("like: is for pictures of the archive that can be read; " + f.q.like + " is none")
		return nil
	}
	for _, p := range f.pictures {
		if same := mostAlike - bits.OnesCount64(p.hash^like); same >= leastAlike {
			f.take(p.doc, float64(same)/mostAlike)
			for _, h := range f.facts.of(p.doc) {
				if n := f.scratch.at[h.url]; n > 0 {
					f.found[n-1].alike = max(f.found[n-1].alike, uint8(same))
				}
			}
		}
	}
	return nil
}
