// Command browser measures crawls with the browser on 40 sites that others made: how much of what a crawl with
// --browser always finds one with auto finds, and never, and what each takes.
//
//	go run ./bench/browser make CLONES DIR
//	go run ./bench/browser [-modes never,auto,always] [-sites a,b] [-pages 350] [-delay 0s] DIR
//	go run ./bench/browser soak [-pages 2000] [-kills 100] DIR
//
// sites.tsv is the list: 20 sites whose scripts load resources or make links, 20 that do not need theirs (sites.go).
// make unpacks them into DIR (make.go). A local server answers for all of them, as static hosts do, with the first pages
// of each alone, so that a crawl needs no limit (server.go, trim.go). Each crawl is bin/kavosh in a fresh archive, with
// the processor time of all its processes, Chromium's among them (run.go, tree.go). A crawl that was measured is kept in
// DIR/runs and not made again: remove its folder to repeat it. The table has one line a site, and the sums (compare.go,
// table.go).
//
// The mode "again" is always once more: what only one of the two found is noise, such as a random number in a URL, and is
// left out where it was measured.
//
// soak crawls pages of which one in ten is hostile, kills the crawl again and again, and checks that it ends, that nothing is
// lost and that memory stays within its bound (soak.go, soakweb.go).
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	part, args := measure, os.Args[1:]
	if len(args) > 0 && args[0] == "make" {
		part, args = makeSites, args[1:]
	}
	if len(args) > 0 && args[0] == "soak" {
		part, args = soak, args[1:]
	}
	if err := part(args); err != nil {
		fmt.Fprintln(os.Stderr, "bench/browser:", err)
		os.Exit(1)
	}
}

// everyMode lists the modes in the order of the table.
var everyMode = [...]string{"never", "auto", "always", "again"}

// options are what is measured.
type options struct {
	dir    string
	kavosh string
	modes  []string
	sites  []site
	pages  int           // of each site
	delay  time.Duration // between requests to a host
	limit  time.Duration // of one crawl
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("browser", flag.ContinueOnError)
	modes := flags.String("modes", "never,auto,always", "values of --browser, and again for a second run of always")
	names := flags.String("sites", "", "names of sites.tsv, by commas; all if empty")
	flags.StringVar(&o.kavosh, "kavosh", "bin/kavosh", "the program")
	flags.IntVar(&o.pages, "pages", 350, "HTML pages that each site has")
	flags.DurationVar(&o.delay, "delay", 0, "kavosh's --delay")
	flags.DurationVar(&o.limit, "limit", time.Hour, "longest time of a crawl; then it is stopped, and the table says so")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() != 1 {
		return o, errors.New("one argument, the folder of make, is missing or too much")
	}
	o.dir, o.modes = flags.Arg(0), strings.Split(*modes, ",")
	for _, mode := range o.modes {
		if !slices.Contains(everyMode[:], mode) {
			return o, fmt.Errorf("there is no mode %q; modes are %q", mode, everyMode)
		}
	}
	sites, err := readSites()
	if err != nil {
		return o, err
	}
	for _, name := range strings.Split(*names, ",") {
		if name != "" && !slices.ContainsFunc(sites, func(s site) bool { return s.name == name }) {
			return o, fmt.Errorf("sites.tsv has no site %q", name)
		}
	}
	o.sites = slices.DeleteFunc(sites, func(s site) bool { return *names != "" && !slices.Contains(strings.Split(*names, ","), s.name) })
	return o, nil
}

// measure crawls each site in each mode, unless that was done before, and prints the table of all that is known.
func measure(args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := adopt(); err != nil {
		return err
	}
	for _, s := range o.sites {
		for _, mode := range o.modes {
			r, err := o.crawl(s, mode)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, mode, err)
			}
			fmt.Fprintf(os.Stderr, "%s\t%s\t%.1f s of processor\t%.1f s\t%d requests\n", s.name, mode, r.CPU, r.Wall, r.Requests)
		}
	}
	return o.print(os.Stdout)
}
