// Command labdata makes stored webs with labels from published data, for kavosh lab, and the lists of units for its
// recipes.
//
//	labdata webkb FILE.tar.gz OUT   pages of universities in seven classes (webkb.go)
//	labdata blogs CLONE OUT         Persian blogs with their tags (blogs.go)
//	labdata debian OUT              documentation of Debian packages (debian.go, documents.go)
//	labdata rdf CLONES OUT          sites with RDF, from public repositories (rdf.go, sites.tsv)
//	labdata focus CLONE OUT         a web of many languages, from the webs in OUT and others (focus.go)
//	labdata histories CLONES OUT    when pages of real sites changed, from public repositories (histories.go, histories.tsv)
//	labdata series CLONES OUT       what crawls would have found of sites over years, from such (series.go, series.tsv)
//	labdata units DIR               the list lab/recipe/units.tsv, from the webs in DIR (units.go)
//	labdata keywords DIR            lab/recipe/spec04.tsv (spec.go)
//	labdata hosts DIR               lab/recipe/spec03.tsv
//	labdata languages DIR           lab/recipe/spec01.tsv
//
// A web is NAME.warc.gz with its labels in NAME.tsv, a history NAME.history.tsv; existing ones are not made again. `make lab-data` makes all.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// command is what labdata does with its arguments.
type command struct {
	arguments []string
	run       func(arguments []string) error
}

var commands = map[string]command{
	"webkb":     {[]string{"FILE.tar.gz", "OUT"}, func(a []string) error { return webkb(a[0], a[1]) }},
	"blogs":     {[]string{"CLONE", "OUT"}, func(a []string) error { return blogs(a[0], a[1]) }},
	"debian":    {[]string{"OUT"}, func(a []string) error { return packaged(a[0]) }},
	"focus":     {[]string{"CLONE", "OUT"}, func(a []string) error { return focusWeb(a[0], a[1]) }},
	"rdf":       {[]string{"CLONES", "OUT"}, func(a []string) error { return rdfSites(a[0], a[1]) }},
	"histories": {[]string{"CLONES", "OUT"}, func(a []string) error { return histories(a[0], a[1]) }},
	"series":    {[]string{"CLONES", "OUT"}, func(a []string) error { return series(a[0], a[1]) }},
	"units":     {[]string{"DIR"}, func(a []string) error { return units(os.Stdout, a[0]) }},
	"keywords":  {[]string{"DIR"}, func(a []string) error { return keywordList(os.Stdout, a[0]) }},
	"hosts":     {[]string{"DIR"}, func(a []string) error { return hostList(os.Stdout, a[0]) }},
	"languages": {[]string{"DIR"}, func(a []string) error { return languageList(os.Stdout, a[0]) }},
}

func main() {
	if len(os.Args) > 1 {
		if c, ok := commands[os.Args[1]]; ok && len(os.Args) == 2+len(c.arguments) {
			if err := c.run(os.Args[2:]); err != nil {
				fmt.Fprintln(os.Stderr, "labdata:", err)
				os.Exit(1)
			}
			return
		}
	}
	fmt.Fprintln(os.Stderr, "usage: labdata COMMAND …")
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		fmt.Fprintln(os.Stderr, " ", name, strings.Join(commands[name].arguments, " "))
	}
	os.Exit(2)
}
