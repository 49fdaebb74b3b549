package search

// This file answers a query from several indexes as if they were one.

import (
	"cmp"
	"context"
	"slices"

	"kavosh"
)

// Union searches several indexes as if they were one. It compares the scores of different indexes directly.
type Union []kavosh.Searcher

// Search answers a query. It fails if one of the indexes fails.
func (u Union) Search(ctx context.Context, q kavosh.Search) (*kavosh.SearchResult, error) {
	if len(u) == 1 {
		return u[0].Search(ctx, q)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = usualLimit
	}
	limit, q.Offset = min(limit, mostLimit), max(0, min(q.Offset, kavosh.MaxSearchOffset))
	offset := q.Offset
	// Each index must give all groups that may come before the end of the page.
	all := &kavosh.SearchResult{}
	counts := make(map[string]map[string]int)
	months := map[string]*kavosh.SearchMonth{}
	incomplete := false
	for i, x := range u {
		part, err := upTo(ctx, x, q, offset+limit)
		if err != nil {
			return nil, err
		}
		incomplete = incomplete || part.Incomplete
		if i > 0 && all.Relaxed != part.Relaxed {
			if part.Relaxed || part.Total == 0 {
				continue // another index has documents with all words
			}
			if all.Relaxed {
				*all, counts, months = kavosh.SearchResult{}, map[string]map[string]int{}, map[string]*kavosh.SearchMonth{}
			}
		}
		all.Total += part.Total
		all.Relaxed = part.Relaxed
		all.DidYouMean = cmp.Or(all.DidYouMean, part.DidYouMean)
		all.Groups = append(all.Groups, part.Groups...)
		for _, note := range part.Notes {
			if !slices.Contains(all.Notes, note) {
				all.Notes = append(all.Notes, note)
			}
		}
		for _, f := range part.Facets {
			if counts[f.Field] == nil {
				counts[f.Field] = map[string]int{}
			}
			for _, v := range f.Values {
				counts[f.Field][v.Value] += v.Count
			}
		}
		for _, m := range part.Months {
			if months[m.Month] == nil {
				months[m.Month] = &kavosh.SearchMonth{Month: m.Month}
			}
			months[m.Month].Found += m.Found
			months[m.Month].All += m.All
		}
	}
	if all.Total > 0 && !all.Relaxed {
		all.DidYouMean = ""
	}
	slices.SortStableFunc(all.Groups, func(a, b kavosh.SearchGroup) int {
		if q.Sort == kavosh.ByNewest {
			if c := b.Newest.Compare(a.Newest); c != 0 {
				return c
			}
		}
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.URL, b.URL))
	})
	all.Groups = all.Groups[min(offset, len(all.Groups)):]
	all.Groups = all.Groups[:min(limit, len(all.Groups))]
	for _, field := range []string{kavosh.FieldHost, kavosh.FieldLang, kavosh.FieldType, kavosh.FieldYear, kavosh.FieldStatus} {
		var values []kavosh.FacetValue
		for v, n := range counts[field] {
			values = append(values, kavosh.FacetValue{Value: v, Count: n})
		}
		f := facet(field, values)
		if field == kavosh.FieldYear {
			slices.SortFunc(f.Values, func(a, b kavosh.FacetValue) int { return cmp.Compare(a.Value, b.Value) })
		}
		all.Facets = append(all.Facets, f)
	}
	all.Incomplete = incomplete
	for _, m := range months {
		all.Months = append(all.Months, *m)
	}
	slices.SortFunc(all.Months, func(a, b kavosh.SearchMonth) int { return cmp.Compare(a.Month, b.Month) })
	return all, nil
}

// upTo asks x for the first n groups.
func upTo(ctx context.Context, x kavosh.Searcher, q kavosh.Search, n int) (*kavosh.SearchResult, error) {
	var all *kavosh.SearchResult
	for q.Offset = 0; q.Offset < n; q.Offset += mostLimit {
		q.Limit = min(mostLimit, n-q.Offset)
		part, err := x.Search(ctx, q)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = part
		} else {
			all.Groups = append(all.Groups, part.Groups...)
		}
		if len(part.Groups) < q.Limit {
			break
		}
	}
	return all, nil
}
