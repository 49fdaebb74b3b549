package change

// This file tells how the structure of a site changed: which links a page has that it did not have, and which it lost.

import (
	"context"
	"slices"
	"strings"

	"kavosh/lib/segment"
)

// compareVisits fills in Report, Came and Went.
func (r *Reader) compareVisits(ctx context.Context, v *Visit) error {
	report, was, is, err := r.compare(ctx, v.Old, v.New)
	if err != nil || !slices.ContainsFunc(report.Operations, tellsLink) {
		v.Report = report
		return err
	}
	if was == nil { // the difference was kept
		if was, err = r.Page(ctx, v.Old); err != nil {
			return err
		}
		if is, err = r.Page(ctx, v.New); err != nil {
			return err
		}
	}
	v.Report = report
	v.Came, v.Went = outlinks(report, leads(was), leads(is))
	return nil
}

// tellsLink reports whether an operation is on a link, and tells something.
func tellsLink(o Operation) bool { return o.What == Link && o.Noise == "" }

// outlinks returns the addresses that came and went by operations that tell something, each sorted. was and is are those to which both
// versions lead.
func outlinks(report *Report, was, is map[string]bool) (came, went []string) {
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
		if tellsLink(o) {
			went, came = take(went, o.Old, is), take(came, o.New, was)
		}
	}
	slices.Sort(came)
	slices.Sort(went)
	return slices.Compact(came), slices.Compact(went)
}

// leads returns the addresses to which a page leads.
func leads(page *segment.Page) map[string]bool {
	all := map[string]bool{}
	for _, b := range Blocks(page) {
		for _, l := range b.Links {
			if to, ok := lead(l.Address); ok {
				all[to] = true
			}
		}
	}
	return all
}

// lead returns the page to which a link leads; ok is false if it leads to none.
func lead(address string) (to string, ok bool) {
	to, _, _ = strings.Cut(canonical(address), "#")
	return to, strings.HasPrefix(to, "http:") || strings.HasPrefix(to, "https:")
}
