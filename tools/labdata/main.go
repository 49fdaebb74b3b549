// Command labdata makes stored webs with labels out of data that others published, for kavosh lab, and the lists of units
// that its recipes run on.
//
//	labdata webkb FILE.tar.gz OUT   pages of universities in seven classes (webkb.go)
//	labdata units DIR               the list lab/recipe/units.tsv, from the webs in DIR (units.go)
//
// A web is NAME.warc.gz with its labels in NAME.tsv; what is there already is not made again. `make lab-data` makes all.
package main

import (
	"fmt"
	"os"
)

const usage = `usage: labdata webkb FILE.tar.gz OUT
       labdata units DIR`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "labdata:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "webkb":
		return webkb(args[1], args[2])
	case len(args) == 2 && args[0] == "units":
		return units(os.Stdout, args[1])
	}
	fmt.Fprintln(os.Stderr, usage)
	os.Exit(2)
	return nil
}
