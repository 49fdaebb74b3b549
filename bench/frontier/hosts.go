package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"kavosh"
	"kavosh/frontier"
	"kavosh/frontier/scope"
)

// minute is the state at the end of a minute of crawling.
type minute struct {
	Minute   float64 `json:"minute"`
	Known    int64   `json:"known"`
	Queued   int64   `json:"queued"`
	Ready    int64   `json:"ready"`    // hosts in memory that may be asked now
	Waiting  int64   `json:"waiting"`  // other hosts with something queued or leased
	Visited  int64   `json:"visited"`  // URLs done
	Requests float64 `json:"requests"` // per second in this minute, with robots.txt and failures
	Offers   float64 `json:"offers"`   // links offered per second in this minute
	RSS      int64   `json:"rss"`
	Disk     int64   `json:"disk"`
}

type hostsResult struct {
	Hosts   int64    `json:"hosts"`
	Preload phase    `json:"preload"`
	Minutes []minute `json:"minutes"`
	CPU     float64  `json:"cpu_seconds"` // of the crawl
	Peak    int64    `json:"hwm"`
}

type hostsReport struct {
	Machine machine   `json:"machine"`
	Time    time.Time `json:"time"`
	hostsResult
	Ratios []ratio `json:"ratios"`
}

func measureHosts(args []string) error {
	fs := flag.NewFlagSet("hosts", flag.ExitOnError)
	hosts := fs.Uint64("hosts", 10_000_000, "hosts that have one queued URL each at the beginning")
	minutes := fs.Float64("minutes", 10, "time of crawling")
	dir := fs.String("dir", "", "where the frontier is made; .cache/bench by default")
	name := fs.String("json", ".cache/bench/hosts.json", "file that the figures are written to")
	if err := fs.Parse(args); err != nil {
		return err
	}
	r := hostsReport{Machine: thisMachine(), Time: time.Now().UTC()}
	if err := runPart(&r.hostsResult, "hosts-part", "-hosts", fmt.Sprint(*hosts), "-minutes", fmt.Sprint(*minutes), "-dir", *dir); err != nil {
		return err
	}
	if from := r.settled(); len(from) > 2 {
		r.Ratios = []ratio{
			compare("memory a minute, % of its mean, from minute 2", slope(from, func(m *minute) float64 { return float64(m.RSS) }), 2, true),
			compare("rate of requests a minute, % of its mean, from minute 2",
				slope(from, func(m *minute) float64 { return m.Requests }), -2, false),
			compare("rate of requests a minute, % of its mean, from minute 2", slope(from, func(m *minute) float64 { return m.Requests }), 2, true),
		}
	}
	if err := keep(*name, &r); err != nil {
		return err
	}
	r.print(os.Stdout)
	return nil
}

// settled returns the minutes from the second on.
func (r *hostsReport) settled() []minute {
	for i := range r.Minutes {
		if r.Minutes[i].Minute > 1.5 {
			return r.Minutes[i:]
		}
	}
	return nil
}

// slope returns how fast a figure rises, in percent of its mean per minute, by least squares.
func slope(ms []minute, of func(*minute) float64) float64 {
	var sx, sy, sxx, sxy float64
	n := float64(len(ms))
	for i := range ms {
		x, y := ms[i].Minute, of(&ms[i])
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx) / (sy / n) * 100
}

func (r *hostsReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n%s hosts preloaded in %.0f s (%s a second), %s MB resident, %s MB on disk\n\n", r.Machine,
		thousands(float64(r.Hosts)),
		r.Preload.Seconds, thousands(r.Preload.Rate), mb(r.Preload.RSS), mb(r.Preload.Disk))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "minute\tknown\tqueued\tready in memory\tother hosts\tvisited\trequests/s\toffers/s\tMB resident\tMB on disk\t")
	for _, m := range r.Minutes {
		fmt.Fprintf(t, "%.1f\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", m.Minute, thousands(float64(m.Known)),
			thousands(float64(m.Queued)), thousands(float64(m.Ready)),
			thousands(float64(m.Waiting)), thousands(float64(m.Visited)), thousands(m.Requests), thousands(m.Offers), mb(m.RSS), mb(m.Disk))
	}
	t.Flush()
	fmt.Fprintf(w, "\npeak %s MB resident, %.0f s of processor time\n", mb(r.Peak), r.CPU)
	for _, x := range r.Ratios {
		fmt.Fprintln(w, x)
	}
}

// partHosts queues the hosts and crawls.
func partHosts(args []string) error {
	fs := flag.NewFlagSet("hosts-part", flag.ExitOnError)
	hosts := fs.Uint64("hosts", 0, "")
	minutes := fs.Float64("minutes", 0, "")
	into := fs.String("dir", "", "")
	if err := fs.Parse(args); err != nil {
		return err
	}
	dir, err := scratch(*into)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	f, err := frontier.Open(frontier.Options{Dir: dir, Delay: delay, AddressDelay: addressDelay})
	if err != nil {
		return err
	}
	defer f.Close()
	r := hostsResult{Hosts: int64(*hosts)}
	p := begin()
	if err := preload(f, *hosts); err != nil {
		return err
	}
	p.end(r.Hosts, dir)
	r.Preload = *p
	progress("%d hosts preloaded: %s a second, %s MB", r.Hosts, thousands(p.Rate), mb(p.RSS))

	start := cpu()
	if err := crawlHosts(f, *hosts, time.Duration(*minutes*float64(time.Minute)), dir, &r); err != nil {
		return err
	}
	r.CPU, r.Peak = (cpu() - start).Seconds(), memory("VmHWM")
	if err := f.Close(); err != nil {
		return err
	}
	return tell(&r)
}

