// Command crawl compares kavosh crawl with the crawlers of Debian, and with the ceiling: a bare loop that only fetches
// the same pages, computes their SHA-256, finds their links and compresses them.
//
// A server in its own process serves a site of 64 hosts (from 127.0.1.1 on, at one port) from memory. Each crawler in
// turn gets all of it from one seed. Measured are the processor time of the crawler's process, its duration, its peak
// memory and what it wrote. There are three sites: generated text that compresses like prose ("hard"), generated text
// that repeats itself like pages from templates ("easy"), and the pages of a Debian documentation package; hard is also
// served over TLS. The results are printed as a table with ratios and written as JSON.
//
// The program is also the server ("crawl serve"), the ceiling ("crawl ceiling"), and a crawl by the engine in its own
// process, for a profile:
//
//	go run ./bench/crawl inproc -site hard -cpuprofile cpu.prof -memprofile mem.prof
//
// It also compares the speed of two versions of that crawl ("crawl against -base COMMIT").
//
// site.go and prose.go make the sites, server.go serves them, ceiling.go is the bare loop, peers.go has the other
// crawlers, compare.go runs them all, table.go prints the comparison; against.go has the two versions.
package main

import (
	"fmt"
	"os"
)

func main() {
	parts := map[string]func([]string) error{"serve": serve, "ceiling": ceiling, "inproc": inproc, "against": against}
	part, args := compare, os.Args[1:]
	if len(args) > 0 && parts[args[0]] != nil {
		part, args = parts[args[0]], args[1:]
	}
	if err := part(args); err != nil {
		fmt.Fprintln(os.Stderr, "bench/crawl:", err)
		os.Exit(1)
	}
}
