package change

// This file tells how the structure of a site changed: which links a page has that it did not have, and which it lost.

import (
	"context"
	"slices"
	"strings"

	"kavosh/lib/cdx"
)

// Outlinks returns the addresses to which the newer of two captures of a page leads and the older does not, and those to which
// only the older leads, each sorted. report is what differs between them. Links that are noise do not count, nor what
// names a visit or a place within a page.
func (r *Reader) Outlinks(ctx context.Context, old, new *cdx.Entry, report *Report) (came, went []string, err error) {
	was, err := r.leads(ctx, old)
	if err != nil {
		return nil, nil, err
	}
	is, err := r.leads(ctx, new)
	if err != nil {
		return nil, nil, err
	}
	take := func(list []string, v *Value, other map[string]bool) []string {
		if v == nil {
			return list
		}
		if to, ok := lead(v.Address); ok && !other[to] {
			return append(list, to)
		}
		return list
	}
	for _, o := range report.Operations {
		if o.What == Link && o.Noise == "" {
			went, came = take(went, o.Old, is), take(came, o.New, was)
		}
	}
	slices.Sort(came)
	slices.Sort(went)
	return slices.Compact(came), slices.Compact(went), nil
}

// leads returns the addresses to which a capture of a page leads.
func (r *Reader) leads(ctx context.Context, e *cdx.Entry) (map[string]bool, error) {
	page, err := r.Page(ctx, e)
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, b := range Blocks(page) {
		for _, l := range b.Links {
			if to, ok := lead(l.Address); ok {
				all[to] = true
			}
		}
	}
	return all, nil
}

// lead returns the page to which a link leads; ok is false if it leads to none.
func lead(address string) (to string, ok bool) {
	to, _, _ = strings.Cut(canonical(address), "#")
	return to, strings.HasPrefix(to, "http:") || strings.HasPrefix(to, "https:")
}
