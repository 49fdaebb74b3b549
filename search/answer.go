package search

// This file turns what a search has found into the answer that readers see: the requested page of results, facets and
// months. It reads the index, and writes nothing.

import (
	"cmp"
	"container/heap"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"kavosh"
)

const (
	usualLimit = 10
	mostLimit  = 100
	mostFacets = 20
)

// best is a heap of the groups that come first in the answer. The last of them is at the top.
type best struct {
	found []found
	after func(a, b *found) bool
	at    []int32
}

func (b *best) Len() int           { return len(b.at) }
func (b *best) Less(i, j int) bool { return b.after(&b.found[b.at[i]], &b.found[b.at[j]]) }
func (b *best) Swap(i, j int)      { b.at[i], b.at[j] = b.at[j], b.at[i] }
func (b *best) Push(x any)         { b.at = append(b.at, x.(int32)) }
func (b *best) Pop() any {
	last := b.at[len(b.at)-1]
	b.at = b.at[:len(b.at)-1]
	return last
}

// page adds the groups of the requested page to result.
func (f *search) page(result *kavosh.SearchResult) error {
	limit := f.ask.Limit
	if limit <= 0 {
		limit = usualLimit
	}
	limit = min(limit, mostLimit)
	offset := max(0, min(f.ask.Offset, kavosh.MaxSearchOffset))
	newest := f.ask.Sort == kavosh.ByNewest
	top := &best{found: f.found, after: func(a, b *found) bool {
		switch {
		case newest && a.last != b.last:
			return a.last < b.last
		case a.score != b.score:
			return a.score < b.score
		case a.alike != b.alike:
			return a.alike < b.alike
		}
		return a.url > b.url
	}}
	for i := range f.found {
		switch {
		case len(top.at) < offset+limit:
			heap.Push(top, int32(i))
		case top.after(&f.found[top.at[0]], &f.found[i]):
			top.at[0] = int32(i)
			heap.Fix(top, 0)
		}
	}
	var order []int32
	for len(top.at) > 0 {
		order = append(order, heap.Pop(top).(int32))
	}
	slices.Reverse(order)
	result.Groups = []kavosh.SearchGroup{}
	for _, i := range order[min(offset, len(order)):] {
		g, err := f.group(&f.found[i])
		if err != nil {
			return err
		}
		result.Groups = append(result.Groups, g)
	}
	return nil
}

// group returns a found URL in the form in which it is shown.
func (f *search) group(x *found) (g kavosh.SearchGroup, err error) {
	d, err := f.stored(x.doc, &f.room)
	if err != nil {
		return g, err
	}
	in := &f.facts.info[x.info]
	g = kavosh.SearchGroup{
		Time: instant(x.best), First: instant(x.first), Newest: instant(x.last), Captures: int(x.captures), Page: d.page,
		Lang: cmp.Or(f.langNames.list[f.langs[x.doc]], "und"), Type: f.facts.types.list[in.kind], Status: int(in.code),
		Score: float64(x.score), Likeness: int(x.alike), Digest: d.digest,
	}
	if g.URL, err = f.facts.url(f.segments, x.url); err != nil {
		return g, err
	}
	m := f.marker()
	g.Title = kavosh.Snippet{Text: d.title, Marks: m.marks(d.title)}
	g.Snippet = m.snippet(d.text)
	return g, nil
}

func instant(seconds uint32) time.Time { return time.Unix(int64(seconds), 0).UTC() }

// facets counts the found URLs by the values of fields.
func (f *search) facets() []kavosh.SearchFacet {
	if f.hostCounts == nil {
		f.hostCounts = make([]int, len(f.facts.hosts.list))
	}
	var hosts []uint32 // the hosts that were counted
	var years, types, statuses, langs [64]int
	each := func(mask uint64, counts *[64]int) {
		for ; mask != 0; mask &= mask - 1 {
			counts[bits.TrailingZeros64(mask)]++
		}
	}
	for i := range f.found {
		x := &f.found[i]
		host := f.facts.host[x.url]
		if f.hostCounts[host]++; f.hostCounts[host] == 1 {
			hosts = append(hosts, host)
		}
		each(x.years, &years)
		each(x.types, &types)
		each(x.statuses, &statuses)
		each(x.langs, &langs)
	}
	var byHost []kavosh.FacetValue
	for _, h := range hosts {
		byHost = append(byHost, kavosh.FacetValue{Value: f.facts.hosts.list[h], Count: f.hostCounts[h]})
		f.hostCounts[h] = 0
	}
	var byYear []kavosh.FacetValue
	for i, n := range years {
		if n > 0 {
			byYear = append(byYear, kavosh.FacetValue{Value: strconv.Itoa(firstYears[f.calendar] + i), Count: n})
		}
	}
	return []kavosh.SearchFacet{
		facet(kavosh.FieldHost, byHost), facet(kavosh.FieldLang, valuesOf(&langs, f.langNames.list, "und")),
		facet(kavosh.FieldType, valuesOf(&types, f.facts.types.list, "")), {Field: kavosh.FieldYear, Values: byYear},
		facet(kavosh.FieldStatus, valuesOf(&statuses, f.facts.statuses.list, "")),
	}
}

// valuesOf returns the values that were counted. Those without a name are counted under unnamed.
func valuesOf(counts *[64]int, names []string, unnamed string) (values []kavosh.FacetValue) {
	for i, n := range counts {
		if n > 0 && i < len(names) {
			values = append(values, kavosh.FacetValue{Value: cmp.Or(names[i], unnamed), Count: n})
		}
	}
	return values
}

// facet returns the most frequent values of a field.
func facet(field string, values []kavosh.FacetValue) kavosh.SearchFacet {
	slices.SortFunc(values, func(a, b kavosh.FacetValue) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	n := min(len(values), mostFacets)
	return kavosh.SearchFacet{Field: field, Values: values[:n], More: len(values) - n}
}

// byMonth returns how many captures were found in each month, from the archive's first month to its last.
func (f *search) byMonth() (months []kavosh.SearchMonth) {
	all := f.facts.months[f.calendar]
	if f.months == nil || len(all) == 0 {
		return nil
	}
	first, last := ^uint32(0), uint32(0)
	for m := range all {
		first, last = min(first, m), max(last, m)
	}
	const mostMonths = 100 * 12
	for m := max(first, last-min(last, mostMonths)); m <= last; m++ {
		months = append(months, kavosh.SearchMonth{Month: fmt.Sprintf("%04d-%02d", m/12, m%12+1), Found: f.months[m], All: all[m]})
	}
	return months
}
