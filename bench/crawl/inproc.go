package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"

	"kavosh/engine"
	"kavosh/fetch"
	"kavosh/frontier/scope"
	"kavosh/judge"
)

// inproc crawls the site with the engine in this process, for a profile of it.
func inproc(args []string) error {
	var f siteFlags
	set := flag.NewFlagSet("inproc", flag.ExitOnError)
	f.register(set)
	workers := set.Int("workers", 0, "exchanges at once; 0 is the engine's default")
	dir := set.String("dir", "", "`folder` for the archive, removed afterwards; default: the system's for temporary files")
	cpu := set.String("cpuprofile", "", "write a profile of the processor time to this `file`")
	prefer := set.String("prefer", "", "judge pages as kavosh crawl --prefer does, such as language=fa")
	ordered := set.String("order", "", "the `order` of a crawl with -prefer; default: the one that kavosh crawl --prefer takes")
	mem := set.String("memprofile", "", "write a profile of all allocations to this `file`")
	set.Parse(args)
	s, err := startServer(f)
	if err != nil {
		return err
	}
	defer s.close()
	folder, err := os.MkdirTemp(*dir, "crawl-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := trust(s, folder); err != nil {
		return err
	}
	opt := inprocOptions(folder+"/archive", s, *workers)
	if *prefer != "" {
		reader := judge.Reader{Open: os.ReadFile}
		if opt.Judge, err = reader.Parse([]string{*prefer}); err != nil {
			return err
		}
		opt.Order, opt.OrderSetup.Topic = cmp.Or(*ordered, engine.OrderFor([]string{*prefer})), opt.Judge.Text
	}
	if *cpu != "" {
		w, err := os.Create(*cpu)
		if err != nil {
			return err
		}
		defer w.Close()
		if err := pprof.StartCPUProfile(w); err != nil {
			return err
		}
	}
	var before, after runtime.MemStats
	var begin, end syscall.Rusage
	runtime.ReadMemStats(&before)
	syscall.Getrusage(syscall.RUSAGE_SELF, &begin)
	from := time.Now()
	report, err := engine.Run(context.Background(), opt)
	wall := time.Since(from)
	syscall.Getrusage(syscall.RUSAGE_SELF, &end)
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	if *mem != "" {
		if err := writeHeap(*mem); err != nil {
			return err
		}
	}
	var c counts
	if err := s.ask("counts", &c); err != nil {
		return err
	}
	user, system := time.Duration(end.Utime.Nano()-begin.Utime.Nano()), time.Duration(end.Stime.Nano()-begin.Stime.Nano())
	pages := float64(c.Pages)
	fmt.Printf("%d pages of %d (%s), %d requests, %d recorded\n", c.Pages, s.Pages, report.End, c.Requests, report.Recorded)
	fmt.Printf("%.0f pages a CPU-second: %.2f s user + %.2f s system, %.1f µs a page\n", pages/(user+system).Seconds(), user.Seconds(),
		system.Seconds(), (user+system).Seconds()*1e6/pages)
	fmt.Printf("%.0f pages a second: %.2f s\n", pages/wall.Seconds(), wall.Seconds())
	fmt.Printf("%.1f allocations and %.0f bytes a page, %d collections, peak %d MB\n", float64(after.Mallocs-before.Mallocs)/pages,
		float64(after.TotalAlloc-before.TotalAlloc)/pages, after.NumGC-before.NumGC, end.Maxrss>>10)
	return nil
}

// inprocOptions returns the options of `kavosh crawl --delay 0 --address-delay 0 --allow-private 127.0.0.0/8`.
func inprocOptions(archive string, s *serving, workers int) engine.Options {
	return engine.Options{
		Archive: archive, Seeds: engine.SeedURLs(s.Seeds...), Workers: workers,
		Scope:  scope.Options{Mode: scope.Mode(s.Scope), MaxHops: -1, ObeyNoFollow: true},
		Limits: engine.Limits{MinFree: 256 << 20}, Fetch: fetch.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
		Version: "bench",
	}
}

func writeHeap(name string) error {
	w, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := pprof.Lookup("allocs").WriteTo(w, 0); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}
