package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"kavosh"
	"kavosh/frontier"
)

// urlsResult is the result for one size of web.
type urlsResult struct {
	URLs      int64   `json:"urls"`
	Hosts     int64   `json:"hosts"` // hosts with pages
	Offers    int64   `json:"offers"`
	URLBytes  float64 `json:"url_bytes"`  // mean length
	Generator float64 `json:"generator"`  // CPU ns to generate an offer; part of in.cpu_ns_an_item
	In        phase   `json:"in"`         // of offers
	Out       *phase  `json:"out"`        // of tasks leased, answered and applied, with robots.txt
	InNanos   float64 `json:"in_ns_url"`  // wall time per distinct URL
	OutNanos  float64 `json:"out_ns_url"` // the same
	DiskURL   float64 `json:"disk_url"`   // bytes on disk per queued URL
	Peak      int64   `json:"hwm"`        // VmHWM of the process
	Passed    string  `json:"passed"`     // time on the crawl's clock
}

type urlsReport struct {
	Machine machine      `json:"machine"`
	Time    time.Time    `json:"time"`
	Sizes   []urlsResult `json:"sizes"`
	Ratios  []ratio      `json:"ratios"`
}

type urlsFlags struct {
	hosts, offers, group uint64
	pages                int
	out                  int64
	dir, profiles        string
}

func (u *urlsFlags) add(fs *flag.FlagSet) {
	fs.Uint64Var(&u.hosts, "hosts", 1_000_000, "hosts, of sizes by Zipf's law")
	fs.Uint64Var(&u.offers, "offers", 10, "times that each URL is offered")
	fs.Uint64Var(&u.group, "group", 100, "links of a page, all of which are offered together")
	fs.IntVar(&u.pages, "pages", 200, "pages of an Apply, as in a group that is made durable together")
	fs.Int64Var(&u.out, "out", -1, "tasks that are leased, answered and applied, at most; -1 is all")
	fs.StringVar(&u.dir, "dir", "", "where frontiers are made; .cache/bench by default")
	fs.StringVar(&u.profiles, "profiles", "", "folder for CPU profiles of the way in and the way out")
}

func (u *urlsFlags) args() []string {
	return []string{"-hosts", fmt.Sprint(u.hosts), "-offers", fmt.Sprint(u.offers), "-group", fmt.Sprint(u.group),
		"-pages", fmt.Sprint(u.pages), "-out", fmt.Sprint(u.out), "-dir", u.dir, "-profiles", u.profiles}
}

func measureURLs(args []string) error {
	fs := flag.NewFlagSet("urls", flag.ExitOnError)
	var u urlsFlags
	u.add(fs)
	sizes := fs.String("urls", "1000000,10000000,100000000", "distinct URLs, one size after another; the smallest first")
	name := fs.String("json", ".cache/bench/frontier.json", "file that the figures are written to")
	if err := fs.Parse(args); err != nil {
		return err
	}
	report := urlsReport{Machine: thisMachine(), Time: time.Now().UTC()}
	for _, size := range strings.Split(*sizes, ",") {
		var r urlsResult
		if err := runPart(&r, append([]string{"urls-part", "-urls", size}, u.args()...)...); err != nil {
			return err
		}
		report.Sizes = append(report.Sizes, r)
		report.rate()
		if err := keep(*name, &report); err != nil { // after each size, because the next may take an hour
			return err
		}
	}
	report.print(os.Stdout)
	return nil
}

// rate compares the largest size with its targets, and with the size before it.
func (r *urlsReport) rate() {
	last := &r.Sizes[len(r.Sizes)-1]
	label := func(what string) string { return fmt.Sprintf("%s at %s URLs", what, thousands(float64(last.URLs))) }
	r.Ratios = []ratio{
		compare(label("offers a second"), last.In.Rate, 300_000, false),
		compare(label("offers a second over the last tenth"), last.In.LastTenth, 300_000, false),
		compare(label("peak MB resident"), float64(last.Peak)/1e6, 2000, true),
	}
	if len(r.Sizes) < 2 {
		return
	}
	before := &r.Sizes[len(r.Sizes)-2]
	label = func(what string) string {
		return fmt.Sprintf("%s, %s / %s URLs", what, thousands(float64(last.URLs)), thousands(float64(before.URLs)))
	}
	r.Ratios = append(r.Ratios,
		compare(label("peak resident"), float64(last.Peak)/float64(before.Peak), 1.2, true),
		compare(label("ns a URL in"), last.InNanos/before.InNanos, 1.5, true),
		compare(label("CPU ns an offer"), last.In.CPUNanos/before.In.CPUNanos, 1.5, true))
	if last.Out != nil && before.Out != nil {
		r.Ratios = append(r.Ratios, compare(label("ns a URL out"), last.OutNanos/before.OutNanos, 1.5, true))
	}
}

