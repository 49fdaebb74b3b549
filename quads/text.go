package quads

// This file writes a survey's report as text.

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"kavosh"
)

// mostRows is how many rows of a table are written to a terminal.
const mostRows = 12

// className returns a class in words.
func className(c kavosh.Class) string {
	switch c {
	case kavosh.ClassRDF:
		return "R   RDF documents"
	case Parent:
		return "HR  HTML that led to RDF"
	case kavosh.ClassEmbedded:
		return "E   HTML with data"
	case kavosh.ClassPage:
		return "H   other HTML"
	}
	return "N   anything else"
}

// list writes the first of some faults.
func list(w io.Writer, faults []Fault) {
	for _, f := range faults[:min(len(faults), mostRows)] {
		fmt.Fprintf(w, "  %s: %s\n", f.URL, strings.Join(strings.Fields(f.Fault), " "))
	}
}

// Text writes the report for people at a terminal.
func (r *Report) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "Statements: %d, about %d resources in %d documents.\n", r.Statements, r.Resources, r.Documents)
	if r.Broken > 0 {
		fmt.Fprintf(w, "Broken somewhere: %d, of which the statements up to there count.\n", r.Broken)
		list(w, r.Faults)
	}
	if r.Warned > 0 {
		fmt.Fprintf(w, "Faults that were read past: %d in %d documents. What is faulty is left out; the first fault of each:\n", r.Warnings, r.Warned)
		list(w, r.Past)
	}
	table := func(title string, parts []Part, name func(string) string) error {
		if len(parts) == 0 {
			return nil
		}
		fmt.Fprintf(w, "\n%s\n", title)
		fmt.Fprintln(t, "\tstatements\tdocuments\t")
		for i, p := range parts {
			if i == mostRows {
				fmt.Fprintf(t, "and %d more\t\t\t\n", len(parts)-i)
				break
			}
			fmt.Fprintf(t, "%s\t%d\t%d\t\n", name(p.Name), p.Statements, p.Documents)
		}
		return t.Flush()
	}
	same := func(s string) string { return s }
	if len(r.Classes) > 0 {
		fmt.Fprintln(w, "\nDocuments by class")
		for _, p := range r.Classes {
			fmt.Fprintf(t, "%s\t%d\t%.1f %%\t\n", className(kavosh.Class(p.Name)), p.Documents, 100*float64(p.Documents)/float64(r.Documents))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, p := range []struct {
		title string
		parts []Part
		name  func(string) string
	}{
		{"Syntaxes", r.Syntaxes, same}, {"RDF documents as served", r.Served, same}, {"Vocabularies", r.Vocabularies, same},
		{"Predicates", r.Predicates, Short}, {"Types", r.Types, Short},
	} {
		if err := table(p.title, p.parts, p.name); err != nil {
			return err
		}
	}
	return r.lists(w, t)
}

// says returns in words what the endpoint answered.
func (e *Endpoint) says() string {
	switch {
	case e.Statements != nil:
		return fmt.Sprintf("%d statements", *e.Statements)
	case e.Answers:
		return "answered"
	}
	return "no answer"
}

// lists writes the domains, datasets, links and rules.
func (r *Report) lists(w io.Writer, t *tabwriter.Writer) error {
	rest := func(i, all int) bool {
		if i == mostRows {
			fmt.Fprintf(t, "and %d more\t\t\t\t\n", all-i)
		}
		return i == mostRows
	}
	if len(r.Domains) > 0 {
		fmt.Fprintf(w, "\nPay-level domains\n")
		fmt.Fprintln(t, "\tstatements\tdocuments\tRDF\t")
		for i, d := range r.Domains {
			if rest(i, len(r.Domains)) {
				break
			}
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t\n", d.Name, d.Statements, d.Documents, d.RDF)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if len(r.Datasets) > 0 {
		fmt.Fprintf(w, "\nDatasets that are described: %d\n", r.DatasetCount)
		for i, d := range r.Datasets {
			if i == mostRows {
				break
			}
			fmt.Fprintf(w, "  %s  %s\n", cmp.Or(d.IRI, d.Document), d.Title)
		}
	}
	if len(r.Endpoints) > 0 {
		answering := 0
		for _, e := range r.Endpoints {
			if e.Answers {
				answering++
			}
		}
		fmt.Fprintf(w, "\nSPARQL endpoints: %d, of which %d answered\n", len(r.Endpoints), answering)
		for i, e := range r.Endpoints {
			if i == mostRows {
				break
			}
			fmt.Fprintf(w, "  %s  %s\n", e.URL, e.says())
		}
	}
	if len(r.Links) > 0 {
		fmt.Fprintf(w, "\nLinks between domains\n")
		for i, l := range r.Links {
			if rest(i, len(r.Links)) {
				break
			}
			fmt.Fprintf(t, "%s\t→ %s\t%s\t%d\t\n", l.From, l.To, Short(l.Predicate), l.Count)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, rules := range r.Rules {
		fmt.Fprintf(w, "\nThe order of crawl %s\n", rules.Crawl)
		fmt.Fprintln(t, "\tlabel\tapplied\tcorrect\tconfidence\tsupport\t")
		for _, rule := range rules.Rules {
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.1f %%\t%.1f %%\t\n", rule.Name, rule.Label, rule.Applied, rule.Correct, 100*rule.Confidence(), 100*rules.Support(rule))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}
