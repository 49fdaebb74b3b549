// Command replay measures kavosh serve on a large archive: look-ups and replayed pages by eight clients, with and
// without the page cache, as fast as answers come and at half that rate (ask.go); its memory; and its requests per
// second beside pywb's on the same archive.
//
// The archive (archive.go) contains pages of Debian's documentation packages (texts.go): over 150,000 distinct pages,
// each captured six times under two hosts, some as revisits, and one page captured 100,000 times; a million captures in
// all. A second archive has only an index of ten million lines. Both are kept for the next run. peers.go runs Debian's
// wrk against kavosh and pywb.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

type settings struct {
	kavosh, python string
	archive, lines string
	debs, out      string
	captures, many int
	requests       int
	clients        int
	makeOnly       bool
}

func main() {
	if err := bench(); err != nil {
		fmt.Fprintln(os.Stderr, "bench/replay:", err)
		os.Exit(1)
	}
}

func bench() error {
	var o settings
	flag.StringVar(&o.kavosh, "kavosh", "bin/kavosh", "the `program`")
	flag.StringVar(&o.python, "python", ".cache/venv/bin/python", "the `program` that has pywb")
	flag.StringVar(&o.archive, "archive", ".cache/bench/million", "`folder` of the archive, made when it is not there: 4 GB")
	flag.StringVar(&o.lines, "lines", "", "`folder` of the index of many lines, made when it is not there: 1 GB (default: beside the archive)")
	flag.StringVar(&o.debs, "packages", ".cache/bench/packages", "`folder` of the packages, downloaded when they are not there")
	flag.StringVar(&o.out, "json", ".cache/bench/replay.json", "`file` for the results")
	flag.IntVar(&o.captures, "captures", 1_000_000, "captures of the archive at least")
	flag.IntVar(&o.many, "many", 10_000_000, "lines of the index")
	flag.IntVar(&o.requests, "requests", 10_000, "requests of each kind")
	flag.IntVar(&o.clients, "clients", 8, "clients at a time")
	flag.BoolVar(&o.makeOnly, "make", false, "make the archive, its search index and the many lines, and measure nothing")
	flag.Parse()
	if o.lines == "" {
		o.lines = o.archive + "-lines"
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b, err := makeArchive(ctx, o.archive, o.debs, o.captures)
	if err == nil {
		err = o.searchable(ctx)
	}
	if err != nil {
		return err
	}
	r, err := o.measure(ctx, b)
	if err != nil || o.makeOnly {
		return err
	}
	r.print(os.Stdout)
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.out), 0o777); err != nil {
		return err
	}
	return os.WriteFile(o.out, append(data, '\n'), 0o666)
}