func (r *urlsReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", r.Machine)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "URLs\thosts\toffers/s\tlast tenth\tns/URL\tCPU ns/offer\tof it ours\tpeak MB\tdisk B/URL\tout/s\tlast tenth\tCPU ns/task\tpeak MB\tdisk MB\t")
	for i := range r.Sizes {
		s := &r.Sizes[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.0f\t%.0f\t%.0f\t%s\t%.0f\t", thousands(float64(s.URLs)),
			thousands(float64(s.Hosts)), thousands(s.In.Rate),
			thousands(s.In.LastTenth), s.InNanos, s.In.CPUNanos, s.Generator, mb(s.In.Peak), s.DiskURL)
		if s.Out != nil {
			fmt.Fprintf(t, "%s\t%s\t%.0f\t%s\t%s\t", thousands(s.Out.Rate), thousands(s.Out.LastTenth), s.Out.CPUNanos,
				mb(s.Out.Peak), mb(s.Out.Disk))
		}
		fmt.Fprintln(t)
	}
	if s := &r.Sizes[0]; len(r.Sizes) > 1 {
		fmt.Fprintf(t, "as many times as for %s:\t\t\t\t\t\t\t\t\t\t\t\t\t\t\n", thousands(float64(s.URLs)))
		for i := range r.Sizes[1:] {
			o := &r.Sizes[i+1]
			fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t\t%.2f\t%.2f\t", thousands(float64(o.URLs)),
				float64(o.Hosts)/float64(s.Hosts), o.In.Rate/s.In.Rate,
				o.In.LastTenth/s.In.LastTenth, o.InNanos/s.InNanos, o.In.CPUNanos/s.In.CPUNanos,
				float64(o.In.Peak)/float64(s.In.Peak), o.DiskURL/s.DiskURL)
			if o.Out != nil && s.Out != nil {
				fmt.Fprintf(t, "%.2f\t%.2f\t%.2f\t%.2f\t\t", o.Out.Rate/s.Out.Rate, o.Out.LastTenth/s.Out.LastTenth,
					o.Out.CPUNanos/s.Out.CPUNanos, float64(o.Out.Peak)/float64(s.Out.Peak))
			}
			fmt.Fprintln(t)
		}
	}
	t.Flush()
	fmt.Fprintln(w, "\nRates count until merging and compacting were done. CPU is that of the process, both cores, with what it takes to make an offer up.")
	for _, x := range r.Ratios {
		fmt.Fprintln(w, x)
	}
}

