package lab

// This file writes what came out as tables of comma-separated values, one table a file (docs/lab.md).

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// CSVTable is one table. Numbers have six significant digits at most; a cell is empty if there is no value.
type CSVTable struct {
	Name string // of letters, digits and "-", without an ending
	Head []string
	Rows [][]string
}

// Write writes the table with its heads as comma-separated values.
func (t CSVTable) Write(w io.Writer) error {
	c := csv.NewWriter(w)
	return c.WriteAll(append([][]string{t.Head}, t.Rows...)) // which flushes, too
}

// add appends a row.
func (t *CSVTable) add(cells ...any) {
	row := make([]string, 0, len(t.Head))
	for _, cell := range cells {
		switch v := cell.(type) {
		case float64:
			row = append(row, number(v))
		case *Interval:
			if v == nil {
				row = append(row, "", "", "")
				continue
			}
			row = append(row, number(v.Mean), number(v.Low), number(v.High))
		default:
			row = append(row, fmt.Sprint(v))
		}
	}
	t.Rows = append(t.Rows, row)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// intervals are the heads of intervals: of each its mean, its low and its high bound.
func intervals(names ...string) (heads []string) {
	for _, name := range names {
		heads = append(heads, name, name+"_low", name+"_high")
	}
	return heads
}

// Runs returns a table with a row for each run.
func Runs(results []Result) CSVTable {
	t := CSVTable{Name: "runs", Head: []string{"web", "relevant", "start", "mode", "order", "seed", "pages", "reachable", "texts", "fetches", "missing", "area", "area_requests",
		"recall_5", "recall_12", "recall_25", "recall_50", "harvest_5", "harvest_12", "harvest_25", "harvest_50",
		"requests_recall_5", "requests_recall_12", "requests_recall_25", "requests_recall_50", "requests_harvest_5", "requests_harvest_12", "requests_harvest_25", "requests_harvest_50",
		"to_50", "to_80", "to_95", "to_99", "requests_to_50", "requests_to_80", "requests_to_95", "requests_to_99",
		"hours_50", "hours_80", "hours_95", "hours_99", "hosts_10", "rank_10", "inward_10", "judge_precision", "judge_recall", "hosts_to_find", "relevant_hosts_5", "relevant_hosts_12", "relevant_hosts_25", "relevant_hosts_50", "requests_relevant_hosts_5", "requests_relevant_hosts_12", "requests_relevant_hosts_25", "requests_relevant_hosts_50", "relevant_hosts_area", "requests_relevant_hosts_area",
		"domains_to_find", "relevant_domains_5", "relevant_domains_12", "relevant_domains_25", "relevant_domains_50", "requests_relevant_domains_5", "requests_relevant_domains_12", "requests_relevant_domains_25", "requests_relevant_domains_50", "relevant_domains_area", "requests_relevant_domains_area"}}
	for i := range results {
		r := &results[i]
		row := []any{r.Web, r.Relevant, r.Start, r.Mode, r.Order, r.Seed, r.Pages, r.Reachable, r.Texts, r.Fetches, r.Missing, r.Area, r.Requests.Area}
		for _, v := range slices.Concat(r.Recall[:], r.Harvest[:], r.Requests.Recall[:], r.Requests.Harvest[:]) {
			row = append(row, v)
		}
		for _, v := range append(r.To[:], r.Requests.To[:]...) {
			row = append(row, v)
		}
		for _, v := range r.ToHours {
			row = append(row, v)
		}
		row = append(row, r.Hosts10, r.Rank10, r.In10, r.Judged.Precision, r.Judged.Recall)
		for _, found := range []struct {
			all int
			*Goal
		}{{r.HostsToFind, &r.RelevantHosts}, {r.DomainsToFind, &r.RelevantDomains}} {
			row = append(row, found.all)
			for _, v := range append(found.Recall[:], found.Requests.Recall[:]...) {
				row = append(row, v)
			}
			row = append(row, found.Area, found.Requests.Area)
		}
		t.add(row...)
	}
	return t
}

// CSVTables returns all tables of the report: its own, by their place and title, and those of its comparison.
func (r *Report) CSVTables() (all []CSVTable) {
	for i, table := range r.Tables {
		t := CSVTable{Name: fmt.Sprintf("%02d-%s", i+1, fileName(table.Title.En)), Rows: table.Rows}
		for _, head := range table.Heads {
			t.Head = append(t.Head, head.En)
		}
		all = append(all, t)
	}
	if r.Compared != nil {
		all = append(all, r.Compared.CSVTables()...)
	}
	return all
}

// CSVTables returns the orders with their scores, the curves, and the units that were left out.
func (c *Comparison) CSVTables() []CSVTable {
	orders := CSVTable{Name: "orders", Head: append(append([]string{"order"},
		intervals("recall_5", "recall_12", "recall_25", "recall_50", "harvest_5", "harvest_12", "harvest_25", "harvest_50", "recall_12_to_breadth", "recall_12_to_oracle",
			"requests_recall_5", "requests_recall_12", "requests_recall_25", "requests_recall_50", "requests_harvest_5", "requests_harvest_12", "requests_harvest_25", "requests_harvest_50")...),
		append([]string{"to_80_to_oracle", "requests_to_80_to_oracle", "units_with_80", "units", "webs_with_80_near_oracle", "webs", "early", "area", "area_requests", "hosts_10", "rank_10", "inward_10", "missing", "hours_80"},
			append(append(intervals("hours_80_to_breadth", "area_to_best", "area_requests_to_best"), "relevant_hosts_to_80_to_oracle"), spreadHeads()...)...)...)}
	for i := range c.Orders {
		s := &c.Orders[i]
		row := []any{s.Order}
		for _, in := range append(s.Recall[:], s.Harvest[:]...) {
			row = append(row, &in)
		}
		row = append(row, s.Hits, s.Oracle)
		for _, in := range append(s.Asked.Recall[:], s.Asked.Harvest[:]...) {
			row = append(row, &in)
		}
		orders.add(append(row, s.To80, s.Asked.To80, s.Got80, c.Units, s.Near80, c.Webs, s.Early, s.Area, s.Asked.Area, s.Hosts10, s.Rank10, s.In10, s.Missing,
			s.Hours80, s.Hours80B, s.Against, s.Asked.Against, s.RelevantHosts80)...)
		last := &orders.Rows[len(orders.Rows)-1]
		for _, spread := range []*Spread{&s.RelevantHosts, &s.RelevantDomains} {
			cells := CSVTable{}
			cells.add(spread.cells()...)
			*last = append(*last, cells.Rows[0]...)
		}
	}
	curves := CSVTable{Name: "curves", Head: []string{"order", "axis", "share", "value"}}
	for i := range c.Curves {
		curve := &c.Curves[i]
		for _, axis := range []Axis{Recall, Requests, Hosts, RelevantHosts, RelevantHostsRequests, RelevantDomains, RelevantDomainsRequests, Time} {
			for at, v := range curve.of(axis) {
				curves.add(curve.Order, axis, curve.Share[at], v)
			}
		}
	}
	left := CSVTable{Name: "left-out", Head: []string{"web", "relevant", "start", "why"}}
	for _, l := range c.Left {
		left.add(l.Web, l.Relevant, l.Start, l.Why)
	}
	return []CSVTable{orders, curves, left}
}

// spreadHeads are the heads of spread.cells, for relevant hosts and for their registered domains.
func spreadHeads() (heads []string) {
	for _, of := range []string{"relevant_hosts_", "relevant_domains_"} {
		heads = append(heads, intervals(of+"5", of+"12", of+"25", of+"50", of+"requests_5", of+"requests_12", of+"requests_25", of+"requests_50")...)
		heads = append(append(heads, of+"area", of+"area_requests"), intervals(of+"area_to_best")...)
	}
	return heads
}

func (s *Spread) cells() (cells []any) {
	for _, in := range append(s.Recall[:], s.Asked[:]...) {
		cells = append(cells, &in)
	}
	return append(cells, s.Area, s.AskedArea, s.Against)
}

// CSVTables returns the counts of the web, and its labels with their pages.
func (s *Surveyed) CSVTables() []CSVTable {
	web := CSVTable{Name: "web", Head: []string{"web", "pages", "ok", "hosts", "texts", "links", "inside", "widest", "orphans"}}
	web.add(s.Web, s.Pages, s.OK, s.Hosts, s.Texts, s.Links, s.Inside, s.Widest, s.Orphans)
	labels := CSVTable{Name: "labels", Head: []string{"label", "pages"}}
	for _, l := range slices.Sorted(maps.Keys(s.Labels)) {
		labels.add(l, s.Labels[l])
	}
	return []CSVTable{web, labels}
}

// longestName bounds the part of a file's name that is made of a title, in bytes.
const longestName = 60

// fileName makes a part of a file's name of a title: its ASCII letters and digits, with "-" for all between.
func fileName(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	name := strings.Join(words, "-")
	return strings.Trim(name[:min(len(name), longestName)], "-")
}
