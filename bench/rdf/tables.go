package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"kavosh/lib/rdf/format"
)

// row sums the documents of a syntax, or those in which the readers differ for one cause.
type row struct {
	documents, agree, warned, nothing int
	ours, theirs, apart               int64 // statements; sum of the differences in documents
	bytes                             int64
	own, their                        time.Duration
}

func (r *row) add(own, theirs document, same, warned bool, bytes int) {
	r.documents++
	r.ours += own.statements
	r.theirs += theirs.statements
	r.apart += max(own.statements-theirs.statements, theirs.statements-own.statements)
	r.bytes += int64(bytes)
	r.own += own.took
	r.their += theirs.took
	if same {
		r.agree++
	}
	if warned {
		r.warned++
	}
	if own.statements == 0 && theirs.statements == 0 {
		r.nothing++
	}
}

// tables are what the documents add up to.
type tables struct {
	all      row
	syntaxes map[format.Format]*row
	causes   map[string]*row
}

// add adds a document, and returns why the readers differ, or "" if they agree.
func (t *tables) add(f format.Format, own, theirs document, warned bool, bytes int) (cause string) {
	if t.syntaxes == nil {
		t.syntaxes, t.causes = map[format.Format]*row{}, map[string]*row{}
	}
	same := own.statements == theirs.statements && own.hashes == theirs.hashes
	t.all.add(own, theirs, same, warned, bytes)
	of(t.syntaxes, f).add(own, theirs, same, warned, bytes)
	if same {
		return ""
	}
	cause = why(f, own, theirs)
	of(t.causes, cause).add(own, theirs, same, warned, bytes)
	return cause
}

func of[K comparable](rows map[K]*row, key K) *row {
	if rows[key] == nil {
		rows[key] = &row{}
	}
	return rows[key]
}

// print prints the tables.
func (t *tables) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\nsyntax\tdocuments\tagree\tboth nothing\tfaults read past\tstatements\tJena\tdifference\tMB/s\tJena\t")
	line := func(name string, r *row) {
		speed := func(d time.Duration) float64 { return float64(r.bytes) / 1e6 / max(d.Seconds(), 1e-9) }
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%+.3f %%\t%.0f\t%.0f\t\n", name, r.documents, r.agree, r.nothing, r.warned, r.ours, r.theirs,
			100*float64(r.ours-r.theirs)/float64(max(r.theirs, 1)), speed(r.own), speed(r.their))
	}
	for _, f := range slices.Sorted(maps.Keys(t.syntaxes)) {
		line(string(f), t.syntaxes[f])
	}
	line("all", &t.all)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\ndocuments\tstatements\tJena\tapart\t cause")
	for _, cause := range slices.SortedFunc(maps.Keys(t.causes), func(a, b string) int {
		return cmp.Or(t.causes[b].documents-t.causes[a].documents, strings.Compare(a, b))
	}) {
		r := t.causes[cause]
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t %s\n", r.documents, r.ours, r.theirs, r.apart, cause)
	}
	return w.Flush()
}

// causes are tried in turn, each by what stands in our complaint and in Jena's.
var causes = []struct{ own, theirs, cause string }{
	{"has no namespace", "", "names without a namespace: Jena takes them for relative IRIs, we leave them out"},
	{"is relative, and to what", "", "relative namespaces: Jena takes them for IRIs, we leave them out"},
	{"is not UTF-8", "", "bytes that are not UTF-8: Jena stops, we read U+FFFD"},
	{"text where none may stand", "", "stray text: Jena leaves out more beside it"},
	{"is no language", "", "languages that are none: Jena stops, we leave them out"},
	{"", "<<(", "triples in triples, of RDF 1.2: we stop"},
	{"ends at", "ends", "both stop at a fault, not after the same statement"},
	{"an IRI cannot have", "ends", "characters that no IRI has: Jena stops, we percent-encode them"},
	{"an IRI cannot have", "", "characters that no IRI has: Jena keeps them, we percent-encode them"},
	{"", "Code: ", "IRIs that Jena rejects by their scheme, and stops or keeps"},
	{"ends at", "", "we stop at a fault that Jena reads past"},
	{"", "ends", "Jena stops at a fault that we read past, or at what is none"},
	{"", "", "none named"},
}

// why returns the cause of a difference by what the readers complain of.
func why(f format.Format, own, theirs document) string {
	if f == format.N3 {
		return "Notation3, of which Jena reads what is Turtle"
	}
	i := slices.IndexFunc(causes, func(c struct{ own, theirs, cause string }) bool {
		return strings.Contains(own.complaint, c.own) && strings.Contains(theirs.complaint, c.theirs)
	})
	return causes[i].cause
}