// partURLs measures one size.
func partURLs(args []string) error {
	fs := flag.NewFlagSet("urls-part", flag.ExitOnError)
	var u urlsFlags
	u.add(fs)
	urls := fs.Uint64("urls", 0, "distinct URLs")
	if err := fs.Parse(args); err != nil {
		return err
	}
	dir, err := scratch(u.dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	clock := newHasty()
	f, err := frontier.Open(frontier.Options{Dir: dir, Clock: clock, Delay: delay, AddressDelay: addressDelay})
	if err != nil {
		return err
	}
	defer f.Close()
	o := newOffers(*urls, u)
	r := urlsResult{URLs: int64(*urls), Hosts: o.hosts(), Offers: int64(o.n)}
	r.Generator, r.URLBytes = o.cost()

	stop, err := profile(u.profiles, fmt.Sprintf("in-%d.prof", *urls))
	if err != nil {
		return err
	}
	p := begin()
	if err := o.offerAll(f, p); err != nil {
		return err
	}
	p.end(r.Offers, dir)
	stop()
	if known := f.Stats().Known; known != r.URLs {
		return fmt.Errorf("%d URLs are known, %d were offered", known, r.URLs)
	}
	r.In, r.InNanos, r.DiskURL = *p, p.Seconds*1e9/float64(r.URLs), float64(p.Disk)/float64(r.URLs)
	progress("%d URLs: %s offers/s, %s MB", r.URLs, thousands(p.Rate), mb(p.Peak))
	if u.out != 0 {
		runtime.GC() // so that garbage of the way in is not counted for the way out
		if stop, err = profile(u.profiles, fmt.Sprintf("out-%d.prof", *urls)); err != nil {
			return err
		}
		if r.Out, err = out(f, clock, u.out, dir); err != nil {
			return err
		}
		stop()
		r.OutNanos = r.Out.Seconds * 1e9 / float64(r.Out.Items)
		progress("%d URLs: %s out/s, %s MB", r.URLs, thousands(r.Out.Rate), mb(r.Out.Peak))
	}
	r.Peak, r.Passed = memory("VmHWM"), clock.passed().Round(time.Hour).String()
	if err := f.Close(); err != nil {
		return err
	}
	return tell(&r)
}

// out leases, answers and applies everything queued, or at most that many tasks.
func out(f *frontier.Frontier, clock *hasty, most int64, dir string) (*phase, error) {
	const group = 2_000
	all := f.Stats().Queued // not counting a robots.txt for each origin, so the last tenth begins a little early
	if most > 0 {
		all = min(all, most)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := begin()
	var tasks int64
	c := crawler{f: f, group: group, pending: group, flush: clock.stuck, answer: found, applied: func(n int) {
		if before := tasks / (all/10 + 1); (tasks+int64(n))/(all/10+1) != before {
			progress("  %d tasks out after %.0f s", tasks, time.Since(p.begun).Seconds())
		}
		if tasks += int64(n); tasks >= all*9/10 && p.nth.IsZero() {
			p.tenth()
		}
		if most > 0 && tasks >= most {
			cancel()
		}
	}}
	if err := c.run(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	}
	p.end(tasks, dir)
	return p, nil
}

// offers are all offers of a web, shuffled.
type offers struct {
	web     web
	n       uint64
	shuffle shuffle
	group   uint64
	pages   int
}

func newOffers(urls uint64, u urlsFlags) *offers {
	n := urls * u.offers
	return &offers{newWeb(urls, u.hosts), n, newShuffle(n, 42), u.group, u.pages}
}

// hosts returns the number of hosts with pages.
func (o *offers) hosts() (n int64) {
	last := uint64(0)
	for page := range o.web.pages {
		if h := o.web.host(page); h != last {
			n, last = n+1, h
		}
	}
	return n
}

// fill turns the offers from number from on into the links of some pages.
func (o *offers) fill(updates []frontier.Update, from uint64) []frontier.Update {
	updates = updates[:0]
	var b []byte
	for range o.pages {
		if from >= o.n {
			break
		}
		links := make([]kavosh.Link, 0, o.group)
		for range min(o.group, o.n-from) {
			b = o.web.appendURL(b[:0], o.shuffle.at(from)%o.web.pages)
			links = append(links, kavosh.Link{URL: string(b), Kind: kavosh.Navigation})
			from++
		}
		updates = append(updates, frontier.Update{Links: links})
	}
	return updates
}

// cost returns the time to generate an offer, in nanoseconds, and the mean length of the URLs.
func (o *offers) cost() (nanos, length float64) {
	const sample = 2_000_000
	var updates []frontier.Update
	n, bytes := uint64(0), 0
	start := cpu()
	for n < min(sample, o.n) {
		updates = o.fill(updates, n)
		for i := range updates {
			n += uint64(len(updates[i].Links))
			bytes += len(updates[i].Links[0].URL) * len(updates[i].Links)
		}
	}
	return float64(cpu()-start) / float64(n), float64(bytes) / float64(n)
}

// offerAll offers everything. It generates the next offers while the last ones are applied.
func (o *offers) offerAll(f *frontier.Frontier, p *phase) error {
	made, used := make(chan []frontier.Update, 1), make(chan []frontier.Update, 2)
	used <- nil
	used <- nil
	go func() {
		defer close(made)
		for from := uint64(0); from < o.n; from += o.group * uint64(o.pages) {
			updates, ok := <-used
			if !ok {
				return
			}
			made <- o.fill(updates, from)
		}
	}()
	done := uint64(0)
	for updates := range made {
		if done >= o.n/10*9 && p.nth.IsZero() {
			p.tenth()
		}
		if _, err := f.Apply(updates, nil); err != nil {
			close(used)
			return err
		}
		if before := done; (done+o.group*uint64(o.pages))/(o.n/10+1) != before/(o.n/10+1) {
			progress("  %s offers after %.0f s, %s MB", thousands(float64(done)), time.Since(p.begun).Seconds(), mb(memory("VmRSS")))
		}
		done += o.group * uint64(o.pages)
		used <- updates
	}
	return nil
}
