package recipe

import (
	"strings"
	"testing"

	"kavosh/frontier/order"
	"kavosh/lab"
)

// runOn is a run of an order on a site of 100 pages, that has found so many RDF documents after 20 fetches, and all 4 after
// so many.
func runOn(site, name string, after20, all int) lab.Result {
	r := lab.Result{Run: lab.Run{Web: site + ".warc.gz", Relevant: "label=rdf", Start: "http://" + site + ".test/", Order: name, Mode: "graph", Seed: seed}, Pages: 100, Reachable: 100, Texts: 4}
	r.To = [4]int{0, 0, 0, all}
	r.Area = float64(after20) / 10
	r.Curve = []lab.Point{{}, {Fetches: 20, Texts: after20, Pages: after20}, {Fetches: 100, Texts: 4, Pages: 4}}
	return r
}

func unitOn(role, site string) unit {
	return unit{role, site, "label=rdf", "http://" + site + ".test/", "rdf"}
}

// TestSemanticClaims makes up runs on two sites that count and one for tuning, which no claim is about.
func TestSemanticClaims(t *testing.T) {
	var results []lab.Result
	for site, found := range map[string]map[string]int{
		"good":    {broad: 0, proposed: 3, learned: 4, lab.OracleOrder: 4},
		manySites: {broad: 1, proposed: 3, learned: 2, lab.OracleOrder: 4},
		"try":     {broad: 4, proposed: 4, learned: 0, lab.OracleOrder: 4},
	} {
		for _, o := range append([]string{lab.AllOrder, lab.OracleOrder}, semanticOrders...) {
			all := 60
			if o == lab.OracleOrder {
				all = 30
			}
			r := runOn(site, o, found[o], all)
			if o == everyLink {
				r.Tallies = []order.Tally{{Name: "R", Label: "R", Applied: 4, Correct: 3}, {Name: "N", Label: "N", Applied: 2, Correct: 2}, {Name: "ex1", Label: "R", Applied: 2, Correct: 2}}
			}
			results = append(results, r)
		}
	}
	b := &workspace{units: []unit{unitOn(result, "good"), unitOn(result, manySites), unitOn(tuning, "try")}}
	recognised := []lab.Result{runOn("good", broad, 1, 100)}
	all := semanticSites(b, results, recognised)
	if len(all) != 3 || !all[2].tuning || all[0].rdf != 4 || all[0].recognised != 1 {
		t.Fatalf("sites %+v", all)
	}
	text := func(table lab.Table) string {
		var out strings.Builder
		for _, row := range table.Rows {
			out.WriteString(strings.Join(row, " | ") + "\n")
		}
		return out.String()
	}
	for table, lines := range map[string][]string{
		text(semanticClaims(all, results)): {
			"ten real sites or more | 3 | not met", "R+HR has 5 × breadth-first's recall, or 0.8 of the oracle's | 9999.0 × breadth-first, 0.75 of the oracle | met",
			"of the oracle's | 3.0 × breadth-first, 0.75 of the oracle | not met", "on each site | behind on " + manySites + " | not met", "0.99 of the RDF before 1.5 × the oracle's fetches | 60, the oracle 30 | not met",
		},
		text(semanticFinds(all)):  {"good | 100 | 4 | 4.00 % | 20 | 1 | 0 | 3 | 15.0 % | – | 4 | 20.0 % | 4", "try (tuning) |", "rossettiarchive.org (published) |  |  |  | 2000 | 4 |  | 975 | 48.8 % | 243.8"},
		text(semanticRecall(all)): {"good | 1.000 | 0.000 |"},
		text(labelPrecision(all)): {"good | 3 / 4 | 75.0 % | 0 | – | 2 / 2 | 100.0 %", "mean of those that count |  | 75.0 %"},
		text(rulePrecision(all)):  {"ex1 | 2 | 2 | 66.67 % | 80.89 % | 100.00 % | 99.88 %"}, // of good alone
	} {
		for _, line := range lines {
			if !strings.Contains(table, line) {
				t.Errorf("no %q in\n%s", line, table)
			}
		}
	}
	if strings.Contains(text(semanticClaims(all, results)), "try") {
		t.Error("a claim is about a site for tuning")
	}
}
