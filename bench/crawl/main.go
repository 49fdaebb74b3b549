// Command crawl measures kavosh crawl beside other crawlers, and beside the ceiling.
package main

import (
	"fmt"
	"os"
)

func main() {
	parts := map[string]func([]string) error{"serve": serve, "inproc": inproc}
	var err error
	if len(os.Args) > 1 && parts[os.Args[1]] != nil {
		err = parts[os.Args[1]](os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/crawl:", err)
		os.Exit(1)
	}
}