// preload queues the first page of each host.
func preload(f *frontier.Frontier, hosts uint64) error {
	const group = 20_000
	order := newShuffle(hosts, 7)
	for from := uint64(0); from < hosts; from += group {
		links := make([]kavosh.Link, 0, group)
		for i := from; i < min(from+group, hosts); i++ {
			links = append(links, kavosh.Link{URL: string(append(appendOrigin(nil, order.at(i)+1), '/')), Kind: kavosh.Seed})
		}
		if _, err := f.Apply([]frontier.Update{{Links: links}}, nil); err != nil {
			return err
		}
	}
	return nil
}

// crawlHosts crawls the endless web for that long and records each minute.
func crawlHosts(f *frontier.Frontier, hosts uint64, long time.Duration, dir string, r *hostsResult) error {
	const group, pending = 800, 1000 // 16 MB of pages, made durable together; requests in progress
	rig := &rig{f: f, hosts: hosts}
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		rig.watch(ctx, long, dir, r)
	}()
	c := crawler{f: f, group: group, pending: pending, flush: f.Starving(), answer: rig.answer, applied: func(int) {}}
	err := c.run(ctx)
	cancel()
	<-watched
	return err
}

// rig answers for an endless web: 50 links per page, 35 of them to the same host, the others to any; some hosts and
// pages are broken. Everything follows from the URL.
type rig struct {
	f        *frontier.Frontier
	hosts    uint64
	requests atomic.Int64
	offers   atomic.Int64
}

const (
	degree   = 50
	internal = 35
)

func (r *rig) answer(l *frontier.Lease) frontier.Update {
	u := frontier.Update{Task: l.Task}
	if l.Refused != nil {
		return u
	}
	r.requests.Add(1)
	p, _ := scope.Split(l.Task.URL)
	host, page := hash(p.Host), hash(l.Task.URL)
	var a frontier.Answer
	switch n := host % 1000; {
	case n < 10: // 1 % of the hosts do not answer
		a.Failure = kavosh.ConnectFailure
	case n < 15: // some are overloaded
		a.Status = 503
	case l.Origin != "":
		a.Status = 404
	case page%100 < 5:
		a.Status = 404
	default:
		a.Status = 200
	}
	if l.Origin != "" {
		u.Robots = &frontier.Robots{Origin: l.Origin, Status: a.Status, Failure: a.Failure}
	}
	l.Answered(a)
	if l.Origin != "" {
		return u
	}
	if notBefore, again := r.f.Retry(&l.Task, a); again {
		u.Retry = notBefore
		return u
	}
	if a.Status == 200 {
		u.Bytes = 20_000
		u.Links = r.links(p.Origin, host, page)
		r.offers.Add(degree)
	}
	return u
}

// links returns the links of a page. A host has from 10 to some millions of pages; few have many.
func (r *rig) links(origin string, host, page uint64) []kavosh.Link {
	links := make([]kavosh.Link, 0, degree)
	var b []byte
	for i := range uint64(degree) {
		m := mix(page + i)
		to, name := host, origin
		if i >= internal {
			b = appendOrigin(b[:0], m%r.hosts+1)
			o, _ := scope.Split(string(b))
			to, name = hash(o.Host), o.Origin
		}
		size := min(10<<20/(to>>20&(1<<20-1)+1)+10, 5<<20)
		b = appendPath(append(b[:0], name...), to, mix(m)%size)
		links = append(links, kavosh.Link{URL: string(b), Kind: kavosh.Navigation})
	}
	return links
}

// watch records each minute.
func (r *rig) watch(ctx context.Context, long time.Duration, dir string, result *hostsResult) {
	every := min(time.Minute, long)
	t := time.NewTicker(every)
	defer t.Stop()
	begun := time.Now()
	var requests, offers int64
	last := begun
	for end := false; !end; {
		select {
		case <-t.C:
		case <-ctx.Done():
			end = true
		}
		now := time.Now()
		since := now.Sub(last)
		if since < every/2 {
			return
		}
		s := r.f.Stats()
		n, o := r.requests.Load(), r.offers.Load()
		m := minute{
			Minute: now.Sub(begun).Minutes(), Known: s.Known, Queued: s.Queued, Ready: int64(s.Ready),
			Waiting: int64(s.Hosts - s.Ready), Visited: s.Finished,
			Requests: float64(n-requests) / since.Seconds(), Offers: float64(o-offers) / since.Seconds(), RSS: memory("VmRSS"), Disk: onDisk(dir),
		}
		result.Minutes = append(result.Minutes, m)
		progress("  minute %.1f: %s known, %s requests/s, %s MB", m.Minute, thousands(float64(m.Known)), thousands(m.Requests), mb(m.RSS))
		requests, offers, last = n, o, now
	}
}

// hash is FNV-1a, well mixed.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h)
}
