package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"kavosh/frontier"
)

// resumed is the report of a process that reopened a frontier.
type resumed struct {
	Open  float64 `json:"open_seconds"`  // from program start to the end of frontier.Open
	Lease float64 `json:"lease_seconds"` // … to the first lease
	RSS   int64   `json:"rss"`           // at that moment
	URL   string  `json:"url"`
}

type resumeReport struct {
	Machine machine   `json:"machine"`
	Time    time.Time `json:"time"`
	URLs    int64     `json:"urls"`
	Fill    phase     `json:"fill"`
	Disk    int64     `json:"disk"`
	Seconds float64   `json:"seconds"` // from process start to its first lease
	resumed
	Ratios []ratio `json:"ratios"`
}

func measureResume(args []string) error {
	fs := flag.NewFlagSet("resume", flag.ExitOnError)
	var u urlsFlags
	u.add(fs)
	urls := fs.Uint64("urls", 100_000_000, "URLs that are queued when the process is killed")
	name := fs.String("json", ".cache/bench/resume.json", "file that the figures are written to")
	if err := fs.Parse(args); err != nil {
		return err
	}
	dir, err := scratch(u.dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	u.dir, u.offers = dir, 1
	r := resumeReport{Machine: thisMachine(), Time: time.Now().UTC(), URLs: int64(*urls)}

	filler, err := part(append([]string{"fill-part", "-urls", fmt.Sprint(*urls)}, u.args()...)...)
	if err != nil {
		return err
	}
	told, err := filler.StdoutPipe()
	if err != nil {
		return err
	}
	if err := filler.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(told).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &r.Fill)
	}
	if killed := filler.Process.Kill(); err == nil {
		err = killed
	}
	_ = filler.Wait() // returns an error, because it was killed
	if err != nil {
		return fmt.Errorf("filling: %w", err)
	}
	r.Disk = onDisk(dir)

	start := time.Now()
	if err := runPart(&r.resumed, "lease-part", "-dir", dir); err != nil {
		return err
	}
	r.Seconds = time.Since(start).Seconds() // with the process's end, which takes next to nothing
	r.Ratios = []ratio{compare(fmt.Sprintf("seconds to the first lease with %s URLs queued", thousands(float64(*urls))), r.Seconds, 60, true)}
	if err := keep(*name, &r); err != nil {
		return err
	}
	r.print(os.Stdout)
	return nil
}

func (r *resumeReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n%s URLs queued in %.0f s, killed, %s MB on disk\nopened after %.3f s, first lease after %.3f s, %.3f s with the process's own start and end; %s MB resident then\n",
		r.Machine, thousands(float64(r.URLs)), r.Fill.Seconds, mb(r.Disk), r.Open, r.Lease, r.Seconds, mb(r.RSS))
	fmt.Fprintf(w, "each host counts as just asked, so that %v of it are politeness\n", delay)
	for _, x := range r.Ratios {
		fmt.Fprintln(w, x)
	}
}

// partFill queues URLs, says so, and waits to be killed.
func partFill(args []string) error {
	fs := flag.NewFlagSet("fill-part", flag.ExitOnError)
	var u urlsFlags
	u.add(fs)
	urls := fs.Uint64("urls", 0, "")
	if err := fs.Parse(args); err != nil {
		return err
	}
	f, err := frontier.Open(frontier.Options{Dir: u.dir, Delay: delay, AddressDelay: addressDelay})
	if err != nil {
		return err
	}
	p := begin()
	if err := newOffers(*urls, u).offerAll(f, p); err != nil {
		return err
	}
	p.Items, p.Seconds = int64(*urls), time.Since(p.begun).Seconds()
	p.Rate, p.Peak = float64(*urls)/p.Seconds, p.watching.stop()
	if err := tell(p); err != nil {
		return err
	}
	select {} // background work goes on until the kill
}

// partLease reopens a frontier and takes its first lease.
func partLease(args []string) error {
	start := time.Now()
	fs := flag.NewFlagSet("lease-part", flag.ExitOnError)
	dir := fs.String("dir", "", "")
	if err := fs.Parse(args); err != nil {
		return err
	}
	f, err := frontier.Open(frontier.Options{Dir: *dir, Delay: delay, AddressDelay: addressDelay})
	if err != nil {
		return err
	}
	r := resumed{Open: time.Since(start).Seconds()}
	l, err := f.Next(context.Background())
	if err != nil {
		return err
	}
	r.Lease, r.RSS, r.URL = time.Since(start).Seconds(), memory("VmRSS"), l.Task.URL
	return tell(&r) // without closing, which is not measured
}
