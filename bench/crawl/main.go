// Command crawl measures kavosh crawl beside the crawlers of Debian, and beside the ceiling: a bare loop that fetches the
// same pages, makes their SHA-256, finds their links and packs them, and does nothing else.
//
// A server in its own process serves a site of 64 hosts (127.0.1.1 and on, at one port) from memory; each crawler gets
// all of it from one seed, one crawler after another. Counted is the processor time of the crawler's process alone, the
// time until it has ended, its peak memory and what it wrote. There are three sites: made-up text that packs like prose
// ("hard"), made-up text that repeats itself like pages made from templates ("easy"), and the pages of a Debian package
// of documentation; hard is also served over TLS. The results are printed as a table with ratios and written as JSON.
//
// The program is also the server ("crawl serve"), the ceiling ("crawl ceiling") and a crawl by the engine in its own
// process for a profile of it:
//
//	go run ./bench/crawl inproc -site hard -cpuprofile cpu.prof -memprofile mem.prof
//
// site.go and prose.go make the sites, server.go serves them, ceiling.go is the bare loop, peers.go has the other
// crawlers, compare.go runs them all, table.go says what came of it.
package main

import (
	"fmt"
	"os"
)

func main() {
	parts := map[string]func([]string) error{"serve": serve, "ceiling": ceiling, "inproc": inproc}
	part, args := compare, os.Args[1:]
	if len(args) > 0 && parts[args[0]] != nil {
		part, args = parts[args[0]], args[1:]
	}
	if err := part(args); err != nil {
		fmt.Fprintln(os.Stderr, "bench/crawl:", err)
		os.Exit(1)
	}
}
